"""A query with its closed form: is some mean above a level?"""

from collections.abc import Iterable

import numpy as np

from purex.model import Cheapest, Polyhedron, Query
from purex.plugins import QueryRecord, hookimpl


class AnyAbove(Query):
    """Is the largest mean at or above the level? 1 = yes, 0 = no."""

    def __init__(self, n_arms: int, level: float) -> None:
        super().__init__(n_arms)
        self.level = float(level)

    def answer(self, mu):
        """Look at the largest mean of each row."""
        return (mu.max(axis=1) >= self.level).astype(np.int64)

    def alternatives(self, i):
        """To "yes": all arms at or below; to "no": for each arm, that one at or above."""
        K = self.n_arms
        if i == 1:
            return [Polyhedron(np.eye(K), np.full(K, self.level))]
        return [Polyhedron.at_least(K, k, self.level) for k in range(K)]

    def answers(self):
        """No and yes."""
        return (0, 1)

    def label(self, code):
        """The answer in words."""
        return "yes" if code == 1 else "no"

    def best_response(self, arms, i, w, xi, lower, upper):
        """All arms above come down to the level, or the cheapest arm goes up to it."""
        own, yes = np.clip(xi, lower, upper), i == 1
        best = Cheapest(xi)  # keeps the cheapest candidate of each row
        down = np.minimum(own, self.level)
        best.offer(0, arms.cost(w, xi, down), down, feasible=yes)
        for k in range(self.n_arms):
            point = own.copy()
            point[:, k] = np.maximum(own[:, k], self.level)
            best.offer(k, arms.cost(w, xi, point), point, feasible=~yes)
        return best.response()


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `any-above`."""
    yield QueryRecord(
        name="any-above",
        factory=AnyAbove,
        summary="is some mean at or above a level?",
        examples=({"level": 0.5},),
    )


if __name__ == "__main__":
    import purex
    from purex.testing import check_query

    print(check_query(AnyAbove(3, 0.5), purex.Bernoulli()).counts)
    problem = purex.Problem(purex.Arms.of(purex.Bernoulli(), 3), AnyAbove(3, 0.5))
    print(problem.oracle_name, problem.best_response(1, [1, 1, 1], [0.6, 0.7, 0.2]).value.round(6))
