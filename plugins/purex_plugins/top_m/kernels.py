"""Top-M, compiled: its functions of one row. The query's number is m. Importing this imports numba."""

from __future__ import annotations

import math

from purex.families.compiled.arm_kinds import is_inside
from purex.jit import njit
from purex_plugins.top_m.saddle_point import has, max_min, scratch_size
from purex_plugins.transport import arm_of, catch_up, place_pair, tie

__all__ = ["answer", "best_response", "max_min", "scratch_size"]


@njit
def answer(mu, given):
    """The m largest means as a bit mask; ties to the lowest indices."""
    mask = 0
    for _ in range(int(given.numbers[0])):
        best = -1
        for k in range(len(mu)):
            if not has(mask, k) and (best < 0 or mu[k] > mu[best]):
                best = k
        mask |= 1 << best
    return mask


@njit
def best_response(i, w, xi, given, point, scratch):
    """Fill point, return value and piece: the cheapest pair to tie, one inside the set and one outside."""
    inside = is_inside(xi, given.lower, given.upper)
    value, piece, number = math.inf, -1, -1
    leaver, joiner, x, y = 0, 0, 0.0, 0.0
    for a in range(len(xi)):
        if not has(i, a):
            continue
        for b in range(len(xi)):
            if has(i, b):
                continue
            number += 1
            if inside and xi[b] >= xi[a]:  # xi is an alternative
                place_pair(a, xi[a], b, xi[b], xi, given, point)
                return 0.0, number
            if inside:
                u, cost = tie(arm_of(a, w, xi, given), arm_of(b, w, xi, given), given.lower, given.upper)
                v = u
            else:
                cost, u, v = catch_up(a, b, w, xi, given)
            if cost < value or piece < 0:
                value, piece, leaver, joiner, x, y = cost, number, a, b, u, v
    place_pair(leaver, x, joiner, y, xi, given, point)
    return value, piece
