"""Best arm, compiled: its functions of one row. Importing this imports numba."""

from __future__ import annotations

import numpy as np

from purex.families.compiled.arm_kinds import is_inside, only_gaussian
from purex.jit import njit
from purex_plugins.best_arm.bounds_of_ties import ABOVE, FEW, likeliest_rival
from purex_plugins.best_arm.four_rivals import table_size
from purex_plugins.best_arm.optimism import optimistic
from purex_plugins.best_arm.saddle_point import saddle_point
from purex_plugins.transport import arm_of, catch_up, clip, tie

__all__ = ["answer", "best_response", "max_min", "optimistic", "scratch_size"]


def scratch_size(n_arms):
    """The numbers that the games need to work with: an allocation to try, and a table of rivals."""
    return n_arms + table_size(n_arms)


@njit
def answer(mu, given):
    """The index of the largest mean; ties to the lowest."""
    best = 0
    for k in range(1, len(mu)):
        if mu[k] > mu[best]:
            best = k
    return best


@njit
def best_response(i, w, xi, given, point, scratch):
    """Fill point, return value and piece: the cheapest rival to tie with arm i."""
    inside = is_inside(xi, given.lower, given.upper)
    own = arm_of(i, w, xi, given)
    first, ceiling, m = -1, np.inf, 0.0
    if inside and len(xi) > FEW and not only_gaussian():
        first = likeliest_rival(i, w, xi, given, scratch)
        m, ceiling = tie(own, arm_of(first, w, xi, given), given.lower, given.upper)
    value, rival, x, y = np.inf, -1, 0.0, 0.0
    for j in range(len(xi)):
        if j == i:
            continue
        if inside and xi[j] >= xi[i]:  # xi is an alternative
            value, rival, x, y = 0.0, j, xi[i], xi[j]
            break
        if inside:
            if j == first:
                u, cost = m, ceiling
            elif first >= 0 and scratch[j] > ABOVE * ceiling:
                continue
            else:
                u, cost = tie(own, arm_of(j, w, xi, given), given.lower, given.upper)
            v = u
        else:
            cost, u, v = catch_up(i, j, w, xi, given)
        if cost < value or rival < 0:
            value, rival, x, y = cost, j, u, v
    for k in range(len(xi)):  # a single arm has no rival, and stays
        point[k] = xi[k] if inside or rival < 0 else clip(xi[k], given.lower, given.upper)
    if rival >= 0:
        point[i] = x
        point[rival] = y
    return value, rival - (rival > i)


@njit
def max_min(i, mu, given, allocation, scratch):
    """Fill the allocation, return the value, nan if it is left to other methods, and a gap of 0.

    >>> from purex.families import Arms, Bernoulli
    >>> from purex.model import Given
    >>> given, w = Given.of(Arms.of(Bernoulli(), 5), 0.0, 1.0), np.empty(5)
    >>> mu = np.array([0.3, 0.21, 0.2, 0.19, 0.18])
    >>> value, gap = max_min(0, mu, given, w, np.empty(scratch_size(5)))
    >>> print(f"{value:.12f}", w.round(4), gap)
    0.003061454607 [0.3359 0.2515 0.1766 0.1324 0.1036] 0.0
    """
    value, _ = saddle_point(i, mu, given.codes, given.scales, given.parameters, allocation, scratch)
    return value, 0.0
