"""Minimum threshold: is the smallest mean below a level?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.families import Arms
from purex.model import Cheapest, Polyhedron, Query, QueryKernels, Response, Structure
from purex.oracles import GAME, pieces_oracle, query_oracles
from purex.plugins import OracleRecord, QueryRecord, hookimpl
from purex_plugins.fixed_points import FixedPoints
from purex_plugins.mean_threshold import check_inside, check_threshold

NOT_BELOW, BELOW = 0, 1


class MinimumThreshold(Query):
    r"""Is $\min_k \mu_k <$ threshold? The code is 1 for below, 0 for not.

    >>> mu = np.array([[0.5, 0.6], [0.6, 0.7]])
    >>> MinimumThreshold(2, threshold=0.6).answer(mu)
    array([1, 0])
    """

    def __init__(self, n_arms: int, threshold: float) -> None:
        super().__init__(n_arms)
        self.threshold = check_threshold("minimum-threshold", threshold)

    def answer(self, mu: FloatArray) -> IntArray:
        """1 if the smallest mean is strictly below the threshold, else 0."""
        return np.asarray(mu.min(axis=1) < self.threshold, dtype=np.int64)

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        """To "below": all arms at or above; to "not below": for each arm, that one at or below."""
        K, g = self.n_arms, self.threshold
        if i == BELOW:
            return [Polyhedron(-np.eye(K), np.full(K, -g))]
        return [Polyhedron.at_most(K, k, g) for k in range(K)]

    def answers(self) -> Sequence[int]:
        """Not below, and below."""
        return (NOT_BELOW, BELOW)

    def label(self, code: int) -> str:
        """The answer in words."""
        return f"{'below' if code == BELOW else 'not below'} {self.threshold:g}"

    def rescaled(self, factor: float) -> MinimumThreshold:
        """The threshold in the other unit."""
        return MinimumThreshold(self.n_arms, factor * self.threshold)

    def check(self, arms: Arms, lower: float, upper: float) -> None:
        """Refuse a threshold the means cannot cross."""
        check_inside("minimum-threshold", self.threshold, arms, lower, upper)

    def best_response(
        self, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Response:
        r"""The closed form in numpy: all arms below g up to g, or the cheapest arm down to g."""
        own, below = np.clip(xi, lower, upper), i == BELOW
        best = Cheapest(xi)
        up = np.maximum(own, self.threshold)
        best.offer(0, arms.cost(w, xi, up), up, feasible=below)
        for k in range(self.n_arms):
            point = own.copy()
            point[:, k] = np.minimum(own[:, k], self.threshold)
            best.offer(k, arms.cost(w, xi, point), point, feasible=~below)
        return best.response()


def query_kernels() -> QueryKernels:
    """Its compiled functions."""
    from purex_plugins.minimum_threshold.kernels import answer, best_response, max_min, optimistic

    return QueryKernels(answer, best_response, max_min, optimistic)


def pieces(query: MinimumThreshold, structure: Structure, arms: Arms, i: int, mu: FloatArray) -> FixedPoints:
    """Its pieces next to a model: all arms go up to the threshold, or one goes down."""
    g = query.threshold
    if i == BELOW:
        return FixedPoints(np.maximum(mu, g)[None])
    points = np.tile(mu, (len(mu), 1))
    np.fill_diagonal(points, np.minimum(mu, g))
    return FixedPoints(points)


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `minimum-threshold`."""
    yield QueryRecord(
        name="minimum-threshold",
        factory=MinimumThreshold,
        summary="is the smallest mean below a level?",
        reference="Kaufmann, Koolen & Garivier (2018), Sequential test for the lowest mean",
        examples=({"threshold": 0.5},),
    )


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """Its compiled oracles, and its pieces."""
    yield from query_oracles(
        "minimum-threshold", MinimumThreshold, query_kernels, numbers=lambda query: (query.threshold,)
    )
    yield pieces_oracle("minimum-threshold", MinimumThreshold, pieces, reference=GAME)
