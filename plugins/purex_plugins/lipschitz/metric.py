"""Lipschitz means in any metric, compiled: best arm next to a model. Importing this imports numba.

The numbers of `given` are the largest differences of all pairs, `reach[k * K + j]`.
"""

from __future__ import annotations

import math

from purex.convex.kernels.heavy import keep_heavy
from purex.families.compiled.arm_kinds import is_inside
from purex.jit import njit
from purex_plugins.line_search import ROUNDS, next_point, pull
from purex_plugins.transport import arm_of, clip, move_arm, tie


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
def best_response(i, w, xi, given, point, scratch):
    r"""Best arm next to a Lipschitz xi, in any metric: one mean y for i and j, the others follow.

    $\lambda_k$ is $\xi_k$ cut off to $y \pm \ell \min(\rho(k, i), \rho(k, j))$: a cut between Lipschitz
    functions is one. Where xi is no model the value is nan: left to others. Fills point, returns value and
    piece.
    """
    K, reach = len(xi), given.numbers
    for k in range(K):
        point[k] = xi[k]
    if not (is_inside(xi, given.lower, given.upper) and is_lipschitz(xi, reach)):
        return math.nan, -1
    for j in range(K):
        if j != i and xi[j] >= xi[i]:
            return 0.0, j - (j > i)
    value, rival, mean = math.inf, -1, 0.0
    for j in range(K):
        if j == i:
            continue
        y, cost = tie(arm_of(i, w, xi, given), arm_of(j, w, xi, given), given.lower, given.upper)
        if rival >= 0 and cost >= value:
            continue
        low, high = xi[j], xi[i]
        for _ in range(ROUNDS):
            slope, curvature = metric_slope(y, i, j, w, xi, given.codes, given.scales, reach)
            y, low, high = next_point(y, slope, curvature, low, high)
            if not low < high:
                break
        fill_metric(y, i, j, w, xi, reach, point)
        cost = 0.0
        for k in range(K):
            cost += move_arm(k, w, xi, given, point[k])
        if cost < value or rival < 0:
            value, rival, mean = cost, j, y
    if rival >= 0:
        fill_metric(mean, i, rival, w, xi, reach, point)
    return value, rival - (rival > i)
