"""Top-M inside a compiled round; the number is m."""

from __future__ import annotations

import math

from purex.jit import njit
from purex_plugins.kernels.equilibrium_top_m import UNSOLVED, equilibrium_top_m_row
from purex_plugins.kernels.top_m import top_m_row


@njit
def answer(mu, query):
    """The m largest means as a bit mask; ties to the lowest indices."""
    mask = 0
    for _ in range(int(query[0])):
        best = -1
        for k in range(len(mu)):
            if not (mask >> k) & 1 and (best < 0 or mu[k] > mu[best]):
                best = k
        mask |= 1 << best
    return mask


@njit(inline="always")
def best_response(i, w, xi, codes, scales, parameters, lower, upper, query, point):
    """Fill point, return value and piece."""
    return top_m_row(i, w, xi, codes, scales, parameters, lower, upper, point)


@njit(allocates=True, inline="always")
def max_min(i, mu, codes, scales, parameters, query, allocation, scratch):
    """Fill the allocation, return the value."""
    value, _, status = equilibrium_top_m_row(i, mu, codes, scales, parameters, allocation)
    return math.nan if status == UNSOLVED else value
