"""What the library logs, such as a plugin that fails, as sentences on stderr."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import click


class Sentences(logging.Handler):
    """Write each record as `purex: message`; the command goes on."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record to what is stderr now."""
        click.echo(f"purex: {record.getMessage()}", err=True)


@contextmanager
def reporting() -> Iterator[None]:
    """Show the warnings of purex while a command runs."""
    logger, handler = logging.getLogger("purex"), Sentences(logging.WARNING)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
