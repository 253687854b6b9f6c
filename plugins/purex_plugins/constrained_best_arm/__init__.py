"""Constrained best arm: of the options whose second mean is at most a level, which has the largest first?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError
from purex.families import Arms
from purex.model import Cheapest, Polyhedron, Query, QueryKernels, Response
from purex.oracles import query_oracles
from purex.plugins import OracleRecord, QueryRecord, hookimpl
from purex_plugins.mean_threshold import check_inside, check_threshold

NONE = -1  # the answer where no option is allowed


class ConstrainedBestArm(Query):
    r"""Which option has the largest value $\mu_{2a}$ among those with a cost $\mu_{2a+1} \le$ threshold?

    Options are pairs of arms: arm 2a observes the value of option a and arm 2a + 1 its cost. The code is the
    option, or -1 if none is allowed.

    >>> query = ConstrainedBestArm(6, threshold=0.5)
    >>> one, two = [0.9, 0.7, 0.6, 0.4, 0.3, 0.1], [0.9, 0.7, 0.6, 0.8, 0.3, 0.6]
    >>> query.answer(np.array([one, two]))
    array([ 1, -1])
    """

    def __init__(self, n_arms: int, threshold: float) -> None:
        super().__init__(n_arms)
        if n_arms % 2:
            raise InvalidInputError(
                f"constrained-best-arm has two arms for each option, value and cost, but there are {n_arms}"
            )
        self.options = n_arms // 2
        self.threshold = check_threshold("constrained-best-arm", threshold)

    def _values(self, mu: FloatArray) -> FloatArray:
        """The values (R, options) of those that are allowed, else minus infinity."""
        return np.where(mu[:, 1::2] <= self.threshold, mu[:, ::2], -np.inf)

    def answer(self, mu: FloatArray) -> IntArray:
        """The allowed option of largest value, ties to the lowest index; -1 if none is allowed."""
        value = self._values(mu)
        allowed = (mu[:, 1::2] <= self.threshold).any(axis=1)
        return np.where(allowed, np.argmax(value, axis=1), NONE).astype(np.int64)

    def is_correct(self, mu: FloatArray, code: IntArray) -> NDArray[np.bool_]:
        """Whether each option is allowed and none that is allowed is better; "none" if none is allowed."""
        value, allowed = self._values(mu), mu[:, 1::2] <= self.threshold
        rows = np.arange(len(mu))
        is_best = allowed[rows, code] & (value[rows, code] == value.max(axis=1))
        return np.where(code == NONE, ~allowed.any(axis=1), is_best)

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        """To an option: it costs too much, or another is allowed and no worse; to none: one is allowed."""
        K, g = self.n_arms, self.threshold
        allowed = [Polyhedron.at_most(K, 2 * b + 1, g) for b in range(self.options)]
        if i == NONE:
            return allowed
        better = [Polyhedron.order(K, low=2 * i, high=2 * b) & allowed[b] for b in self.rivals(i)]
        return [Polyhedron.at_least(K, 2 * i + 1, g), *better]

    def rivals(self, i: int) -> list[int]:
        """The other options; all of them for "none"."""
        return [b for b in range(self.options) if b != i]

    def answers(self) -> Sequence[int]:
        """None, and the options."""
        return range(NONE, self.options)

    def label(self, code: int) -> str:
        """The option in words."""
        return "no option" if code == NONE else f"option {code}"

    def rescaled(self, factor: float) -> ConstrainedBestArm:
        """The threshold in the other unit."""
        return ConstrainedBestArm(self.n_arms, factor * self.threshold)

    def check(self, arms: Arms, lower: float, upper: float) -> None:
        """Refuse a threshold that costs cannot cross."""
        check_inside("constrained-best-arm", self.threshold, Arms(arms.families[1::2]), lower, upper)

    def best_response(
        self, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Response:
        """The closed form: a cost crosses the threshold; or two values meet where the rival is allowed."""
        best = Cheapest(xi)
        for code in np.unique(i):
            rows = np.flatnonzero(i == code)
            for number, point in enumerate(self._points(arms, int(code), w[rows], xi[rows], lower, upper)):
                best.offer(number, arms.cost(w[rows], xi[rows], point), point, rows)
        return best.response()

    def _points(
        self, arms: Arms, i: int, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Iterator[FloatArray]:
        """The nearest point of each piece to i."""
        own = np.clip(xi, lower, upper)
        if i != NONE:
            point = own.copy()
            point[:, 2 * i + 1] = np.maximum(own[:, 2 * i + 1], self.threshold)
            yield point
        for b in self.rivals(i):
            point, y = own.copy(), 2 * b
            if i != NONE:
                x = 2 * i
                pair = (w[:, x], xi[:, x], w[:, y], xi[:, y])
                m = arms.tied_mean(x, y, *pair, lower=lower, upper=upper)
                behind = own[:, y] < own[:, x]
                point[behind, x] = point[behind, y] = m[behind]
            point[:, y + 1] = np.minimum(own[:, y + 1], self.threshold)
            yield point


def query_kernels() -> QueryKernels:
    """Its compiled functions."""
    from purex_plugins.constrained_best_arm.kernels import answer, best_response

    return QueryKernels(answer, best_response)


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `constrained-best-arm`."""
    yield QueryRecord(
        name="constrained-best-arm",
        factory=ConstrainedBestArm,
        summary="of the options that cost at most a level, which has the largest value?",
        reference="Katz-Samuels & Scott (2019), Top feasible arm identification",
        examples=({"threshold": 0.5},),
    )


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """Its compiled oracles."""
    yield from query_oracles(
        "constrained-best-arm",
        ConstrainedBestArm,
        query_kernels,
        numbers=lambda query: (query.threshold,),
        max_min=False,
        optimistic=False,
    )
