"""Pure Nash equilibrium: which entry of a matrix game is a saddle, if any?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError
from purex.families import Arms
from purex.model import Polyhedron, Query, Response
from purex.plugins import QueryRecord, hookimpl
from purex.whole_numbers import is_whole
from purex_plugins.pooling import Pools, check_one_level, pool_polyhedron, pooled_response

NONE = -1  # the answer where there is no saddle


class Nash(Query):
    """Which entry of a zero-sum matrix game is a saddle: largest in its column, smallest in its row?

    The arms are the entries of a matrix of these rows and columns, row by row; the row player maximises and
    the column player minimises. The code is the arm, or -1 if no entry is a saddle.

    >>> query = Nash(4, rows=2, columns=2)
    >>> query.answer(np.array([[0.5, 0.6, 0.1, 0.2], [0.9, 0.1, 0.1, 0.9]]))
    array([ 0, -1])
    """

    def __init__(self, n_arms: int, rows: int, columns: int) -> None:
        super().__init__(n_arms)
        for name, count in (("rows", rows), ("columns", columns)):
            if not is_whole(count, 1):
                raise InvalidInputError(f"nash needs a whole number of {name}, at least 1, not {count!r}")
        if rows * columns != n_arms:
            raise InvalidInputError(
                f"nash with {rows} rows and {columns} columns is about {rows * columns} arms, "
                f"but there are {n_arms}"
            )
        self.rows, self.columns = int(rows), int(columns)
        self._pools: dict[int, Pools] = {}

    def answer(self, mu: FloatArray) -> IntArray:
        """The saddle of lowest index (all saddles have the same value), or -1."""
        saddle = self._saddles(mu)
        return np.where(saddle.any(axis=1), np.argmax(saddle, axis=1), NONE).astype(np.int64)

    def is_correct(self, mu: FloatArray, code: IntArray) -> NDArray[np.bool_]:
        """Whether each code is a saddle, of which there may be several; "none" if there is none."""
        saddle = self._saddles(mu)
        return np.where(code == NONE, ~saddle.any(axis=1), saddle[np.arange(len(mu)), code])

    def _saddles(self, mu: FloatArray) -> NDArray[np.bool_]:
        """Which entries are largest in their column and smallest in their row (R, K)."""
        game = mu.reshape(-1, self.rows, self.columns)
        largest = game == game.max(axis=1, keepdims=True)
        smallest = game == game.min(axis=2, keepdims=True)
        return np.asarray((largest & smallest).reshape(mu.shape))

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        """To a saddle: an entry of its column above it, or of its row below it; to none: each a saddle."""
        return [pool_polyhedron(self.n_arms, down, up) for down, up in self.sides(i)]

    def sides(self, i: int) -> list[tuple[list[int], list[int]]]:
        """The pieces of the alternative to i: arms that have to be below a level, and above it."""
        if i != NONE:
            column, row = self.column_of(i), self.row_of(i)
            return [([i], [k]) for k in column] + [([k], [i]) for k in row]
        return [([*self.column_of(k), k], [k, *self.row_of(k)]) for k in range(self.n_arms)]

    def pools(self, i: int) -> Pools:
        """The same, ready for the closed form."""
        if i not in self._pools:
            self._pools[i] = Pools.of(self.sides(i))
        return self._pools[i]

    def column_of(self, k: int) -> list[int]:
        """The other entries of the column of entry k."""
        return [j for j in range(self.n_arms) if j != k and j % self.columns == k % self.columns]

    def row_of(self, k: int) -> list[int]:
        """The other entries of the row of entry k."""
        return [j for j in range(self.n_arms) if j != k and j // self.columns == k // self.columns]

    def answers(self) -> Sequence[int]:
        """All entries, and none; a game with one row or one column always has a saddle."""
        return [*range(self.n_arms), *([NONE] if min(self.rows, self.columns) > 1 else [])]

    def label(self, code: int) -> str:
        """The saddle in words."""
        if code == NONE:
            return "no saddle"
        return f"row {code // self.columns}, column {code % self.columns}"

    def rescaled(self, factor: float) -> Nash:
        """The question has no unit."""
        return self

    def check(self, arms: Arms, lower: float, upper: float) -> None:
        """Refuse mixes of families that pool badly."""
        check_one_level("nash", arms)

    def best_response(
        self, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Response:
        """The closed form: a pair that ties; or a whole row and column pooled around their common entry."""
        return pooled_response(arms, self.pools, i, w, xi, lower, upper)


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `nash`."""
    yield QueryRecord(
        name="nash",
        factory=Nash,
        summary="which entry of a matrix game is a saddle, if any?",
        reference="Zhou, Li & Zhu (2017), Identify the Nash equilibrium in static games with random payoffs",
        examples=({"rows": 2, "columns": 2},),
    )
