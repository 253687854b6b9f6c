r"""The $\lambda$-player as the k-player sees it who plays actions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.games.opponent import Answers, Bend, Opponent
from purex.model import Actions


class Observed(Opponent):
    r"""An opponent against shares w (A,) of the cost of actions instead of weights of arms.

    It answers the weights $v^k = \sum_a O_{ak} w_a/c_a$; action a earns
    $\sum_k O_{ak} d(\mu^k, \lambda^k)/c_a$, the gradient of the value in $w_a$.

    >>> from purex.families import Arms, Gaussian
    >>> from purex.games.opponent import PieceByPiece
    >>> from purex.problem import Problem
    >>> from purex_plugins.best_arm import BestArm
    >>> problem = Problem(Arms.of(Gaussian(), 2), BestArm(2), oracle="generic")
    >>> inner = PieceByPiece(problem.oracle.solvers(0), problem.arms, np.array([1.0, 0.0]))
    >>> joint = Observed(inner, Actions([[True, True]], [1.0]))  # one action shows both arms
    >>> joint.respond(np.array([1.0])).value
    array([[0.25]])
    """

    def __init__(self, arms_player: Opponent, actions: Actions) -> None:
        self.inner, self.actions = arms_player, actions
        self.arms, self.mu, self.numbers = arms_player.arms, arms_player.mu, arms_player.numbers

    @property
    def n_moves(self) -> int:
        """The number A of actions."""
        return self.actions.n_actions

    def respond(self, w: FloatArray, pieces: Sequence[int] | NDArray[np.intp] | None = None) -> Answers:
        """The answers of these pieces (all by default) to shares w (A,) or (R, A)."""
        return self._earned(self.inner.respond(self.actions.arm_weights(np.atleast_2d(w)), pieces))

    def look(self, w: FloatArray, curved: NDArray[np.intp]) -> tuple[Answers, Bend]:
        r"""The answers of all pieces to w (A,) > 0, and how the earnings bend there.

        By the chain rule, with $\partial \ln v^l/\partial \ln w_b = O_{bl} w_b/(c_b v^l)$.
        """
        v = self.actions.arm_weights(w)
        answers, bend = self.inner.look(v, curved)
        rates = self.actions.rates
        shares = rates * w[:, None] / np.where(v > 0, v, 1.0)  # at [b, l]

        def earned_bend(q: FloatArray) -> FloatArray:
            return np.asarray(rates @ bend(q) @ shares.T)

        return self._earned(answers), earned_bend

    def without(self, gone: NDArray[np.bool_]) -> Observed:
        """The same opponent without some of its pieces."""
        return Observed(self.inner.without(gone), self.actions)

    def payoffs(self, points: FloatArray) -> FloatArray:
        """What each action earns (M, A) against points (M, K)."""
        return self.actions.earnings(self.inner.payoffs(points))

    def _earned(self, answers: Answers) -> Answers:
        return answers._replace(d=self.actions.earnings(answers.d))
