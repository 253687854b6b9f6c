"""Newton's method over quadratic programs: best responses on pieces with general linear constraints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.convex.qp import project
from purex.errors import OracleFailureError
from purex.families.arms import Arms
from purex.families.tied import FAR_HEAVIER
from purex.model.polyhedron import Coordinates

PROGRESS = 1e-13  # stop when a full step promises less than this fraction of the value
# A value below this fraction of the largest weight that moves, in the unit of its divergence, is 0: the
# square of a rounding error. In log coordinates a mean of 0 lies at minus infinity, and Newton's method would
# go there in steps of one.
VANISHING = 1e-30
ORDINARY = 1024.0  # where the largest number of a row is between this and its inverse, the unit is 1
MAX_STEPS = 200
MAX_HALVINGS = 40
ARMIJO = 1e-4
LARGEST, SMALLEST = 1e150, 1e-290  # stand for infinite and vanishing derivatives; weights are about 1
# Costs may be linear, that of a Poisson arm of mean 0 is: a Newton target is at most this far, in units of
# |x| plus the row's own unit. Where two such arms may be traded for each other at nearly the same cost, steps
# are a small part of it, so the target is moved away when they become many; but not so far that the
# projection loses digits.
REACH, FURTHEST, PATIENCE = 1e3, 1e6, 10
ENOUGH = 1e-10  # after all steps: the fraction of the value that the last one may have promised
# How far inside its bounds a first point is sought: on an edge of the domain the metric is infinite,
# and Newton's method would not get away from there.
EDGES = (1e-3, 1e-6, 1e-9, 0.0)
# A mean this near to an edge of its domain, as a part of the largest mean, is taken for the edge where that
# is a mean: from so near the first steps would promise less than rounding, and there would be no others.
ON_EDGE = 1e-13
SAME = 2.3e-16  # times 1 + |x|: what rounding makes of a mean that goes to its coordinate and back
LEFT = 0.1  # of the way to an edge of the domain where the cost is infinite, left by a step


@dataclass(frozen=True, eq=False)
class Chart:
    r"""The costs $c_k d(\mu_k, \lambda_k(x_k))$ of some arms in one coordinate system x."""

    arms: Arms
    coordinates: Coordinates

    def place(self, lam: FloatArray) -> FloatArray:
        """The coordinates x of means lam; edges of the domain are mapped to very large numbers."""
        if self.coordinates == "mean":
            return lam
        with np.errstate(divide="ignore"):
            x = np.log(lam) if self.coordinates == "log" else self.arms.base_natural(lam)
        return np.clip(x, -700.0, 700.0) if self.coordinates == "log" else np.clip(x, -1e15, 1e15)

    def mean(self, x: FloatArray) -> FloatArray:
        """The means at coordinates x."""
        if self.coordinates == "mean":
            return x
        return np.exp(x) if self.coordinates == "log" else self.arms.base_mean(x)

    def mean_from(self, c: FloatArray, mu: FloatArray, x: FloatArray) -> FloatArray:
        """The means at coordinates x.

        With weights c far apart they are mu itself where they are so up to the rounding of both maps.
        """
        lam = self.mean(x)
        if self.coordinates == "mean":
            return lam
        least = np.where(c > 0, c, np.inf).min(axis=1, keepdims=True)
        is_uneven = c.max(axis=1, keepdims=True) > FAR_HEAVIER * least
        same = np.abs(lam - mu) <= SAME * (1.0 + np.abs(x)) * np.abs(mu)
        return np.where(is_uneven & same, mu, lam)

    def cost(self, c: FloatArray, mu: FloatArray, x: FloatArray) -> FloatArray:
        """The total cost of each row; c are weights times scales."""
        return self.arms.cost(c / self.arms.scales, mu, self.mean_from(c, mu, x))

    def derivatives(self, c: FloatArray, mu: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """First and second derivative of each cost in its coordinate."""
        lam, scales = self.mean_from(c, mu, x), self.arms.scales
        if self.coordinates == "natural":
            first, second = lam - mu, scales * self.arms.variance(lam)
        else:
            first = self.arms.slope(mu, lam) / scales
            second = self.arms.curvature(mu, lam) / scales
        if self.coordinates == "log":
            first, second = lam * first, lam * first + lam * lam * second
        with np.errstate(invalid="ignore"):  # at an edge of the domain derivatives may be infinite
            return np.where(c > 0, c * first, 0.0), np.where(c > 0, c * second, 0.0)

    def units(
        self, mu: FloatArray, x: FloatArray, A: FloatArray, b: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        r"""The unit (R, 1) in which coordinates are measured, and that of each divergence (R, n).

        Means, and levels of constraints, say how large the numbers of a row are; a divergence is measured by
        $s^2/V(s)$, where s is their size.
        """
        size = np.abs(mu).max(axis=1, keepdims=True, initial=0.0)
        if self.coordinates == "mean" and len(b):
            size = np.maximum(size, level_size(A, b))
        size = unit_of(size)
        with np.errstate(all="ignore"):
            square = size * size / (self.arms.scales * self.arms.variance(np.broadcast_to(size, mu.shape)))
        # on an interval the size of the means may lie outside, where there is no variance
        square = np.where(np.isfinite(square) & (square > 0), square, 1.0)
        divergences = np.where(size == 1.0, 1.0, square)
        if self.coordinates == "natural":
            size = unit_of(np.abs(x).max(axis=1, keepdims=True, initial=0.0))
        return np.ones_like(size) if self.coordinates == "log" else size, divergences

    def on_edges(self, mu: FloatArray) -> FloatArray:
        """Means, those next to an edge of the domain moved to it."""
        if self.coordinates != "mean":
            return mu
        tiny = ON_EDGE * np.abs(mu).max(axis=1, keepdims=True)
        for edge in (self.arms.lower_ends, self.arms.upper_ends):
            near = np.abs(mu - edge) < tiny
            if near.any():
                with np.errstate(all="ignore"):
                    near &= np.isfinite(self.arms.d(np.broadcast_to(edge, mu.shape), mu))
                mu = np.where(near, edge, mu)
        return mu

    def trust(
        self, mu: FloatArray, x: FloatArray, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Bounds within which a quadratic model of the costs can be trusted.

        Towards an edge of the domain where the cost is infinite, a step leaves a tenth of the way: from
        much nearer the model would be so steep there that the other arms could not move any more.
        """
        if self.coordinates != "mean":
            return low, high
        start, end = self.arms.lower_ends, self.arms.upper_ends
        with np.errstate(invalid="ignore"):
            steep = np.isfinite(start) & (low == start) & (mu > start)
            low = np.where(steep, start + LEFT * (x - start), low)
            steep = np.isfinite(end) & (high == end) & (mu < end)
            high = np.where(steep, end - LEFT * (end - x), high)
        return low, high


def minimise(
    chart: Chart,
    c: FloatArray,
    mu: FloatArray,
    A: FloatArray,
    b: FloatArray,
    equality: NDArray[np.bool_],
    lower: FloatArray,
    upper: FloatArray,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    r"""Minimise $\sum_k c_k d(\mu_k, \lambda_k)$ over $A x \le b$ and $l \le \lambda \le u$, row by row.

    Each step projects the Newton target $x - g/H$ in the metric H: the exact minimiser of the second
    order model on the piece. Convex costs and a backtracking search make it converge from any start.
    Returns the means (R, n) and which rows are feasible.
    """
    given, mu = mu, chart.on_edges(mu)
    low = np.broadcast_to(chart.place(lower), mu.shape)
    high = np.broadcast_to(chart.place(upper), mu.shape)
    start = np.clip(chart.place(mu), low, high)
    unit, unit_of_cost = chart.units(mu, start, A, b)
    _, metric = _model(chart, c, mu, start, unit, REACH)
    x, feasible = start.copy(), np.zeros(len(mu), dtype=bool)
    for edge in EDGES:
        rest = np.flatnonzero(~feasible)
        within = _inward(low[rest], start[rest], edge), _inward(high[rest], start[rest], edge)
        x[rest], feasible[rest] = project(metric[rest], start[rest], A, b, equality, *within)
    value = np.where(feasible, chart.cost(c, mu, x), 0.0)
    todo = np.flatnonzero(feasible & np.isfinite(value))
    todo = todo[value[todo] > _vanishing(chart, c[todo], mu[todo], x[todo], unit_of_cost[todo])]
    for number in range(1, 2 + MAX_STEPS):
        if len(todo) == 0:
            lam = chart.mean_from(c, mu, x)
            return np.where(lam == mu, np.clip(given, lower, upper), lam), feasible
        g, H = _model(chart, c[todo], mu[todo], x[todo], unit[todo], reach(number))
        z = np.where(H > 0, x[todo] - g / np.where(H > 0, H, 1.0), start[todo])
        near = chart.trust(mu[todo], x[todo], low[todo], high[todo])
        goal, found = project(H, z, A, b, equality, *near)
        step = np.where(found[:, None], goal - x[todo], 0.0)
        promise = -np.einsum("rk,rk->r", g, step)
        before = value[todo]
        x[todo], value[todo] = _search(chart, c[todo], mu[todo], x[todo], step, before, promise)
        # Where gaps are tiny, rounding ends the descent before the promise does.
        least = PROGRESS if number < MAX_STEPS else ENOUGH
        goes_on = (promise > least * before) & (value[todo] < before)
        todo = todo[goes_on]
        todo = todo[value[todo] > _vanishing(chart, c[todo], mu[todo], x[todo], unit_of_cost[todo])]
    raise OracleFailureError(
        f"Newton's method for a best response made no end in {MAX_STEPS} steps: "
        "rescale the means or the weights"
    )


def _inward(bound: FloatArray, start: FloatArray, edge: float) -> FloatArray:
    """A bound moved by a fraction of the way towards the start; an infinite one stays."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(bound), bound + edge * (start - bound), bound)


def reach(number: int) -> float:
    """How far a target of step `number` may be.

    >>> reach(1), reach(20), reach(25), reach(200)
    (1000.0, 10000.0, 10000.0, 1000000.0)
    """
    return min(REACH * 10.0 ** max(0, number // PATIENCE - 1), FURTHEST)


def unit_of(size: FloatArray) -> FloatArray:
    """A power of two near a size; 1 where it is 0 or ordinary.

    >>> print(unit_of(np.array([0.0, 0.003, 3.0, 3000.0])))
    [1.000e+00 1.000e+00 1.000e+00 4.096e+03]
    """
    is_ordinary = (size == 0) | ((size >= 1 / ORDINARY) & (size <= ORDINARY)) | ~np.isfinite(size)
    return np.where(is_ordinary, 1.0, np.ldexp(1.0, np.frexp(np.where(is_ordinary, 1.0, size))[1]))


def level_size(A: FloatArray, b: FloatArray) -> float:
    """How large the means are for which the rows A x <= b are made: their levels over their coefficients."""
    largest = np.abs(A).max(axis=1, initial=0.0)
    return float(np.max(np.abs(b) / np.where(largest > 0, largest, np.inf), initial=0.0))


def _vanishing(chart: Chart, c: FloatArray, mu: FloatArray, x: FloatArray, unit: FloatArray) -> FloatArray:
    """The cost of each row below which it is 0; arms that do not move have no part in it."""
    return np.asarray(
        VANISHING * np.where(chart.mean_from(c, mu, x) != mu, c * unit, 0.0).max(axis=1, initial=0.0)
    )


def _model(
    chart: Chart, c: FloatArray, mu: FloatArray, x: FloatArray, unit: FloatArray, reach: float
) -> tuple[FloatArray, FloatArray]:
    """Gradient and metric of the costs at x; both are zero for arms of weight zero only."""
    g, H = chart.derivatives(c, mu, x)
    g = np.clip(g, -LARGEST, LARGEST)  # infinite only at an edge of the domain
    H = np.maximum(H, np.abs(g) / (reach * (unit + np.abs(x))))
    return g, np.where(c > 0, np.clip(H, SMALLEST, LARGEST), 0.0)


def _search(
    chart: Chart,
    c: FloatArray,
    mu: FloatArray,
    x: FloatArray,
    step: FloatArray,
    value: FloatArray,
    promise: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Halve the steps until the cost falls by a fair part of what the gradient promised."""
    t = np.ones(len(x))
    for _ in range(MAX_HALVINGS):
        trial = x + t[:, None] * step
        reached = chart.cost(c, mu, trial)
        good = reached <= value - ARMIJO * t * promise
        if good.all():
            return trial, reached
        t = np.where(good, t, 0.5 * t)
    keep = reached <= value  # at rounding level a step that does not lower the cost is not taken
    return np.where(keep[:, None], trial, x), np.where(keep, reached, value)
