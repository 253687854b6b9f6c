"""Top-Two Thompson Sampling, TTTS (Russo 2016)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError, RefusedProblemError
from purex.rules.orders import check_orders, order_pairs
from purex.rules.rule import BatchRule, Round, Tracking
from purex.rules.top_two import cheapest_pairs, check_beta, toss
from purex.whole_numbers import is_whole

if TYPE_CHECKING:
    from purex.problem import Problem

FIRST = 1  # the uniforms of the posterior samples; number 0 is the coin
KINDS = ("bernoulli", "gaussian")


class TopTwoThompson(BatchRule):
    r"""TTTS: a leader that is best in a posterior sample, a challenger that is best in another.

    The leader's answer is that of a sample $\theta$ of the posterior; then samples are drawn until one has
    another answer. Of the pairs (a, b) that this one turns, a from the leader's answer, the one with the
    largest $\theta'_b - \theta'_a$: for best arm a is the leader and b the best arm of $\theta'$ (Russo 2016,
    Simple Bayesian algorithms for best arm identification). Arm a is pulled with probability beta, else b.

    After `resamplings` samples without another answer, the pair is the one with the least transportation
    cost (the TC challenger of Jourdan et al. 2022), towards which resampling tends as the posterior shrinks.

    Posteriors: Beta(1 + successes, 1 + failures) for Bernoulli arms, $N(\hat\mu, \sigma^2/N)$ for Gaussian
    ones (a uniform and a flat prior; bounds of the model are not used). Other families are refused. Uniform
    number 0 of a round is the coin, number 1 + sK + k the quantile of arm k in sample s.
    """

    tracking: Tracking = "none"

    def __init__(self, *, beta: float = 0.5, resamplings: int = 64) -> None:
        if not is_whole(resamplings, 0):
            raise InvalidInputError(f"the resamplings of TTTS are a whole number >= 0, not {resamplings!r}")
        self.beta, self.resamplings = check_beta("TTTS", beta), resamplings

    def check(self, problem: Problem) -> None:
        """Refuse questions that are not about orders of arms, and families without a posterior here."""
        check_orders(problem, "TTTS")
        for family in problem.arms.families:
            if family.kind not in KINDS:
                raise RefusedProblemError(
                    f"TTTS has posteriors for bernoulli and gaussian arms only, not for {family.name}: "
                    "use EB-TCI"
                )

    def play(self, now: Round) -> FloatArray:
        """The arm of each row."""
        rows = np.arange(len(now.n))
        answers = np.asarray(now.problem.query.answer(sample(now, rows, 0)), dtype=np.int64)
        a, b = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
        for s in range(1, self.resamplings + 1):
            a[rows], b[rows], found = self.turned(now.problem, answers[rows], sample(now, rows, s))
            rows = rows[~found]
            if len(rows) == 0:
                break
        if len(rows):
            fallback = cheapest_pairs(now.part(rows), answers[rows], "TTTS", improved=False)
            a[rows], b[rows] = fallback
        return toss(now, self.beta, a, b)

    @staticmethod
    def turned(
        problem: Problem, answers: IntArray, theta: FloatArray
    ) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
        """The pair that each sample theta turns most, and whether it turns any."""
        a, b = np.zeros(len(answers), dtype=np.int64), np.zeros(len(answers), dtype=np.int64)
        found = np.zeros(len(answers), dtype=np.bool_)
        for code in np.unique(answers):
            rows = np.flatnonzero(answers == code)
            pairs = np.array(order_pairs(problem, int(code), "TTTS"))
            gaps = theta[rows][:, pairs[:, 1]] - theta[rows][:, pairs[:, 0]]
            best = np.argmax(gaps, axis=1)
            a[rows], b[rows] = pairs[best].T
            found[rows] = gaps[np.arange(len(rows)), best] > 0
        return a, b, found


def sample(now: Round, rows: IntArray, s: int) -> FloatArray:
    """Sample number s of the posteriors of these rows, by inverse transforms."""
    from scipy.special import betaincinv, ndtri  # here: importing scipy.special takes 0.3 s

    K = now.N.shape[1]
    theta = np.empty((len(rows), K))
    for k, family in enumerate(now.problem.arms.families):
        u = np.ascontiguousarray(now.uniforms(FIRST + s * K + k)[rows])
        N, mean = now.N[rows, k], now.mean[rows, k]
        if family.kind == "bernoulli":
            successes = N * mean if family.supports(0.5) else np.rint(N * mean)  # bounded rewards: any number
            theta[:, k] = betaincinv(1 + successes, 1 + (N - successes), u)
        else:
            theta[:, k] = mean + np.sqrt(family.variance(mean) / N) * ndtri(u)
    return theta
