r"""Newton's method over the compiled active-set method: best responses on general rows, one row at a time.

The same steps as `purex.convex.newton`, for the families that kernels know; each quadratic program begins
with the active constraints of the last one.
"""

from __future__ import annotations

import math

import numpy as np

from purex.convex.kernels.active_set import INFEASIBLE, LOST, SOLVED, contiguous, project_row
from purex.convex.kernels.heavy import are_far_apart
from purex.convex.newton import (
    ARMIJO,
    EDGES,
    ENOUGH,
    LARGEST,
    LEFT,
    MAX_HALVINGS,
    MAX_STEPS,
    ON_EDGE,
    ORDINARY,
    PROGRESS,
    REACH,
    SAME,
    SMALLEST,
    VANISHING,
    reach,
)
from purex.families.compiled.divergence import divergence, variance, variance_coefficients
from purex.jit import guvectorize, njit

MEAN, LOG, UNEVEN_LOG = range(3)  # coordinates that kernels know; the last where some arm is far heavier
EXTREME = 700.0  # the largest logarithm of a mean

reach_of = njit(reach)


@njit
def place(lam, system):
    """The coordinate of a mean."""
    if system == MEAN:
        return lam
    return min(max(math.log(lam), -EXTREME), EXTREME) if lam > 0.0 else -EXTREME


@njit
def mean_of(x, mu, system):
    """The mean at a coordinate.

    With weights far apart it is mu itself where it is so up to the rounding of logarithm and exponential.
    """
    if system == MEAN:
        return x
    lam = math.exp(x)
    return mu if system == UNEVEN_LOG and abs(lam - mu) <= SAME * (1.0 + abs(x)) * mu else lam


@njit
def total_cost(c, mu, x, codes, parameters, system):
    r"""$\sum_k c_k d(\mu_k, \lambda_k(x_k))$; c are weights times scales."""
    total = 0.0
    for k in range(len(c)):
        if c[k] > 0.0:
            lam = mean_of(x[k], mu[k], system)
            total += c[k] * divergence(codes[k], parameters[k], mu[k], lam)
    return total


@njit
def size_of(n, mu, A, b, system):
    """The size of n means and of the levels of their constraints: a power of two, 1 if it is ordinary."""
    size = 0.0
    for k in range(n):
        size = max(size, abs(mu[k]))
    for p in range(len(b) if system == MEAN else 0):
        largest = 0.0
        for k in range(n):
            largest = max(largest, abs(A[p, k]))
        if largest > 0.0:
            size = max(size, abs(b[p]) / largest)
    if size == 0.0 or 1.0 / ORDINARY <= size <= ORDINARY or not math.isfinite(size):
        return 1.0
    return math.ldexp(1.0, math.frexp(size)[1])


@njit
def vanishing_cost(c, mu, x, codes, parameters, system, size):
    """The cost below which a row's is 0; arms that do not move have no part in it."""
    least = 0.0
    for k in range(len(c)):
        lam = mean_of(x[k], mu[k], system)
        if lam != mu[k]:
            unit = 1.0 if size == 1.0 else size * size / variance(codes[k], parameters[k], size)
            least = max(least, VANISHING * (c[k] * unit))
    return least


@njit
def fill_model(c, mu, x, codes, parameters, system, unit, reach, g, H):
    """Gradient g and metric H of the costs at x; both are zero for arms of weight zero only."""
    for k in range(len(c)):
        g[k] = H[k] = 0.0
        if c[k] > 0.0:
            lam = mean_of(x[k], mu[k], system)
            v0, v1, v2 = variance_coefficients(codes[k], 1.0, parameters[k])
            V = v0 + lam * (v1 + v2 * lam)
            V = max(V, 0.0)
            gap = lam - mu[k]
            slope = v1 + 2.0 * v2 * lam  # of the variance
            if gap == 0.0 and V > 0.0:
                first, second = 0.0, 1.0 / V
            elif gap == 0.0:  # a mean on an edge of the domain: the limits from inside
                first, second = (1.0 / slope, -v2 / (slope * slope)) if slope != 0.0 else (0.0, math.inf)
            elif V == 0.0:  # an edge of the domain, away from the mean
                first, second = math.copysign(math.inf, gap), math.inf
            else:
                first = gap / V
                second = (1.0 - first * slope) / V
            if system != MEAN:
                first, second = lam * first, lam * (first + lam * second) if lam > 0.0 else 0.0
                if math.isnan(first):
                    first = 0.0
                if math.isnan(second):
                    second = math.inf
            g[k] = min(max(c[k] * first, -LARGEST), LARGEST)
            curve = max(c[k] * second, abs(g[k]) / (reach * (unit + abs(x[k]))))
            H[k] = min(max(curve, SMALLEST), LARGEST)


@njit(inline="always")
def minimise_row(
    c, given, A, b, equality, lower, upper, codes, parameters, starts, ends, system,
    point, active, state, table, V, R, work,
):  # fmt: skip
    r"""Minimise $\sum_k c_k d(\mu_k, \lambda_k)$ over $A x \le b$, $l \le \lambda \le u$; returns a status.

    starts and ends are the families' domains. Scratch as for `project_row`, and work (12 rows of n or more).
    """
    n = len(c)
    x, low, high, start = work[0], work[1], work[2], work[3]
    g, H, z, goal = work[4], work[5], work[6], work[7]
    near_low, near_high, trial, mu = work[8], work[9], work[10], work[11]
    tiny = 0.0
    for k in range(n):
        tiny = max(tiny, ON_EDGE * abs(given[k])) if system == MEAN else 0.0
    for k in range(n):
        mu[k] = given[k]
        for edge in (starts[k], ends[k]):
            if abs(given[k] - edge) < tiny and divergence(codes[k], parameters[k], edge, given[k]) < math.inf:
                mu[k] = edge
    for k in range(n):
        low[k], high[k] = place(lower[k], system), place(upper[k], system)
        start[k] = min(max(place(mu[k], system), low[k]), high[k])
    if system == LOG and are_far_apart(n, c):
        system = UNEVEN_LOG
    size = size_of(n, mu, A, b, system)
    unit = size if system == MEAN else 1.0
    fill_model(c, mu, start, codes, parameters, system, unit, REACH, g, H)
    status, a = INFEASIBLE, 0
    for edge in EDGES:
        for k in range(n):
            near_low[k], near_high[k] = low[k], high[k]
            if math.isfinite(low[k]):
                near_low[k] += edge * (start[k] - low[k])
            if math.isfinite(high[k]):
                near_high[k] += edge * (start[k] - high[k])
        a, status = project_row(
            H, start, A, b, equality, near_low, near_high, x, 0, active, state, table, V, R
        )  # fmt: skip
        if status == SOLVED:
            break
    if status != SOLVED:
        return status
    moved = False
    for k in range(n):
        moved |= x[k] != start[k]
    value = total_cost(c, mu, x, codes, parameters, system)
    step = 0
    while math.isfinite(value) and moved:
        if value <= vanishing_cost(c, mu, x, codes, parameters, system, size):
            break
        step += 1
        if step > MAX_STEPS:
            return LOST
        fill_model(c, mu, x, codes, parameters, system, unit, reach_of(step), g, H)
        for k in range(n):
            z[k] = x[k] - g[k] / H[k] if H[k] > 0.0 else start[k]
            near_low[k], near_high[k] = low[k], high[k]
            if system == MEAN:
                # From much nearer to an edge the model would be so steep that no other arm could move.
                if math.isfinite(starts[k]) and low[k] == starts[k] and mu[k] > starts[k]:
                    near_low[k] = starts[k] + LEFT * (x[k] - starts[k])
                if math.isfinite(ends[k]) and high[k] == ends[k] and mu[k] < ends[k]:
                    near_high[k] = ends[k] - LEFT * (ends[k] - x[k])
        for warm in (a, 0):  # from the constraints of the last step, or from none
            a, status = project_row(
                H, z, A, b, equality, near_low, near_high, goal, warm, active, state, table, V, R
            )  # fmt: skip
            if status != LOST:
                break
        if status != SOLVED:
            return LOST
        promise = 0.0
        for k in range(n):
            promise -= g[k] * (goal[k] - x[k])
        t, before, reached = 1.0, value, math.inf
        for _ in range(MAX_HALVINGS):
            for k in range(n):
                trial[k] = x[k] + t * (goal[k] - x[k])
            reached = total_cost(c, mu, trial, codes, parameters, system)
            if reached <= before - ARMIJO * t * promise:
                break
            t *= 0.5
        if reached <= before:  # at rounding level a step that does not lower the cost is not taken
            value = reached
            for k in range(n):
                x[k] = trial[k]
        # Where gaps are tiny, rounding ends the descent before the promise does.
        least = PROGRESS if step < MAX_STEPS else ENOUGH
        if not (promise > least * before and value < before):
            break
    for k in range(n):
        lam = mean_of(x[k], mu[k], system)
        point[k] = min(max(lam if moved and lam != mu[k] else given[k], lower[k]), upper[k])
    return SOLVED


@guvectorize(
    [
        "(f8[:], f8[:], f8[:, :], f8[:], b1[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8[:], i8, f8[:], i8[:])",
    ],
    "(k),(k),(m,k),(m),(m),(k),(k),(k),(k),(k),(k),()->(k),()",
)
def minimise_rows(
    c, mu, A, b, equality, lower, upper, codes, parameters, starts, ends, system, point, status
):
    """Minimise the costs of each row; status as for `project_rows`."""
    m, n = A.shape
    active, state = np.empty(n + 1, np.int64), np.empty(m + 3 * n, np.int64)
    table, V, R = np.empty((8, m + n + 1)), np.empty((n, n)), np.empty((n, n))
    status[0] = minimise_row(
        c, mu, A, contiguous(b), contiguous(equality), lower, upper, codes, parameters, starts, ends, system,
        point, active, state, table, V, R, np.empty((12, n)),
    )  # fmt: skip
