"""Rule M: gradient ascent on the value of the game (Ménard 2019)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.rules.rule import CompiledRule, RuleKernels, Tracking
from purex.rules.truth import round_value

if TYPE_CHECKING:
    from purex.problem import Problem


class Ascent(CompiledRule):
    """Mirror ascent with a fixed share, one learner for all answers, gains not optimistic.

    Its rate is in units of `scale`: by default the value D_mu of the true model, which only simulations know.
    """

    plays_actions = True
    operation = "best-response"
    gains = "plain"

    def __init__(self, *, tracking: Tracking = "ratio", scale: float | None = None) -> None:
        if scale is not None and not 0 < scale < np.inf:
            raise InvalidInputError(f"the scale of rule M must be a positive number, not {scale!r}")
        self.tracking, self.scale = tracking, scale

    def kernels(self) -> RuleKernels:
        """`purex.rules.ascent.kernels`."""
        from purex.rules.ascent.kernels import ask, hear

        return RuleKernels(ask, hear)

    def memory_size(self, problem: Problem) -> int:
        """The weights and the number of rounds."""
        return problem.n_actions + 1

    def numbers(self, problem: Problem, truth: FloatArray | None) -> FloatArray:
        """The scale of the gains."""
        if self.scale is not None:
            return np.array([self.scale])
        if truth is None:
            raise InvalidInputError(
                "rule M needs the scale of its gains where the true means are unknown: give scale=, about "
                "the value D_mu that you expect"
            )
        value = round_value(problem, truth)
        return np.array([value if 0 < value < np.inf else 1.0])
