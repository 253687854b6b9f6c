"""Rules T and O: the oracle weights of a model that stands for the unknown one."""

from __future__ import annotations

from purex.rules.bonus import LOGARITHM, Bonus
from purex.rules.rule import CompiledRule, Intervals, Tracking


class TrackAndStop(CompiledRule):
    """Track-and-Stop (Garivier & Kaufmann 2016): the weights of the empirical means, exploration forced."""

    parts = "purex.rules.parts.plug_in"
    operation = "max-min"

    def __init__(self, *, tracking: Tracking = "ratio") -> None:
        self.tracking = tracking


class OptimisticTrackAndStop(CompiledRule):
    """Optimistic Track-and-Stop (section 3.3 of the paper): the weights of the most optimistic model."""

    parts = "purex.rules.parts.optimistic"
    operation = "optimistic"

    def __init__(
        self, *, tracking: Tracking = "ratio", intervals: Intervals = "kl", bonus: Bonus = LOGARITHM
    ) -> None:
        self.tracking, self.intervals, self.bonus = tracking, intervals, bonus
