"""Games in which the k-player learns and the lambda-player answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.rules.game import PLAYERS, Game, KPlayer, LambdaPlayer
from purex.rules.game.acting import ActingAnswered, check_k_player
from purex.rules.rule import CompiledRule, Rule, RuleKernels

if TYPE_CHECKING:
    from purex.problem import Problem


class Answered(Game, CompiledRule):
    """The k-player learns, the lambda-player answers: one oracle call a round.

    AdaHedge against the best response is rule D, `purex.rules.hedge.Hedge`.
    """

    operation = "best-response"
    gains = "optimistic"
    larger_gain = True
    plays_actions = True

    def __init__(
        self, *, k: KPlayer = "adahedge", lam: LambdaPlayer = "be-the-leader", **options: Any
    ) -> None:
        super().__init__(k=k, lam=lam, order="k-first", **options)
        if k == "adahedge" and lam == "best-response":
            raise InvalidInputError("AdaHedge against the best response is rule D: take Hedge")

    def check(self, problem: Problem) -> None:
        """Refuse k-players that cannot move actions, if there are some."""
        check_k_player(self, problem)

    def for_actions(self) -> Rule:
        """The same rule in numpy."""
        return ActingAnswered(self)

    def kernels(self) -> RuleKernels:
        """`purex.rules.game.answered_kernels`."""
        from purex.rules.game.answered_kernels import ask, hear

        return RuleKernels(ask, hear)

    def memory_size(self, problem: Problem) -> int:
        """The k-player's and the leader's."""
        return 3 * problem.n_arms + 1

    def numbers(self, problem: Problem, truth: FloatArray | None) -> FloatArray:
        """The k-player, whether lambda is the leader, the scale."""
        return np.array([PLAYERS[self.k], self.lam == "be-the-leader", self.gain_scale(problem, truth)])
