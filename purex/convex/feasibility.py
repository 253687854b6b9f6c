"""Which pieces of an alternative hold a model whose answer differs: one linear program each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from purex.convex.cvx import Constraints, coordinates_for
from purex.convex.newton import Chart
from purex.convex.piece import Piece
from purex.families.arms import Arms
from purex.model import Polyhedron
from purex.model.polyhedron import Coordinates

FloatArray = NDArray[np.float64]

STRICT = 1e-9  # a slack above this is a strict inequality


def has_strict_point(
    arms: Arms,
    piece: Polyhedron,
    cell: Polyhedron,
    lower: float,
    upper: float,
    constraints: Constraints | None = None,
) -> bool:
    r"""Whether some model of the cell satisfies the inequalities of the query's piece strictly.

    The alternative is the closure of the models where another answer is strictly better, so a piece
    that meets the cell only in ties is dropped.
    """
    whole = Piece.of(arms, [piece, cell], lower, upper)
    if whole.is_empty_box:
        return False
    if constraints is None and whole.is_order and not (len(cell.A) or len(cell.A_eq)):
        return _strict_order(whole)
    strict = Piece.of(arms, [piece], -np.inf, np.inf)  # what the query itself asks for
    if constraints is not None:
        return _by_cvxpy(whole, strict, constraints)
    return _by_linear_program(whole, strict)


def _strict_order(piece: Piece) -> bool:
    """Strict orders and bounds have a solution iff no cycle and no squeezed bounds: propagate them."""
    lower = piece.lower.copy()
    for _ in range(piece.arms.n_arms):
        before = lower.copy()
        for a, b in piece.orders:
            lower[b] = max(lower[b], lower[a])
        if (lower == before).all():
            break
    return bool((lower < piece.upper).all()) and _is_acyclic(piece.orders)


def _is_acyclic(orders: Sequence[tuple[int, int]]) -> bool:
    left = set(orders)
    while left:
        heads = {b for _, b in left}
        sources = {pair for pair in left if pair[0] not in heads}
        if not sources:
            return False
        left -= sources
    return True


def _by_linear_program(whole: Piece, strict: Piece) -> bool:
    """Maximise the common slack t <= 1 of the strict constraints."""
    from scipy.optimize import linprog

    K = whole.arms.n_arms
    low, high = _bounds(whole, whole.coordinates)
    eager = _bounds(strict, whole.coordinates, edges=False)
    orders = set(strict.orders)
    rows, right = [], []
    for pair, row in zip(whole.orders, whole.order_rows(), strict=True):
        rows.append([*row, 1.0 if pair in orders else 0.0])
        right.append(0.0)
    n_strict = int((~strict.equality).sum())  # the query's rows come first
    for r, row in enumerate(whole.A[~whole.equality]):
        rows.append([*row, 1.0 if r < n_strict else 0.0])
        right.append(whole.b[~whole.equality][r])
    for k in range(K):
        for sign, bound in ((-1.0, eager[0][k]), (1.0, eager[1][k])):
            if np.isfinite(bound):
                rows.append([*(sign * (np.arange(K) == k)), 1.0])
                right.append(sign * bound)
    equal = whole.A[whole.equality]
    result = linprog(
        np.append(np.zeros(K), -1.0),
        A_ub=np.array(rows).reshape(len(rows), K + 1),
        b_ub=np.array(right),
        A_eq=np.column_stack([equal, np.zeros(len(equal))]) if len(equal) else None,
        b_eq=whole.b[whole.equality] if len(equal) else None,
        bounds=[*zip(low, high, strict=True), (None, 1.0)],
    )
    return bool(result.status == 0 and result.x is not None and result.x[-1] > STRICT)


def _bounds(piece: Piece, coordinates: Coordinates, edges: bool = True) -> tuple[FloatArray, FloatArray]:
    """Bounds in the coordinates; the edges of the domain (kept in mean coordinates) are infinite."""
    chart = Chart(piece.arms, coordinates)
    keep = edges and coordinates == "mean"
    return (
        np.where((piece.lower > piece.arms.lower_ends) | keep, chart.place(piece.lower), -np.inf),
        np.where((piece.upper < piece.arms.upper_ends) | keep, chart.place(piece.upper), np.inf),
    )


def _by_cvxpy(whole: Piece, strict: Piece, constraints: Constraints) -> bool:
    """The same question with the structure's cvxpy constraints."""
    import cvxpy as cp

    coordinates_for(whole, True)
    x, t = cp.Variable(whole.arms.n_arms), cp.Variable()
    rows = [t <= 1, *constraints(cp, x)]
    for bounds, slack in ((_bounds(whole, "mean"), 0.0), (_bounds(strict, "mean", edges=False), t)):
        for bound, sign in zip(bounds, (-1.0, 1.0), strict=True):
            columns = np.flatnonzero(np.isfinite(bound))
            if len(columns):
                rows.append(sign * x[columns] + slack <= sign * bound[columns])
    if strict.orders:
        rows.append(strict.order_rows() @ x + t <= 0)
    if len(strict.A):
        equal = strict.equality
        if (~equal).any():
            rows.append(strict.A[~equal] @ x + t <= strict.b[~equal])
        if equal.any():
            rows.append(strict.A[equal] @ x == strict.b[equal])
    program = cp.Problem(cp.Maximize(t), rows)
    program.solve(solver=cp.CLARABEL)
    return bool(program.status in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE) and t.value > 1e-7)
