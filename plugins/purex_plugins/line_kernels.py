"""Two arms whose means lie on a line, compiled: `purex_plugins.two_arms_on_line`, pair by pair.

Importing this imports numba.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from purex.families.compiled.divergence import variance_coefficients
from purex.families.compiled.tied import lower_end, upper_end
from purex.families.roots import MAX_STEPS, NOISE, TINY, TOLERANCE
from purex.families.tied import FAR_HEAVIER, STILL
from purex.jit import njit
from purex_plugins.transport import clip, move


class Line(NamedTuple):
    """The means x of arm a and y of arm b, where y = sign x + shift and low <= x <= high; sign is 1 or -1."""

    sign: float
    shift: float
    low: float
    high: float


@njit
def pull_along(x, a, b, top, line):
    r"""The derivative of the cost times $V_a V_b$, its slope, and $V_a V_b$; weights are parts of `top`."""
    y = line.shift + line.sign * x
    a0, a1, a2 = variance_coefficients(a.code, a.scale, a.parameter)
    b0, b1, b2 = variance_coefficients(b.code, b.scale, b.parameter)
    V_a, V_b = a0 + x * (a1 + a2 * x), b0 + y * (b1 + b2 * y)
    v_a, v_b = a.weight / top, b.weight / top
    own, others = v_a * (x - a.mean), line.sign * v_b * (y - b.mean)
    slope = v_a * V_b + v_b * V_a
    slope += line.sign * own * (b1 + 2 * b2 * y) + others * (a1 + 2 * a2 * x)
    return own * V_b + others * V_a, slope, V_a * V_b


@njit
def middle(low, high):
    """The middle of a bracket, of the logarithms while it is wide: see `roots.midpoint`."""
    near, far = min(abs(low), abs(high)), max(abs(low), abs(high))
    if far > 4 * near and (low >= 0 or high <= 0) and far > TINY:
        geometric = math.sqrt(max(near, TINY)) * math.sqrt(far)
        return geometric if high > 0 else -geometric
    return low + 0.5 * (high - low)


@njit
def balance(a, b, top, line, start):
    """Where the pulls of both arms balance in [line.low, line.high], or the end next to it.

    The same steps as `roots.bracketed_root`, which halves towards an end that the balance lies beyond: here
    the ends are looked at first. Where a variance is 0 the product with it is 0, too, and says nothing.
    """
    low, high = line.low, line.high
    if not low < high:
        return low
    excess, _, scale = pull_along(low, a, b, top, line)
    if excess >= 0 and scale > 0:
        return low
    excess, _, scale = pull_along(high, a, b, top, line)
    if excess <= 0 and scale > 0:
        return high
    x = start if low < start < high else middle(low, high)
    previous = high - low
    for _ in range(MAX_STEPS):
        value, slope, _ = pull_along(x, a, b, top, line)
        if value <= 0:
            low = x
        if value >= 0:
            high = x
        newton = x - value / slope
        step = abs(newton - x)
        halving = step <= 0.5 * previous
        if value == 0 or high - low <= max(TOLERANCE * abs(x), TINY):
            break
        if math.isfinite(slope) and step <= (TOLERANCE if halving else NOISE) * abs(x):
            break
        following = newton if low < newton < high and halving else middle(low, high)
        previous = abs(following - x)
        x = following
    return x


@njit
def price(x, still, a, b, line):
    """The mean of arm b where that of arm a is x, and the cost of both; at `still` arm b stays."""
    y = b.mean
    if x != still:
        y = clip(line.shift + line.sign * x, lower_end(b.code), upper_end(b.code))
    cost = move(a.code, a.scale, a.parameter, a.weight, a.mean, x)
    return y, cost + move(b.code, b.scale, b.parameter, b.weight, b.mean, y)


@njit
def on_line(a, b, top, line):
    """The cheapest means x of arm a and y of arm b on a line, and the cost of both.

    `top` is the largest weight of all arms, or 1.

    >>> from purex.families.arm import Arm
    >>> a, b = Arm(0, 1.0, 0.0, 1.0, 0.0), Arm(0, 1.0, 0.0, 3.0, 1.0)
    >>> x, y, cost = on_line(a, b, 3.0, Line(1.0, 0.2, -9.0, 9.0))
    >>> print(f"{x:.12f} {y:.12f} {cost:.12f}")   # y = x + 0.2
    0.600000000000 0.800000000000 0.240000000000
    """
    low, high, mine = line.low, line.high, a.mean
    still = line.sign * (b.mean - line.shift)  # the x that leaves b where it is
    begin = min(max(min(mine, still), low), high)
    end = min(max(max(mine, still), low), high)
    v_a, v_b = a.weight / top, b.weight / top
    if v_b == 0:  # a weight of zero leaves the other arm where it is, exactly
        x = min(max(mine, low), high)
    elif v_a == 0:
        x = min(max(still, low), high)
    else:
        start = (v_a * mine + v_b * still) / (v_a + v_b)  # the root itself, where variances are the same
        x = balance(a, b, top, Line(line.sign, line.shift, begin, end), start)
        size = STILL * max(abs(mine), abs(b.mean))  # and so does one that is far heavier, up to rounding
        if v_a > FAR_HEAVIER * v_b and abs(x - mine) <= size:
            x = min(max(mine, low), high)
        if v_b > FAR_HEAVIER * v_a and abs(x - still) <= size:
            x = min(max(still, low), high)
    y, cost = price(x, still, a, b, line)
    if cost == math.inf:  # at an end of the domain by rounding, maybe: try its neighbours
        for goal in (begin, end):
            near = float(np.nextafter(x, goal))
            z, less = price(near, still, a, b, line)
            if less < cost:
                x, y, cost = near, z, less
    return x, y, cost
