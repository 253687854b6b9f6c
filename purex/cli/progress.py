"""How commands tell that they are at work: on stderr, and only if it takes long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

PATIENCE = 1.0  # seconds of compiling before a line says so
MOMENT = 2.0  # seconds that need no progress
OFTEN = 0.1  # seconds between looks at whether kernels are compiled
SLOW = 1e-3  # seconds: rounds that take longer are said to
COMPILING = "getting ready: kernels are compiled, once; they are kept for the next time"

_bars: list[Console] = []  # the console of the bar that is on the screen, if there is one


def say(line: str) -> None:
    """Write a line on stderr, above the bar if there is one."""
    if _bars:
        _bars[-1].print(line, highlight=False, markup=False, emoji=False)
    else:
        click.echo(line, err=True)


@contextmanager
def saying(line: str) -> Iterator[None]:
    """Say on stderr what takes so long, if it takes long."""
    timer = threading.Timer(PATIENCE, say, [line])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def saying_if_compiled(line: str = COMPILING) -> Iterator[None]:
    """Say on stderr that kernels are compiled, if they are, and if it takes long."""
    over, begun = threading.Event(), threading.Event()

    def watch() -> None:
        began = time.monotonic()
        while not over.wait(OFTEN):
            if "purex.numba_doors" in sys.modules and "numba.core.event" in sys.modules:
                from purex.numba_doors import while_compiling

                with while_compiling(begun.set):
                    while not over.wait(OFTEN):
                        if begun.is_set() and time.monotonic() - began > PATIENCE:
                            say(line)
                            return
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


@contextmanager
def progress_bar(total: int, lines: bool = False, hint: str = "") -> Iterator[Any]:
    """A bar of finished runs on stderr, if that is a terminal; yields the function that moves it.

    Elsewhere, such as in the log of a long job, `lines` asks for a line at every quarter. Where a round takes
    long, a line says how long, and gives the `hint`.
    """
    slow = _SlowRounds(hint)
    if not sys.stderr.isatty():
        quarters = _Quarters(total, "runs") if lines else None

        def tell(done: int, rounds: int) -> None:
            slow(rounds)
            if quarters is not None:
                quarters(done, rounds)

        yield tell
        return
    with _bar(total, "runs", "{task.fields[rounds]} rounds") as update:

        def move(done: int, rounds: int) -> None:
            slow(rounds)
            update(completed=done, rounds=f"{rounds:,}")

        yield move


@contextmanager
def steps_bar(total: int, what: str, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Progress over `total` things on stderr; yields the function that is told how many are done.

    A bar with the remaining time on a terminal, elsewhere a line at every quarter.
    """
    quarters = _Quarters(total, what)
    if quiet or not sys.stderr.isatty():
        yield (lambda done: None) if quiet else quarters
        return
    with _bar(total, what) as update:
        yield lambda done: update(completed=done)


@contextmanager
def _bar(total: int, what: str, *more: str) -> Iterator[Callable[..., None]]:
    """A bar on the terminal, with further columns; yields the function that updates it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    texts = [TextColumn(text) for text in more]
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), *texts, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=total, rounds="0")
        _bars.append(console)
        try:
            yield lambda **fields: bar.update(task, **fields)
        finally:
            _bars.remove(console)


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
            say(f"{done:,} of {self.total:,} {self.what}{more}")


class _SlowRounds:
    """A line on stderr, once, when a round turns out to take long.

    The clock begins with the first rounds that are played: what comes before them is compilation.
    """

    def __init__(self, hint: str) -> None:
        self.hint, self.said, self.began, self.first = hint, False, 0.0, 0

    def __call__(self, rounds: int) -> None:
        """Tell how many rounds are played."""
        if self.first == 0:
            self.began, self.first = time.monotonic(), rounds
        seconds, played = time.monotonic() - self.began, rounds - self.first
        if self.said or seconds < MOMENT or played == 0 or seconds / played < SLOW:
            return
        self.said = True
        say(f"{1000 * seconds / played:.0f} ms a round" + (f"; {self.hint}" if self.hint else ""))
