r"""Which rivals on a line can be left out: what a tie costs at least, from means that are pinned.

The cost of a fit with given means for two arms is submodular: a tie at y costs at least as much as pinning
either arm to y alone, together, less what the free fit costs. This sum F is convex in y, and so above its
tangent at any y; and above it by at least $\tfrac12 m (u - y)^2$, where m is the least curvature of the two
arms themselves. One evaluation gives a bound, and Newton's step from there where the next would be better.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from purex.arrays import FloatArray
from purex.families.compiled import divergence
from purex.families.compiled.divergence import BERNOULLI, GAUSSIAN
from purex.jit import njit
from purex_plugins.line_search import pull
from purex_plugins.lipschitz.chain import drawn
from purex_plugins.transport import clip

ROUNDING = 1.6e-14  # of means along a chain
NOISE = 1e-22  # of costs at weight and mean 1
LOOKS = 8  # at what pinning costs, at most
CLOSE = 1e-2  # a bound this close is good enough to choose by


class Free(NamedTuple):
    """The free fit: its means, and what each place pays."""

    means: FloatArray
    prices: FloatArray


class Bound(NamedTuple):
    """What pinning costs above the free fit: at least, and at most; and a mean to look at next."""

    least: float
    most: float
    mean: float


class Tangent(NamedTuple):
    """The value and the slope of a cost at a mean."""

    value: float
    slope: float
    mean: float


@njit
def where_tangents_meet(falling, rising):
    """The value at which two tangents of a convex cost meet: it is nowhere less."""
    if not (math.isfinite(falling.value) and math.isfinite(rising.value)) or falling.slope == rising.slope:
        return -math.inf
    share = rising.slope / (rising.slope - falling.slope)
    at_rising = falling.value + falling.slope * (rising.mean - falling.mean)
    return at_rising + (rising.value - at_rising) * (1.0 - share)


@njit
def price(p, lam, chain):
    """What place p pays to move to lam."""
    if chain.weights[p] == 0.0 or chain.means[p] == lam:
        return 0.0
    return chain.weights[p] * divergence(chain.code, 0.0, chain.means[p], lam)


@njit
def rounding_of_costs(chain):
    """What a rounding error of a mean adds to costs, next to a small part of them."""
    most = size = 0.0
    for p in range(len(chain.means)):
        most, size = max(most, chain.weights[p]), max(size, abs(chain.means[p]))
    return NOISE * most * size * size


@njit
def one_side(p, y, step, z, chain, free):
    """The rise in price of the places on one side of p, pinned to y, and its slope and curvature in y.

    Places are visited as long as they leave the free fit, and felt by p as long as each draws the next.
    """
    code, v, x, gap = chain
    rise = slope = curvature = 0.0
    is_felt = True
    q = p + step
    while 0 <= q < len(v):
        lam = drawn(z[q], y, gap[q] if step < 0 else gap[q - 1], ROUNDING)
        is_felt = is_felt and lam != z[q]
        if not is_felt and abs(lam - free.means[q]) <= ROUNDING * abs(lam):
            break
        rise += price(q, lam, chain) - free.prices[q]
        if is_felt:
            s, h = pull(code, v[q], x[q], lam)
            slope += s
            curvature += h
        y = lam
        q += step
    return rise, slope, curvature


@njit
def pinned(p, y, chain, messages, free):
    """What pinning place p to y costs above the free fit, and its slope and curvature in y."""
    slope, curvature = pull(chain.code, chain.weights[p], chain.means[p], y)
    rise = price(p, y, chain) - free.prices[p]
    r, s, h = one_side(p, y, -1, messages.left, chain, free)
    rise, slope, curvature = rise + r, slope + s, curvature + h
    r, s, h = one_side(p, y, 1, messages.right, chain, free)
    return rise + r, slope + s, curvature + h


@njit
def least_curvature(p, low, high, chain):
    """The least curvature of the price of place p between two means."""
    v, x = chain.weights[p], chain.means[p]
    if chain.code == GAUSSIAN:
        return v
    if chain.code == BERNOULLI:
        return v * (x / (high * high) + (1.0 - x) / ((1.0 - low) * (1.0 - low)))
    return v * x / (high * high)


@njit
def bound(own, p, start, limit, chain, messages, free):
    """What tying place p with `own` costs above the free fit, sought from `start` until it exceeds a limit.

    Each look gives a parabola below the cost; two of them on either side of the least cost, two tangents.
    """
    low, high = free.means[p], free.means[own]
    m = least_curvature(own, low, high, chain) + least_curvature(p, low, high, chain)
    least, most, mean = -math.inf, math.inf, start
    falling, rising = Tangent(math.nan, 0.0, low), Tangent(math.nan, 0.0, high)
    for _ in range(LOOKS):
        y = mean
        rise, slope, curvature = pinned(own, y, chain, messages, free)
        r, s, h = pinned(p, y, chain, messages, free)
        rise, slope, curvature = rise + r, slope + s, curvature + h
        if not (math.isfinite(rise) and math.isfinite(slope)):
            break
        if slope <= 0.0:
            falling, low = Tangent(rise, slope, y), y
        if slope >= 0.0:
            rising, high = Tangent(rise, slope, y), y
        step = clip(-slope / m, low - y, high - y) if m > 0.0 else (high - y if slope < 0.0 else low - y)
        least = max(least, rise + step * (slope + 0.5 * m * step), where_tangents_meet(falling, rising))
        most = min(most, rise)
        mean = y - slope / curvature
        if not low < mean < high:
            mean = low + 0.5 * (high - low)
        if most - least <= CLOSE * most or least > limit or not low < high:
            break
    return Bound(least, most, mean)


@njit
def survey(own, chain, messages, free, known, guess):
    """Bounds for all rivals, into `known`, and where to look next, into `guess`; returns the cheapest one.

    Neighbours come first: they are the cheapest as a rule, and then one look at each of the others is enough.
    """
    v, K = chain.weights, len(chain.weights)
    cheapest, first = math.inf, -1
    for distance in range(1, K):
        for p in (own - distance, own + distance):
            if not 0 <= p < K:
                continue
            both = v[own] + v[p]
            share = v[own] / both if both > 0.0 else 0.5
            start = free.means[p] + share * (free.means[own] - free.means[p])
            found = bound(own, p, start, cheapest, chain, messages, free)
            known[p], guess[p] = found.least, found.mean
            if found.most < cheapest or first < 0:
                cheapest, first = found.most, p
    return first
