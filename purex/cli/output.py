"""How commands write: tables of at most 80 columns for people, JSON for programs."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 80  # where the output is no terminal, which has a width of its own
MAX_TEXT = 500  # characters of a plugin's summary or reference that listings show
GAP = 2  # spaces between columns
MAX_KEY_WIDTH = 34  # the first column is not folded up to this width

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


def emit_paragraph(text: str, indent: int = 0) -> None:
    """Write a text in lines of at most 80 columns, all but the first indented.

    >>> emit_paragraph("skipped check_pickles: " + "the query holds an open file, " * 3 + "or so", indent=2)
    skipped check_pickles: the query holds an open file, the query holds an open
      file, the query holds an open file, or so
    """
    click.echo(
        fill(text, WIDTH, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    )


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
    are_numbers = [index > 0 and _are_numbers([row[index] for row in cells]) for index in range(len(columns))]
    edges = 0 if table.box is None else len(columns) + 1  # lines between columns, and at either end
    room = console.width - edges - GAP * (len(columns) - 1)
    for column, is_number, width in zip(
        columns, are_numbers, _widths(columns, cells, are_numbers, room), strict=True
    ):
        table.add_column(Text(column), overflow="fold", width=width, justify="right" if is_number else "left")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    with console.capture() as capture:
        console.print(table)
    # rich fills lines with spaces up to the column's width
    click.echo("\n".join(line.rstrip() for line in capture.get().splitlines()))


def _are_numbers(cells: Sequence[str]) -> bool:
    return any(cells) and all(not cell or NUMBER.fullmatch(cell) for cell in cells)


def _widths(
    columns: Sequence[str], cells: Sequence[Sequence[str]], are_numbers: Sequence[bool], room: int
) -> list[int | None]:
    """Widths that cut no word of a head and no number, the names in the first column as whole as can be.

    >>> _widths(["rule", "uncertified", "why"], [["T-C", "12", "because of this"]], [False, True, False], 24)
    [4, 11, 9]
    """
    heads = [max(map(len, column.split()), default=0) for column in columns]
    longest = [
        max(len(line) for text in (columns[k], *(row[k] for row in cells)) for line in text.split("\n"))
        for k in range(len(columns))
    ]
    widths = [max(h, n) if number else h for h, n, number in zip(heads, longest, are_numbers, strict=True)]
    spare = room - sum(widths)
    if spare < 0:
        return [None] * len(columns)  # whatever is too wide is folded
    wishes = {k: longest[k] - width for k, width in enumerate(widths)}
    widths[0] += (given := min(wishes.pop(0), spare, max(MAX_KEY_WIDTH - widths[0], 0)))
    spare -= given
    while wishes:  # the smallest first, so that what they leave is for the others
        k = min(wishes, key=wishes.__getitem__)
        share = spare // len(wishes)
        widths[k] += (given := min(wishes.pop(k), share))
        spare -= given
    return list(widths)
