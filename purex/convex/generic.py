"""Best responses and projections for any polyhedral problem, from its declaration alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.convex.chained import ChainedStack
from purex.convex.cvx import Constraints
from purex.convex.feasibility import Meeting, Region, is_openly_ordered
from purex.convex.forced_ties import another_answer_at_a_tie
from purex.convex.piece import Piece
from purex.convex.solver import Method, PieceSolver
from purex.convex.stack import PieceStack
from purex.families.arms import Arms
from purex.model import Cheapest, Polyhedron, Query, Response, Structure, any_weights, in_their_unit

REMEMBERED = 4096  # answers whose pieces are kept ready


class GenericOracle:
    r"""The best response $\inf_{\lambda \in \neg i} \sum_k w_k d(\xi_k, \lambda_k)$, piece by piece.

    The alternative to i is the union over the query's pieces and the structure's cells, of those that
    hold a model to which i is wrong; exact ties between pieces go to the first.
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
        self.query, self.structure, self.arms, self.method = query, structure, arms, method
        self.lower, self.upper = lower, upper
        self.cells = list(structure.cells())
        self.constraints: Constraints | None = structure.constraints if structure.is_cvxpy else None
        self._solvers: dict[int, list[tuple[int, PieceSolver]]] = {}
        self._stacks: dict[int, PieceStack | ChainedStack | None] = {}
        self._known: dict[tuple[Any, ...], tuple[PieceSolver | None, Meeting | None]] = {}

    def solvers(self, i: int) -> list[tuple[int, PieceSolver]]:
        """The pieces of the alternative to answer i, numbered as declared, each with its solver."""
        if i not in self._solvers:
            if len(self._solvers) >= REMEMBERED:
                for memory in (self._solvers, self._stacks, self._known):
                    memory.clear()
            pieces, enough = self.query.alternatives(i), self.structure.enough(self.query, i)
            found = (
                (p * len(self.cells) + c, self._solver(i, pieces, p, c))
                for p in (range(len(pieces)) if enough is None else enough)
                for c in range(len(self.cells))
            )
            self._solvers[i] = [(number, solver) for number, solver in found if solver is not None]
        return self._solvers[i]

    def _solver(self, i: int, pieces: Sequence[Polyhedron], p: int, c: int) -> PieceSolver | None:
        """The solver of piece p in cell c, None if it holds no model to which i is wrong.

        Answers share their pieces, except where a piece is a tie that the structure forces.
        """
        piece, cell = pieces[p], self.cells[c]
        parts = (piece.A, piece.b, piece.A_eq, piece.b_eq)
        key = (c, piece.coordinates, *(part.tobytes() for part in parts))
        if key not in self._known:
            meeting = self._meeting(piece, cell)
            solver = None
            if meeting is None or meeting.point is not None:
                whole = Piece.of(self.arms, [piece, cell], self.lower, self.upper)
                solver = PieceSolver(whole, self.method, self.constraints)
            is_tie = meeting is not None and meeting.point is not None and not meeting.is_open
            self._known[key] = solver, meeting if is_tie else None
        solver, tie = self._known[key]
        if tie is None:
            return solver
        others = [other for q, other in enumerate(pieces) if q != p]
        region = self._region(piece, cell)
        return solver if another_answer_at_a_tie(self.query, i, piece, others, region, tie) else None

    def _meeting(self, piece: Polyhedron, cell: Polyhedron) -> Meeting | None:
        """How the piece meets the cell; None where orders and bounds alone show that it does so openly."""
        is_free = self.constraints is None and not (len(cell.A) or len(cell.A_eq))
        if is_free and is_openly_ordered(self.arms, piece, self.lower, self.upper):
            return None
        return self._region(piece, cell).meeting()

    def _region(self, piece: Polyhedron, cell: Polyhedron) -> Region:
        return Region.of(self.arms, piece, cell, self.lower, self.upper, self.constraints)

    @any_weights
    def __call__(self, i: IntArray, w: FloatArray, xi: FloatArray) -> Response:
        """Best responses to answers i (R,), weights w and points xi (R, K)."""
        best = Cheapest(xi)
        for code in np.unique(i):
            rows = np.flatnonzero(i == code)
            stack = self._stack(int(code))
            if stack is not None:  # all pieces in one call; what rounding left open goes on below
                found, numbers = stack.nearest(w[rows], xi[rows]), self._numbers(int(code))
                best.value[rows], best.point[rows] = found.value, found.point
                best.piece[rows] = numbers[found.piece]
                rows = rows[~found.known]
                best.value[rows], best.piece[rows] = np.inf, -1
                if len(rows) == 0:
                    continue
            for number, solver in self.solvers(int(code)):
                point, feasible = solver.minimise(w[rows], xi[rows])
                cost = self.arms.cost(w[rows], xi[rows], point)
                best.offer(number, cost, point, rows, feasible)
        return best.response()

    def _numbers(self, i: int) -> IntArray:
        """The declared numbers of the pieces; the last one, -1, is none."""
        return np.array([*(number for number, _ in self.solvers(i)), -1], dtype=np.int64)

    def _stack(self, i: int) -> PieceStack | ChainedStack | None:
        if i not in self._stacks:
            solvers = [solver for _, solver in self.solvers(i)]
            self._stacks[i] = ChainedStack.of(solvers) or PieceStack.of(solvers)
        return self._stacks[i]


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
        N, _ = in_their_unit(N)
        best = Cheapest(mu)
        for number, solver in enumerate(self.solvers):
            point, feasible = solver.minimise(N, mu, lower, upper)
            best.offer(number, self.arms.cost(N, mu, point), point, feasible=feasible)
        return best.point, best.piece >= 0
