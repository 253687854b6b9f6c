"""Whole numbers: what counts as one, and the sentence that refuses what does not."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from purex.errors import InvalidInputError, shown


def is_whole(value: Any, least: int | None = None, most: int | None = None) -> bool:
    """Whether a value is a whole number (Python's or numpy's, but not a bool) from `least` to `most`.

    >>> is_whole(3), is_whole(3.0), is_whole(True), is_whole(3, 4)
    (True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        return False
    number = int(value)
    return (least is None or number >= least) and (most is None or number <= most)


def check_whole(what: str, value: Any, least: int = 0, most: int | None = None) -> int:
    """A whole number from `least` to `most`; anything else is refused.

    >>> check_whole("seed", 3)
    3
    >>> check_whole("runs", 2.5, 1)
    Traceback (most recent call last):
    purex.errors.InvalidInputError: runs must be a whole number, at least 1, not 2.5
    """
    if not is_whole(value, least):
        raise InvalidInputError(f"{what} must be a whole number, at least {least}, not {shown(value)}")
    if not is_whole(value, most=most):
        raise InvalidInputError(f"{what} must be at most {most:,}, not {shown(value)}")
    return int(value)
