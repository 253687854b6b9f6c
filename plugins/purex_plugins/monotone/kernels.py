"""Monotone means, compiled: projection, and best responses of thresholding and closest-to.

Arms are taken in the order in which means rise. The numbers of `given` are the threshold of the query, where
there is a query, and then the direction, 1 or -1. Importing this imports numba.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from purex.arrays import FloatArray
from purex.convex.kernels.heavy import keep_heavy
from purex.convex.kernels.isotonic import FIT_SIZE, increasing_fit
from purex.families.compiled.divergence import BERNOULLI, GAUSSIAN
from purex.jit import njit
from purex_plugins.arm_sets import MOST_ARMS
from purex_plugins.line_search import ROUNDS, next_point, pull
from purex_plugins.transport import move_arm

THRESHOLD, DIRECTION = 0, -1  # places in the numbers: the first and the last
VECTORS = 6  # those of `Rising` that have a number for each arm


class Rising(NamedTuple):
    """The arms in the order in which means rise, and the room that fits of them need.

    `weights` are times scales; `fit` is a fit within `floor` and `ceiling`, `sides` that of the arms on
    either side of two, and `scratch` is for `increasing_fit`.
    """

    weights: FloatArray
    means: FloatArray
    floor: FloatArray
    ceiling: FloatArray
    fit: FloatArray
    sides: FloatArray
    scratch: FloatArray


def scratch_size(n_arms):
    """How many numbers the functions of this module need to work with."""
    return (VECTORS + FIT_SIZE) * n_arms


@njit
def place(p, K, given):
    """The arm in place p of the rising order."""
    return p if given.numbers[DIRECTION] > 0 else K - 1 - p


@njit
def in_order(w, xi, given, scratch):
    """Weights and means in the rising order, and room for fits, all in `scratch`."""
    K = len(xi)
    rising = Rising(
        scratch[:K], scratch[K : 2 * K], scratch[2 * K : 3 * K], scratch[3 * K : 4 * K],
        scratch[4 * K : 5 * K], scratch[5 * K : 6 * K], scratch[VECTORS * K :],
    )  # fmt: skip
    for p in range(K):
        k = place(p, K, given)
        rising.weights[p], rising.means[p] = w[k] * given.scales[k], xi[k]
    return rising


@njit
def is_model(x, lower, upper):
    """Whether the ordered means rise and lie in the bounds."""
    rises = True
    for p in range(len(x)):
        rises &= lower <= x[p] <= upper and (p == 0 or x[p - 1] <= x[p])
    return rises


@njit
def cost_of(fit, w, xi, given):
    """What it costs to move to an ordered fit."""
    cost, K = 0.0, len(xi)
    for p in range(K):
        cost += move_arm(place(p, K, given), w, xi, given, fit[p])
    return cost


@njit
def write(fit, given, point):
    """An ordered fit as a point."""
    for p in range(len(point)):
        point[place(p, len(point), given)] = fit[p]


@njit
def fit_all(rising):
    """The best fit within floor and ceiling."""
    v, x, floor, ceiling, fit, _, scratch = rising
    increasing_fit(len(v), v, x, floor, ceiling, fit, scratch)


@njit
def project(boxed, N, mu, low, high, given, point, scratch):
    """The likeliest monotone point, in the box [low, high] if `boxed`; returns whether there is one."""
    K = len(mu)
    rising = in_order(N, mu, given, scratch)
    floor, ceiling = rising.floor, rising.ceiling
    least = given.lower
    for p in range(K):  # along a chain that rises a lower bound also holds for all that follow
        k = place(p, K, given)
        least = max(least, low[k]) if boxed else least
        floor[p] = least
    most = given.upper
    found = True
    for q in range(K):
        p = K - 1 - q
        k = place(p, K, given)
        most = min(most, high[k]) if boxed else most
        ceiling[p] = most
        found &= floor[p] <= most
    if found:
        fit_all(rising)
        write(rising.fit, given, point)
    return found


@njit(inline="always")
def threshold_piece(p, below, rising, given):
    """The fit in which place p, and so all before it, is at most g (`below`), or at least, with all after."""
    g, lower, upper = given.numbers[THRESHOLD], given.lower, given.upper
    for k in range(len(rising.means)):
        rising.floor[k] = max(lower, g) if not below and k >= p else lower
        rising.ceiling[k] = min(upper, g) if below and k <= p else upper
    fit_all(rising)


@njit
def thresholding_response(i, w, xi, given, point, scratch):
    """Thresholding: an isotonic fit for each arm that may cross the level; fills point, returns value, piece.

    Two of them are enough (the first arm of the set sinks, or the last of the others rises). All are tried,
    so that exact ties, also those of rounding, go to the first.
    """
    K, g = len(xi), given.numbers[THRESHOLD]
    if K > MOST_ARMS:  # the code is a fingerprint, which cannot be read here
        return math.nan, -1
    rising = in_order(w, xi, given, scratch)
    for k in range(K):
        point[k] = xi[k]
    if is_model(rising.means, given.lower, given.upper):
        for k in range(K):
            if (xi[k] <= g) if (i >> k) & 1 else (xi[k] >= g):  # xi is an alternative
                return 0.0, k
    value, piece = math.inf, -1
    for k in range(K):
        p = place(k, K, given)  # its own inverse
        threshold_piece(p, (i >> k) & 1, rising, given)
        cost = cost_of(rising.fit, w, xi, given)
        if cost < value or piece < 0:
            value, piece = cost, k
            write(rising.fit, given, point)
    return value, piece


@njit
def level_slope(y, g, q, code, v, x, sides):
    """Slope and curvature in y of the cheapest fit with y in place q and 2g - y in the next."""
    slope, curvature = pull(code, v[q], x[q], y)
    p = q - 1
    while p >= 0 and sides[p] > y:
        s, c = pull(code, v[p], x[p], y)
        slope, curvature, p = slope + s, curvature + c, p - 1
    z = 2.0 * g - y
    p = q + 1
    while p < len(v) and (p == q + 1 or sides[p] < z):
        s, c = pull(code, v[p], x[p], z)
        slope, curvature, p = slope - s, curvature + c, p + 1
    return slope, curvature


@njit
def mirrored_fit(q, rising, given):
    r"""The cheapest fit with $\lambda_q + \lambda_{q+1} = 2g$, by one root: convex costs.

    The places before q take their own best fit, cut off at $\lambda_q$; those after q + 1 likewise.
    """
    v, x, floor, ceiling, fit, sides, scratch = rising
    K, g, code, lower, upper = len(v), given.numbers[THRESHOLD], given.codes[0], given.lower, given.upper
    if code != GAUSSIAN:  # where 2g - y may leave the domain
        lower = max(lower, 0.0)
    if code == BERNOULLI:
        upper = min(upper, 1.0)
    for k in range(K):
        floor[k], ceiling[k] = lower, upper
    if q > 0:
        increasing_fit(q, v, x, floor, ceiling, sides, scratch)
    if q + 2 < K:
        increasing_fit(K - q - 2, v[q + 2 :], x[q + 2 :], floor, ceiling, sides[q + 2 :], scratch)
    least, most = g, g  # beyond all means nothing is gained
    for k in range(K):
        least, most = min(least, x[k]), max(most, x[k])
    low, high = max(lower, 2.0 * g - upper, min(least, 2.0 * g - most)), g
    y = high
    if low < high and level_slope(high, g, q, code, v, x, sides)[0] > 0.0:
        y = low
        if level_slope(low, g, q, code, v, x, sides)[0] < 0.0:
            y = low + 0.5 * (high - low)
            for _ in range(ROUNDS):
                slope, curvature = level_slope(y, g, q, code, v, x, sides)
                y, low, high = next_point(y, slope, curvature, low, high)
                if not low < high:
                    break
    z = 2.0 * g - y
    for p in range(K):
        fit[p] = min(sides[p], y) if p < q else y if p == q else z if p == q + 1 else max(sides[p], z)
    keep_heavy(K, v, x, fit)


@njit
def closest_to_response(i, w, xi, given, point, scratch):
    """Closest to a level: the next arm comes as near from above, or the one before it from below.

    Fills point, returns value and piece.
    """
    K, g = len(xi), given.numbers[THRESHOLD]
    rising = in_order(w, xi, given, scratch)
    fit = rising.fit
    own = place(i, K, given)
    for k in range(K):
        rising.floor[k], rising.ceiling[k] = given.lower, given.upper
        point[k] = xi[k]
    fit_all(rising)
    value, piece = math.inf, -1
    for rival in range(K):  # the free fit may be an alternative already, and then nothing is cheaper
        p = place(rival, K, given)
        above = p == own + 1 and fit[own] + fit[p] <= 2.0 * g
        if above or (p == own - 1 and fit[own] + fit[p] >= 2.0 * g):
            write(rising.fit, given, point)
            number = 2 * (rival - (rival > i)) + (p > own)
            return cost_of(fit, w, xi, given), number
    for rival in range(K):
        p = place(rival, K, given)
        if abs(p - own) != 1:
            continue
        mirrored_fit(min(p, own), rising, given)
        cost = cost_of(fit, w, xi, given)
        if cost < value or piece < 0:
            value, piece = cost, 2 * (rival - (rival > i)) + (p > own)
            write(rising.fit, given, point)
    return value, piece
