"""Lipschitz means, compiled: on a line projection and best arm, in any metric best arm next to a model.

The numbers of a line are the arms from left to right, then the K - 1 gaps between neighbours; those of a
metric are the largest differences of all pairs.
"""

from __future__ import annotations

import math

import numpy as np

from purex.convex.kernels.heavy import keep_heavy
from purex.families.compiled.known import is_inside
from purex.jit import guvectorize, njit
from purex_plugins.kernels.lipschitz_chain import chain_fit, follow, loose_tie, pin, sweep, tie_fit
from purex_plugins.kernels.parts import clip, move, tie
from purex_plugins.kernels.pulls import ROUNDS, next_point, pull

VECTORS = 10
SURE = 1e-12  # a bound that exceeds a cost by this fraction does so for certain


def lipschitz_size(n_arms):
    """How many numbers the rows of this module need to work with."""
    return VECTORS * n_arms


@njit
def lipschitz_project(
    boxed, N, mu, low, high, codes, scales, parameters, lower, upper, query, point, scratch
):  # fmt: skip
    """The likeliest point on a line, in the box [low, high] if `boxed`; returns whether there is one."""
    K = len(mu)
    v, x, z, floor, ceiling, lam, bottom, top = (
        scratch[:K], scratch[K : 2 * K], scratch[2 * K : 3 * K], scratch[3 * K : 4 * K],
        scratch[4 * K : 5 * K], scratch[5 * K : 6 * K], scratch[6 * K : 7 * K], scratch[7 * K : 8 * K],
    )  # fmt: skip
    for p in range(K):
        k = int(query[p])
        v[p], x[p] = N[k] * scales[k], mu[k]
        bottom[p] = max(lower, low[k]) if boxed else lower
        top[p] = min(upper, high[k]) if boxed else upper
    found = chain_fit(bottom, top, codes[0], v, x, query[K:], floor, ceiling, z, lam)
    if found:
        for p in range(K):
            point[int(query[p])] = clip(lam[p], bottom[p], top[p])  # by rounding it may be outside
    return found


@njit
def cost_of(lam, w, xi, codes, scales, parameters, query):
    """What it costs to move to a fit in the order of the line."""
    cost = 0.0
    for p in range(len(xi)):
        k = int(query[p])
        cost += move(codes[k], scales[k], parameters[k], w[k], xi[k], lam[p])
    return cost


@njit
def lipschitz_best_arm_row(
    i, w, xi, codes, scales, parameters, lower, upper, query, point, scratch
):  # fmt: skip
    """Best arm on a line: the free fit if another arm is as good there, else the cheapest tie.

    The cost of a fit with given means for two arms is submodular (even L-natural-convex). So the common mean
    of a tie lies between those of the free fit; and a tie costs at least as much as pinning either arm to
    that mean alone, together, less what the free fit costs: most rivals are ruled out by that bound.
    Outside the bounds the value is nan: left to others. Fills point, returns value and piece.
    """
    K = len(xi)
    v, x, left, right, z, floor, ceiling, lam, free, bound = (
        scratch[:K], scratch[K : 2 * K], scratch[2 * K : 3 * K], scratch[3 * K : 4 * K],
        scratch[4 * K : 5 * K], scratch[5 * K : 6 * K], scratch[6 * K : 7 * K], scratch[7 * K : 8 * K],
        scratch[8 * K : 9 * K], scratch[9 * K : 10 * K],
    )  # fmt: skip
    gap, code = query[K:], codes[0]
    for k in range(K):
        point[k] = xi[k]
    if not is_inside(xi, lower, upper):
        return math.nan, -1
    own = 0
    for p in range(K):
        k = int(query[p])
        v[p], x[p] = w[k] * scales[k], xi[k]
        own = p if k == i else own
    sweep(-1, code, v, x, gap, left)
    sweep(1, code, v, x, gap, right)
    free[K - 1] = left[K - 1]
    follow(K - 1, -1, -1, gap, left, free)
    keep_heavy(K, v, x, free)
    rival = -1
    for p in range(K):
        k = int(query[p])
        if p != own and free[p] >= free[own]:
            rival = k if rival < 0 else min(rival, k)
    if rival >= 0:
        for p in range(K):
            point[int(query[p])] = free[p]
        return cost_of(free, w, xi, codes, scales, parameters, query), rival - (rival > i)
    least = cost_of(free, w, xi, codes, scales, parameters, query)
    for p in range(K):
        bound[p] = math.inf
        if p != own:
            y = loose_tie(own, p, free[p], free[own], code, v, x, gap, left, right)
            pin(own, y, v, x, gap, left, right, lam)
            bound[p] = cost_of(lam, w, xi, codes, scales, parameters, query) - least
            pin(p, y, v, x, gap, left, right, lam)
            bound[p] += cost_of(lam, w, xi, codes, scales, parameters, query)
    value = math.inf
    for _ in range(K - 1):  # the most promising first
        place = 0
        for p in range(1, K):
            if bound[p] < bound[place]:
                place = p
        if bound[place] > value * (1.0 + SURE):
            break
        bound[place] = math.inf
        j = int(query[place])
        a, b = min(place, own), max(place, own)
        tie_fit(a, b, free[place], free[own], code, v, x, gap, left, right, z, floor, ceiling, lam)
        cost = cost_of(lam, w, xi, codes, scales, parameters, query)
        if rival < 0 or cost < value or (cost == value and j < rival):
            value, rival = cost, j
            for p in range(K):
                point[int(query[p])] = lam[p]
    return value, rival - (rival > i)


@njit
def is_lipschitz(xi, reach):
    """Whether no two means differ by more than the metric allows."""
    K = len(xi)
    is_model = True
    for a in range(K):
        for b in range(a):
            is_model &= abs(xi[a] - xi[b]) <= reach[a * K + b]
    return is_model


@njit
def metric_slope(y, i, j, w, xi, codes, scales, reach):
    """Slope and curvature in y of the cheapest model in which i and j have mean y: the others are clipped."""
    K = len(xi)
    slope = curvature = 0.0
    for k in range(K):
        r = min(reach[k * K + i], reach[k * K + j])
        lam = clip(xi[k], y - r, y + r)
        if lam != xi[k]:
            s, h = pull(codes[k], w[k] * scales[k], xi[k], lam)
            slope += s
            curvature += h
    return slope, curvature


@njit
def fill_metric(y, i, j, w, xi, reach, point):
    """The cheapest model in which i and j have mean y, into point."""
    K = len(xi)
    for k in range(K):
        r = min(reach[k * K + i], reach[k * K + j])
        point[k] = clip(xi[k], y - r, y + r)
    keep_heavy(K, w, xi, point)


@njit
def metric_best_arm_row(i, w, xi, codes, scales, parameters, lower, upper, reach, point):
    r"""Best arm next to a Lipschitz xi, in any metric: one mean y for i and j, the others follow.

    $\lambda_k$ is $\xi_k$ cut off to $y \pm \ell \min(\rho(k, i), \rho(k, j))$: a cut between Lipschitz
    functions is one. Where xi is no model the value is nan: left to others. Fills point, returns value and
    piece.
    """
    K = len(xi)
    for k in range(K):
        point[k] = xi[k]
    if not (is_inside(xi, lower, upper) and is_lipschitz(xi, reach)):
        return math.nan, -1
    for j in range(K):
        if j != i and xi[j] >= xi[i]:
            return 0.0, j - (j > i)
    value, rival, mean = math.inf, -1, 0.0
    for j in range(K):
        if j == i:
            continue
        y, cost = tie(
            codes[i], scales[i], parameters[i], w[i], xi[i],
            codes[j], scales[j], parameters[j], w[j], xi[j],
            lower, upper,
        )  # fmt: skip
        if rival >= 0 and cost >= value:
            continue
        low, high = xi[j], xi[i]
        for _ in range(ROUNDS):
            slope, curvature = metric_slope(y, i, j, w, xi, codes, scales, reach)
            y, low, high = next_point(y, slope, curvature, low, high)
            if not low < high:
                break
        fill_metric(y, i, j, w, xi, reach, point)
        cost = 0.0
        for k in range(K):
            cost += move(codes[k], scales[k], parameters[k], w[k], xi[k], point[k])
        if cost < value or rival < 0:
            value, rival, mean = cost, j, y
    if rival >= 0:
        fill_metric(mean, i, rival, w, xi, reach, point)
    return value, rival - (rival > i)


@guvectorize(
    ["(b1, f8[:], f8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8, f8, f8[:], f8[:], b1[:])"],
    "(),(k),(k),(k),(k),(k),(k),(k),(),(),(n)->(k),()",
)
def project(boxed, N, mu, low, high, codes, scales, parameters, lower, upper, query, point, found):
    """The likeliest points on a line, whole batch at once."""
    scratch = np.empty(VECTORS * len(mu))
    for k in range(len(mu)):
        point[k] = mu[k]
    found[0] = lipschitz_project(
        boxed, N, mu, low, high, codes, scales, parameters, lower, upper, query, point, scratch
    )


@guvectorize(
    ["(i8, f8[:], f8[:], i8[:], f8[:], f8[:], f8, f8, f8[:], f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k),(k),(),(),(n)->(),(k),()",
)
def best_arm(i, w, xi, codes, scales, parameters, lower, upper, query, value, point, piece):
    """Best responses of best arm on a line, whole batch at once."""
    scratch = np.empty(VECTORS * len(xi))
    value[0], piece[0] = lipschitz_best_arm_row(
        i, w, xi, codes, scales, parameters, lower, upper, query, point, scratch
    )


@guvectorize(
    ["(i8, f8[:], f8[:], i8[:], f8[:], f8[:], f8, f8, f8[:], f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k),(k),(),(),(n)->(),(k),()",
)
def metric_best_arm(i, w, xi, codes, scales, parameters, lower, upper, reach, value, point, piece):
    """Best responses of best arm in any metric, whole batch at once; nan where xi is no model."""
    value[0], piece[0] = metric_best_arm_row(i, w, xi, codes, scales, parameters, lower, upper, reach, point)
