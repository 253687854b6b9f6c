"""Tables of a TOML or JSON file, checked key by key: what is wrong, and where, in one sentence."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from purex.errors import InvalidInputError, nearest
from purex.whole_numbers import is_whole

Schema = Mapping[str, Callable[[Any], Any]]

DEEPEST = 20  # tables within tables: more than any file of purex has
# A key such as a.a.a. ... of more parts: the parser would take a time that grows with their square.
LONG_KEY = re.compile(
    rf"(?:^|[\[{{,])[ \t]*(?:(?:[A-Za-z0-9_-]+|\"[^\"\n]*\"|'[^'\n]*')[ \t]*\.[ \t]*){{{DEEPEST}}}",
    re.MULTILINE,
)


class WrongValueError(Exception):
    """What is wrong with a value, without its place."""


def text(value: Any) -> str:
    """Check that a value is text."""
    if not isinstance(value, str) or not value.strip():
        raise WrongValueError(f"text such as 'best-arm' is required, not {_shown(value)}")
    return value


def whole(least: int) -> Callable[[Any], int]:
    """The check of a whole number that is not below `least`."""

    def check(value: Any) -> int:
        if not is_whole(value, least, 2**63 - 1):
            raise WrongValueError(f"a whole number, at least {least}, is required, not {_shown(value)}")
        return int(value)

    return check


def number(value: Any) -> float:
    """Check that a value is a finite number."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not abs(value) < math.inf or (isinstance(value, int) and abs(value) >= 2**1023):
        raise WrongValueError(f"a finite number is required, not {_shown(value)}")
    return float(value)


def risk(value: Any) -> float:
    """Check that a value is a number in (0, 1)."""
    if not 0.0 < number(value) < 1.0:
        raise WrongValueError(f"a risk lies strictly between 0 and 1, which {_shown(value)} does not")
    return float(value)


def several(check: Callable[[Any], Any], distinct: bool = True) -> Callable[[Any], tuple[Any, ...]]:
    """The check of a list whose items pass `check`."""

    def check_all(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or not value:
            raise WrongValueError(f"a list that is not empty is required, not {_shown(value)}")
        found = tuple(check(item) for item in value)
        for place, item in enumerate(found):
            if distinct and item in found[:place]:
                raise WrongValueError(f"{_shown(item)} stands twice in the list")
        return found

    return check_all


def interval(value: Any) -> tuple[float, float]:
    """Check that a value is a list [low, high]."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise WrongValueError(f"a list of two numbers [low, high] is required, not {_shown(value)}")
    low, high = (number(end) for end in value)
    if not low <= high:
        raise WrongValueError(f"the interval {_shown(value)} ends before it begins")
    return low, high


def choice(*allowed: str) -> Callable[[Any], str]:
    """The check of one of several words."""

    def check(value: Any) -> str:
        if value not in allowed:
            raise WrongValueError(f"one of {', '.join(map(repr, allowed))} is required, not {_shown(value)}")
        return str(value)

    return check


def checked(
    table: Mapping[str, Any], schema: Schema, place: str, more: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The values of a table, each as its check in the schema returns it; `more` are keys known elsewhere.

    >>> checked({"seed": 3}, {"seed": whole(0)}, "the file")
    {'seed': 3}
    >>> checked({"sed": 3}, {"seed": whole(0)}, "the file")
    Traceback (most recent call last):
    purex.errors.InvalidInputError: the file: there is no key 'sed'; did you mean 'seed'? (keys: seed)
    """
    found = {}
    for key, value in table.items():
        if key not in schema:
            near = nearest(key, [*schema, *more])
            hint = f"; did you mean '{near}'?" if near else ""
            raise InvalidInputError(
                f"{place}: there is no key '{key}'{hint} (keys: {', '.join([*schema, *more])})"
            )
        try:
            found[key] = schema[key](value)
        except WrongValueError as wrong:
            raise InvalidInputError(f"{place}, key '{key}': {wrong}") from None
    return found


def read_text(file: Path) -> str:
    """The text of a file in UTF-8."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"'{file}' cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"'{file}' is not a text file in UTF-8") from error


def parse_toml(given: str, source: str) -> dict[str, Any]:
    """The table that a TOML text holds; `source` names it in the sentence about what is wrong."""
    too_deep = InvalidInputError(
        f"{source} is nested too deeply: tables within tables go {DEEPEST} deep at most"
    )
    if LONG_KEY.search(given):
        raise too_deep
    try:
        found = tomllib.loads(given)
    except RecursionError:
        raise too_deep from None
    except ValueError as error:  # bad syntax, or a number of thousands of digits
        raise InvalidInputError(f"{source} is not TOML: {error}") from None
    if is_deeper(found, DEEPEST):
        raise too_deep
    return found


def is_deeper(value: Any, levels: int) -> bool:
    """Whether lists and tables are nested deeper than this.

    >>> is_deeper({"a": [1, [2]]}, 3), is_deeper({"a": [1, [2]]}, 2)
    (False, True)
    """
    inside = [value]
    for _ in range(levels + 1):
        inside = [item for outer in inside for item in _items(outer)]
    return bool(inside)


def _items(value: Any) -> list[Any]:
    """What is in a list or a table, with something in its place if there is nothing."""
    if isinstance(value, dict):
        return list(value.values()) or [None]
    return (list(value) or [None]) if isinstance(value, list) else []


def _shown(value: Any) -> str:
    try:
        shown = repr(value)
    except ValueError:  # an integer of thousands of digits
        return "a number that long"
    return shown if len(shown) <= 60 else shown[:57] + "..."
