"""Ranking, compiled: its functions of one row. Its number is m. Importing this imports numba."""

from __future__ import annotations

import math

from purex.families.compiled.arm_kinds import is_inside
from purex.jit import njit
from purex_plugins.set_kernels import next_largest
from purex_plugins.transport import catch_up, place_pair

__all__ = ["answer", "best_response", "scratch_size"]


def scratch_size(n_arms):
    """Room for an order: the arms in it, and then the others."""
    return n_arms


@njit
def answer(mu, given):
    """The number of the order of the m largest means; ties to the lowest indices."""
    K, code, last = len(mu), 0, -1
    for p in range(int(given.numbers[0])):
        best = next_largest(last, mu)
        place = best
        for j in range(best):
            place -= mu[j] >= mu[best]
        code = code * (K - p) + place
        last = best
    return code


@njit
def spell(code, m, order):
    """Fill the first m places of `order` with the arms of a code, and the others with the rest."""
    K, rest = len(order), code
    for q in range(m):  # places among the arms that are left
        p = m - 1 - q
        order[p] = rest % (K - p)
        rest //= K - p
    for q in range(m):  # become arms: each takes its number before those that come later
        p = m - 1 - q
        for later in range(p + 1, m):
            order[later] += order[later] >= order[p]
    number = m
    for k in range(K):
        is_named = False
        for p in range(m):
            is_named |= order[p] == k
        if not is_named:
            order[number] = k
            number += 1


@njit
def best_response(i, w, xi, given, point, scratch):
    """Fill point, return value and piece: the cheapest neighbours to turn round."""
    K, m, inside = len(xi), int(given.numbers[0]), is_inside(xi, given.lower, given.upper)
    order = scratch[:K]
    spell(i, m, order)
    value, piece, before, after, x, y = math.inf, -1, 0, 0, 0.0, 0.0
    for number in range(K - 1):
        a, b = int(order[min(number, m - 1)]), int(order[number + 1])
        if inside and xi[b] >= xi[a]:  # xi is an alternative
            place_pair(a, xi[a], b, xi[b], xi, given, point)
            return 0.0, number
        cost, u, v = catch_up(a, b, w, xi, given)
        if cost < value or piece < 0:
            value, piece, before, after, x, y = cost, number, a, b, u, v
    place_pair(before, x, after, y, xi, given, point)
    return value, piece
