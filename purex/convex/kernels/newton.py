r"""Newton's method over the compiled active-set method: best responses on general rows, one row at a time.

The same steps as `purex.convex.newton_in_numpy`, for the families that kernels know; each quadratic program
begins with the active constraints of the last one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from purex.arrays import FloatArray
from purex.convex.arguments import INFEASIBLE, LOG, LOST, MEAN, SOLVED, UNEVEN_LOG, Costs, Feasible
from purex.convex.kernels.active_set import project_row, space_for
from purex.convex.kernels.heavy import are_far_apart
from purex.convex.newton_in_numpy import (
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
from purex.jit import njit

EXTREME = 700.0  # the largest logarithm of a mean
VECTORS = 12  # that Newton's method works with: the fields of `Descent`


class Descent(NamedTuple):
    """What Newton's method works with: vectors of n numbers or more."""

    mu: FloatArray  # the means, those next to an edge of the domain moved to it
    low: FloatArray  # the bounds, as coordinates
    high: FloatArray
    start: FloatArray  # the coordinates of the means, within the bounds
    x: FloatArray  # the point
    g: FloatArray  # gradient and metric of the costs there
    H: FloatArray
    z: FloatArray  # where a Newton step leads without constraints
    near_low: FloatArray  # the bounds for one step
    near_high: FloatArray
    goal: FloatArray  # where a full step leads
    trial: FloatArray  # where a part of it leads


@njit(inline="always")
def descent(vectors):
    """The vectors under their names."""
    return Descent(
        mu=vectors[0],
        low=vectors[1],
        high=vectors[2],
        start=vectors[3],
        x=vectors[4],
        g=vectors[5],
        H=vectors[6],
        z=vectors[7],
        near_low=vectors[8],
        near_high=vectors[9],
        goal=vectors[10],
        trial=vectors[11],
    )


reach_of = njit(reach)


@njit
def place(lam, system):
    r"""The coordinate of a mean: $\lambda$ itself or $\log \lambda$."""
    if system == MEAN:
        return lam
    return min(max(math.log(lam), -EXTREME), EXTREME) if lam > 0.0 else -EXTREME


@njit
def mean_of(x, mu, system):
    """The mean at a coordinate: x itself or $e^x$.

    With weights far apart it is mu itself where it is so up to the rounding of logarithm and exponential.
    """
    if system == MEAN:
        return x
    lam = math.exp(x)
    return mu if system == UNEVEN_LOG and abs(lam - mu) <= SAME * (1.0 + abs(x)) * mu else lam


@njit
def total_cost(costs, x, system):
    r"""$\sum_k c_k d(\mu_k, \lambda_k(x_k))$."""
    c, mu, codes, parameters = costs.c, costs.mu, costs.codes, costs.parameters
    total = 0.0
    for k in range(len(c)):
        if c[k] > 0.0:
            lam = mean_of(x[k], mu[k], system)
            total += c[k] * divergence(codes[k], parameters[k], mu[k], lam)
    return total


@njit
def size_of(n, mu, A, b, system):
    r"""The size of n means and of levels $|b_p| / \max_k |A_{pk}|$: a power of two, 1 if it is ordinary."""
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
def vanishing_cost(costs, x, system, size):
    r"""The cost below which a row's is 0: a part of $\max_k c_k s^2 / V(s)$ over the arms that move."""
    c, mu, codes, parameters = costs.c, costs.mu, costs.codes, costs.parameters
    least = 0.0
    for k in range(len(c)):
        lam = mean_of(x[k], mu[k], system)
        if lam != mu[k]:
            unit = 1.0 if size == 1.0 else size * size / variance(codes[k], parameters[k], size)
            least = max(least, VANISHING * (c[k] * unit))
    return least


@njit
def fill_model(costs, x, system, unit, reach, g, H):
    r"""Gradient $g_k = c_k \partial_k d$ and metric $H_k = c_k \partial_k^2 d$ at coordinates x; fills both.

    Both are zero for arms of weight zero only; the metric is at least what keeps a step within `reach`.
    """
    c, mu, codes, parameters = costs.c, costs.mu, costs.codes, costs.parameters
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
def fill_start(costs, domains, lower, upper, system, memory):
    r"""Move means next to an edge of the domain to it; bounds and start $x(\mu)$ become coordinates."""
    mu, low, high, start = memory.mu, memory.low, memory.high, memory.start
    n = len(costs.c)
    tiny = 0.0
    for k in range(n):
        tiny = max(tiny, ON_EDGE * abs(costs.mu[k])) if system == MEAN else 0.0
    for k in range(n):
        given, code, parameter = costs.mu[k], costs.codes[k], costs.parameters[k]
        mu[k] = given
        for edge in (domains.starts[k], domains.ends[k]):
            if abs(given - edge) < tiny and divergence(code, parameter, edge, given) < math.inf:
                mu[k] = edge
    for k in range(n):
        low[k], high[k] = place(lower[k], system), place(upper[k], system)
        start[k] = min(max(place(mu[k], system), low[k]), high[k])


@njit(inline="always")
def first_point(n, feasible, memory, space):
    """The feasible x nearest to the start in the metric H, somewhat inside the bounds if there is one.

    Returns how many constraints are active, and a status.
    """
    low, high, start, x = memory.low, memory.high, memory.start, memory.x
    near_low, near_high = memory.near_low, memory.near_high
    within = Feasible(feasible.A, feasible.b, feasible.equality, near_low, near_high)
    status, a = INFEASIBLE, 0
    for edge in EDGES:
        for k in range(n):
            near_low[k], near_high[k] = low[k], high[k]
            if math.isfinite(low[k]):
                near_low[k] += edge * (start[k] - low[k])
            if math.isfinite(high[k]):
                near_high[k] += edge * (start[k] - high[k])
        a, status = project_row(memory.H, start, within, 0, space, x)
        if status == SOLVED:
            break
    return a, status


@njit(inline="always")
def fill_target(costs, domains, system, memory):
    r"""The Newton target $z = x - g/H$, and the bounds for a step towards it.

    From much nearer to an edge the model would be so steep that no other arm could move.
    """
    x, g, H, z, start = memory.x, memory.g, memory.H, memory.z, memory.start
    low, high, near_low, near_high = memory.low, memory.high, memory.near_low, memory.near_high
    mu, starts, ends = costs.mu, domains.starts, domains.ends
    for k in range(len(costs.c)):
        z[k] = x[k] - g[k] / H[k] if H[k] > 0.0 else start[k]
        near_low[k], near_high[k] = low[k], high[k]
        if system == MEAN:
            if math.isfinite(starts[k]) and low[k] == starts[k] and mu[k] > starts[k]:
                near_low[k] = starts[k] + LEFT * (x[k] - starts[k])
            if math.isfinite(ends[k]) and high[k] == ends[k] and mu[k] < ends[k]:
                near_high[k] = ends[k] - LEFT * (ends[k] - x[k])


@njit(inline="always")
def search(costs, system, before, promise, memory):
    r"""Halve the step to the goal until the cost falls enough: by a fair part of $t$ times the promise.

    Moves x unless the cost rises, and returns the cost there.
    """
    x, goal, trial = memory.x, memory.goal, memory.trial
    n = len(costs.c)
    t, reached = 1.0, math.inf
    for _ in range(MAX_HALVINGS):
        for k in range(n):
            trial[k] = x[k] + t * (goal[k] - x[k])
        reached = total_cost(costs, trial, system)
        if reached <= before - ARMIJO * t * promise:
            break
        t *= 0.5
    if reached <= before:  # at rounding level a step that does not lower the cost is not taken
        for k in range(n):
            x[k] = trial[k]
        return reached
    return before


@njit(inline="always")
def descend(a, costs, domains, feasible, system, size, memory, space):
    r"""Newton steps from memory.x, each to the minimum of $\sum_k H_k (x_k - z_k)^2$; returns a status.

    The first program begins with the a constraints that are active at x.
    """
    x, g, H, goal = memory.x, memory.g, memory.H, memory.goal
    within = Feasible(feasible.A, feasible.b, feasible.equality, memory.near_low, memory.near_high)
    unit = size if system == MEAN else 1.0
    value = total_cost(costs, x, system)
    step, status = 0, SOLVED
    while math.isfinite(value):
        if value <= vanishing_cost(costs, x, system, size):
            break
        step += 1
        if step > MAX_STEPS:
            return LOST
        fill_model(costs, x, system, unit, reach_of(step), g, H)
        fill_target(costs, domains, system, memory)
        for warm in (a, 0):  # from the constraints of the last step, or from none
            a, status = project_row(H, memory.z, within, warm, space, goal)
            if status != LOST:
                break
        if status != SOLVED:
            return LOST
        promise = 0.0
        for k in range(len(costs.c)):
            promise -= g[k] * (goal[k] - x[k])
        before = value
        value = search(costs, system, before, promise, memory)
        # Where gaps are tiny, rounding ends the descent before the promise does.
        least = PROGRESS if step < MAX_STEPS else ENOUGH
        if not (promise > least * before and value < before):
            break
    return SOLVED


@njit
def minimise_row(costs, domains, feasible, system, point, vectors, space):
    r"""Minimise $\sum_k c_k d(\mu_k, \lambda_k)$ over $A x \le b$, $l \le \lambda \le u$ for one row.

    x are coordinates, `system`, of the means. Fills point and returns a status. Works in `vectors`
    (VECTORS, n) and `space`.
    """
    memory = descent(vectors)
    c, given, lower, upper = costs.c, costs.mu, feasible.lower, feasible.upper
    mu, start, x = memory.mu, memory.start, memory.x
    n = len(c)
    fill_start(costs, domains, lower, upper, system, memory)
    coordinates = UNEVEN_LOG if system == LOG and are_far_apart(n, c) else system
    moved_costs = Costs(c, mu, costs.codes, costs.parameters)
    size = size_of(n, mu, feasible.A, feasible.b, coordinates)
    unit = size if coordinates == MEAN else 1.0
    fill_model(moved_costs, start, coordinates, unit, REACH, memory.g, memory.H)
    a, status = first_point(n, feasible, memory, space)
    if status != SOLVED:
        return status
    moved = False
    for k in range(n):
        moved |= x[k] != start[k]
    if moved:
        status = descend(a, moved_costs, domains, feasible, coordinates, size, memory, space)
        if status != SOLVED:
            return status
    for k in range(n):
        lam = mean_of(x[k], mu[k], coordinates)
        point[k] = min(max(lam if moved and lam != mu[k] else given[k], lower[k]), upper[k])
    return SOLVED


@njit(allocates=True)
def minimise_rows(costs, domains, feasible, system, points, status):
    r"""Minimise $\sum_k c_k d(\mu_k, \lambda_k)$ over $A x \le b$, $l \le \lambda \le u$, row by row.

    c, mu and the bounds (R, n): each row has its own. Fills points and status.
    """
    m, n = feasible.A.shape
    vectors, space = np.empty((VECTORS, n)), space_for(m, n)
    A, b, equality = feasible.A[:, :], feasible.b, feasible.equality  # A as `minimise_row` has it for pieces
    for r in range(len(costs.c)):
        row = Costs(costs.c[r], costs.mu[r], costs.codes, costs.parameters)
        within = Feasible(A, b, equality, feasible.lower[r], feasible.upper[r])
        status[r] = minimise_row(row, domains, within, system, points[r], vectors, space)
