"""Constrained best arm, compiled: its functions of one row. Its number is the level.

Option a has the arms 2a, its value, and 2a + 1, its cost. Importing this imports numba.
"""

from __future__ import annotations

import math

from purex.families.compiled.arm_kinds import is_inside
from purex.jit import njit
from purex_plugins.constrained_best_arm import NONE
from purex_plugins.transport import clip, meet, move_arm

__all__ = ["answer", "best_response"]


@njit
def answer(mu, given):
    """The allowed option of largest value, ties to the lowest index; -1 if none is allowed."""
    best = NONE
    for a in range(len(mu) // 2):
        if mu[2 * a + 1] <= given.numbers[0] and (best == NONE or mu[2 * a] > mu[2 * best]):
            best = a
    return best


@njit
def coming_back(option, rival, w, xi, given):
    """What it costs to bring the arms of the other options, and the cost of this one, into the bounds."""
    cost = 0.0
    for k in range(len(xi)):
        if k // 2 != rival and k != 2 * option:
            cost += move_arm(k, w, xi, given, clip(xi[k], given.lower, given.upper))
    return cost


@njit
def overtake(option, rival, w, xi, given):
    """The rival becomes allowed and, but for "none", no worse: the cost, both values and the rival's cost."""
    lower, upper = given.lower, given.upper
    z = min(clip(xi[2 * rival + 1], lower, upper), given.numbers[0])
    cost, x, y = 0.0, 0.0, clip(xi[2 * rival], lower, upper)
    if option == NONE:
        cost = move_arm(2 * rival, w, xi, given, y)
    else:
        cost, x, y = meet(2 * option, 2 * rival, w, xi, given)
    cost += move_arm(2 * rival + 1, w, xi, given, z)
    return cost + coming_back(option, rival, w, xi, given), x, y, z


@njit
def best_response(i, w, xi, given, point, scratch):
    """Fill point, return value and piece: the option costs too much, or another is allowed and no worse."""
    inside, g = is_inside(xi, given.lower, given.upper), given.numbers[0]
    value, piece, rival, number = math.inf, -1, -1, 0
    x, y, z = 0.0, 0.0, 0.0
    for k in range(len(xi)):
        point[k] = clip(xi[k], given.lower, given.upper)
    if i != NONE:
        if inside and xi[2 * i + 1] >= g:  # xi is an alternative
            return 0.0, 0
        x, value, piece, number = max(point[2 * i + 1], g), 0.0, 0, 1
        for k in range(len(xi)):
            value += move_arm(k, w, xi, given, x if k == 2 * i + 1 else point[k])
    for b in range(len(xi) // 2):
        if b == i:
            continue
        if inside and xi[2 * b + 1] <= g and (i == NONE or xi[2 * b] >= xi[2 * i]):
            return 0.0, number
        cost, u, v, u_cost = overtake(i, b, w, xi, given)
        if cost < value or piece < 0:
            value, piece, rival, x, y, z = cost, number, b, u, v, u_cost
        number += 1
    if rival < 0:
        point[2 * i + 1] = x
        return value, piece
    if i != NONE:
        point[2 * i] = x
    point[2 * rival], point[2 * rival + 1] = y, z
    return value, piece
