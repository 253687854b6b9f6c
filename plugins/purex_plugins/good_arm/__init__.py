"""Good arm: an arm whose mean is at or above a level, if there is one; there may be several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.families import Arms
from purex.model import Cheapest, Polyhedron, Query, QueryKernels, Response
from purex.oracles import query_oracles
from purex.plugins import OracleRecord, QueryRecord, hookimpl
from purex_plugins.mean_threshold import check_inside, check_threshold
from purex_plugins.sticky import check_sticky, first_possible

NONE = -1  # the answer where no arm is good


class GoodArm(Query):
    r"""An arm with $\mu_k \ge$ threshold; the code is its index, or -1 if no arm is good.

    Several arms may be correct. `answer` is the arm of largest mean; what a rule with confidence intervals
    works on is `candidate`, the first good arm that may still be the best (with sticky=False the best).

    >>> query = GoodArm(3, threshold=0.5)
    >>> some, none = np.array([0.6, 0.4, 0.7]), np.array([0.1, 0.4, 0.3])
    >>> query.correct_answers(some), query.correct_answers(none)
    ([0, 2], [-1])
    """

    unique = False

    def __init__(self, n_arms: int, threshold: float, sticky: bool = True) -> None:
        super().__init__(n_arms)
        self.threshold = check_threshold("good-arm", threshold)
        self.sticky = check_sticky("good-arm", sticky)

    def answer(self, mu: FloatArray) -> IntArray:
        """The index of the largest mean, ties to the lowest index; -1 if it is below the threshold."""
        return np.where(mu.max(axis=1) >= self.threshold, np.argmax(mu, axis=1), NONE).astype(np.int64)

    def is_correct(self, mu: FloatArray, code: IntArray) -> NDArray[np.bool_]:
        """Whether each code's mean is at or above the threshold; for "none", whether no mean is."""
        good = mu >= self.threshold
        return np.where(code == NONE, ~good.any(axis=1), good[np.arange(len(mu)), code])

    def correct_answers(self, mu: FloatArray) -> Sequence[int]:
        """All good arms, in order, or "none"."""
        return [int(k) for k in np.flatnonzero(mu >= self.threshold)] or [NONE]

    def candidate(self, mu: FloatArray, lower: FloatArray, upper: FloatArray) -> IntArray:
        """The first arm, good at mu, that is the best of some model in the box; without a box, the best.

        The best arm is the easiest of the good ones, where all are of one family; of two that are nearly
        best the rule holds on to the first (see `EpsilonBestArm.candidate`).
        """
        best = self.answer(mu)
        return first_possible(mu >= self.threshold, lower, upper, best) if self.sticky else best

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        """To a good arm: that it is at or below the threshold; to "none": for each arm, that one above."""
        K, g = self.n_arms, self.threshold
        if i == NONE:
            return [Polyhedron.at_least(K, k, g) for k in range(K)]
        return [Polyhedron.at_most(K, i, g)]

    def answers(self) -> Sequence[int]:
        """None, and the K arms."""
        return range(NONE, self.n_arms)

    def blamed(self) -> int:
        """K: a wrong arm is to blame itself, and for a wrong "none" one of the good arms."""
        return self.n_arms

    def label(self, code: int) -> str:
        """The arm in words."""
        return "no arm" if code == NONE else f"arm {code}"

    def rescaled(self, factor: float) -> GoodArm:
        """The threshold in the other unit."""
        return GoodArm(self.n_arms, factor * self.threshold, self.sticky)

    def check(self, arms: Arms, lower: float, upper: float) -> None:
        """Refuse a threshold the means cannot cross."""
        check_inside("good-arm", self.threshold, arms, lower, upper)

    def best_response(
        self, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Response:
        r"""The closed form: the named arm goes down to the threshold, or the cheapest one up to it."""
        own, none, best = np.clip(xi, lower, upper), i == NONE, Cheapest(xi)
        named, rows = np.where(none, 0, i), np.arange(len(xi))
        down = own.copy()
        down[rows, named] = np.minimum(own[rows, named], self.threshold)
        best.offer(0, arms.cost(w, xi, down), down, feasible=~none)
        for k in range(self.n_arms):
            up = own.copy()
            up[:, k] = np.maximum(own[:, k], self.threshold)
            best.offer(k, arms.cost(w, xi, up), up, feasible=none)
        return best.response()


def query_kernels() -> QueryKernels:
    """Its compiled functions."""
    from purex_plugins.good_arm.kernels import answer, best_response, max_min

    return QueryKernels(answer, best_response, max_min)


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `good-arm`."""
    yield QueryRecord(
        name="good-arm",
        factory=GoodArm,
        summary="an arm with a mean at or above a level: which, if any?",
        reference="Kano, Honda, Sakamaki, Matsuura, Nakamura & Sugiyama (2019), Good arm identification",
        examples=({"threshold": 0.5},),
    )


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """Its compiled oracles; not whole rounds, whose candidates would not stick to one of several answers."""
    yield from query_oracles(
        "good-arm",
        GoodArm,
        query_kernels,
        numbers=lambda query: (query.threshold,),
        rounds=False,
        optimistic=False,
    )
