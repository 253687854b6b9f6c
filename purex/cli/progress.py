"""How commands tell that they are at work: on stderr, and only if it takes long."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

PATIENCE = 1.0  # seconds of compiling before a line says so
COMPILING = "getting ready: kernels that are not kept from before are compiled, once"


@contextmanager
def saying(line: str) -> Iterator[None]:
    """Say on stderr what takes so long, if it takes long."""
    timer = threading.Timer(PATIENCE, lambda: click.echo(line, err=True))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def progress_bar(total: int, lines: bool = False) -> Iterator[Any]:
    """A bar of finished runs on stderr, if that is a terminal; yields the function that moves it.

    Elsewhere, such as in the log of a long job, `lines` asks for a line at every quarter.
    """
    if not sys.stderr.isatty():
        yield _Quarters(total) if lines else None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("runs"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rounds]} rounds"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("runs", total=total, rounds="0")
        yield lambda done, rounds: bar.update(task, completed=done, rounds=f"{rounds:,}")


class _Quarters:
    """A line on stderr at every quarter of the runs."""

    def __init__(self, total: int) -> None:
        self.total, self.said = total, 0

    def __call__(self, done: int, rounds: int) -> None:
        """Tell the runs and rounds so far."""
        quarter = 4 * done // max(self.total, 1)
        if quarter > self.said:
            self.said = quarter
            click.echo(f"{done:,} of {self.total:,} runs, {rounds:,} rounds", err=True)
