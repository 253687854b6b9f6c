"""The pieces of an alternative side by side, for kernels that go through all of them in one call."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from purex.arrays import BoolArray, FloatArray
from purex.convex.arguments import LOST, QUADRATIC, SOLVED, Families, Pieces, own
from purex.convex.solver import PieceSolver
from purex.families import Arms, Gaussian
from purex.families.specialisation import Known


class Nearest(NamedTuple):
    """The cheapest point over a stack, by rows: value (R,), point (R, K), piece (R,), whether it is known."""

    value: FloatArray
    point: FloatArray
    piece: NDArray[np.int64]
    known: BoolArray


class PieceStack:
    """Pieces with general rows, as arrays of one shape (rows and tied arms are filled up with zeros)."""

    def __init__(self, solvers: Sequence[PieceSolver]) -> None:
        self.solvers = list(solvers)
        arms = solvers[0].piece.arms
        known = Known.of(arms, -np.inf, np.inf)
        is_gaussian = known.code == Gaussian.code and all(solver.kernel == QUADRATIC for solver in solvers)
        self.known = known if is_gaussian else None
        systems = [solver.system for solver in solvers]
        P, K, m = len(solvers), arms.n_arms, max(len(A) for A, _, _ in systems)
        A, b, equality = np.zeros((P, m, K)), np.zeros((P, m)), np.zeros((P, m), dtype=bool)
        tied = np.zeros((P, K), dtype=np.int64)
        for p, (solver, system) in enumerate(zip(solvers, systems, strict=True)):
            rows, n = len(system[0]), len(solver.piece.tied)
            A[p, :rows, :n], b[p, :rows], equality[p, :rows] = system
            tied[p, :n] = solver.piece.tied
        self.families = families_of(arms)
        self.pieces = Pieces(
            A=A,
            b=b,
            equality=equality,
            lower=np.array([solver.piece.lower for solver in solvers]),
            upper=np.array([solver.piece.upper for solver in solvers]),
            how=np.array([solver.kernel for solver in solvers], dtype=np.int64),
            n_rows=np.array([len(system[0]) for system in systems], dtype=np.int64),
            tied=tied,
            n_tied=np.array([len(solver.piece.tied) for solver in solvers], dtype=np.int64),
        )

    @classmethod
    def of(cls, solvers: Sequence[PieceSolver]) -> PieceStack | None:
        """The stack of these solvers; None where a piece needs another method, or PAV does for all."""
        if all(solver.method == "pav" for solver in solvers):
            return None
        return cls(solvers) if all(solver.kernel is not None for solver in solvers) else None

    def take(self, pieces: Sequence[int] | NDArray[np.intp]) -> PieceStack:
        """The stack of some of the pieces."""
        stack = copy(self)
        stack.solvers = [self.solvers[p] for p in pieces]
        stack.pieces = Pieces._make(x[list(pieces)] for x in self.pieces)
        return stack

    def nearest(self, w: FloatArray, xi: FloatArray) -> Nearest:
        """The best responses to weights w and points xi (R, K); `piece` counts within the stack."""
        from purex.convex.kernels import pieces

        R, K = xi.shape
        value, point = np.empty(R), np.empty((R, K))
        piece, status = np.empty(R, dtype=np.int64), np.empty(R, dtype=np.int64)
        self._run(pieces.nearest_piece, w, xi, value, point, piece, status)
        return Nearest(value, point, piece, status != LOST)

    def every(self, w: FloatArray, xi: FloatArray) -> tuple[FloatArray, BoolArray]:
        """The cheapest point of each piece (P, R, K) and whether there is one (P, R)."""
        from purex.convex.kernels import pieces

        (R, K), P = xi.shape, len(self.solvers)
        points, status = np.empty((P, R, K)), np.empty((P, R), dtype=np.int64)
        self._run(pieces.every_piece, w, xi, points, status)
        reached = status == SOLVED
        for p, r in np.argwhere(status == LOST):
            points[p, r], reached[p, r] = self.solvers[p].minimise(w[r : r + 1], xi[r : r + 1])
        return points, reached

    def _run(self, kernel: Any, w: FloatArray, xi: FloatArray, *results: NDArray[Any]) -> None:
        """Let a kernel fill the results; for Gaussian arms one without the Newton method they do not need."""
        if self.known is not None:
            kernel = self.known.binding(kernel)
        kernel(own(w), own(xi), tuple(self.families), tuple(self.pieces), *results)


def families_of(arms: Arms) -> Families:
    """What kernels know of the arms."""
    return Families(
        scales=np.array(arms.scales),
        codes=np.array(arms.codes),
        parameters=np.array(arms.parameters),
        starts=np.array(arms.lower_ends),
        ends=np.array(arms.upper_ends),
    )
