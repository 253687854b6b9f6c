"""Weighted Euclidean projection on a polyhedron: a compiled dual active-set method, and DAQP behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.convex.arguments import LOST, SOLVED, Feasible, own, spread
from purex.errors import OracleFailureError

# DAQP needs a positive definite Hessian, and loses its way where weights differ by more than 1e10.
# So a weight below this fraction of the largest one is raised to it by a proximal term around the
# last point, and the projection repeated until it does not move: the limit has the true weights.
WEIGHT_FLOOR = 1e-8
PROXIMAL_STEPS = 300
NEGLIGIBLE = 1e-10  # the share of the raised weights in the cost below which they may stay where they are
STILL = 1e-12  # a move of less than this fraction of the way from z counts as none
PRIMAL_TOLERANCE = 1e-11  # in units of the distance to the farthest violated constraint
VIOLATION = 1e-13  # of a constraint, relative to its terms: what rounding leaves
INFINITE = 1e30  # DAQP's infinity
OPTIMAL, INFEASIBLE = 1, -1
CHUNK = 1 << 20  # entries of the scaled constraint matrices held at a time


def project(
    c: FloatArray,
    z: FloatArray,
    A: FloatArray,
    b: FloatArray,
    equality: NDArray[np.bool_],
    lower: FloatArray,
    upper: FloatArray,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    r"""Minimise $\tfrac12 \sum_k c_k (x_k - z_k)^2$ over $A x \le b$, $l \le x \le u$, row by row.

    c, z (R, n); lower, upper (R, n) or (n,). Returns the points (R, n) and which rows are feasible
    (an infeasible row keeps z). Where rounding leads the compiled method in circles, DAQP takes over.

    >>> c, z, A = np.array([[1.0, 3.0]]), np.array([[1.0, 0.0]]), np.array([[1.0, -1.0]])
    >>> point, _ = project(c, z, A, np.zeros(1), np.array([False]), np.full(2, -9.0), np.full(2, 9.0))
    >>> point.round(12)
    array([[0.25, 0.25]])
    """
    from purex.convex.kernels import active_set

    if len(A) == 0:
        return np.clip(z, lower, upper), np.broadcast_to(np.all(lower <= upper, axis=-1), len(z)).copy()
    project_rows: Any = active_set.project_rows
    low, high = spread(lower, z.shape), spread(upper, z.shape)
    point, status = np.empty(z.shape), np.empty(len(z), dtype=np.int64)
    project_rows(own(c), own(z), Feasible(own(A), own(b), own(equality), low, high), point, status)
    feasible = status == SOLVED
    point = np.where(feasible[:, None], point, z)
    lost = np.flatnonzero(status == LOST)
    if len(lost):
        point[lost], feasible[lost] = project_by_daqp(c[lost], z[lost], A, b, equality, low[lost], high[lost])
    return point, feasible


def project_by_daqp(
    c: FloatArray,
    z: FloatArray,
    A: FloatArray,
    b: FloatArray,
    equality: NDArray[np.bool_],
    lower: FloatArray,
    upper: FloatArray,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    r"""The same by DAQP, an independent solver.

    In the units $y = \sqrt{c} (x - z) / \rho$, where $\rho$ is the distance from z to the farthest violated
    half-space, every problem is of order one, so that gaps of 1e-6 are resolved to the same relative accuracy
    as gaps of 1.
    """
    R = len(z)
    point, feasible = z.copy(), np.ones(R, dtype=bool)
    lower, upper = np.broadcast_to(lower, z.shape), np.broadcast_to(upper, z.shape)
    top = c.max(axis=1, keepdims=True)
    c = np.where(top > 0, c / np.where(top > 0, top, 1.0), 1.0)
    raised = np.maximum(c, WEIGHT_FLOOR)
    step = max(1, CHUNK // max(1, A.size))
    for start in range(0, R, step):
        todo = np.arange(start, min(start + step, R))
        for _ in range(PROXIMAL_STEPS):
            d, x = raised[todo], point[todo]
            centre = x + (c[todo] / d) * (z[todo] - x)
            new, found = _project_rows(d, centre, A, b, equality, lower[todo], upper[todo])
            point[todo], feasible[todo] = new, found
            todo = todo[found & _is_moving(c[todo], d, new - x, new - z[todo])]
            if len(todo) == 0:
                break
        # Where z was far, the tolerance in units of that distance leaves a trace: project once more.
        todo = np.arange(start, min(start + step, R))
        over = np.einsum("mk,rk->rm", A, point[todo]) - b
        terms = np.einsum("mk,rk->rm", np.abs(A), np.abs(point[todo])) + np.abs(b)
        over = np.where(equality, np.abs(over), over) > VIOLATION * terms
        todo = todo[feasible[todo] & over.any(axis=1)]
        if len(todo):
            point[todo], _ = _project_rows(
                raised[todo], point[todo], A, b, equality, lower[todo], upper[todo]
            )
    return point, feasible


def _is_moving(c: FloatArray, raised: FloatArray, move: FloatArray, way: FloatArray) -> NDArray[np.bool_]:
    """Which rows need another proximal step: something moves, and it matters for the cost."""
    light = c < raised
    moved, far = raised * move**2, raised * way**2
    moves = moved.sum(axis=1) > STILL**2 * far.sum(axis=1)
    heavy_moves = np.where(light, 0.0, moved).sum(axis=1) > STILL**2 * far.sum(axis=1)
    cost = c * way**2
    matters = np.where(light, cost, 0.0).sum(axis=1) > NEGLIGIBLE * cost.sum(axis=1)
    return np.asarray(light.any(axis=1) & moves & (heavy_moves | matters))


def _project_rows(
    c: FloatArray,
    z: FloatArray,
    A: FloatArray,
    b: FloatArray,
    equality: NDArray[np.bool_],
    lower: FloatArray,
    upper: FloatArray,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """The same for weights of bounded ratio."""
    import daqp

    point, feasible = z.copy(), np.ones(len(z), dtype=bool)
    n = z.shape[1]
    r = 1.0 / np.sqrt(c)
    G = A * r[:, None, :]
    norm = np.sqrt(np.einsum("rmk,rmk->rm", G, G))
    G /= norm[:, :, None]
    slack = (b - np.einsum("mk,rk->rm", A, z)) / norm  # how far z is inside each half-space
    high, low = (upper - z) / r, (lower - z) / r
    over = np.where(equality, np.abs(slack), -slack)
    rho = np.max(np.concatenate([over, low, -high], axis=1), axis=1, initial=0.0)
    unit = np.where(rho > 0, rho, 1.0)[:, None]
    bottom = np.where(equality, slack, -np.inf)
    highs = np.minimum(np.concatenate([high, slack], axis=1) / unit, INFINITE)
    lows = np.maximum(np.concatenate([low, bottom], axis=1) / unit, -INFINITE)
    sense = np.concatenate([np.zeros(n, dtype=np.int32), np.where(equality, 5, 0).astype(np.int32)])
    identity, zero = np.eye(n), np.zeros(n)
    for j in np.flatnonzero(rho > 0):
        y, _, flag, _ = daqp.solve(
            identity, zero, G[j], highs[j], lows[j], sense, primal_tol=PRIMAL_TOLERANCE
        )
        if flag == OPTIMAL:
            point[j] = np.clip(z[j] + r[j] * (rho[j] * np.asarray(y)), lower[j], upper[j])
        elif flag == INFEASIBLE:
            feasible[j] = False
        else:
            raise OracleFailureError(
                f"the quadratic program of a best response ended with DAQP's flag {flag}: "
                "check the constraints for numbers of very different sizes"
            )
    return point, feasible
