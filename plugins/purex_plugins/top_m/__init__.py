"""Top-M: which M arms have the largest means?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError, UnreadableAnswerError
from purex.families import Arms
from purex.model import Polyhedron, Query, QueryKernels, Response, Structure
from purex.oracles import GAME, pieces_oracle, query_oracles
from purex.plugins import OracleRecord, QueryRecord, hookimpl
from purex.whole_numbers import is_whole
from purex_plugins.arm_sets import MOST_ARMS, are_codes, arm_set, check_keys, code_of, label_of, members_of
from purex_plugins.tied_pairs import TiedPairs
from purex_plugins.ties import tie_response

MOST_SETS = 1000  # beyond, the answers are not listed


class TopM(Query):
    """Which M arms have the largest means? The code is that of the set.

    >>> query = TopM(4, m=2)
    >>> query.label(int(query.answer(np.array([[0.1, 0.4, 0.2, 0.3]]))[0]))
    'arms {1, 3}'
    """

    def __init__(self, n_arms: int, m: int) -> None:
        super().__init__(n_arms)
        check_keys("top-m", n_arms)
        if not is_whole(m, 1, n_arms - 1):
            raise InvalidInputError(
                f"top-m with {n_arms} arms needs a whole number m from 1 to {n_arms - 1}, not {m!r}"
            )
        self.m = int(m)

    def answer(self, mu: FloatArray) -> IntArray:
        """The m largest means; ties to the lowest indices."""
        best = np.argsort(-mu, axis=1, kind="stable")[:, : self.m]
        inside = np.zeros(mu.shape, dtype=bool)
        np.put_along_axis(inside, best, True, axis=1)
        return code_of(inside)

    def is_correct(self, mu: FloatArray, code: IntArray) -> NDArray[np.bool_]:
        """Whether no mean outside the set of m arms is larger than one inside: tied arms may be exchanged."""
        right = np.asarray(self.answer(mu) == code)
        in_order = np.sort(mu, axis=1)
        exchanged = np.flatnonzero(~right & (in_order[:, -self.m] == in_order[:, -self.m - 1]))
        for r in exchanged:
            right[r] = self._is_largest(mu[r], int(code[r]))
        return right

    def _is_largest(self, mu: FloatArray, code: int) -> bool:
        """Whether a set is one of m largest means (K,); not if nobody knows which arms are in it."""
        try:
            inside = members_of(np.array([code]), self.n_arms)[0]
        except UnreadableAnswerError:
            return False
        return bool(inside.sum() == self.m and mu[inside].min() >= mu[~inside].max())

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        r"""One half-space $\{\lambda_b \ge \lambda_a\}$ for each a in the set and b outside."""
        return [Polyhedron.order(self.n_arms, low=a, high=b) for a, b in self.pairs(i)]

    def pairs(self, i: int) -> list[tuple[int, int]]:
        """The pairs (a, b) of which b may catch up with a."""
        inside = arm_set(i, self.n_arms)
        outside = sorted(set(range(self.n_arms)).difference(inside))
        return [(a, b) for a in inside for b in outside]

    def answers(self) -> Sequence[int] | None:
        """All sets of m arms, if there are at most a thousand."""
        if comb(self.n_arms, self.m) > MOST_SETS:
            return None
        inside = np.zeros((comb(self.n_arms, self.m), self.n_arms), dtype=np.bool_)
        for row, subset in zip(inside, combinations(range(self.n_arms), self.m), strict=True):
            row[list(subset)] = True
        return list(map(int, code_of(inside)))

    def blamed(self) -> int:
        """K - 1: order the arms by their means; a wrong set has some arm but not the one just before it.

        These two neighbours are in the right order, so that the model lies in their piece; there are K - 1
        pairs of neighbours.
        """
        return self.n_arms - 1

    def is_answer(self, codes: IntArray) -> NDArray[np.bool_]:
        """Whether each code is that of m arms; any fingerprint may be."""
        good = are_codes(codes, self.n_arms)
        if self.n_arms <= MOST_ARMS:
            good &= members_of(codes, self.n_arms).sum(axis=1) == self.m
        return good

    def label(self, code: int) -> str:
        """The set in words."""
        return label_of(code, self.n_arms)

    def rescaled(self, factor: float) -> TopM:
        """The question has no unit."""
        return self

    def best_response(
        self, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Response:
        """The closed form, in numpy."""
        return tie_response(arms, self.pairs, i, w, xi, lower, upper)


def query_kernels() -> QueryKernels:
    """Its compiled functions."""
    from purex_plugins.top_m.kernels import answer, best_response, max_min, scratch_size

    return QueryKernels(answer, best_response, max_min, scratch_size=scratch_size)


def pieces(query: TopM, structure: Structure, arms: Arms, i: int, mu: FloatArray) -> TiedPairs:
    """Its pieces next to a model: an arm outside ties with one inside."""
    return TiedPairs(arms, mu, query.pairs(i))


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `top-m`."""
    yield QueryRecord(
        name="top-m",
        factory=TopM,
        summary="which m arms have the largest means?",
        reference="Kalyanakrishnan et al. (2012), PAC subset selection in stochastic multi-armed bandits",
        examples=({"m": 2},),
    )


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """Its compiled oracles, and its pieces."""
    yield from query_oracles(
        "top-m",
        TopM,
        query_kernels,
        numbers=lambda query: (float(query.m),),
        optimistic=False,
        one_kind=True,
    )
    yield pieces_oracle("top-m", TopM, pieces, reference=GAME)
