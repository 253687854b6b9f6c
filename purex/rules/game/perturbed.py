"""Games in which the lambda-player follows the perturbed leader: rule FTPL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.rules.game import PLAYERS, Game, KPlayer, Order
from purex.rules.game.acting import ActingPerturbed, check_k_player
from purex.rules.rule import CompiledRule, Rule, RuleKernels
from purex.whole_numbers import is_whole

if TYPE_CHECKING:
    from purex.problem import Problem

SAMPLES = 64  # of q_t a round
ETA = 1.0


class Perturbed(Game, CompiledRule):
    """The lambda-player follows the perturbed leader (section 3.2 of the paper): one oracle call per sample.

    `samples` is the number of samples of q_t a round; None takes t in round t, as the paper does. The
    perturbation of an arm with V pulls has mean sqrt(V)/eta.
    """

    operation = "best-response"
    gains = "optimistic"
    plays_actions = True

    def __init__(
        self,
        *,
        k: KPlayer = "best-response",
        order: Order = "lambda-first",
        samples: int | None = SAMPLES,
        eta: float = ETA,
        **options: Any,
    ) -> None:
        super().__init__(k=k, lam="ftpl", order=order, **options)
        if samples is not None and not is_whole(samples, 1):
            raise InvalidInputError(
                "samples must be a whole number, at least 1, or None for t samples in round t, not "
                f"{samples!r}"
            )
        if isinstance(eta, bool) or not isinstance(eta, int | float) or not 0 < eta < np.inf:
            raise InvalidInputError(f"the eta of the perturbations must be a positive number, not {eta!r}")
        self.samples, self.eta = samples, float(eta)

    def check(self, problem: Problem) -> None:
        """Refuse k-players that cannot move actions, if there are some."""
        check_k_player(self, problem)

    def for_actions(self) -> Rule:
        """The same rule in numpy."""
        return ActingPerturbed(self)

    def kernels(self) -> RuleKernels:
        """`purex.rules.game.perturbed_kernels`."""
        from purex.rules.game.perturbed_kernels import ask, hear

        return RuleKernels(ask, hear)

    def memory_size(self, problem: Problem) -> int:
        """The k-player's and the leader's."""
        return 3 * problem.n_arms + 1

    def numbers(self, problem: Problem, truth: FloatArray | None) -> FloatArray:
        """The k-player, the form of U, the samples (0 for t), eta, the scale."""
        scale = self.gain_scale(problem, truth)
        return np.array([PLAYERS[self.k], self.of == "lambda", self.samples or 0, self.eta, scale])
