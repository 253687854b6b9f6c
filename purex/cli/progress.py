"""How commands tell that they are at work: on stderr, and only if it takes long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

PATIENCE = 1.0  # seconds of compiling before a line says so
MOMENT = 2.0  # seconds that need no progress
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
        yield _Quarters(total, "runs") if lines else None
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


@contextmanager
def steps_bar(total: int, what: str, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Progress over `total` things on stderr; yields the function that is told how many are done.

    A bar with the remaining time on a terminal, elsewhere a line at every quarter.
    """
    quarters = _Quarters(total, what)
    if quiet or not sys.stderr.isatty():
        yield (lambda done: None) if quiet else quarters
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


class _Quarters:
    """A line on stderr at every quarter of what takes more than a moment."""

    def __init__(self, total: int, what: str) -> None:
        self.total, self.what, self.said, self.began = total, what, 0, time.monotonic()

    def __call__(self, done: int, rounds: int | None = None) -> None:
        """Tell how many are done, of runs with the rounds so far."""
        quarter = 4 * done // max(self.total, 1)
        if quarter > self.said and time.monotonic() - self.began > MOMENT:
            self.said = quarter
            more = "" if rounds is None else f", {rounds:,} rounds"
            click.echo(f"{done:,} of {self.total:,} {self.what}{more}", err=True)
