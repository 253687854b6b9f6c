r"""Lipschitz fits on a line by messages along the chain: exact for families convex in the mean, compiled.

Places are the arms from left to right, `gap[p]` is the largest difference allowed between p and p + 1.
The message of place p is the cheapest cost of p and all places before it as a function of its mean y,
$L_p(y) = W_p d(\xi_p, y) + \min_{|u - y| \le gap} L_{p-1}(u)$, a convex function. It is known by its
minimiser z alone: a place before takes $z$ cut off to $y \pm gap$, and while it is cut off, its own neighbour
follows. So the slope at y is a sum over the places that follow.
"""

from __future__ import annotations

import math

from purex.convex.kernels.heavy import keep_heavy
from purex.jit import njit
from purex_plugins.kernels.parts import clip
from purex_plugins.kernels.pulls import ROUNDS, inset, next_point, pull

ROUNDING = 4e-15  # of sums along a chain
TAUT = 1e-12  # a difference this close to the largest that is allowed is that one


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
def chain_slope(p, step, end, y, code, v, x, gap, z):
    """Slope and curvature at y of the message of place p, which comes from the side of `step` up to `end`."""
    slope, curvature = pull(code, v[p], x[p], y)
    q = p + step
    while q != end:
        c = gap[q] if step < 0 else gap[q - 1]
        following = drawn(z[q], y, c, ROUNDING)
        if following == z[q]:
            break
        y = following
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
    short = inset(low, high)
    if (
        chain_slope(p, step, end, low, code, v, x, gap, z)[0] >= 0.0
        and chain_slope(p, step, end, low + short, code, v, x, gap, z)[0] >= 0.0
    ):
        return low
    if (
        chain_slope(p, step, end, high, code, v, x, gap, z)[0] <= 0.0
        and chain_slope(p, step, end, high - short, code, v, x, gap, z)[0] <= 0.0
    ):
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
        lam[q] = drawn(z[q], lam[q - step], c, 4.0 * ROUNDING)  # means are found up to it
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
    keep_heavy(K, v, x, lam)
    return True


@njit
def rests(code, W, xi, y):
    """Whether an arm is at its own mean on the edge of the domain, where its slope is not 0."""
    return y == xi and pull(code, W, xi, y)[0] != 0.0


@njit
def felt(p, step, end, code, v, x, gap, lam):
    """Slope and curvature of the places that go with place p: how far they reach to `end`, and their sums."""
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
def tie_slope(y, a, b, code, v, x, gap, left, right, z, floor, ceiling, lam):
    """Slope and curvature in y of the cheapest fit in which places a < b both have mean y.

    Fills lam between them: there both ends are given, so messages are made anew. In the sum of all pulls
    between them what neighbours do to each other cancels: it is what both ends feel. This is not so where an
    arm rests on the edge of the domain, which holds it and others; then the pulls on either end are followed.
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
    from_left, is_held, is_resting = a, True, False
    for p in range(a + 1, b):
        if lam[p] == floor[p] or lam[p] == ceiling[p]:
            from_left = p
        is_resting = is_resting or rests(code, v[p], x[p], lam[p])
    if is_resting:
        lam[a] = y
        reached, s, h = felt(a, 1, b, code, v, x, gap, lam)
        slope, curvature = slope + s, curvature + h
        if reached != b:
            _, s, h = felt(b, -1, a, code, v, x, gap, lam)
            slope, curvature = slope + s, curvature + h
        return slope, curvature
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
        short = inset(low, high)
        if (
            tie_slope(high, a, b, code, v, x, gap, left, right, z, floor, ceiling, lam)[0] <= 0.0
            and tie_slope(high - short, a, b, code, v, x, gap, left, right, z, floor, ceiling, lam)[0] <= 0.0
        ):
            y = high
        elif (
            tie_slope(low, a, b, code, v, x, gap, left, right, z, floor, ceiling, lam)[0] < 0.0
            or tie_slope(low + short, a, b, code, v, x, gap, left, right, z, floor, ceiling, lam)[0] < 0.0
        ):
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
    keep_heavy(len(v), v, x, lam)


@njit
def pinned_slope(p, y, code, v, x, gap, left, right):
    """Slope and curvature in y of the cheapest fit with mean y in place p."""
    own, curving = pull(code, v[p], x[p], y)
    if math.isinf(own):
        return own, curving
    slope, curvature = chain_slope(p, -1, -1, y, code, v, x, gap, left)
    s, h = chain_slope(p, 1, len(v), y, code, v, x, gap, right)
    return slope + s - own, curvature + h - curving


@njit
def loose_slope(y, a, b, code, v, x, gap, left, right):
    """Slope and curvature in y of pinning a and pinning b, each for itself, to mean y."""
    slope, curvature = pinned_slope(a, y, code, v, x, gap, left, right)
    s, h = pinned_slope(b, y, code, v, x, gap, left, right)
    return slope + s, curvature + h


@njit
def loose_tie(a, b, low, high, code, v, x, gap, left, right):
    """The mean in [low, high] at which pinning a and pinning b, each for itself, cost least together."""
    short = inset(low, high)
    if (
        loose_slope(high, a, b, code, v, x, gap, left, right)[0] <= 0.0
        and loose_slope(high - short, a, b, code, v, x, gap, left, right)[0] <= 0.0
    ):
        return high
    if (
        loose_slope(low, a, b, code, v, x, gap, left, right)[0] >= 0.0
        and loose_slope(low + short, a, b, code, v, x, gap, left, right)[0] >= 0.0
    ):
        return low
    y = low + 0.5 * (high - low)
    for _ in range(ROUNDS):
        slope, curvature = loose_slope(y, a, b, code, v, x, gap, left, right)
        y, low, high = next_point(y, slope, curvature, low, high)
        if not low < high:
            break
    return y


@njit
def pin(p, y, v, x, gap, left, right, lam):
    """Fill lam with the cheapest fit with mean y in place p."""
    lam[p] = y
    follow(p, -1, -1, gap, left, lam)
    follow(p, 1, len(lam), gap, right, lam)
    keep_heavy(len(lam), v, x, lam)
