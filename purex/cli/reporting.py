"""What the library logs, such as a plugin that fails, as sentences on stderr."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from textwrap import fill

import click


class Sentences(logging.Handler):
    """Write each record as `purex: message`; the command goes on."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record to what is stderr now."""
        click.echo(fitted(f"purex: {record.getMessage()}"), err=True)


def fitted(line: str) -> str:
    """A line of stderr: on a terminal as many lines as it needs, which end between words."""
    if not sys.stderr.isatty():
        return line
    return fill(line, get_terminal_size().columns, break_long_words=False, break_on_hyphens=False)


@contextmanager
def reporting() -> Iterator[None]:
    """Show the warnings of purex while a command runs."""
    logger, handler = logging.getLogger("purex"), Sentences(logging.WARNING)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
