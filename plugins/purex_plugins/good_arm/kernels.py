"""Good arm, compiled: its functions of one row. Its number is the level. Importing this imports numba."""

from __future__ import annotations

from purex.jit import njit
from purex_plugins.crossing_kernels import BELOW, cross_one, one_arm_game, price
from purex_plugins.good_arm import NONE
from purex_plugins.transport import clip, move_arm

__all__ = ["answer", "best_response", "max_min"]


@njit
def answer(mu, given):
    """The index of the largest mean, ties to the lowest index; -1 if it is below the threshold."""
    best = 0
    for k in range(1, len(mu)):
        if mu[k] > mu[best]:
            best = k
    return best if mu[best] >= given.numbers[0] else NONE


@njit
def best_response(i, w, xi, given, point, scratch):
    """Fill point, return value and piece: the named arm down to the level, or one up to it."""
    if i == NONE:
        return cross_one(BELOW, 0, w, xi, given, point)
    value = 0.0
    for k in range(len(xi)):
        point[k] = clip(xi[k], given.lower, given.upper)
        if k == i:
            point[k] = min(point[k], given.numbers[0])
        value += move_arm(k, w, xi, given, point[k])
    return value, 0


@njit
def max_min(i, mu, given, allocation, scratch):
    """Fill the allocation, return the value and a gap of 0: the named arm alone; for "none", by prices.

    >>> import numpy as np
    >>> from purex.families import Arms, Gaussian
    >>> from purex.model import Given
    >>> given, w = Given.of(Arms.of(Gaussian(), 2), -np.inf, np.inf, 0.0), np.empty(2)
    >>> print(max_min(0, np.array([1.0, -2.0]), given, w, np.empty(1)), w)
    (0.5, 0.0) [1. 0.]
    >>> print(max_min(NONE, np.array([-1.0, -2.0]), given, w, np.empty(1)), w)
    (0.4, 0.0) [0.8 0.2]
    """
    if i == NONE:
        return one_arm_game(BELOW, 0, mu, given, allocation), 0.0
    value = price(i, mu, given) if mu[i] > given.numbers[0] else 0.0
    for k in range(len(mu)):  # an arm that is not good is no answer: the value is 0, whatever the weights
        allocation[k] = 1.0 * (k == i) if value > 0 else 1.0 / len(mu)
    return value, 0.0
