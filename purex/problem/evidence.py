"""The evidence of an oracle that does not come with purex, checked once per run: when the run stops.

A value that is too large would stop a run too early, in spite of any threshold. So the cost of the returned
point is computed again, the point has to lie in the alternative, and no alternative may be nearer: the
generic oracle, which knows the declared pieces only, is asked for its value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.errors import LyingOracleError, OracleFailureError, RefusedProblemError
from purex.model import Polyhedron

if TYPE_CHECKING:
    from purex.problem.problem import Problem


SAME = 1e-6  # relative accuracy of a value: that of the solvers, with a margin
INSIDE = 1e-6  # how far, relative to the terms of a constraint, a point may break it


class Evidence(NamedTuple):
    """Why runs stopped: answers i (R,), counts N and means (R, K), the best responses' values and points."""

    i: IntArray
    N: FloatArray
    mean: FloatArray
    value: FloatArray
    point: FloatArray

    def row(self, r: int) -> str:
        """One row in words."""
        return f"answer {int(self.i[r])}, N = {self.N[r].tolist()}, means = {self.mean[r].tolist()}"


def check_evidence(problem: Problem, oracle: str, given: Evidence) -> None:
    """Raise `LyingOracleError` if the values and points are no best responses."""
    i, N, mean, value, point = given
    found = np.isfinite(value)
    cost = problem.arms.cost(N, mean, np.where(found[:, None], point, mean))
    with np.errstate(invalid="ignore"):
        off = found & ~(np.abs(value - cost) <= SAME * np.maximum(value, cost))
    _refuse(off, oracle, given, "which is not the cost of its point", cost)
    for r in map(int, np.flatnonzero(found)):
        if not lies_in_the_alternative(problem, int(i[r]), point[r]):
            raise LyingOracleError(
                f"the oracle {oracle} stopped a run with the point {point[r].tolist()}, which is no "
                f"alternative to '{problem.query.label(int(i[r]))}' ({given.row(r)})"
            )
    try:
        nearest = problem.game.pieces(i, N, mean).value
    except (RefusedProblemError, OracleFailureError):
        return  # the generic oracle does not apply: there is nothing to compare with
    _refuse(value > nearest * (1 + SAME), oracle, given, "but there is an alternative at", nearest)


def _refuse(wrong: NDArray[np.bool_], oracle: str, given: Evidence, what: str, instead: FloatArray) -> None:
    if wrong.any():
        r = int(np.flatnonzero(wrong)[0])
        raise LyingOracleError(
            f"the oracle {oracle} stopped a run with the value {given.value[r]:.9g}, {what} "
            f"{instead[r]:.9g} ({given.row(r)})"
        )


def lies_in_the_alternative(problem: Problem, i: int, lam: FloatArray) -> bool:
    """Whether lam (K,) lies in a declared piece of the alternative to i and in M, up to rounding."""
    room = INSIDE * np.maximum(np.abs(lam), np.ptp(lam))
    if ((lam < problem.lower - room) | (lam > problem.upper + room)).any():
        return False
    if not any(_holds(problem, cell, lam) for cell in problem.structure.cells()):
        return False
    return any(_holds(problem, piece, lam) for piece in problem.query.alternatives(i))


def _holds(problem: Problem, piece: Polyhedron, lam: FloatArray) -> bool:
    """Whether a polyhedron contains lam, up to rounding of each row's largest term."""
    with np.errstate(invalid="ignore", divide="ignore"):
        x = lam
        if piece.coordinates != "mean":
            x = np.log(lam) if piece.coordinates == "log" else problem.arms.natural(lam[None])[0]
        for A, b, is_equal in ((piece.A, piece.b, False), (piece.A_eq, piece.b_eq, True)):
            if not len(A):
                continue
            over = (A * x).sum(axis=1) - b
            room = INSIDE * np.maximum(np.abs(A * x).max(axis=1), np.abs(b))
            if ((np.abs(over) if is_equal else over) > room).any():  # nan, at the end of a domain, is not
                return False
    return True
