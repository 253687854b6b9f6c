"""Monotone means, compiled: projection, and best responses of thresholding and closest-to.

Arms are taken in the order in which means rise; `query` begins with the direction, 1 or -1.
"""

from __future__ import annotations

import math

import numpy as np

from purex.convex.kernels.heavy import keep_heavy
from purex.convex.kernels.isotonic import FIT_SIZE, increasing_fit
from purex.families.compiled.divergence import BERNOULLI, GAUSSIAN
from purex.jit import guvectorize, njit
from purex_plugins.kernels.parts import move
from purex_plugins.kernels.pulls import ROUNDS, next_point, pull

VECTORS = 6  # the weights, means, bounds and fits of one row
DIRECTION, THRESHOLD = range(2)


def monotone_size(n_arms):
    """How many numbers the rows of this module need to work with."""
    return (VECTORS + FIT_SIZE) * n_arms


@njit
def place(p, K, query):
    """The arm in place p of the rising order."""
    return p if query[DIRECTION] > 0 else K - 1 - p


@njit
def in_order(w, xi, scales, query, v, x):
    """Weights times scales and means in the rising order, into v and x."""
    for p in range(len(xi)):
        k = place(p, len(xi), query)
        v[p], x[p] = w[k] * scales[k], xi[k]


@njit
def is_model(x, lower, upper):
    """Whether the ordered means rise and lie in the bounds."""
    rises = True
    for p in range(len(x)):
        rises &= lower <= x[p] <= upper and (p == 0 or x[p - 1] <= x[p])
    return rises


@njit
def cost_of(fit, w, xi, codes, scales, parameters, query):
    """What it costs to move to an ordered fit."""
    cost, K = 0.0, len(xi)
    for p in range(K):
        k = place(p, K, query)
        cost += move(codes[k], scales[k], parameters[k], w[k], xi[k], fit[p])
    return cost


@njit
def write(fit, query, point):
    """An ordered fit as a point."""
    for p in range(len(point)):
        point[place(p, len(point), query)] = fit[p]


@njit
def monotone_project(
    boxed, N, mu, low, high, codes, scales, parameters, lower, upper, query, point, scratch
):  # fmt: skip
    """The likeliest monotone point, in the box [low, high] if `boxed`; returns whether there is one."""
    K = len(mu)
    v, x, floor, ceiling, fit = (
        scratch[:K], scratch[K : 2 * K], scratch[2 * K : 3 * K], scratch[3 * K : 4 * K],
        scratch[4 * K : 5 * K],
    )  # fmt: skip
    in_order(N, mu, scales, query, v, x)
    least = lower
    for p in range(K):  # along a chain that rises a lower bound also holds for all that follow
        k = place(p, K, query)
        least = max(least, low[k]) if boxed else least
        floor[p] = least
    most = upper
    found = True
    for q in range(K):
        p = K - 1 - q
        k = place(p, K, query)
        most = min(most, high[k]) if boxed else most
        ceiling[p] = most
        found &= floor[p] <= most
    if found:
        increasing_fit(K, v, x, floor, ceiling, fit, scratch[VECTORS * K :])
        write(fit, query, point)
    return found


@njit
def threshold_piece(p, below, g, v, x, lower, upper, floor, ceiling, fit, scratch):
    """The fit in which place p, and so all before it, is at most g (`below`), or at least, with all after."""
    K = len(v)
    for k in range(K):
        floor[k] = max(lower, g) if not below and k >= p else lower
        ceiling[k] = min(upper, g) if below and k <= p else upper
    increasing_fit(K, v, x, floor, ceiling, fit, scratch)


@njit
def monotone_thresholding_row(
    i, w, xi, codes, scales, parameters, lower, upper, query, point, scratch
):  # fmt: skip
    """Thresholding: an isotonic fit for each arm that may cross the level; fills point, returns value, piece.

    Two of them are enough (the first arm of the set sinks, or the last of the others rises). All are tried,
    so that exact ties, also those of rounding, go to the first.
    """
    K, g = len(xi), query[THRESHOLD]
    v, x, floor, ceiling, fit = (
        scratch[:K], scratch[K : 2 * K], scratch[2 * K : 3 * K], scratch[3 * K : 4 * K],
        scratch[4 * K : 5 * K],
    )  # fmt: skip
    rest = scratch[VECTORS * K :]
    in_order(w, xi, scales, query, v, x)
    for k in range(K):
        point[k] = xi[k]
    if is_model(x, lower, upper):
        for k in range(K):
            if (xi[k] <= g) if (i >> k) & 1 else (xi[k] >= g):  # xi is an alternative
                return 0.0, k
    value, piece = math.inf, -1
    for k in range(K):
        p = place(k, K, query)  # its own inverse
        threshold_piece(p, (i >> k) & 1, g, v, x, lower, upper, floor, ceiling, fit, rest)
        cost = cost_of(fit, w, xi, codes, scales, parameters, query)
        if cost < value or piece < 0:
            value, piece = cost, k
            write(fit, query, point)
    return value, piece


@njit
def level_slope(y, g, q, code, v, x, prefix, suffix):
    """Slope and curvature in y of the cheapest fit with y in place q and 2g - y in the next."""
    slope, curvature = pull(code, v[q], x[q], y)
    p = q - 1
    while p >= 0 and prefix[p] > y:
        s, c = pull(code, v[p], x[p], y)
        slope, curvature, p = slope + s, curvature + c, p - 1
    z = 2.0 * g - y
    p = q + 1
    while p < len(v) and (p == q + 1 or suffix[p] < z):
        s, c = pull(code, v[p], x[p], z)
        slope, curvature, p = slope - s, curvature + c, p + 1
    return slope, curvature


@njit
def mirrored_fit(q, g, code, v, x, lower, upper, floor, ceiling, fit, other, scratch):
    r"""The cheapest fit with $\lambda_q + \lambda_{q+1} = 2g$, by one root: convex costs.

    The places before q take their own best fit, cut off at $\lambda_q$; those after q + 1 likewise.
    """
    K = len(v)
    if code != GAUSSIAN:  # where 2g - y may leave the domain
        lower = max(lower, 0.0)
    if code == BERNOULLI:
        upper = min(upper, 1.0)
    for k in range(K):
        floor[k], ceiling[k] = lower, upper
    if q > 0:
        increasing_fit(q, v, x, floor, ceiling, other, scratch)
    if q + 2 < K:
        increasing_fit(K - q - 2, v[q + 2 :], x[q + 2 :], floor, ceiling, other[q + 2 :], scratch)
    least, most = g, g  # beyond all means nothing is gained
    for k in range(K):
        least, most = min(least, x[k]), max(most, x[k])
    low, high = max(lower, 2.0 * g - upper, min(least, 2.0 * g - most)), g
    y = high
    if low < high and level_slope(high, g, q, code, v, x, other, other)[0] > 0.0:
        y = low
        if level_slope(low, g, q, code, v, x, other, other)[0] < 0.0:
            y = low + 0.5 * (high - low)
            for _ in range(ROUNDS):
                slope, curvature = level_slope(y, g, q, code, v, x, other, other)
                y, low, high = next_point(y, slope, curvature, low, high)
                if not low < high:
                    break
    z = 2.0 * g - y
    for p in range(K):
        fit[p] = min(other[p], y) if p < q else y if p == q else z if p == q + 1 else max(other[p], z)
    keep_heavy(K, v, x, fit)


@njit
def monotone_closest_to_row(
    i, w, xi, codes, scales, parameters, lower, upper, query, point, scratch
):  # fmt: skip
    """Closest to a level: the next arm comes as near from above, or the one before it from below.

    Fills point, returns value and piece.
    """
    K, g = len(xi), query[THRESHOLD]
    v, x, floor, ceiling, fit, other = (
        scratch[:K], scratch[K : 2 * K], scratch[2 * K : 3 * K], scratch[3 * K : 4 * K],
        scratch[4 * K : 5 * K], scratch[5 * K : 6 * K],
    )  # fmt: skip
    rest = scratch[VECTORS * K :]
    in_order(w, xi, scales, query, v, x)
    own = place(i, K, query)
    for k in range(K):
        floor[k], ceiling[k] = lower, upper
        point[k] = xi[k]
    increasing_fit(K, v, x, floor, ceiling, fit, rest)
    value, piece = math.inf, -1
    for rival in range(K):  # the free fit may be an alternative already, and then nothing is cheaper
        p = place(rival, K, query)
        above = p == own + 1 and fit[own] + fit[p] <= 2.0 * g
        if above or (p == own - 1 and fit[own] + fit[p] >= 2.0 * g):
            write(fit, query, point)
            number = 2 * (rival - (rival > i)) + (p > own)
            return cost_of(fit, w, xi, codes, scales, parameters, query), number
    for rival in range(K):
        p = place(rival, K, query)
        if abs(p - own) != 1:
            continue
        mirrored_fit(min(p, own), g, codes[i], v, x, lower, upper, floor, ceiling, fit, other, rest)
        cost = cost_of(fit, w, xi, codes, scales, parameters, query)
        if cost < value or piece < 0:
            value, piece = cost, 2 * (rival - (rival > i)) + (p > own)
            write(fit, query, point)
    return value, piece


@guvectorize(
    ["(b1, f8[:], f8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8, f8, f8[:], f8[:], b1[:])"],
    "(),(k),(k),(k),(k),(k),(k),(k),(),(),(n)->(k),()",
)
def project(boxed, N, mu, low, high, codes, scales, parameters, lower, upper, query, point, found):
    """The likeliest monotone points, whole batch at once."""
    scratch = np.empty((VECTORS + FIT_SIZE) * len(mu))
    for k in range(len(mu)):
        point[k] = mu[k]
    found[0] = monotone_project(
        boxed, N, mu, low, high, codes, scales, parameters, lower, upper, query, point, scratch
    )


@guvectorize(
    ["(i8, f8[:], f8[:], i8[:], f8[:], f8[:], f8, f8, f8[:], f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k),(k),(),(),(n)->(),(k),()",
)
def thresholding(i, w, xi, codes, scales, parameters, lower, upper, query, value, point, piece):
    """Best responses of thresholding under monotone means, whole batch at once."""
    scratch = np.empty((VECTORS + FIT_SIZE) * len(xi))
    value[0], piece[0] = monotone_thresholding_row(
        i, w, xi, codes, scales, parameters, lower, upper, query, point, scratch
    )


@guvectorize(
    ["(i8, f8[:], f8[:], i8[:], f8[:], f8[:], f8, f8, f8[:], f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k),(k),(),(),(n)->(),(k),()",
)
def closest_to(i, w, xi, codes, scales, parameters, lower, upper, query, value, point, piece):
    """Best responses of closest-to under monotone means, whole batch at once."""
    scratch = np.empty((VECTORS + FIT_SIZE) * len(xi))
    value[0], piece[0] = monotone_closest_to_row(
        i, w, xi, codes, scales, parameters, lower, upper, query, point, scratch
    )
