"""Games in which the lambda-player is an ensemble of projected gradient descents: rule OGD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.rules.game import Game, KPlayer, Order
from purex.rules.game.acting import check_k_player, k_moves
from purex.rules.rule import BatchRule, Round

if TYPE_CHECKING:
    from purex.learners.gradient_ensemble import GradientEnsemble
    from purex.problem import Problem


class Descent(Game, BatchRule):
    """The lambda-player descends on each convex piece of the alternative (section 3.2 of the paper).

    `coordinates` are those of the gradients, "mean" or "natural"; `projection` is "fast" or "cvxpy", its
    referee. The problem needs a finite box.
    """

    plays_actions = True

    def __init__(
        self,
        *,
        k: KPlayer = "best-response",
        order: Order = "lambda-first",
        coordinates: Literal["mean", "natural"] = "mean",
        projection: Literal["fast", "cvxpy"] = "fast",
        single: bool = False,
        **options: Any,
    ) -> None:
        if single:
            raise InvalidInputError(
                "gradient descent lives on the alternative to one answer, so one learner cannot serve all "
                "answers: leave single=False"
            )
        for name, given, known in (
            ("coordinates", coordinates, ("mean", "natural")),
            ("projection", projection, ("fast", "cvxpy")),
        ):
            if given not in known:
                raise InvalidInputError(
                    f"the {name} of gradient descent: {' or '.join(known)}, not {given!r}"
                )
        super().__init__(k=k, lam="ogd", order=order, **options)
        if k == "mirror-ascent" and self.scale is None:
            raise InvalidInputError(
                "mirror ascent against gradient descent needs the scale of its gains: give scale=, about the "
                "value D_mu that you expect"
            )
        self.coordinates, self.projection = coordinates, projection
        self._built: tuple[Problem, GradientEnsemble] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_built": None}  # compiled programs do not travel between processes

    def ensemble(self, problem: Problem) -> GradientEnsemble:
        """The lambda-learners of a problem, made once."""
        if self._built is None or self._built[0] is not problem:
            from purex.learners.gradient_ensemble import GradientEnsemble  # it imports numba

            self._built = problem, GradientEnsemble(problem, self.coordinates, self.projection)
        return self._built[1]

    def check(self, problem: Problem) -> None:
        """Refuse a problem without a box, or with pieces that are not convex in these coordinates."""
        check_k_player(self, problem)
        ensemble = self.ensemble(problem)
        ensemble.solvers(
            int(problem.answer(np.full((1, problem.n_arms), (problem.lower + problem.upper) / 2))[0])
        )

    def memory_size(self, problem: Problem) -> int:
        """The k-player's and the ensemble's."""
        return problem.n_actions + 1 + self.ensemble(problem).memory_size

    def play(self, now: Round) -> FloatArray:
        """One round: the ensemble's play, the optimistic gains, the k-player's, and both learn."""
        ensemble, K, actions = self.ensemble(now.problem), now.problem.n_actions, now.problem.actions
        w = np.empty((len(now.mu), K))
        for code in np.unique(now.answer):
            rows = np.flatnonzero(now.answer == code)
            memory, mu, i = now.memory[rows], now.mu[rows], int(code)
            p, points = ensemble.play(i, memory[:, K + 1 :], mu)
            gain = self.optimism(now, rows, p, points)
            own = np.ascontiguousarray(memory[:, : K + 1])
            weights = k_moves(self.k, own, gain, self.scale or 1.0, actions)
            memory[:, : K + 1], w[rows] = own, weights
            seen = weights if actions is None else actions.counts(actions.pull_shares(weights))
            ensemble.update(i, memory[:, K + 1 :], seen, mu)
            now.memory[rows] = memory
        return w

    def optimism(self, now: Round, rows: Any, p: FloatArray, points: FloatArray) -> FloatArray:
        """The optimistic gains U (R, K) of q, or of lambda."""
        arms, floor = now.problem.arms, now.f[rows, None] / np.maximum(now.N[rows], 1.0)
        below, above = (arms.d(end[rows][:, None], points) for end in (now.alpha, now.beta))
        if self.of == "lambda":
            below = above = np.maximum(floor[:, None], np.maximum(below, above))
        low, high = np.zeros_like(floor), np.zeros_like(floor)
        for j in range(p.shape[1]):
            low += p[:, j, None] * below[:, j]
            high += p[:, j, None] * above[:, j]
        gain: FloatArray = np.maximum(floor, np.maximum(low, high))
        return gain
