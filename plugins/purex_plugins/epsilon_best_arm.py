"""Epsilon-best arm: an arm whose mean is within epsilon of the largest; there may be several."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError
from purex.families import Arms
from purex.families.convexity import check_sums
from purex.model import Cheapest, Polyhedron, Query, Response
from purex.plugins import QueryRecord, hookimpl
from purex_plugins.sticky import check_sticky, first_possible
from purex_plugins.two_arms_on_line import on_line


class EpsilonBestArm(Query):
    r"""An arm with $\mu_i \ge \max_k \mu_k - \varepsilon$; the code is its index.

    Several arms may be correct. `answer` is the arm of largest mean; what a rule with confidence intervals
    works on is `candidate`, the first arm that may still be the best (with sticky=False the best at mu).

    >>> query = EpsilonBestArm(3, epsilon=0.1)
    >>> query.correct_answers(np.array([0.45, 0.3, 0.5]))
    [0, 2]
    """

    unique = False

    def __init__(self, n_arms: int, epsilon: float, sticky: bool = True) -> None:
        super().__init__(n_arms)
        self.sticky = check_sticky("epsilon-best-arm", sticky)
        try:
            self.epsilon = float(epsilon)
        except (TypeError, ValueError):
            self.epsilon = math.nan
        if not 0 < self.epsilon < math.inf:
            raise InvalidInputError(
                f"epsilon-best-arm needs a finite epsilon above 0, not {epsilon!r}; for 0 use best-arm"
            )

    def answer(self, mu: FloatArray) -> IntArray:
        """The index of the largest mean; ties to the lowest index."""
        return np.asarray(np.argmax(mu, axis=1), dtype=np.int64)

    def is_correct(self, mu: FloatArray, code: IntArray) -> NDArray[np.bool_]:
        """Whether each code's mean is within epsilon of the largest."""
        return np.asarray(mu.max(axis=1) - mu[np.arange(len(mu)), code] <= self.epsilon)

    def correct_answers(self, mu: FloatArray) -> Sequence[int]:
        """All arms within epsilon of the largest mean, in order."""
        return [int(k) for k in np.flatnonzero(mu.max() - mu <= self.epsilon)]

    def candidate(self, mu: FloatArray, lower: FloatArray, upper: FloatArray) -> IntArray:
        """The first arm, correct at mu, that is the best of some model in the box; without a box, the best.

        The best arm is the easiest of the correct answers (for Gaussian arms of one variance). Where two are
        nearly best, the best at mu would change for ever, and weights that serve one answer in one round and
        the other in the next serve neither. In the end only the arms tied for the best are left, of which
        this is the first ("sticky": Degenne & Koolen 2019, section 3; that it has to be correct at mu is
        our addition, and saves the rounds until wrong answers are excluded).
        """
        best = self.answer(mu)
        if not self.sticky:
            return best
        return first_possible(mu.max(axis=1, keepdims=True) - mu <= self.epsilon, lower, upper, best)

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        r"""One half-space $\{\lambda_j \ge \lambda_i + \varepsilon\}$ for each rival j."""
        pieces = []
        for j in self.rivals(i):
            row = np.zeros(self.n_arms)
            row[i], row[j] = 1.0, -1.0
            pieces.append(Polyhedron(row, -self.epsilon))
        return pieces

    def rivals(self, i: int) -> list[int]:
        """The other arms."""
        return [j for j in range(self.n_arms) if j != i]

    def answers(self) -> Sequence[int]:
        """The K arms."""
        return range(self.n_arms)

    def label(self, code: int) -> str:
        """The arm in words."""
        return f"arm {code}"

    def rescaled(self, factor: float) -> EpsilonBestArm:
        """Epsilon in the other unit."""
        return EpsilonBestArm(self.n_arms, factor * self.epsilon, self.sticky)

    def check(self, arms: Arms, lower: float, upper: float) -> None:
        """Refuse an epsilon that no two means are apart, and families where it makes no convex problem."""
        check_sums("epsilon-best-arm", arms)
        start, end = max(lower, float(arms.lower_ends.min())), min(upper, float(arms.upper_ends.max()))
        if self.epsilon >= end - start:
            raise InvalidInputError(
                f"the means lie between {start:g} and {end:g}, so every arm is within epsilon = "
                f"{self.epsilon:g} of the best: take a smaller epsilon"
            )

    def best_response(
        self, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Response:
        r"""The closed form, up to one root: $\lambda_j = \lambda_i + \varepsilon$ at the cheapest place."""
        own = np.clip(xi, lower, upper)
        bottom, top = np.maximum(lower, arms.lower_ends), np.minimum(upper, arms.upper_ends)
        best = Cheapest(xi)
        for code in np.unique(i):
            rows, a = np.flatnonzero(i == code), int(code)
            low = np.maximum(bottom[a], bottom - self.epsilon)
            high = np.minimum(top[a], top - self.epsilon)
            found = on_line(arms, a, w[rows], xi[rows], 1.0, self.epsilon, low, np.maximum(low, high))
            mine = own[rows]
            for number, j in enumerate(self.rivals(a)):
                inside = mine[:, j] - mine[:, a] >= self.epsilon
                point = mine.copy()
                point[:, a] = np.where(inside, mine[:, a], found.x[:, j])
                point[:, j] = np.where(inside, mine[:, j], found.y[:, j])
                cost = arms.cost(w[rows], xi[rows], point)
                best.offer(number, cost, point, rows, bool(low[j] < high[j]))
        return best.response()


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `epsilon-best-arm`."""
    yield QueryRecord(
        name="epsilon-best-arm",
        factory=EpsilonBestArm,
        summary="an arm whose mean is within epsilon of the largest: which?",
        reference="Degenne & Koolen (2019), Pure exploration with multiple correct answers",
        examples=({"epsilon": 0.1},),
    )
