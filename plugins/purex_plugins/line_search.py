"""The derivatives of a cost in the mean it moves to, for families whose divergence is convex there."""

from __future__ import annotations

import math

from purex.families.compiled.divergence import BERNOULLI, GAUSSIAN
from purex.jit import njit

ROUNDS = 200  # of Newton's method, which halves its bracket at worst
NARROW = 1e-15  # a step this short, relative to the ends of the bracket, is none; a bracket of four is closed


@njit
def pull(code, W, xi, y):
    r"""First and second derivative of $W d(\xi, y)$ in y: Gaussian, Bernoulli or Poisson at scale 1.

    On an edge of the domain the derivative is infinite, unless xi is that edge.
    """
    if W == 0.0:
        return 0.0, 0.0
    if code == GAUSSIAN:
        return W * (y - xi), W
    if code == BERNOULLI:
        if y <= 0.0:
            return (-math.inf, math.inf) if xi > 0.0 else (W, W)
        if y >= 1.0:
            return (math.inf, math.inf) if xi < 1.0 else (-W, W)
        left, right = y * y, (1.0 - y) * (1.0 - y)
        return W * (y - xi) / (y * (1.0 - y)), W * (xi / left + (1.0 - xi) / right)
    if y <= 0.0:
        return (-math.inf, math.inf) if xi > 0.0 else (W, 0.0)
    return W * (y - xi) / y, W * xi / (y * y)


@njit
def next_point(y, slope, curvature, low, high):
    """One step of Newton's method for a rising slope inside [low, high], or half of the bracket.

    Returns the next point and the new bracket, which is that point alone when nothing is left to gain. A
    short step does not say so: next to an edge of the domain, where the slope is infinite, all steps are
    short. So it is made longer, to see the sign of the slope beyond the root.
    """
    if slope == 0.0:
        return y, y, y
    if slope < 0.0:
        low = y
    else:
        high = y
    following, least = y - slope / curvature, NARROW * max(abs(low), abs(high))
    inside = low <= following <= high
    if high - low <= 4.0 * least:
        following = following if inside else y
        return following, following, following
    if abs(slope / curvature) <= least:
        following = y - math.copysign(2.0 * least, slope)
    elif not low < following < high:  # also where the step is not a number
        following = low + 0.5 * (high - low)
    return following, low, high


@njit
def inset(low, high):
    """A small step from an end of a bracket, for a second opinion on the sign of a slope there.

    Ends are where several constraints become tight at once, and by rounding some of them may be seen as tight
    and others not: such a slope is none of any side.
    """
    width = high - low
    return min(0.25 * width, 1e-9 * width + 1e-14 * max(abs(low), abs(high)))
