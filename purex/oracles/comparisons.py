"""Best responses of arms of unknown variance, whose cost is not convex: what can be solved all the same.

A piece is either made of bounds of single arms, or one inequality between two arms. Others are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purex.arrays import BoolArray, FloatArray, IntArray
from purex.errors import RefusedProblemError
from purex.families import Arms
from purex.families.seen_arms import SeenArms
from purex.families.student_ties import common_mean
from purex.model import Cheapest, Polyhedron, Query, Response, any_weights

REMEMBERED = 4096  # answers whose pieces are kept ready
FEW_ANSWERS = 64  # whose pieces are looked at before anything is sampled


class Bounds(NamedTuple):
    """The models with lower <= lam <= upper, arm by arm (K,)."""

    lower: FloatArray
    upper: FloatArray


class Comparison(NamedTuple):
    """The models with alpha lam_a + beta lam_b <= c."""

    a: int
    b: int
    alpha: float
    beta: float
    c: float


def as_bounds_or_comparison(piece: Polyhedron) -> Bounds | Comparison | None:
    """A piece in one of the two forms; None if it has neither.

    >>> as_bounds_or_comparison(Polyhedron.order(3, low=2, high=0))
    Comparison(a=0, b=2, alpha=-1.0, beta=1.0, c=0.0)
    """
    if piece.coordinates != "mean" or len(piece.A_eq):
        return None
    touched = (piece.A != 0).sum(axis=1)
    if len(piece.A) == 1 and touched[0] == 2:
        a, b = (int(k) for k in np.flatnonzero(piece.A[0]))
        return Comparison(a, b, float(piece.A[0, a]), float(piece.A[0, b]), float(piece.b[0]))
    if (touched != 1).any():
        return None
    K = piece.A.shape[1]
    lower, upper = np.full(K, -np.inf), np.full(K, np.inf)
    for row, end in zip(piece.A, piece.b, strict=True):
        k = int(np.flatnonzero(row)[0])
        if row[k] > 0:
            upper[k] = min(upper[k], end / row[k])
        else:
            lower[k] = max(lower[k], end / row[k])
    return Bounds(lower, upper)


class Stack:
    """Pieces of an alternative, for these arms inside a box; `every` finds the nearest points of all."""

    def __init__(
        self, pieces: Sequence[Bounds | Comparison], arms: SeenArms, lower: float, upper: float
    ) -> None:
        self.pieces, self.arms, self.lower, self.upper = list(pieces), arms, lower, upper

    def take(self, which: Sequence[int] | IntArray) -> Stack:
        """Some of the pieces."""
        return Stack([self.pieces[p] for p in which], self.arms, self.lower, self.upper)

    def every(self, w: FloatArray, xi: FloatArray) -> tuple[FloatArray, BoolArray]:
        """The nearest points (J, R, K) of the pieces to xi (R, K) at weights w, and which (J, R) have one."""
        own = np.clip(xi, self.lower, self.upper)
        points = np.repeat(own[None], len(self.pieces), axis=0)
        reached = np.ones(points.shape[:2], dtype=np.bool_)
        for j, piece in enumerate(self.pieces):
            if isinstance(piece, Bounds):
                low, high = np.maximum(piece.lower, self.lower), np.minimum(piece.upper, self.upper)
                reached[j] = bool((low <= high).all())
                points[j] = np.clip(own, low, np.maximum(low, high))
        compared = [j for j, piece in enumerate(self.pieces) if isinstance(piece, Comparison)]
        if compared:
            self._compare(compared, w, xi, points, reached)
        return points, reached

    def _compare(
        self, which: list[int], w: FloatArray, xi: FloatArray, points: FloatArray, reached: BoolArray
    ) -> None:
        r"""Fill in the points of comparisons: with u = alpha lam_a and v = c - beta lam_b they say $u \le v$.

        Where that is not so at xi the two meet at one number, between v and u at xi and inside the box.
        """
        a, b, alpha, beta, c = (
            np.array(column) for column in zip(*(self.pieces[j] for j in which), strict=True)
        )
        deviations = np.broadcast_to(self.arms.deviations, xi.shape)
        u, v = alpha * xi[:, a], c - beta * xi[:, b]
        ends = np.array([self.lower, self.upper])
        at_u, at_v = np.sort(np.outer(ends, alpha), axis=0), np.sort(c - np.outer(ends, beta), axis=0)
        own_u, own_v = np.clip(u, *at_u), np.clip(v, *at_v)
        low, high = np.maximum(own_v, at_u[0]), np.minimum(own_u, at_v[1])
        x = common_mean(
            (w[:, b], w[:, a]),
            (np.minimum(v, own_v), np.maximum(u, own_u)),
            (np.abs(beta) * deviations[:, b], np.abs(alpha) * deviations[:, a]),
            low,
            np.maximum(low, high),
        )
        apart = own_u > own_v
        rows = np.arange(len(xi))
        for n, j in enumerate(which):
            at = rows[apart[:, n]]
            points[j, at, a[n]] = x[at, n] / alpha[n]
            points[j, at, b[n]] = (c[n] - x[at, n]) / beta[n]
            reached[j] = ~apart[:, n] | (low[:, n] <= high[:, n])


class Solver(NamedTuple):
    """One piece, as games ask it."""

    piece: Bounds | Comparison
    arms: SeenArms
    lower: float
    upper: float

    @property
    def tied(self) -> NDArray[np.intp]:
        """The arms on whose weights the nearest point depends."""
        if isinstance(self.piece, Bounds):
            return np.array([], dtype=np.intp)
        return np.array(sorted((self.piece.a, self.piece.b)), dtype=np.intp)

    def minimise(self, w: FloatArray, xi: FloatArray) -> tuple[FloatArray, BoolArray]:
        """The nearest points (R, K), and which rows have one."""
        points, reached = self.stacked([self]).every(w, xi)
        return points[0], reached[0]

    def stacked(self, solvers: Sequence[Solver]) -> Stack:
        """Several pieces of the same problem, solved at once."""
        return Stack([solver.piece for solver in solvers], self.arms, self.lower, self.upper)


class ComparisonOracle:
    r"""The best response $\inf_{\lambda \in \neg i} \sum_k w_k d(\xi_k, \lambda_k)$ of unknown variances.

    `arms` are those of a problem, with the deviations of simulations, or `SeenArms`.

    >>> from purex.families import Student
    >>> from purex_plugins.best_arm import BestArm
    >>> arms = Arms.of(Student(), 2)
    >>> oracle = ComparisonOracle(BestArm(2), arms, -np.inf, np.inf)
    >>> response = oracle(np.array([0]), np.array([[1.0, 3.0]]), np.array([[4.0, 0.0]]))
    >>> print(response.value.round(9), response.point.round(9))
    [1.40718445] [[0.08036043 0.08036043]]
    """

    def __init__(self, query: Query, arms: Arms, lower: float, upper: float) -> None:
        self.query, self.lower, self.upper = query, lower, upper
        self.arms = arms if isinstance(arms, SeenArms) else SeenArms.in_simulations(arms)
        self._pieces: dict[int, list[Bounds | Comparison]] = {}

    def check(self) -> None:
        """Refuse a query that has pieces of another form: of the first answers, if there are many."""
        answers = self.query.answers()
        if answers is None:
            K = self.query.n_arms
            answers = self.query.answer(np.arange(K, dtype=np.float64)[None]).tolist()
        for i in answers[:FEW_ANSWERS]:
            self.pieces(int(i))

    def seeing(self, arms: SeenArms) -> ComparisonOracle:
        """The same for other deviations."""
        found = copy(self)
        found.arms = arms
        return found

    def pieces(self, i: int) -> list[Bounds | Comparison]:
        """The pieces of the alternative to answer i."""
        if i not in self._pieces:
            if len(self._pieces) >= REMEMBERED:
                self._pieces.clear()
            found = []
            for piece in self.query.alternatives(i):
                known = as_bounds_or_comparison(piece)
                if known is None:
                    raise RefusedProblemError(
                        f"{type(self.query).__name__} with arms of unknown variance is not solved: their "
                        "cost is not convex, so the pieces of an alternative must be bounds of single arms "
                        "or one inequality between two (best arm, top-M, thresholding, minimum threshold)"
                    )
                found.append(known)
            self._pieces[i] = found
        return self._pieces[i]

    def solvers(self, i: int) -> list[tuple[int, Solver]]:
        """The pieces of the alternative to answer i, numbered as declared, each with its solver."""
        return [
            (number, Solver(piece, self.arms, self.lower, self.upper))
            for number, piece in enumerate(self.pieces(i))
        ]

    @any_weights
    def __call__(self, i: IntArray, w: FloatArray, xi: FloatArray) -> Response:
        """Best responses to answers i (R,), weights w and points xi (R, K)."""
        best = Cheapest(xi)
        for code in np.unique(i):
            rows = np.flatnonzero(i == code)
            arms, v, x = self.arms.rows(rows, xi.shape), w[rows], xi[rows]
            points, reached = Stack(self.pieces(int(code)), arms, self.lower, self.upper).every(v, x)
            for number, (point, feasible) in enumerate(zip(points, reached, strict=True)):
                best.offer(number, arms.cost(v, x, point), point, rows, feasible)
        return best.response()
