"""Rules T and O: the oracle weights of a model that stands for the unknown one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from purex.errors import InvalidInputError
from purex.rules.bonus import LOGARITHM, Bonus
from purex.rules.rule import CompiledRule, Intervals, Tracking

if TYPE_CHECKING:
    from purex.problem import Problem


class TrackAndStop(CompiledRule):
    """Track-and-Stop (Garivier & Kaufmann 2016): the weights of the empirical means, exploration forced.

    The game is solved in every round; or, with `resolve` = r > 1, once for each candidate answer when it
    first comes up, and again when its weights are older than a factor r of rounds; in between they are kept.
    This is for problems whose games are dear.
    """

    parts = "purex.rules.parts.plug_in"
    operation = "max-min"

    def __init__(self, *, tracking: Tracking = "ratio", resolve: float | None = None) -> None:
        if resolve is not None and not 1.0 < resolve < np.inf:
            raise InvalidInputError(
                f"resolve is the factor between rounds in which a game is solved, above 1, not {resolve!r}"
            )
        self.tracking, self.resolve = tracking, resolve
        self.learners = "single" if resolve is None else "per-answer"

    def memory_size(self, problem: Problem) -> int:
        """The next round of the grid, and the weights."""
        return 0 if self.resolve is None else problem.n_arms + 1

    def numbers(self, problem: Problem, truth: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """The factor of the grid, or 0."""
        return np.array([self.resolve or 0.0])


class OptimisticTrackAndStop(CompiledRule):
    """Optimistic Track-and-Stop (section 3.3 of the paper): the weights of the most optimistic model."""

    parts = "purex.rules.parts.optimistic"
    operation = "optimistic"

    def __init__(
        self, *, tracking: Tracking = "ratio", intervals: Intervals = "kl", bonus: Bonus = LOGARITHM
    ) -> None:
        self.tracking, self.intervals, self.bonus = tracking, intervals, bonus
