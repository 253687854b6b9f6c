"""Thresholding, compiled: its functions of one row. Importing this imports numba."""

from __future__ import annotations

from purex.jit import njit
from purex_plugins.arm_sets import MOST_ARMS
from purex_plugins.crossing_kernels import AS_ANSWERED, cross_one, one_arm_game, price, share_by_price
from purex_plugins.pair_kernels import fill
from purex_plugins.set_kernels import add_arm, stay


@njit
def answer(mu, given):
    """The code of the arms at or above the threshold."""
    code = 0
    for k in range(len(mu)):
        if mu[k] >= given.numbers[0]:
            code = add_arm(code, k, len(mu))
    return code


@njit(inline="always")
def best_response(i, w, xi, given, point, scratch):
    """Fill point, return value and piece."""
    if len(xi) > MOST_ARMS and answer(xi, given) != i:  # the set of xi is another one: xi is an alternative
        return stay(w, xi, given, point), 0
    return cross_one(AS_ANSWERED, i, w, xi, given, point)


@njit(inline="always")
def max_min(i, mu, given, allocation, scratch):
    """Fill the allocation, return the value and a gap of 0.

    >>> import numpy as np
    >>> from purex.families import Arms, Gaussian
    >>> from purex.model import Given
    >>> given, w = Given.of(Arms.of(Gaussian(), 2), -np.inf, np.inf, 0.0), np.empty(2)
    >>> print(max_min(0b01, np.array([1.0, -2.0]), given, w, np.empty(1)), w)
    (0.4, 0.0) [0.8 0.2]
    """
    if len(mu) > MOST_ARMS and answer(mu, given) != i:
        fill(allocation, 1 / len(mu))
        return 0.0, 0.0
    return one_arm_game(AS_ANSWERED, i, mu, given, allocation), 0.0


@njit(forceinline=True)
def optimistic(lower, upper, given, point, allocation, scratch):
    """Fill model and allocation, return answer and value.

    Each arm by itself goes to the end of its interval from which the level is farther; an exact tie to the
    upper end, so that an arm with no other mean than the level counts as at it.

    >>> import numpy as np
    >>> from purex.families import Arms, Gaussian
    >>> from purex.model import Given
    >>> given, point, w = Given.of(Arms.of(Gaussian(), 2), -np.inf, np.inf, 0.0), np.empty(2), np.empty(2)
    >>> lower, upper = np.array([-1.0, -1.0]), np.array([2.0, 0.5])
    >>> print(optimistic(lower, upper, given, point, w, np.empty(1)), point, w)
    (1, 0.4) [ 2. -1.] [0.2 0.8]
    """
    g, code = given.numbers[0], 0
    for k in range(len(lower)):
        down = price(k, lower, given) if lower[k] < g else 0.0
        up = price(k, upper, given) if upper[k] > g else 0.0
        if up >= down:
            code = add_arm(code, k, len(lower))
        point[k] = upper[k] if up >= down else lower[k]
        allocation[k] = max(up, down)
    return code, share_by_price(allocation)
