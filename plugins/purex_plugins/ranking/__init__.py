"""Ranking: in which order are the means, or the largest m of them?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import perm

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError
from purex.families import Arms
from purex.model import Polyhedron, Query, QueryKernels, Response
from purex.oracles import query_oracles
from purex.plugins import OracleRecord, QueryRecord, hookimpl
from purex.whole_numbers import is_whole
from purex_plugins.ties import tie_response

MOST_CODES = 2**62  # beyond, the number of an order does not fit an int64
MOST_LISTED = 1000  # beyond, the answers are not listed


class Ranking(Query):
    r"""Which arms have the m largest means, in order? All K arms if m is left out.

    The code of an order is its number in the dictionary: 0 is (0, 1, 2, ...).

    >>> query = Ranking(4, m=2)
    >>> query.label(int(query.answer(np.array([[0.1, 0.4, 0.2, 0.3]]))[0]))
    'arms 1 > 3'
    """

    def __init__(self, n_arms: int, m: int | None = None) -> None:
        super().__init__(n_arms)
        if n_arms < 2:
            raise InvalidInputError("ranking needs at least two arms, not 1")
        if m is not None and not is_whole(m, 1, n_arms):
            raise InvalidInputError(
                f"ranking with {n_arms} arms needs a whole number m from 1 to {n_arms}, not {m!r}"
            )
        self.m = n_arms if m is None else int(m)
        self.count = perm(n_arms, self.m)
        if self.count > MOST_CODES:
            raise InvalidInputError(
                f"the first {self.m} of {n_arms} arms have more orders than there are codes: "
                "take a smaller m, or at most 20 arms"
            )

    def answer(self, mu: FloatArray) -> IntArray:
        """The order of the m largest means; ties to the lowest indices."""
        order = np.argsort(-mu, axis=1, kind="stable")[:, : self.m]
        code = np.zeros(len(mu), dtype=np.int64)
        for p in range(self.m):
            before = (order[:, :p] < order[:, p, None]).sum(axis=1)
            code = code * (self.n_arms - p) + order[:, p] - before
        return code

    def orders(self, codes: IntArray) -> IntArray:
        """The arms (R, m) of each code.

        >>> Ranking(3).orders(np.array([0, 1, 5]))
        array([[0, 1, 2],
               [0, 2, 1],
               [2, 1, 0]])
        """
        rest, place = np.asarray(codes, dtype=np.int64), np.empty((len(codes), self.m), dtype=np.int64)
        for p in reversed(range(self.m)):
            rest, place[:, p] = np.divmod(rest, self.n_arms - p)
        order, left = np.empty_like(place), np.ones((len(codes), self.n_arms), dtype=bool)
        for p in range(self.m):
            arm = np.argmax(np.cumsum(left, axis=1) == place[:, p, None] + 1, axis=1)
            order[:, p], left[np.arange(len(arm)), arm] = arm, False
        return order

    def is_correct(self, mu: FloatArray, code: IntArray) -> NDArray[np.bool_]:
        """Whether the means fall along the order, and none of the others is larger than its last."""
        order = self.orders(code)
        mean = np.take_along_axis(mu, order, axis=1)
        others = mu.copy()
        np.put_along_axis(others, order, -np.inf, axis=1)
        return np.asarray((np.diff(mean, axis=1) <= 0).all(axis=1) & (others.max(axis=1) <= mean[:, -1]))

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        r"""One half-space $\{\lambda_b \ge \lambda_a\}$ for each b that comes after a: neighbours first.

        The K - 1 pieces of neighbours are enough; the others are what makes `blamed` small.
        """
        near, (order, rest) = self.pairs(i), self.split(i)
        after = [(a, b) for p, a in enumerate(order) for b in (*order[p + 1 :], *rest)]
        pairs = [*near, *(pair for pair in after if pair not in near)]
        return [Polyhedron.order(self.n_arms, low=a, high=b) for a, b in pairs]

    def split(self, i: int) -> tuple[list[int], list[int]]:
        """The arms of this code in order, and the other arms."""
        order = [int(k) for k in self.orders(np.array([i]))[0]]
        return order, [k for k in range(self.n_arms) if k not in order]

    def pairs(self, i: int) -> list[tuple[int, int]]:
        """The neighbours (a, b), of which b may catch up with a: in the order, and its last with the rest."""
        order, rest = self.split(i)
        return [*pairwise(order), *((order[-1], b) for b in rest)]

    def answers(self) -> Sequence[int] | None:
        """All orders, if there are at most a thousand."""
        return range(self.count) if self.count <= MOST_LISTED else None

    def blamed(self) -> int:
        """K - 1: order the arms by their means; a wrong answer turns some two neighbours of this order round.

        That is, it has the second of them before the first, or names the second and not the first: if it did
        so with no two neighbours, it would be the right answer. These two are in the right order, so that the
        model lies in their piece; there are K - 1 pairs of neighbours.
        """
        return self.n_arms - 1

    def is_answer(self, codes: IntArray) -> NDArray[np.bool_]:
        """Whether each code is the number of an order."""
        return np.asarray((codes >= 0) & (codes < self.count))

    def label(self, code: int) -> str:
        """The order in words."""
        return "arms " + " > ".join(map(str, self.split(code)[0]))

    def rescaled(self, factor: float) -> Ranking:
        """The question has no unit."""
        return self

    def best_response(
        self, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Response:
        """The closed form, in numpy: where a later arm catches up, so does some neighbour on the way."""
        return tie_response(arms, self.pairs, i, w, xi, lower, upper)


def query_kernels() -> QueryKernels:
    """Its compiled functions."""
    from purex_plugins.ranking.kernels import answer, best_response, scratch_size

    return QueryKernels(answer, best_response, scratch_size=scratch_size)


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `ranking`."""
    yield QueryRecord(
        name="ranking",
        factory=Ranking,
        summary="in which order are the means, or the m largest of them?",
        reference="Bechhofer (1954), A single-sample multiple decision procedure for ranking means",
        examples=({}, {"m": 2}),
    )


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """Its compiled oracles."""
    yield from query_oracles(
        "ranking",
        Ranking,
        query_kernels,
        numbers=lambda query: (float(query.m),),
        max_min=False,
        optimistic=False,
    )
