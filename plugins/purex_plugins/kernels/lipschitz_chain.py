r"""Lipschitz fits on a line by messages along the chain: exact for families convex in the mean, compiled.

Places are the arms from left to right, `gap[p]` is the largest difference allowed between p and p + 1.
The message of place p is the cheapest cost of p and all places before it as a function of its mean y,
$L_p(y) = W_p d(\xi_p, y) + \min_{|u - y| \le gap} L_{p-1}(u)$, a convex function. It is known by its
minimiser z alone: a place before takes $z$ cut off to $y \pm gap$, and while it is cut off, its own neighbour
follows. So the slope at y is a sum over the places that follow.
"""

from __future__ import annotations

import math

from purex.jit import njit
from purex_plugins.kernels.parts import clip
from purex_plugins.kernels.pulls import ROUNDS, next_point, pull


@njit
def chain_slope(p, step, end, y, code, v, x, gap, z):
    """Slope and curvature at y of the message of place p, which comes from the side of `step` up to `end`."""
    slope, curvature = pull(code, v[p], x[p], y)
    q = p + step
    while q != end:
        c = gap[q] if step < 0 else gap[q - 1]
        if z[q] > y + c:
            y += c
        elif z[q] < y - c:
            y -= c
        else:
            break
        s, h = pull(code, v[q], x[q], y)
        slope += s
        curvature += h
        q += step
    return slope, curvature


@njit
def chain_minimum(p, step, end, low, high, code, v, x, gap, z):
    """The minimiser on [low, high] of the message of place p."""
    if not low < high:
        return low
    if chain_slope(p, step, end, low, code, v, x, gap, z)[0] >= 0.0:
        return low
    if chain_slope(p, step, end, high, code, v, x, gap, z)[0] <= 0.0:
        return high
    y = clip(x[p], low, high)
    if not low < y < high:
        y = low + 0.5 * (high - low)
    for _ in range(ROUNDS):
        slope, curvature = chain_slope(p, step, end, y, code, v, x, gap, z)
        y, low, high = next_point(y, slope, curvature, low, high)
        if not low < high:
            break
    return y


@njit
def settle(p, step, end, low, high, code, v, x, gap, z):
    """Set z[p], the minimiser on [low, high] of the message of place p, given those on the side of `step`."""
    q = p + step
    c = gap[q] if step < 0 else gap[p]
    a, b = z[q] - c, z[q] + c  # as long as the mean is in between, the neighbour need not move
    if v[p] == 0.0:
        z[p] = clip(clip(x[p], a, b), low, high)
    elif x[p] < a:
        if a <= low:
            z[p] = low
        elif x[p] >= high:
            z[p] = high
        else:
            z[p] = chain_minimum(p, step, end, max(x[p], low), min(a, high), code, v, x, gap, z)
    elif x[p] > b:
        if b >= high:
            z[p] = high
        elif x[p] <= low:
            z[p] = low
        else:
            z[p] = chain_minimum(p, step, end, max(b, low), min(x[p], high), code, v, x, gap, z)
    else:
        z[p] = clip(x[p], low, high)


@njit
def sweep(step, code, v, x, gap, z):
    """The minimisers of all messages: those from the left (step -1), or from the right (step 1)."""
    K = len(v)
    first, end = (0, -1) if step < 0 else (K - 1, K)
    z[first] = x[first]
    p = first
    for _ in range(K - 1):
        p -= step
        settle(p, step, end, -math.inf, math.inf, code, v, x, gap, z)


@njit
def follow(p, step, end, gap, z, lam):
    """Fill lam on the side of `step` of place p, whose mean is set, up to `end`."""
    q = p + step
    while q != end:
        c = gap[q] if step < 0 else gap[q - 1]
        y = lam[q - step]
        lam[q] = clip(z[q], y - c, y + c)
        q += step


@njit
def chain_fit(low, high, code, v, x, gap, floor, ceiling, z, lam):
    """The best fit with each mean in its own [low, high], into lam; returns whether there is one.

    floor and ceiling become the means that a place can have, given the places before it.
    """
    K = len(v)
    for p in range(K):
        floor[p], ceiling[p] = low[p], high[p]
        if p > 0:
            floor[p] = max(floor[p], floor[p - 1] - gap[p - 1])
            ceiling[p] = min(ceiling[p], ceiling[p - 1] + gap[p - 1])
        if floor[p] > ceiling[p]:
            return False
        if p == 0:
            z[p] = clip(x[p], floor[p], ceiling[p])
        else:
            settle(p, -1, -1, floor[p], ceiling[p], code, v, x, gap, z)
    lam[K - 1] = z[K - 1]
    follow(K - 1, -1, -1, gap, z, lam)
    return True


@njit
def tie_slope(y, a, b, code, v, x, gap, left, right, z, floor, ceiling, lam):
    """Slope and curvature in y of the cheapest fit in which places a < b both have mean y.

    Fills lam between them: there both ends are given, so messages are made anew. In the sum of all pulls
    between them what neighbours do to each other cancels: it is what both ends feel.
    """
    slope, curvature = chain_slope(a, -1, -1, y, code, v, x, gap, left)
    s, h = chain_slope(b, 1, len(v), y, code, v, x, gap, right)
    slope, curvature = slope + s, curvature + h
    if b == a + 1:
        return slope, curvature
    z[a] = floor[a] = ceiling[a] = y
    for p in range(a + 1, b):
        floor[p], ceiling[p] = floor[p - 1] - gap[p - 1], ceiling[p - 1] + gap[p - 1]
        settle(p, -1, a, floor[p], ceiling[p], code, v, x, gap, z)
    lam[b] = y
    follow(b, -1, a, gap, z, lam)
    # Those that go with an end: from a up to the last one that is as far from it as it can be, from b down to
    # the first that is not held.
    from_left, is_held = a, True
    for p in range(a + 1, b):
        if lam[p] == floor[p] or lam[p] == ceiling[p]:
            from_left = p
    for q in range(b - a - 1):
        p = b - 1 - q
        s, h = pull(code, v[p], x[p], lam[p])
        slope += s
        is_held = is_held and not lam[p + 1] - gap[p] <= z[p] <= lam[p + 1] + gap[p]
        if is_held or p <= from_left:
            curvature += h
    return slope, curvature


@njit
def tie_fit(a, b, low, high, code, v, x, gap, left, right, z, floor, ceiling, lam):
    """The cheapest fit in which places a < b have one mean, which lies in [low, high]; fills lam."""
    y = low
    if low < high:
        if tie_slope(high, a, b, code, v, x, gap, left, right, z, floor, ceiling, lam)[0] <= 0.0:
            y = high
        elif tie_slope(low, a, b, code, v, x, gap, left, right, z, floor, ceiling, lam)[0] < 0.0:
            share = v[a] / (v[a] + v[b]) if v[a] + v[b] > 0.0 else 0.5
            y = low + (share if x[a] > x[b] else 1.0 - share) * (high - low)
            if not low < y < high:
                y = low + 0.5 * (high - low)
            for _ in range(ROUNDS):
                slope, curvature = tie_slope(y, a, b, code, v, x, gap, left, right, z, floor, ceiling, lam)
                y, low, high = next_point(y, slope, curvature, low, high)
                if not low < high:
                    break
    tie_slope(y, a, b, code, v, x, gap, left, right, z, floor, ceiling, lam)
    lam[a] = lam[b] = y
    follow(a, -1, -1, gap, left, lam)
    follow(b, 1, len(v), gap, right, lam)


@njit
def pinned_slope(p, y, code, v, x, gap, left, right):
    """Slope and curvature in y of the cheapest fit with mean y in place p."""
    own, curving = pull(code, v[p], x[p], y)
    slope, curvature = chain_slope(p, -1, -1, y, code, v, x, gap, left)
    s, h = chain_slope(p, 1, len(v), y, code, v, x, gap, right)
    return slope + s - own, curvature + h - curving


@njit
def loose_tie(a, b, low, high, code, v, x, gap, left, right):
    """The mean in [low, high] at which pinning a and pinning b, each for itself, cost least together."""
    y = low + 0.5 * (high - low)
    for turn in range(ROUNDS):
        at = high if turn == 0 else low if turn == 1 else y
        slope, curvature = pinned_slope(a, at, code, v, x, gap, left, right)
        s, h = pinned_slope(b, at, code, v, x, gap, left, right)
        slope, curvature = slope + s, curvature + h
        if turn == 0 and slope <= 0.0:
            return high
        if turn == 1 and slope >= 0.0:
            return low
        if turn > 1:
            y, low, high = next_point(y, slope, curvature, low, high)
            if not low < high:
                break
    return y


@njit
def pin(p, y, gap, left, right, lam):
    """Fill lam with the cheapest fit with mean y in place p."""
    lam[p] = y
    follow(p, -1, -1, gap, left, lam)
    follow(p, 1, len(lam), gap, right, lam)
