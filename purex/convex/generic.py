"""Best responses and projections for any polyhedral problem, from its declaration alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from purex.convex.cvx import Constraints
from purex.convex.feasibility import has_strict_point
from purex.convex.piece import Piece
from purex.convex.solver import Method, PieceSolver
from purex.families.arms import Arms
from purex.model import Polyhedron, Query, Response, Structure

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

REMEMBERED = 4096  # answers whose pieces are kept ready


class GenericOracle:
    r"""The best response $\inf_{\lambda \in \neg i} \sum_k w_k d(\xi_k, \lambda_k)$, piece by piece.

    The alternative to i is the union over the query's pieces and the structure's cells, of those that
    hold a model whose answer is not i; exact ties between pieces go to the first.
    """

    def __init__(
        self,
        query: Query,
        structure: Structure,
        arms: Arms,
        lower: float,
        upper: float,
        method: Method = "auto",
    ) -> None:
        self.query, self.arms, self.method = query, arms, method
        self.lower, self.upper = lower, upper
        self.cells = list(structure.cells())
        self.constraints: Constraints | None = structure.constraints if structure.is_cvxpy else None
        self._solvers: dict[int, list[tuple[int, PieceSolver]]] = {}

    def solvers(self, i: int) -> list[tuple[int, PieceSolver]]:
        """The pieces of the alternative to answer i, numbered as declared, each with its solver."""
        if i not in self._solvers:
            if len(self._solvers) >= REMEMBERED:
                self._solvers.clear()
            self._solvers[i] = [
                (p * len(self.cells) + c, self._solver([piece, cell]))
                for p, piece in enumerate(self.query.alternatives(i))
                for c, cell in enumerate(self.cells)
                if has_strict_point(self.arms, piece, cell, self.lower, self.upper, self.constraints)
            ]
        return self._solvers[i]

    def _solver(self, polyhedra: Sequence[Polyhedron]) -> PieceSolver:
        piece = Piece.of(self.arms, polyhedra, self.lower, self.upper)
        return PieceSolver(piece, self.method, self.constraints)

    def __call__(self, i: IntArray, w: FloatArray, xi: FloatArray) -> Response:
        """Best responses to answers i (R,), weights w and points xi (R, K)."""
        value = np.full(len(xi), np.inf)
        point, piece = xi.copy(), np.full(len(xi), -1, dtype=np.int64)
        for code in np.unique(i):
            rows = np.flatnonzero(i == code)
            for number, solver in self.solvers(int(code)):
                candidate, feasible = solver.minimise(w[rows], xi[rows])
                cost = np.where(feasible, self.arms.cost(w[rows], xi[rows], candidate), np.inf)
                better = cost < value[rows]
                # A piece that can only be reached at infinite cost still is a piece.
                better |= feasible & (piece[rows] < 0)
                at = rows[better]
                value[at], point[at], piece[at] = cost[better], candidate[better], number
        return Response(value, point, piece)


class GenericProjection:
    r"""The maximum-likelihood point of M: $\arg\min_{\lambda \in M} \sum_k N_k d(\mu_k, \lambda_k)$."""

    def __init__(
        self, structure: Structure, arms: Arms, lower: float, upper: float, method: Method = "auto"
    ) -> None:
        constraints = structure.constraints if structure.is_cvxpy else None
        self.arms = arms
        self.solvers = [
            PieceSolver(Piece.of(arms, [cell], lower, upper), method, constraints)
            for cell in structure.cells()
        ]

    def __call__(
        self,
        N: FloatArray,
        mu: FloatArray,
        lower: FloatArray | None = None,
        upper: FloatArray | None = None,
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        """The projections (R, K), inside the boxes [lower, upper] if given, and which rows have one."""
        value, point = np.full(len(mu), np.inf), mu.copy()
        found = np.zeros(len(mu), dtype=bool)
        for solver in self.solvers:
            candidate, feasible = solver.minimise(N, mu, lower, upper)
            cost = np.where(feasible, self.arms.cost(N, mu, candidate), np.inf)
            better = (cost < value) | (feasible & ~found)
            value[better], point[better] = cost[better], candidate[better]
            found |= feasible
        return point, found
