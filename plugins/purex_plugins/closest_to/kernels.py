"""Closest to a level, compiled: its functions of one row. The first number is the level.

Importing this imports numba.
"""

from __future__ import annotations

import math

from purex.families.compiled.arm_kinds import is_inside
from purex.families.compiled.tied import lower_end, upper_end
from purex.jit import njit
from purex_plugins.line_kernels import Line, on_line
from purex_plugins.transport import arm_of, clip, move_arm, place_pair

__all__ = ["answer", "best_response"]

THRESHOLD = 0  # its place in the numbers


@njit
def answer(mu, given):
    """The index of the mean nearest to the threshold; ties to the lowest."""
    best, g = 0, given.numbers[THRESHOLD]
    for k in range(1, len(mu)):
        if abs(mu[k] - g) < abs(mu[best] - g):
            best = k
    return best


@njit
def ray(tied, up, a, b, given):
    """Where arm b is as near as arm a, which is at the level or above (`up`), or below: tied, or mirrored."""
    g = given.numbers[THRESHOLD]
    bottom, top = max(given.lower, lower_end(a.code)), min(given.upper, upper_end(a.code))
    low, high = max(given.lower, lower_end(b.code)), min(given.upper, upper_end(b.code))
    if tied:
        return Line(1.0, 0.0, g, min(top, high)) if up else Line(1.0, 0.0, max(bottom, low), g)
    if up:
        return Line(-1.0, 2.0 * g, g, min(top, 2.0 * g - low))
    return Line(-1.0, 2.0 * g, max(bottom, 2.0 * g - high), g)


@njit
def approach(up, a, b, top, given):
    """The cheapest means of arms a and b on the rays of a cone that they are not in, and what they cost."""
    x, y, cost = on_line(a, b, top, ray(True, up, a, b, given))
    u, v, less = on_line(a, b, top, ray(False, up, a, b, given))
    if less < cost:
        return u, v, less
    return x, y, cost


@njit
def coming_back(i, j, w, xi, given):
    """What it costs to bring all arms but these two into the bounds."""
    cost = 0.0
    for k in range(len(xi)):
        if k != i and k != j:
            cost += move_arm(k, w, xi, given, clip(xi[k], given.lower, given.upper))
    return cost


@njit
def best_response(i, w, xi, given, point, scratch):
    """Fill point, return value and piece: the cheapest rival to come as near as arm i."""
    g, inside = given.numbers[THRESHOLD], is_inside(xi, given.lower, given.upper)
    own, x, top = arm_of(i, w, xi, given), clip(xi[i], given.lower, given.upper), 0.0
    for k in range(len(xi)):
        point[k] = clip(xi[k], given.lower, given.upper)
        top = max(top, w[k])
    top = top if top > 0 else 1.0
    value, piece, rival, best_x, best_y = math.inf, -1, -1, 0.0, 0.0
    for j in range(len(xi)):
        if j == i:
            continue
        y, number = clip(xi[j], given.lower, given.upper), 2 * (j - (j > i))
        free = 0.0 if inside else coming_back(i, j, w, xi, given)
        for cone in range(2):
            up = cone == 0
            side = (x > y or (x == y and x >= g)) if up else (x < y or (x == y and x <= g))
            if side and abs(y - g) <= abs(x - g):
                u, v, cost = x, y, move_arm(i, w, xi, given, x) + move_arm(j, w, xi, given, y)
            else:
                u, v, cost = approach(up, own, arm_of(j, w, xi, given), top, given)
            if inside and u == xi[i] and v == xi[j]:  # xi is an alternative
                return 0.0, number + cone
            if cost + free < value or piece < 0:
                value, piece, rival, best_x, best_y = cost + free, number + cone, j, u, v
    if rival >= 0:
        place_pair(i, best_x, rival, best_y, xi, given, point)
    return value, piece
