"""Special oracles for Gaussian arms in an affine subspace: closed forms where every piece is a half-space."""

from __future__ import annotations

from typing import Any

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.convex import GenericOracle
from purex.families import Arms
from purex.model import Query, Response, Structure, any_weights

HalfSpaces = tuple[FloatArray, FloatArray, IntArray]

REMEMBERED = 4096  # answers whose half-spaces are kept ready
SOLVED = 0  # the status of a row that the closed form solves


class HalfSpaceOracle:
    r"""Best responses by the gufunc `kernel` of `purex_plugins.kernels.half_spaces`, where it applies.

    It applies where each piece to the answer is one half-space $\{a^\top \lambda \le b\}$, no weight is
    negligible and the solution keeps the bounds; the generic oracle does the rest.
    """

    def __init__(
        self,
        kernel: str,
        numbers: Any,
        query: Query,
        structure: Structure,
        arms: Arms,
        lower: float,
        upper: float,
    ) -> None:
        self.kernel, self.numbers, self.arms = kernel, numbers, arms
        self.lower, self.upper = lower, upper
        self.generic = GenericOracle(query, structure, arms, lower, upper)
        self._half_spaces: dict[int, HalfSpaces | None] = {}

    def half_spaces(self, i: int) -> HalfSpaces | None:
        """The rows a (P, K) and levels b (P,) of the pieces to i, and their numbers; None if one is more."""
        if i not in self._half_spaces:
            if len(self._half_spaces) >= REMEMBERED:
                self._half_spaces.clear()
            pieces = self.generic.query.alternatives(i)
            numbers = [number for number, _ in self.generic.solvers(i)]
            used = [pieces[number] for number in numbers]  # the structure has one cell
            single = used and all(len(p.A) == 1 and not len(p.A_eq) and p.coordinates == "mean" for p in used)
            self._half_spaces[i] = (
                (np.array([p.A[0] for p in used]), np.array([p.b[0] for p in used]), np.array([*numbers, -1]))
                if single
                else None
            )
        return self._half_spaces[i]

    @any_weights
    def __call__(self, i: IntArray, w: FloatArray, xi: FloatArray) -> Response:
        """Best responses to answers i (R,), weights w and points xi (R, K)."""
        from purex_plugins.kernels import half_spaces

        gufunc: Any = getattr(half_spaces, self.kernel)
        value, point = np.empty(len(xi)), np.empty_like(xi)
        piece, open_rows = np.empty(len(xi), dtype=np.int64), np.ones(len(xi), dtype=bool)
        for code in np.unique(i):
            found = self.half_spaces(int(code))
            if found is None:
                continue
            rows = np.flatnonzero(i == code)
            a, b, numbers = found
            value[rows], point[rows], which, status = gufunc(
                w[rows], xi[rows], self.arms.scales, self.numbers, a, b, self.lower, self.upper
            )
            piece[rows], open_rows[rows] = numbers[which], status != SOLVED
        if open_rows.any():
            rest = self.generic(i[open_rows], w[open_rows], xi[open_rows])
            value[open_rows], point[open_rows], piece[open_rows] = rest
        return Response(value, point, piece)
