"""Numbers that were recorded in a text file: one in each line, or a column of a CSV table."""

from __future__ import annotations

import csv
import math
import os
from pathlib import Path
from typing import Any

from purex.errors import InvalidInputError, shown
from purex.whole_numbers import is_whole

MOST_VALUES = 10_000_000  # of a file: more take minutes to read, and no simulation needs them


def read_numbers(file: str | os.PathLike[str], column: str | int | None = None) -> list[float]:
    """The numbers of a file, or of one of its columns, given by its name or by its number, from 0 on.

    Empty lines are skipped. The names of columns stand in the first line; with a number, it may have none.
    """
    rows = _rows(file)
    if column is None:
        wide = next((line for line, row in rows if len(row) > 1), None)
        if wide is not None:
            raise InvalidInputError(
                f"line {wide} of {shown(str(file))} has several columns: choose one by "
                "its name or number, column="
            )
        if rows and not _is_number(rows[0][1]):
            raise InvalidInputError(
                f"{shown(str(file))} begins with {shown(rows[0][1][0])}, which is not a number: if it is the "
                "name of a column, give it by column="
            )
        return [_number(file, line, row[0]) for line, row in rows]
    at = _column(file, rows, column)
    has_header = isinstance(column, str) or (len(rows) > 0 and not _is_number(rows[0][1][at : at + 1]))
    return [_number(file, line, row[at] if at < len(row) else "") for line, row in rows[has_header:]]


def _rows(file: str | os.PathLike[str]) -> list[tuple[int, list[str]]]:
    """The lines that are not empty, each with its number, as cells without spaces around them."""
    try:
        path = Path(file)
        if not path.is_file():
            raise InvalidInputError(f"there is no file {shown(str(file))} of recorded rewards")
        rows = []
        with open(path, encoding="utf-8-sig", newline="") as handle:
            reader = csv.reader(handle)
            for row in reader:
                if any(cell.strip() for cell in row):
                    rows.append((reader.line_num, [cell.strip() for cell in row]))
                if len(rows) > MOST_VALUES:
                    raise InvalidInputError(f"{shown(str(file))} has more than {MOST_VALUES:,} lines")
    except (OSError, TypeError, ValueError, csv.Error) as error:  # ValueError: no text, or no path
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(f"recorded rewards cannot be read from {shown(file)}: {error}") from None
    return rows


def _column(file: Any, rows: list[tuple[int, list[str]]], column: str | int) -> int:
    """The place of a column in each row."""
    header = rows[0][1] if rows else []
    if isinstance(column, str):
        if header.count(column) != 1:
            times = "no column" if column not in header else "several columns"
            raise InvalidInputError(
                f"the first line of {shown(str(file))} names {times} {shown(column)}, but {shown(header)}"
            )
        return header.index(column)
    if not is_whole(column, 0, max(len(header) - 1, 0)):
        raise InvalidInputError(
            f"a column of {shown(str(file))} is a name or a number from 0 to {max(len(header) - 1, 0)}, not "
            f"{shown(column)}"
        )
    return int(column)


def _is_number(cells: list[str]) -> bool:
    try:
        return math.isfinite(float(cells[0]))
    except (ValueError, IndexError):
        return False


def _number(file: Any, line: int, cell: str) -> float:
    if not _is_number([cell]):
        raise InvalidInputError(f"line {line} of {shown(str(file))} has {shown(cell)}, which is not a number")
    return float(cell)
