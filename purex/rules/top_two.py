"""Top-Two sampling with the empirical leader: EB-TCI (Jourdan, Degenne, Baudry, de Heide & Kaufmann 2022)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError
from purex.rules.orders import basis_vectors, check_orders, order_pairs, transport_costs
from purex.rules.rule import BatchRule, Round, Tracking

if TYPE_CHECKING:
    from purex.problem import Problem

COIN = 0  # the index of the uniform that decides between the two


class TopTwo(BatchRule):
    r"""EB-TCI: the empirical best arm, or the challenger that is cheapest to take for better.

    With the leader $a = \hat\imath$ and the transportation costs
    $W(a, b) = \inf_{\lambda_b \ge \lambda_a} \sum_k N_k d(\hat\mu_k, \lambda_k)$ the challenger is
    $\arg\min_b W(a, b) + \ln N_b$ (Top two algorithms revisited, NeurIPS 2022: "transportation cost
    improved"); the leader is pulled with probability beta, else the challenger. Ties go to the first
    pair declared.

    Beyond best arm, the pair (a, b) minimises $W(a, b) + \ln N_a + \ln N_b$ over the pairs of the candidate
    answer, which is the same where all of them have one a. The means are the raw ones, as in the stopping
    rule.
    """

    tracking: Tracking = "none"

    def __init__(self, *, beta: float = 0.5) -> None:
        self.beta = check_beta("EB-TCI", beta)

    def check(self, problem: Problem) -> None:
        """Refuse questions that are not about orders of arms."""
        check_orders(problem, "EB-TCI")

    def play(self, now: Round) -> FloatArray:
        """The arm of each row."""
        leaders, challengers = cheapest_pairs(now, now.answer, "EB-TCI", improved=True)
        return toss(now, self.beta, leaders, challengers)


def cheapest_pairs(now: Round, answers: IntArray, rule: str, *, improved: bool) -> tuple[IntArray, IntArray]:
    """The pairs (a, b) of each row's answer that cost least to turn; `improved` adds ln N_a + ln N_b."""
    a, b = np.zeros(len(answers), dtype=np.int64), np.zeros(len(answers), dtype=np.int64)
    for code in np.unique(answers):
        rows = np.flatnonzero(answers == code)
        pairs = np.array(order_pairs(now.problem, int(code), rule))
        N, mean = now.N[rows], now.mean[rows]
        costs = transport_costs(now.problem, int(code), N, mean)
        if improved:
            logs = np.log(N)
            costs = costs + (logs[:, pairs[:, 0]] + logs[:, pairs[:, 1]])
        a[rows], b[rows] = pairs[np.argmin(costs, axis=1)].T
    return a, b


def toss(now: Round, beta: float, leaders: IntArray, challengers: IntArray) -> FloatArray:
    """The leader with probability beta, else the challenger, as weights."""
    arms = np.where(now.uniforms(COIN) < beta, leaders, challengers)
    return basis_vectors(arms, now.N.shape[1])


def check_beta(rule: str, beta: float) -> float:
    """A probability strictly between 0 and 1, or a refusal."""
    if isinstance(beta, bool) or not isinstance(beta, int | float) or not 0 < beta < 1:
        raise InvalidInputError(f"the beta of {rule} must be a number between 0 and 1, not {beta!r}")
    return float(beta)
