"""Alternatives in which one arm catches up with another: the closed form behind best arm and top-M."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.families import Arms
from purex.model import Cheapest, Response

Pairs = Sequence[tuple[int, int]]


def tie_response(
    arms: Arms,
    pairs: Callable[[int], Pairs],
    i: IntArray,
    w: FloatArray,
    xi: FloatArray,
    lower: float,
    upper: float,
) -> Response:
    r"""The best response over the union of the pieces $\{\lambda_b \ge \lambda_a\}$, (a, b) in pairs(i).

    The cheapest way to let b catch up with a is to move both to their common best mean m
    (the weighted mean, within one family):
    $\lambda_a = \lambda_b = m$, at cost $w_a d(\xi_a, m) + w_b d(\xi_b, m)$.
    """
    own = np.clip(xi, lower, upper)
    best = Cheapest(xi)
    for code in np.unique(i):
        rows = np.flatnonzero(i == code)
        v, x = w[rows], xi[rows]
        for number, (a, b) in enumerate(pairs(int(code))):
            m = arms.tied_mean(a, b, v[:, a], x[:, a], v[:, b], x[:, b], lower=lower, upper=upper)
            point = own[rows]
            behind = point[:, b] < point[:, a]
            point[behind, a] = point[behind, b] = m[behind]
            best.offer(number, arms.cost(v, x, point), point, rows)
    return best.response()
