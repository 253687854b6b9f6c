"""Rule O: the oracle weights of the most optimistic model (section 3.3 of the paper)."""

from __future__ import annotations

from purex.rules.bonus import LOGARITHM, Bonus
from purex.rules.rule import CompiledRule, Intervals, RuleKernels, Tracking


class OptimisticTrackAndStop(CompiledRule):
    """Optimistic Track-and-Stop (section 3.3 of the paper): the weights of the most optimistic model.

    With actions they are shares of the cost.
    """

    operation = "optimistic"
    plays_actions = True

    def __init__(
        self, *, tracking: Tracking = "ratio", intervals: Intervals = "kl", bonus: Bonus = LOGARITHM
    ) -> None:
        self.tracking, self.intervals, self.bonus = tracking, intervals, bonus

    def kernels(self) -> RuleKernels:
        """`purex.rules.optimistic.kernels`."""
        from purex.rules.optimistic.kernels import ask, hear

        return RuleKernels(ask, hear)
