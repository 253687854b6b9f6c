"""Special oracles for Gaussian arms in an affine subspace: closed forms where every piece is a half-space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.convex import GenericOracle
from purex.families import Arms
from purex.model import Given, Kernel, Query, Response, Structure, any_weights

REMEMBERED = 4096  # answers whose half-spaces are kept ready


class HalfSpaces(NamedTuple):
    r"""The pieces $\{a^\top \lambda \le b\}$ to an answer: rows a (P, K) and levels b (P,)."""

    normals: FloatArray
    levels: FloatArray


class SubspaceKernels(NamedTuple):
    """The closed form for one subspace.

    ``respond_rows(w, xi, given, pieces, solver, value, point, piece)`` fills the last three, with the value
    nan for a row that it leaves; ``room(given, n_pieces)`` is the `solver`, arrays to work with.
    """

    room: Callable[[Given, int], Any]
    respond_rows: Kernel


class SubspaceOracle:
    r"""Best responses by a closed form for a subspace, where it applies.

    It applies where each piece to the answer is one half-space $\{a^\top \lambda \le b\}$, no weight is
    negligible and the solution keeps the bounds; the generic oracle does the rest. `numbers` say which
    subspace it is.
    """

    def __init__(
        self,
        kernels: Callable[[], SubspaceKernels],
        numbers: Any,
        query: Query,
        structure: Structure,
        arms: Arms,
        lower: float,
        upper: float,
    ) -> None:
        self.kernels, self.given = kernels, Given.of(arms, lower, upper, numbers)
        self.generic = GenericOracle(query, structure, arms, lower, upper)
        self._half_spaces: dict[int, tuple[HalfSpaces, IntArray] | None] = {}

    def half_spaces(self, i: int) -> tuple[HalfSpaces, IntArray] | None:
        """The pieces to i, and their numbers followed by -1, for none; None if one is no half-space."""
        if i not in self._half_spaces:
            if len(self._half_spaces) >= REMEMBERED:
                self._half_spaces.clear()
            pieces = self.generic.query.alternatives(i)
            numbers = [number for number, _ in self.generic.solvers(i)]
            used = [pieces[number] for number in numbers]  # the structure has one cell
            single = used and all(len(p.A) == 1 and not len(p.A_eq) and p.coordinates == "mean" for p in used)
            self._half_spaces[i] = (
                (
                    HalfSpaces(np.array([p.A[0] for p in used]), np.array([p.b[0] for p in used])),
                    np.array([*numbers, -1]),
                )
                if single
                else None
            )
        return self._half_spaces[i]

    @any_weights
    def __call__(self, i: IntArray, w: FloatArray, xi: FloatArray) -> Response:
        """Best responses to answers i (R,), weights w and points xi (R, K)."""
        kernels = self.kernels()
        R = len(xi)
        response = Response(np.full(R, np.nan), np.empty_like(xi), np.empty(R, dtype=np.int64))
        for code in np.unique(i):
            found = self.half_spaces(int(code))
            if found is None:
                continue
            rows = np.flatnonzero(i == code)
            pieces, numbers = found
            value, point = np.empty(len(rows)), np.empty((len(rows), xi.shape[1]))
            which = np.empty(len(rows), dtype=np.int64)
            solver = kernels.room(self.given, len(pieces.levels))
            kernels.respond_rows(w[rows], xi[rows], self.given, pieces, solver, value, point, which)
            response.value[rows], response.point[rows], response.piece[rows] = value, point, numbers[which]
        left = np.flatnonzero(np.isnan(response.value))
        if len(left):
            for mine, others in zip(response, self.generic(i[left], w[left], xi[left]), strict=True):
                mine[left] = others
        return response
