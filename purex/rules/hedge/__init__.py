"""Rule D: AdaHedge for the k-player against best responses (section 3.1 of the paper)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.rules.bonus import LOGARITHM, Bonus
from purex.rules.rule import CompiledRule, Intervals, RuleKernels, Tracking

if TYPE_CHECKING:
    from purex.problem import Problem

FIRST_GAP = 0.01  # of the authors' code; 0 is the original AdaHedge


class Hedge(CompiledRule):
    """Algorithm 1 with AdaHedge first and the best response second: one oracle call a round."""

    plays_actions = True
    operation = "best-response"
    gains = "optimistic"
    larger_gain = True

    def __init__(
        self,
        *,
        tracking: Tracking = "ratio",
        single: bool = False,
        intervals: Intervals = "kl",
        bonus: Bonus = LOGARITHM,
        gap: float = FIRST_GAP,
    ) -> None:
        if not 0 <= gap < np.inf:
            raise InvalidInputError(f"AdaHedge's first gap must be a number >= 0, not {gap!r}")
        self.tracking, self.intervals, self.bonus, self.gap = tracking, intervals, bonus, float(gap)
        self.learners = "single" if single else "per-answer"

    def kernels(self) -> RuleKernels:
        """`purex.rules.hedge.kernels`."""
        from purex.rules.hedge.kernels import ask, hear

        return RuleKernels(ask, hear)

    def memory_size(self, problem: Problem) -> int:
        """AdaHedge's: the losses and the gap."""
        return problem.n_actions + 1

    def start(self, problem: Problem) -> FloatArray:
        """No losses, and the first gap."""
        memory = np.zeros(problem.n_actions + 1)
        memory[-1] = self.gap
        return memory
