"""LUCB (Kalyanakrishnan, Tewari, Auer & Stone 2012) and KL-LUCB (Kaufmann & Kalyanakrishnan 2013)."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from purex.arrays import FloatArray
from purex.errors import RefusedProblemError
from purex.rules.orders import basis_vectors, check_orders, order_pairs
from purex.rules.rule import BatchRule, Round, Tracking

if TYPE_CHECKING:
    from purex.problem import Problem

NOBODY = 0.0  # no second arm is due; else its number plus one


class ConfidenceRule(BatchRule):
    r"""Pull the two arms whose confidence intervals overlap most: the weakest inside, the strongest outside.

    Of the pairs (a, b) of the candidate answer, b a rival of a, the one with the largest $U_b - L_a$; for
    best arm and top-M this is $h = \arg\min_a L_a$ and $l = \arg\max_b U_b$. The papers pull both in one
    round: here h, and l in the next round, whatever h brought; so bounds are computed every other round,
    with t = the samples so far. Ties go to the pair declared first.

    It is a sampling rule only: it stops by the statistic and threshold of the simulation, not when
    $U_l < L_h$. It looks at delta, so each delta has trajectories of its own.
    """

    uses_delta = True
    tracking: Tracking = "none"
    name: ClassVar[str]

    def check(self, problem: Problem) -> None:
        """Refuse questions that are not about orders of arms."""
        check_orders(problem, self.name)

    def memory_size(self, problem: Problem) -> int:
        """The second arm, while it is due."""
        return 1

    @abstractmethod
    def bounds(self, now: Round) -> tuple[FloatArray, FloatArray]:
        """The lower and upper confidence bounds (R, K)."""

    def play(self, now: Round) -> FloatArray:
        """The arm of each row."""
        due = now.memory[:, 0].copy()
        arms = due.astype(np.int64) - 1
        now.memory[:, 0] = NOBODY
        low, high = self.bounds(now)
        fresh = np.flatnonzero(due == NOBODY)
        for code in np.unique(now.answer[fresh]):
            rows = fresh[now.answer[fresh] == code]
            pairs = np.array(order_pairs(now.problem, int(code), self.name))
            overlap = high[rows][:, pairs[:, 1]] - low[rows][:, pairs[:, 0]]
            first, second = pairs[np.argmax(overlap, axis=1)].T
            arms[rows] = first
            now.memory[rows, 0] = second + 1
        return basis_vectors(arms, now.N.shape[1])


class LUCB(ConfidenceRule):
    r"""LUCB with Hoeffding's intervals $\hat\mu_k \pm \sqrt{2\sigma^2 \ln(5 K t^4/(4\delta))/N_k}$.

    In the paper (PAC subset selection in stochastic multi-armed bandits, ICML 2012) rewards lie in [0, 1]:
    $\sigma^2 = 1/4$, as here for Bernoulli arms. Gaussian arms have their variance; other families are
    refused.
    """

    name = "LUCB"

    def check(self, problem: Problem) -> None:
        """Refuse arms that are not sub-Gaussian, too."""
        super().check(problem)
        for family in problem.arms.families:
            if family.variance_proxy is None:
                raise RefusedProblemError(
                    f"the intervals of LUCB are for sub-Gaussian rewards (bernoulli, gaussian, bounded), not "
                    f"for {family.name}: use KL-LUCB"
                )

    def bounds(self, now: Round) -> tuple[FloatArray, FloatArray]:
        """Hoeffding's."""
        families = now.problem.arms.families
        sigma2 = np.array([f.variance_proxy for f in families])
        rate = np.log(1.25 * len(families)) + 4 * np.log(now.n.astype(np.float64)) + now.log_inverse_delta
        radius = np.sqrt(2 * sigma2 * rate[:, None] / now.N)
        return now.mean - radius, now.mean + radius


class KLLUCB(ConfidenceRule):
    r"""KL-LUCB with the intervals $\{\xi : N_k d(\hat\mu_k, \xi) \le \beta(t, \delta)\}$.

    $\beta(t, \delta) = x + \ln x$ at $x = \ln(k_1 K t^\alpha/\delta)$ with $\alpha = 1.1$ and $k_1 = 405.5$,
    which is just above $2e + 1 + \frac{e}{\alpha-1} + \frac{e+1}{(\alpha-1)^2}$ (Information complexity in
    bandit subset selection, COLT 2013, the rate of the sample complexity theorem).

    >>> import math
    >>> round(2 * math.e + 1 + math.e / 0.1 + (math.e + 1) / 0.1**2, 1)
    405.4
    """

    name = "KL-LUCB"

    def bounds(self, now: Round) -> tuple[FloatArray, FloatArray]:
        """The ends of the KL intervals."""
        arms = now.problem.arms
        x = np.log(405.5 * arms.n_arms) + 1.1 * np.log(now.n.astype(np.float64)) + now.log_inverse_delta
        level = (x + np.log(x))[:, None] / now.N
        return arms.lower(now.mean, level), arms.upper(now.mean, level)
