"""Weights of any size: best responses are homogeneous in them, and so are the oracles."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.model.response import Response

Oracle = TypeVar("Oracle")

LOUD, FAINT = 2.0**200, 2.0**-200  # a largest weight in between is used as it is
DEEP = 1000  # powers of two that the smallest weight may be below the largest before the largest makes room


def in_their_unit(w: FloatArray) -> tuple[FloatArray, IntArray]:
    """Weights (R, K) divided by a power of two for each row, and its exponent (R,): their digits stay.

    Divided are rows whose largest weight is very large or very small. It becomes about 1, or as much more as
    keeps the smallest positive one a number.

    >>> scaled, exponent = in_their_unit(np.array([[0.5, 2.0], [1e300, 0.0], [5e-324, 1e-323]]))
    >>> print(scaled[0], exponent)
    [0.5 2. ] [    0   996 -1072]
    >>> print(scaled[2])
    [0.25 0.5 ]
    """
    exponent = np.zeros(len(w), dtype=np.int64)
    with np.errstate(over="ignore"):
        sums = w @ np.ones(w.shape[1])  # quick, and no part of a result; where it overflows it is infinite
    if len(w) == 0 or (sums.max() <= LOUD and sums.min() >= FAINT):
        return w, exponent
    rows = np.flatnonzero((sums > LOUD) | ((sums < FAINT) & (sums > 0)))
    top = np.frexp(w[rows].max(axis=1))[1]
    least = np.frexp(np.where(w[rows] > 0, w[rows], np.inf).min(axis=1))[1]
    exponent[rows] = (top - np.clip(top - least - DEEP, 0, DEEP)) & ~1  # even: square roots keep their digits
    return np.ldexp(w, -exponent[:, None]), exponent


def any_weights(
    respond: Callable[[Oracle, IntArray, FloatArray, FloatArray], Response],
) -> Callable[[Oracle, IntArray, FloatArray, FloatArray], Response]:
    r"""Make a best-response oracle take every weight a double can hold.

    $\inf_\lambda \sum_k c w_k d(\xi_k, \lambda_k)$ is c times the value for w, at the same point: very large
    and very small weights are handed on in a unit of their own.
    """

    @wraps(respond)
    def rescaled(oracle: Any, i: IntArray, w: FloatArray, xi: FloatArray) -> Response:
        v, exponent = in_their_unit(w)
        if v is w:
            return respond(oracle, i, w, xi)
        response = respond(oracle, i, v, xi)
        with np.errstate(over="ignore", under="ignore"):  # a value beyond the largest double is infinite
            return response._replace(value=np.ldexp(response.value, exponent))

    return rescaled
