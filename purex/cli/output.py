"""How commands write: tables of at most 80 columns for people, JSON for programs."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 80  # where the output is no terminal, which has a width of its own
MAX_TEXT = 500  # characters of a plugin's summary or reference that listings show
MAX_KEY_WIDTH = 32  # the first column is not folded up to this width

# as tables show it: 1,520.5, 2.3e-05, 14.9 %, inf, or - where there is none
NUMBER = re.compile(r"[+-]?(?:[\d,]*\.?\d+(?:e[+-]?\d+)?|inf|nan)(?: ?%)?|-")

F = TypeVar("F", bound=Callable[..., Any])


def json_option(command: F) -> F:
    """Give a command the option `--json`, as the argument `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Write JSON.")(command)


def shortened(text: str, most: int = MAX_TEXT) -> str:
    """A text of plugins as listings show it: cut where it is too long.

    >>> shortened("which arm has the largest mean?", 9)
    'which arm ... (31 characters)'
    """
    return text if len(text) <= most else f"{text[:most]} ... ({len(text)} characters)"


def _plain(value: Any) -> Any:
    """Arrays as lists, and infinite numbers, which JSON lacks, as the text `inf` or `nan`."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def emit_json(value: Any) -> None:
    """Write a value as JSON; infinity, which JSON lacks, becomes the text "inf".

    >>> emit_json({"value": float("inf"), "piece": -1})
    {
      "value": "inf",
      "piece": -1
    }
    """
    click.echo(json.dumps(_plain(value), indent=2, allow_nan=False))


def _console() -> Console:
    from rich.console import Console

    if sys.stdout.isatty():
        return Console(highlight=False, markup=False, emoji=False)
    return Console(width=WIDTH, force_terminal=False, color_system=None, highlight=False, emoji=False)


def emit_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table: with rules and bold heads on a terminal, plain elsewhere; numbers end below each other.

    >>> emit_table(["rule", "mean", "why"], [["D-C", 1520.5, "best"], ["RR", 98.5, "all alike"]])
    rule    mean  why
    D-C   1520.5  best
    RR      98.5  all alike
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = _console()
    cells = [[str(cell) for cell in row] for row in rows]
    table = Table(
        box=box.SIMPLE_HEAD if console.is_terminal else None,
        pad_edge=False,
        show_header=any(columns),
    )
    for index, column in enumerate(columns):
        below = [row[index] for row in cells]
        longest = max(map(len, below), default=0)
        numbers = index > 0 and any(below) and all(not cell or NUMBER.fullmatch(cell) for cell in below)
        words = max(map(len, column.split()), default=0)  # of the head, none of which is cut
        width = max(words, min(longest, MAX_KEY_WIDTH) if index == 0 else longest if numbers else 0)
        table.add_column(
            Text(column), overflow="fold", min_width=width, justify="right" if numbers else "left"
        )
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    with console.capture() as capture:
        console.print(table)
    # rich fills lines with spaces up to the column's width
    click.echo("\n".join(line.rstrip() for line in capture.get().splitlines()))
