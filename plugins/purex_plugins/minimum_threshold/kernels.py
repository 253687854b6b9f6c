"""Minimum threshold, compiled: its functions of one row. Importing this imports numba."""

from __future__ import annotations

import math

from purex.jit import njit
from purex_plugins.crossing_kernels import ABOVE, cross_one, one_arm_game, price
from purex_plugins.minimum_threshold import BELOW, NOT_BELOW
from purex_plugins.transport import clip, move_arm


@njit
def answer(mu, given):
    """1 if some mean is strictly below the threshold, else 0."""
    for k in range(len(mu)):
        if mu[k] < given.numbers[0]:
            return 1
    return 0


@njit(forceinline=True)
def best_response(i, w, xi, given, point, scratch):
    """Fill point, return value and piece."""
    if i != BELOW:  # one arm goes down to the level
        return cross_one(ABOVE, i, w, xi, given, point)
    value = 0.0
    for k in range(len(xi)):
        point[k] = max(clip(xi[k], given.lower, given.upper), given.numbers[0])
        value += move_arm(k, w, xi, given, point[k])
    return value, 0


@njit(forceinline=True)
def all_arms_game(mu, given, allocation):
    r"""The max-min in which all arms below the level must rise to it: $D = \max_k d(\mu_k, g)$, $w = e_k$.

    Without an arm below, the value is 0 and the shares are equal.
    """
    value, best = 0.0, -1
    for k in range(len(mu)):
        if mu[k] < given.numbers[0]:
            d = price(k, mu, given)
            if best < 0 or d > value:
                value, best = d, k
    for k in range(len(mu)):
        allocation[k] = 1 / len(mu) if best < 0 else 1.0 * (k == best)
    return value


@njit(inline="always")
def max_min(i, mu, given, allocation, scratch):
    """Fill the allocation, return the value and a gap of 0.

    >>> import numpy as np
    >>> from purex.families import Arms, Gaussian
    >>> from purex.model import Given
    >>> given, w = Given.of(Arms.of(Gaussian(), 2), -np.inf, np.inf, 0.6), np.empty(2)
    >>> value, gap = max_min(1, np.array([0.5, 0.6]), given, w, np.empty(1))
    >>> print(f"{value:.12f}", w, gap)
    0.005000000000 [1. 0.] 0.0
    """
    if i == BELOW:
        return all_arms_game(mu, given, allocation), 0.0
    return one_arm_game(ABOVE, i, mu, given, allocation), 0.0


@njit(forceinline=True)
def is_below(lower, upper, given, allocation):
    """Whether "below" is at least as well supported as "not below"; the allocation is overwritten.

    A game in which one arm must fall is worth at most what the cheapest one costs: mostly no other is needed.
    """
    g, below, cheapest = given.numbers[0], 0.0, math.inf
    for k in range(len(lower)):
        if lower[k] < g:
            below = max(below, price(k, lower, given))
        cheapest = min(cheapest, price(k, upper, given) if upper[k] > g else 0.0)
    if not below > 0:
        return False
    return below >= cheapest or below >= one_arm_game(ABOVE, NOT_BELOW, upper, given, allocation)


@njit(forceinline=True)
def optimistic(lower, upper, given, point, allocation, scratch):
    """Fill model and allocation, return answer and value.

    Every divergence to the level grows away from it. So "below" is best supported where all arms are at
    their lower ends, "not below" at the upper ends, and only if all of these are above g. An exact tie goes
    to "below"; if neither answer has a model off g, the answer is "not below", with value 0.

    >>> import numpy as np
    >>> from purex.families import Arms, Gaussian
    >>> from purex.model import Given
    >>> given, point, w = Given.of(Arms.of(Gaussian(), 2), -np.inf, np.inf, 0.0), np.empty(2), np.empty(2)
    >>> lower, upper = np.array([-1.0, 0.5]), np.array([2.0, 3.0])
    >>> code, value = optimistic(lower, upper, given, point, w, np.empty(1))
    >>> print(code, f"{value:.12f}", point, w.round(6))
    0 1.384615384615 [2. 3.] [0.692308 0.307692]
    """
    chosen = is_below(lower, upper, given, allocation)
    for k in range(len(lower)):
        point[k] = lower[k] if chosen else upper[k]
    if chosen:
        return BELOW, all_arms_game(lower, given, allocation)
    return NOT_BELOW, one_arm_game(ABOVE, NOT_BELOW, upper, given, allocation)
