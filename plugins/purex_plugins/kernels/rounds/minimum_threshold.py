"""Minimum threshold inside a compiled round; the number is the threshold."""

from __future__ import annotations

from purex.jit import njit
from purex_plugins.kernels.equilibrium_threshold import BELOW, all_arms_row, one_arm_row
from purex_plugins.kernels.minimum_threshold import minimum_threshold_row
from purex_plugins.kernels.optimistic_threshold import optimistic_minimum_threshold_row


@njit
def answer(mu, query):
    """1 if some mean is strictly below the threshold, else 0."""
    for k in range(len(mu)):
        if mu[k] < query[0]:
            return 1
    return 0


@njit(inline="always")
def best_response(i, w, xi, codes, scales, parameters, lower, upper, query, point):
    """Fill point, return value and piece."""
    return minimum_threshold_row(i, query[0], w, xi, codes, scales, parameters, lower, upper, point)


@njit(inline="always")
def max_min(i, mu, codes, scales, parameters, query, allocation, scratch):
    """Fill the allocation, return the value."""
    if i == BELOW:
        return all_arms_row(mu, codes, scales, parameters, query[0], allocation)
    return one_arm_row(True, i, mu, codes, scales, parameters, query[0], allocation)


@njit(inline="always")
def optimistic(lower, upper, codes, scales, parameters, query, point, allocation, scratch):
    """Fill model and allocation, return the value."""
    return optimistic_minimum_threshold_row(
        lower, upper, codes, scales, parameters, query[0], point, allocation
    )[1]
