"""Top-M, compiled: its functions of one row. The query's number is m. Importing this imports numba."""

from __future__ import annotations

import math

from purex.families.compiled.arm_kinds import is_inside
from purex.jit import njit
from purex_plugins.set_kernels import stay
from purex_plugins.top_m.saddle_point import answer, max_min, read_members, scratch_size
from purex_plugins.transport import arm_of, catch_up, place_pair, tie

__all__ = ["answer", "best_response", "max_min", "scratch_size"]


@njit
def best_response(i, w, xi, given, point, scratch):
    """Fill point, return value and piece: the cheapest pair to tie, one inside the set and one outside."""
    members, inside = scratch[: len(xi)], is_inside(xi, given.lower, given.upper)
    if not read_members(i, xi, given, members):
        return stay(w, xi, given, point), 0
    value, piece, number = math.inf, -1, -1
    leaver, joiner, x, y = 0, 0, 0.0, 0.0
    for a in range(len(xi)):
        if members[a] == 0.0:
            continue
        for b in range(len(xi)):
            if members[b] > 0.0:
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
