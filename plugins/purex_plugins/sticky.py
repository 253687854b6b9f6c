"""Holding on to one of several correct answers: what epsilon-best-arm and good-arm share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError


def check_sticky(query: str, sticky: bool) -> bool:
    """True or False, or a refusal."""
    if not isinstance(sticky, bool):
        raise InvalidInputError(f"{query} is sticky=True or sticky=False, not {sticky!r}")
    return sticky


def first_possible(
    is_correct: NDArray[np.bool_], lower: FloatArray, upper: FloatArray, otherwise: IntArray
) -> IntArray:
    """The first correct arm that has the largest mean in some model of the box [lower, upper], row by row.

    `is_correct` (R, K) is about the means themselves. Without a box, or without such an arm: `otherwise`.

    >>> lower, upper = np.array([[0.1, 0.4, 0.3]]), np.array([[0.3, 0.8, 0.7]])
    >>> first_possible(np.array([[True, False, True]]), lower, upper, np.array([1]))
    array([2])
    """
    is_boxed = np.isfinite(lower).all(axis=1)
    may_be = is_correct & (upper >= lower.max(axis=1, keepdims=True))
    first = np.argmax(may_be, axis=1)
    return np.where(is_boxed & may_be.any(axis=1), first, otherwise).astype(np.int64)
