"""Special oracles for Gaussian arms in an affine subspace: closed forms where every piece is a half-space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.convex import GenericOracle
from purex.families import Arms
from purex.model import Given, Kernel, Polyhedron, Query, Response, Structure, any_weights

REMEMBERED = 4096  # answers whose half-spaces are kept ready
FEW = 50  # pieces up to which each is looked at by itself, with bounds and ties
CLEARLY = 1e-6  # the part of a normal that must lie along a subspace, to be sure of it in spite of rounding


class HalfSpaces(NamedTuple):
    r"""The pieces $\{a^\top \lambda \le b\}$ to an answer: rows a (P, K) and levels b (P,)."""

    normals: FloatArray
    levels: FloatArray


def half_spaces_of(pieces: Sequence[Polyhedron]) -> HalfSpaces | None:
    """The pieces as half-spaces; None if there is none, or one is something else."""
    if not pieces or any(len(p.A) != 1 or len(p.A_eq) or p.coordinates != "mean" for p in pieces):
        return None
    return HalfSpaces(np.array([p.A[0] for p in pieces]), np.array([p.b[0] for p in pieces]))


def cut_openly(subspace: Polyhedron, normals: FloatArray) -> bool:
    """Whether each half-space cuts the subspace: none contains it or misses it, whatever its level.

    That is so if no normal (P, K) is orthogonal to the directions of the subspace, by a clear margin.
    """
    if len(subspace.A):
        return False
    across = np.linalg.qr(subspace.A_eq.T)[0]
    along = normals - normals @ across @ across.T
    return bool((np.linalg.norm(along, axis=1) > CLEARLY * np.linalg.norm(normals, axis=1)).all())


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
        self.is_free = lower == -np.inf and upper == np.inf
        self._half_spaces: dict[int, tuple[HalfSpaces, IntArray] | None] = {}

    def half_spaces(self, i: int) -> tuple[HalfSpaces, IntArray] | None:
        """The pieces to i, and their numbers followed by -1, for none; None if one is no half-space."""
        if i not in self._half_spaces:
            if len(self._half_spaces) >= REMEMBERED:
                self._half_spaces.clear()
            pieces = self.generic.query.alternatives(i)
            found = half_spaces_of(pieces) if self.is_free and len(pieces) > FEW else None
            if found is not None and cut_openly(self.generic.cells[0], found.normals):
                self._half_spaces[i] = found, np.array([*range(len(pieces)), -1])
                return self._half_spaces[i]
            numbers = [number for number, _ in self.generic.solvers(i)]
            found = half_spaces_of([pieces[number] for number in numbers])  # the structure has one cell
            self._half_spaces[i] = None if found is None else (found, np.array([*numbers, -1]))
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
