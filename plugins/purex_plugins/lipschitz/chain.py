r"""Lipschitz fits on a line by messages along the chain: exact for families convex in the mean, compiled.

Places are the arms from left to right, `gaps[p]` is the largest difference allowed between p and p + 1.
The message of place p is the cheapest cost of p and all places before it as a function of its mean y,
$L_p(y) = W_p d(\xi_p, y) + \min_{|u - y| \le gap} L_{p-1}(u)$, a convex function. It is known by its
minimiser z alone: a place before takes $z$ cut off to $y \pm gap$, and while it is cut off, its own neighbour
follows. So the slope at y is a sum over the places that follow.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from purex.arrays import FloatArray
from purex.convex.kernels.heavy import keep_heavy
from purex.jit import njit
from purex_plugins.line_search import ROUNDS, inset, next_point, pull
from purex_plugins.lipschitz.hunt import begin_hunt, pursue, smooth
from purex_plugins.transport import clip

ROUNDING = 4e-15  # of sums along a chain
QUICK = 60  # steps of a hunt; what it has not found by then is sought with the whole bracket
NO_ROOM = -1.0  # of a slope of which it is not known
TAUT = 1e-12  # a difference this close to the largest that is allowed is that one


class Chain(NamedTuple):
    """The arms of a line in their order: the code of their family, weights times scales, means, and gaps."""

    code: int
    weights: FloatArray
    means: FloatArray
    gaps: FloatArray


class Side(NamedTuple):
    """Where messages come from: `step` is -1 from the left, 1 from the right; they end before `end`."""

    step: int
    end: int


LEFT = Side(-1, -1)  # of the whole line; its right side is Side(1, K)


class Messages(NamedTuple):
    """The minimisers of the messages of all places: those that come from the left, and from the right."""

    left: FloatArray
    right: FloatArray


class Reached(NamedTuple):
    """Messages under bounds: their minimisers, and the least and the largest mean a place can have."""

    minimisers: FloatArray
    floor: FloatArray
    ceiling: FloatArray


class Within(NamedTuple):
    """An interval, and the point in it where a search begins."""

    low: float
    start: float
    high: float


@njit
def drawn(z, y, c, rounding):
    """Where a place with minimiser z is if its neighbour is at y: at z, or as far from y as it may be.

    It is left at z if it need not move by more than a rounding error: places that are exactly as far from
    each other as they may be would else be seen to move and not to move.
    """
    if z > y + c:
        return y + c if z - (y + c) > rounding * (abs(y) + c) else z
    if z < y - c:
        return y - c if (y - c) - z > rounding * (abs(y) + c) else z
    return z


@njit
def chain_slope(p, side, y, code, v, x, gap, z):
    """Slope and curvature at y of the message of place p, which comes from this side, and their room.

    Within its room around y the same places follow, and a step of Newton's method is exact up to rounding.
    The parts of a chain one by one: this is the innermost of all, and a tuple of arrays takes it longer.
    """
    step, end = side.step, side.end
    slope, curvature = pull(code, v[p], x[p], y)
    room = smooth(code, y)
    q = p + step
    while q != end:
        c, way = gap[q] if step < 0 else gap[q - 1], z[q] - y
        beyond = abs(way) - c
        if beyond <= ROUNDING * (abs(y) + c):
            room = min(room, -beyond)
            break
        y += math.copysign(c, way)
        room = min(room, beyond, smooth(code, y))
        s, h = pull(code, v[q], x[q], y)
        slope += s
        curvature += h
        q += step
    return slope, curvature, room


@njit
def chain_minimum(p, side, low, high, chain, z, start):
    """The minimiser on [low, high] of the message of place p, and the curvature there.

    Newton's method from `start`, as long as it stays inside; else with a bracket, its ends looked at first.
    """
    code, v, x, gap = chain
    curvature = 0.0
    if not low < high:
        return low, curvature
    hunt = begin_hunt(start, low, high, code)
    for _ in range(QUICK):
        slope, curvature, room = chain_slope(p, side, hunt.y, code, v, x, gap, z)
        hunt = pursue(hunt, slope, curvature, room, code)
        if hunt.is_over:
            return hunt.y, curvature
    short = inset(low, high)
    if (
        chain_slope(p, side, low, code, v, x, gap, z)[0] >= 0.0
        and chain_slope(p, side, low + short, code, v, x, gap, z)[0] >= 0.0
    ):
        return low, curvature
    if (
        chain_slope(p, side, high, code, v, x, gap, z)[0] <= 0.0
        and chain_slope(p, side, high - short, code, v, x, gap, z)[0] <= 0.0
    ):
        return high, curvature
    y = clip(x[p], low, high)
    if not low < y < high:
        y = low + 0.5 * (high - low)
    for _ in range(ROUNDS):
        slope, curvature, _ = chain_slope(p, side, y, code, v, x, gap, z)
        y, low, high = next_point(y, slope, curvature, low, high)
        if not low < high:
            break
    return y, curvature


@njit
def settle(p, side, low, high, chain, z, stiffness):
    """Set z[p], the minimiser on [low, high] of the message of place p, given those of its side.

    `stiffness` is the curvature of the message before at its minimiser, with which the search begins; returns
    that of this one.
    """
    code, v, x, gap = chain
    q = p + side.step
    c = gap[q] if side.step < 0 else gap[p]
    a, b = z[q] - c, z[q] + c  # as long as the mean is in between, the neighbour need not move
    if v[p] == 0.0:
        z[p] = clip(clip(x[p], a, b), low, high)
        return stiffness
    if a <= x[p] <= b:
        z[p] = clip(x[p], low, high)
        return pull(code, v[p], x[p], z[p])[1]
    near = a if x[p] < a else b  # the minimiser is between this and the mean
    bottom, top = min(x[p], near), max(x[p], near)
    slope, own = pull(code, v[p], x[p], near)
    if top <= low:
        z[p] = low
    elif bottom >= high:
        z[p] = high
    else:
        start = near - slope / (own + stiffness)
        z[p], own = chain_minimum(p, side, max(bottom, low), min(top, high), chain, z, start)
    return own


@njit
def sweep(side, chain, z):
    """The minimisers of all messages from a side of the whole line."""
    p = side.end - side.step
    z[p] = chain.means[p]
    stiffness = pull(chain.code, chain.weights[p], z[p], z[p])[1]
    for _ in range(len(z) - 1):
        p -= side.step
        stiffness = settle(p, side, -math.inf, math.inf, chain, z, stiffness)


@njit
def follow(p, side, gaps, z, lam):
    """Fill lam on one side of place p, whose mean is set."""
    q = p + side.step
    while q != side.end:
        c = gaps[q] if side.step < 0 else gaps[q - 1]
        lam[q] = drawn(z[q], lam[q - side.step], c, 4.0 * ROUNDING)  # means are found up to it
        q += side.step


@njit
def chain_fit(low, high, chain, before, lam):
    """The best fit with each mean in its own [low, high], into lam; returns whether there is one.

    `before` gets the minimisers, and the means that a place can have, given the places before it.
    """
    code, v, x, gap = chain
    z, floor, ceiling = before
    K = len(v)
    stiffness = 0.0
    for p in range(K):
        floor[p], ceiling[p] = low[p], high[p]
        if p > 0:
            floor[p] = max(floor[p], floor[p - 1] - gap[p - 1])
            ceiling[p] = min(ceiling[p], ceiling[p - 1] + gap[p - 1])
        if floor[p] > ceiling[p]:
            return False
        if p == 0:
            z[p] = clip(x[p], floor[p], ceiling[p])
            stiffness = pull(code, v[p], x[p], z[p])[1]
        else:
            stiffness = settle(p, LEFT, floor[p], ceiling[p], chain, z, stiffness)
    lam[K - 1] = z[K - 1]
    follow(K - 1, LEFT, chain.gaps, z, lam)
    keep_heavy(K, v, x, lam)
    return True


@njit
def rests(code, W, xi, y):
    """Whether an arm is at its own mean on the edge of the domain, where its slope is not 0."""
    return y == xi and pull(code, W, xi, y)[0] != 0.0


@njit
def felt(p, side, chain, lam):
    """Slope and curvature of the places that go with place p: how far they reach, and their sums."""
    code, v, x, gap = chain
    step, end = side.step, side.end
    slope = curvature = 0.0
    q = p + step
    while q != end:
        c = gap[q] if step < 0 else gap[q - 1]
        if abs(lam[q] - lam[q - step]) < c * (1.0 - TAUT) or rests(code, v[q], x[q], lam[q]):
            break
        s, h = pull(code, v[q], x[q], lam[q])
        slope += s
        curvature += h
        q += step
    return q, slope, curvature


@njit
def tie_slope(y, a, b, chain, messages, between, lam):
    """Slope and curvature in y of the cheapest fit in which places a < b both have mean y.

    Fills lam between them: there both ends are given, so messages are made anew. In the sum of all pulls
    between them what neighbours do to each other cancels: it is what both ends feel. This is not so where an
    arm rests on the edge of the domain, which holds it and others; then the pulls on either end are followed.
    """
    code, v, x, gap = chain
    z, floor, ceiling = between
    slope, curvature, room = chain_slope(a, LEFT, y, code, v, x, gap, messages.left)
    s, h, r = chain_slope(b, Side(1, len(v)), y, code, v, x, gap, messages.right)
    slope, curvature = slope + s, curvature + h
    if b == a + 1:
        return slope, curvature, min(room, r)
    z[a] = floor[a] = ceiling[a] = y
    stiffness = 0.0
    for p in range(a + 1, b):
        floor[p], ceiling[p] = floor[p - 1] - gap[p - 1], ceiling[p - 1] + gap[p - 1]
        stiffness = settle(p, Side(-1, a), floor[p], ceiling[p], chain, z, stiffness)
    lam[b] = y
    follow(b, Side(-1, a), chain.gaps, z, lam)
    # Those that go with an end: from a up to the last one that is as far from it as it can be, from b down to
    # the first that is not held.
    from_left, is_held, is_resting = a, True, False
    for p in range(a + 1, b):
        if lam[p] == floor[p] or lam[p] == ceiling[p]:
            from_left = p
        is_resting = is_resting or rests(code, v[p], x[p], lam[p])
    if is_resting:
        lam[a] = y
        reached, s, h = felt(a, Side(1, b), chain, lam)
        slope, curvature = slope + s, curvature + h
        if reached != b:
            _, s, h = felt(b, Side(-1, a), chain, lam)
            slope, curvature = slope + s, curvature + h
        return slope, curvature, NO_ROOM
    for q in range(b - a - 1):
        p = b - 1 - q
        s, h = pull(code, v[p], x[p], lam[p])
        slope += s
        is_held = is_held and not lam[p + 1] - gap[p] <= z[p] <= lam[p + 1] + gap[p]
        if is_held or p <= from_left:
            curvature += h
    return slope, curvature, NO_ROOM


@njit
def tie_mean(a, b, within, chain, messages, between, lam):
    """The mean of the cheapest fit in which places a < b have one mean, which lies in an interval.

    Newton's method from the middle of all that is known, as long as it stays inside; else with a bracket.
    """
    low, start, high = within
    hunt = begin_hunt(start, low, high, chain.code)
    for _ in range(QUICK):
        slope, curvature, room = tie_slope(hunt.y, a, b, chain, messages, between, lam)
        hunt = pursue(hunt, slope, curvature, room, chain.code)
        if hunt.is_over:
            return hunt.y
    short = inset(low, high)
    if (
        tie_slope(high, a, b, chain, messages, between, lam)[0] <= 0.0
        and tie_slope(high - short, a, b, chain, messages, between, lam)[0] <= 0.0
    ):
        return high
    if (
        tie_slope(low, a, b, chain, messages, between, lam)[0] >= 0.0
        and tie_slope(low + short, a, b, chain, messages, between, lam)[0] >= 0.0
    ):
        return low
    y = low + 0.5 * (high - low)
    for _ in range(ROUNDS):
        slope, curvature, _ = tie_slope(y, a, b, chain, messages, between, lam)
        y, low, high = next_point(y, slope, curvature, low, high)
        if not low < high:
            break
    return y


@njit
def tie_fit(a, b, within, chain, messages, between, lam):
    """The cheapest fit in which places a < b have one mean, which lies in an interval; fills lam."""
    v, x = chain.weights, chain.means
    y = within.low
    if y < within.high:
        y = tie_mean(a, b, within, chain, messages, between, lam)
    if b > a + 1:
        tie_slope(y, a, b, chain, messages, between, lam)
    lam[a] = lam[b] = y
    follow(a, LEFT, chain.gaps, messages.left, lam)
    follow(b, Side(1, len(v)), chain.gaps, messages.right, lam)
    keep_heavy(len(v), v, x, lam)
