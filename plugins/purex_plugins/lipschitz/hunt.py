"""The search for the root of a rising slope that has jumps and kinks, compiled: one step at a time."""

from __future__ import annotations

import math
from typing import NamedTuple

from purex.families.compiled.divergence import BERNOULLI, GAUSSIAN
from purex.jit import njit
from purex_plugins.line_search import NARROW

SMOOTH = 1e-8  # a step this short, relative to the distance from an edge, leaves an error of its square
EDGE = 5e-15  # next to an end of a bracket, relative to its ends


@njit(inline="always")
def smooth(code, y):
    """How far a mean y may move in one step of Newton's method that needs no second one."""
    if code == GAUSSIAN:
        return math.inf
    return SMOOTH * (min(y, 1.0 - y) if code == BERNOULLI else y)


class Hunt(NamedTuple):
    """Where the root of a rising slope is sought: in [low, high], whose ends were looked at or not.

    `step` is the length of the last step of Newton's method: they must halve, once both ends are known.
    """

    y: float
    step: float
    low: float
    high: float
    saw_low: bool
    saw_high: bool
    is_over: bool


@njit
def begin_hunt(start, low, high, code):
    """A hunt that starts in [low, high], or next to its end."""
    return Hunt(next_look(start, low, high, False, False, code), math.inf, low, high, False, False, False)


@njit
def next_look(y, low, high, saw_low, saw_high, code):
    """The point y if it is inside; next to the end beyond which it is, or in the middle if that is known.

    An end on the edge of the domain is looked at itself.
    """
    short = EDGE * max(abs(low), abs(high))
    if low + short < y < high - short:
        return y
    if high - low > 4.0 * short:
        if y >= high - short and not saw_high:
            return high - min(short, smooth(code, high))
        if y <= low + short and not saw_low:
            return low + min(short, smooth(code, low))
    return low + 0.5 * (high - low)


@njit
def pursue(hunt, slope, curvature, room, code):
    """One step of Newton's method; the hunt is over where the step is within its room, or next to an end.

    Where the step is longer the slope keeps its sign in all the room: the root may be where it jumps.
    """
    y, last, low, high, saw_low, saw_high, _ = hunt
    following = y - slope / curvature
    step = abs(following - y)
    if low < following < high and step <= room:
        return Hunt(following, step, low, high, saw_low, saw_high, True)
    if slope <= 0.0:
        end, low, saw_low = high, min(y + max(room, 0.0), high), True
    else:
        end, high, saw_high = low, max(y - max(room, 0.0), low), True
    size = max(abs(low), abs(high))
    if high - low <= 2.0 * EDGE * size:
        is_over = y == end or smooth(code, end) > 0.0
        return Hunt(end, step, low, high, saw_low, saw_high, is_over)
    if step <= min(NARROW * size, smooth(code, y)):
        return Hunt(y, step, low, high, saw_low, saw_high, True)
    if saw_low and saw_high and not step <= 0.5 * last:
        following = low + 0.5 * (high - low)
    y = next_look(following, low, high, saw_low, saw_high, code)
    return Hunt(y, step, low, high, saw_low, saw_high, False)
