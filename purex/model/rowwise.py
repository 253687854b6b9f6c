"""An adapter for queries that are easier to write for one mean vector at a time."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.families.arms import Arms
from purex.model.query import Query
from purex.model.response import Response


class RowQuery(Query):
    """A query written for one row: `answer_one(mu)` and, if wanted, `best_response_one`.

    The closed form ``best_response_one(arms, i, w, xi, lower, upper) -> (point, piece)`` is optional;
    its value is recomputed here, so that it cannot disagree with the point.
    """

    @abstractmethod
    def answer_one(self, mu: FloatArray) -> int:
        """The answer i*(mu) of one mean vector mu (K,)."""

    def answer(self, mu: FloatArray) -> IntArray:
        """The answers of all rows of mu (R, K)."""
        return np.fromiter((self.answer_one(row) for row in mu), dtype=np.int64, count=len(mu))

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # Only a subclass that has the one-row closed form gets the batched one: its absence means
        # that the problem falls back to the generic oracle.
        if "best_response_one" in vars(cls):
            cls.best_response = _best_response  # type: ignore[attr-defined]


def _best_response(
    self: Any, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
) -> Response:
    """Call the one-row closed form for every row."""
    point, piece = np.empty_like(xi), np.empty(len(xi), dtype=np.int64)
    for r in range(len(xi)):
        point[r], piece[r] = self.best_response_one(arms, int(i[r]), w[r], xi[r], lower, upper)
    return Response(arms.cost(w, xi, point), point, piece)
