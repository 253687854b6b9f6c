"""Beats control, compiled: its functions of one row. Its number is epsilon. Importing this imports numba."""

from __future__ import annotations

import math

from purex.families.compiled.arm_kinds import is_inside
from purex.families.compiled.tied import lower_end, upper_end
from purex.jit import njit
from purex_plugins.arm_sets import MOST_ARMS
from purex_plugins.beats_control import CONTROL
from purex_plugins.line_kernels import Line, on_line
from purex_plugins.set_kernels import add_arm, has, stay
from purex_plugins.transport import arm_of, catch_up, clip, move_arm, place_pair

__all__ = ["answer", "best_response"]

EPSILON = 0  # its place in the numbers


@njit
def answer(mu, given):
    """The code of the arms that are ahead of arm 0 by more than epsilon."""
    code = 0
    for k in range(1, len(mu)):
        if mu[k] - mu[CONTROL] > given.numbers[EPSILON]:
            code = add_arm(code, k, len(mu))
    return code


@njit
def apart(control, arm, top, given):
    """The cheapest means of the control and an arm that are just epsilon apart, and what both cost."""
    epsilon = given.numbers[EPSILON]
    bottom = max(given.lower, lower_end(control.code))
    low = max(bottom, max(given.lower, lower_end(arm.code)) - epsilon)
    high = min(given.upper, upper_end(control.code))
    high = min(high, min(given.upper, upper_end(arm.code)) - epsilon)
    return on_line(control, arm, top, Line(1.0, epsilon, low, max(low, high)))


@njit
def settle(k, beats, top, w, xi, given):
    """What it costs to take arm k to the other side of epsilon, and where the control and it go."""
    lower, upper, epsilon = given.lower, given.upper, given.numbers[EPSILON]
    if epsilon == 0.0 and beats:
        cost, y, x = catch_up(k, CONTROL, w, xi, given)
        return cost, x, y
    if epsilon == 0.0:
        return catch_up(CONTROL, k, w, xi, given)
    x, y = clip(xi[CONTROL], lower, upper), clip(xi[k], lower, upper)
    if (y - x > epsilon) if beats else (y - x < epsilon):
        x, y, cost = apart(arm_of(CONTROL, w, xi, given), arm_of(k, w, xi, given), top, given)
    else:
        cost = move_arm(CONTROL, w, xi, given, x) + move_arm(k, w, xi, given, y)
    for j in range(1, len(xi)):
        if j != k:
            cost += move_arm(j, w, xi, given, clip(xi[j], lower, upper))
    return cost, x, y


@njit
def best_response(i, w, xi, given, point, scratch):
    """Fill point, return value and piece: the cheapest arm to take to the other side of the control."""
    inside, epsilon, top = is_inside(xi, given.lower, given.upper), given.numbers[EPSILON], 0.0
    for k in range(len(xi)):
        top = max(top, w[k])
    top = top if top > 0 else 1.0
    value, arm, best_x, best_y = math.inf, -1, 0.0, 0.0
    if len(xi) > MOST_ARMS:  # a fingerprint, which only the means can tell: another one's are an alternative
        total = stay(w, xi, given, point)
        if answer(point, given) != i:
            return total, 0
    for k in range(1, len(xi)):
        ahead = xi[k] - xi[CONTROL]
        beats = point[k] - point[CONTROL] > epsilon if len(xi) > MOST_ARMS else has(i, k)
        if inside and ((ahead <= epsilon) if beats else (ahead >= epsilon)):  # xi is an alternative
            place_pair(CONTROL, xi[CONTROL], k, xi[k], xi, given, point)
            return 0.0, k - 1
        cost, x, y = settle(k, beats, top, w, xi, given)
        if cost < value or arm < 0:
            value, arm, best_x, best_y = cost, k, x, y
    place_pair(CONTROL, best_x, arm, best_y, xi, given, point)
    return value, arm - 1
