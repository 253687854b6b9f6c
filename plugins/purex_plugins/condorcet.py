"""Condorcet winner: which item beats every other one, if any?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError
from purex.families import Arms
from purex.model import Cheapest, Polyhedron, Query, Response
from purex.plugins import QueryRecord, hookimpl
from purex.whole_numbers import is_whole
from purex_plugins.mean_threshold import check_inside, check_threshold

NONE = -1  # the answer where no item beats all others


class Condorcet(Query):
    r"""Which of n items beats each other one with probability above 1/2? The code is the item, or -1.

    The arms are the n(n-1)/2 pairs (0, 1), (0, 2), ..., (1, 2), ..., each a match; its mean is the
    probability that the first item wins. A `level` other than 1/2 is for other results of a match: 0 for
    differences of goals.

    >>> query = Condorcet(3, items=3)   # 0 against 1, 0 against 2, 1 against 2
    >>> query.answer(np.array([[0.4, 0.6, 0.7], [0.6, 0.4, 0.7]]))
    array([ 1, -1])
    """

    def __init__(self, n_arms: int, items: int, level: float = 0.5) -> None:
        super().__init__(n_arms)
        if not is_whole(items, 3):
            raise InvalidInputError(f"condorcet needs a whole number of items, at least 3, not {items!r}")
        self.items = n = int(items)
        if n * (n - 1) // 2 != n_arms:
            raise InvalidInputError(
                f"{n} items have {n * (n - 1) // 2} pairs, which are the arms of condorcet, "
                f"but there are {n_arms}"
            )
        self.level = check_threshold("condorcet", level, "level")
        pairs = zip(*(side.tolist() for side in np.triu_indices(n, 1)), strict=True)
        self.matches: list[list[tuple[int, bool]]] = [[] for _ in range(n)]  # of each item: arm, is it first
        for k, (first, second) in enumerate(pairs):
            self.matches[first].append((k, True))
            self.matches[second].append((k, False))

    def answer(self, mu: FloatArray) -> IntArray:
        """The item that wins all its matches, or -1; an even match is won by nobody."""
        code = np.full(len(mu), NONE, dtype=np.int64)
        for item, matches in enumerate(self.matches):
            wins = [mu[:, k] > self.level if first else mu[:, k] < self.level for k, first in matches]
            code[np.logical_and.reduce(wins)] = item
        return code

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        """To an item: for each of its matches, that it is not won; to none: for each item, that all are."""
        if i == NONE:
            return [self._all_won(matches) for matches in self.matches]
        return [
            (Polyhedron.at_most if first else Polyhedron.at_least)(self.n_arms, k, self.level)
            for k, first in self.matches[i]
        ]

    def _all_won(self, matches: Sequence[tuple[int, bool]]) -> Polyhedron:
        rows = np.zeros((len(matches), self.n_arms))
        for row, (k, first) in zip(rows, matches, strict=True):
            row[k] = -1.0 if first else 1.0
        return Polyhedron(rows, self.level * rows.sum(axis=1))

    def answers(self) -> Sequence[int]:
        """None, and the items."""
        return range(NONE, self.items)

    def label(self, code: int) -> str:
        """The item in words."""
        return "no winner" if code == NONE else f"item {code}"

    def rescaled(self, factor: float) -> Condorcet:
        """The level in the other unit."""
        return Condorcet(self.n_arms, self.items, factor * self.level)

    def check(self, arms: Arms, lower: float, upper: float) -> None:
        """Refuse a level the means cannot cross."""
        check_inside("condorcet", self.level, arms, lower, upper)

    def best_response(
        self, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Response:
        """The closed form: one match of the winner turns, or the matches that an item has not won."""
        own, best = np.clip(xi, lower, upper), Cheapest(xi)
        above, below = np.maximum(own, self.level), np.minimum(own, self.level)
        for code in np.unique(i):
            rows = np.flatnonzero(i == code)
            # pieces as lists of arms and whether they have to get above the level
            pieces = self.matches if code == NONE else [[(k, not first)] for k, first in self.matches[code]]
            for number, piece in enumerate(pieces):
                point = own[rows]
                for k, is_up in piece:
                    point[:, k] = (above if is_up else below)[rows, k]
                best.offer(number, arms.cost(w[rows], xi[rows], point), point, rows)
        return best.response()


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `condorcet`."""
    yield QueryRecord(
        name="condorcet",
        factory=Condorcet,
        summary="which item beats every other one in a match, if any?",
        reference="Urvoy, Clerot, Féraud & Naamane (2013), Generic exploration and K-armed voting bandits",
        examples=({"items": 3},),
        example_arms=3,
    )
