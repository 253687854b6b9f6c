"""Sets of arms and their codes, compiled: see `purex_plugins.arm_sets`. Importing this imports numba."""

from __future__ import annotations

from purex.jit import njit
from purex_plugins.arm_sets import KEYS, MOST_ARMS
from purex_plugins.transport import clip, move_arm


@njit(forceinline=True)
def add_arm(code, k, n_arms):
    """The code of a set with arm k, which it does not have yet."""
    return code ^ (KEYS[k] if n_arms > MOST_ARMS else 1 << k)


@njit(forceinline=True)
def has(i, k):
    """Whether arm k belongs to the set of mask i."""
    return (i >> k) & 1 == 1


@njit
def next_largest(last, mu):
    """The arm after this one in the order of falling means, ties to the lowest; after -1 the first."""
    best = -1
    for k in range(len(mu)):
        is_later = last < 0 or mu[k] < mu[last] or (mu[k] == mu[last] and k > last)
        if is_later and (best < 0 or mu[k] > mu[best]):
            best = k
    return best


@njit
def stay(w, xi, given, point):
    """The best response where xi is an alternative: bring it into the bounds, return what that costs."""
    cost = 0.0
    for k in range(len(xi)):
        point[k] = clip(xi[k], given.lower, given.upper)
        cost += move_arm(k, w, xi, given, point[k])
    return cost
