"""Thresholding inside a compiled round; the number is the threshold."""

from __future__ import annotations

from purex.jit import njit
from purex_plugins.kernels.equilibrium_threshold import one_arm_row
from purex_plugins.kernels.optimistic_threshold import optimistic_thresholding_row
from purex_plugins.kernels.thresholding import cross_one_row


@njit
def answer(mu, query):
    """The arms at or above the threshold, as a bit mask."""
    mask = 0
    for k in range(len(mu)):
        if mu[k] >= query[0]:
            mask |= 1 << k
    return mask


@njit(inline="always")
def best_response(i, w, xi, codes, scales, parameters, lower, upper, query, point):
    """Fill point, return value and piece."""
    return cross_one_row(False, i, query[0], w, xi, codes, scales, parameters, lower, upper, point)


@njit(inline="always")
def max_min(i, mu, codes, scales, parameters, query, allocation, scratch):
    """Fill the allocation, return the value."""
    return one_arm_row(False, i, mu, codes, scales, parameters, query[0], allocation)


@njit(inline="always")
def optimistic(lower, upper, codes, scales, parameters, query, point, allocation, scratch):
    """Fill model and allocation, return the value."""
    return optimistic_thresholding_row(lower, upper, codes, scales, parameters, query[0], point, allocation)[
        1
    ]
