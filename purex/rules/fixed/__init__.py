"""Rules RR and opt: fixed weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.rules.rule import CompiledRule, RuleKernels, Tracking
from purex.rules.truth import solve_truth

if TYPE_CHECKING:
    from purex.problem import Problem


class FixedWeights(CompiledRule):
    """The same weights in every round."""

    plays_actions = True

    def kernels(self) -> RuleKernels:
        """`purex.rules.fixed.kernels`."""
        from purex.rules.fixed.kernels import ask, hear

        return RuleKernels(ask, hear)


class Uniform(FixedWeights):
    """All arms in turn, or all actions."""

    def numbers(self, problem: Problem, truth: FloatArray | None) -> FloatArray:
        """Equal weights of the rounds."""
        uniform = np.full(problem.n_actions, 1 / problem.n_actions)
        return uniform if problem.actions is None else problem.actions.cost_shares(uniform)


class OracleWeights(FixedWeights):
    """The weights w*(mu) of the true model, which only a simulation knows."""

    def __init__(self, *, tracking: Tracking = "ratio") -> None:
        self.tracking = tracking

    def numbers(self, problem: Problem, truth: FloatArray | None) -> FloatArray:
        """The allocation of the game at the truth."""
        if truth is None:
            raise InvalidInputError(
                "rule opt plays the weights of the true means, which a real experiment does not know: "
                "use D, T or O"
            )
        return solve_truth(problem, truth)[1]
