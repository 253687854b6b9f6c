"""Thresholding: which arms have means at or above a level?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.families import Arms
from purex.model import Cheapest, Polyhedron, Query, QueryKernels, Response, Structure
from purex.oracles import GAME, pieces_oracle, query_oracles
from purex.plugins import OracleRecord, QueryRecord, hookimpl
from purex_plugins.arm_sets import are_codes, check_keys, code_of, label_of, members_of
from purex_plugins.fixed_points import FixedPoints
from purex_plugins.mean_threshold import check_inside, check_threshold


class Thresholding(Query):
    r"""Which arms have $\mu_k \ge$ threshold? The code is that of the set.

    >>> query = Thresholding(3, threshold=0.5)
    >>> query.label(int(query.answer(np.array([[0.6, 0.4, 0.5]]))[0]))
    'arms {0, 2}'
    """

    def __init__(self, n_arms: int, threshold: float) -> None:
        super().__init__(n_arms)
        check_keys("thresholding", n_arms)
        self.threshold = check_threshold("thresholding", threshold)

    def answer(self, mu: FloatArray) -> IntArray:
        """The set of arms at or above the threshold."""
        return code_of(mu >= self.threshold)

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        """For each arm the half-space on the other side of the threshold."""
        above = members_of(np.array([i]), self.n_arms)[0]
        return [
            (Polyhedron.at_most if above[k] else Polyhedron.at_least)(self.n_arms, k, self.threshold)
            for k in range(self.n_arms)
        ]

    def answers(self) -> Sequence[int] | None:
        """All sets of arms, up to ten arms."""
        return range(2**self.n_arms) if self.n_arms <= 10 else None

    def blamed(self) -> int:
        """K: a wrong set is wrong about some arm; blame that one."""
        return self.n_arms

    def is_answer(self, codes: IntArray) -> NDArray[np.bool_]:
        """Whether each code is that of a set of arms."""
        return are_codes(codes, self.n_arms)

    def label(self, code: int) -> str:
        """The set in words."""
        return label_of(code, self.n_arms)

    def rescaled(self, factor: float) -> Thresholding:
        """The threshold in the other unit."""
        return Thresholding(self.n_arms, factor * self.threshold)

    def check(self, arms: Arms, lower: float, upper: float) -> None:
        """Refuse a threshold the means cannot cross."""
        check_inside("thresholding", self.threshold, arms, lower, upper)

    def best_response(
        self, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Response:
        r"""The closed form in numpy: move one arm to the threshold, $\min_k w_k d(\xi_k, g)$."""
        own, above = np.clip(xi, lower, upper), members_of(i, self.n_arms)
        best = Cheapest(xi)
        for k in range(self.n_arms):
            x, point = own[:, k], own.copy()
            point[:, k] = np.where(above[:, k], np.minimum(x, self.threshold), np.maximum(x, self.threshold))
            best.offer(k, arms.cost(w, xi, point), point)
        return best.response()


def query_kernels() -> QueryKernels:
    """Its compiled functions."""
    from purex_plugins.thresholding.kernels import answer, best_response, max_min, optimistic

    return QueryKernels(answer, best_response, max_min, optimistic)


def pieces(query: Thresholding, structure: Structure, arms: Arms, i: int, mu: FloatArray) -> FixedPoints:
    """Its pieces next to a model: one arm goes to the threshold."""
    points, g = np.tile(mu, (len(mu), 1)), query.threshold
    above = members_of(np.array([i]), len(mu))[0]
    np.fill_diagonal(points, np.where(above, np.minimum(mu, g), np.maximum(mu, g)))
    return FixedPoints(points)


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `thresholding`."""
    yield QueryRecord(
        name="thresholding",
        factory=Thresholding,
        summary="which arms have means at or above a level?",
        reference="Locatelli, Gutzeit & Carpentier (2016), An optimal algorithm for the thresholding bandit",
        examples=({"threshold": 0.5},),
    )


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """Its compiled oracles, and its pieces."""
    yield from query_oracles(
        "thresholding", Thresholding, query_kernels, numbers=lambda query: (query.threshold,)
    )
    yield pieces_oracle("thresholding", Thresholding, pieces, reference=GAME)
