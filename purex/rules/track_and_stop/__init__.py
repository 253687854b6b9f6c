"""Rule T: the oracle weights of the empirical means (Garivier & Kaufmann 2016)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from purex.arrays import FloatArray
from purex.errors import InvalidInputError, RefusedProblemError
from purex.rules.rule import CompiledRule, RuleKernels, Tracking

if TYPE_CHECKING:
    from purex.problem import Problem


class TrackAndStop(CompiledRule):
    """Track-and-Stop (Garivier & Kaufmann 2016): the weights of the empirical means, exploration forced.

    The game is solved in every round; or, with `resolve` = r > 1, once for each candidate answer when it
    first comes up, and again when its weights are older than a factor r of rounds; in between they are kept.
    This is for problems whose games take long to solve.

    `sticky` is for questions with several correct answers (Degenne & Koolen 2019, Pure exploration with
    multiple correct answers, section 4): the candidate is not the answer of the means, which may change for
    ever between two that are equally easy, but the first one, in the order of the query, that the confidence
    intervals allow (`Query.candidate`). Then the counts approach the weights of one answer.
    """

    plays_actions = True
    operation = "max-min"

    def __init__(
        self, *, tracking: Tracking = "ratio", resolve: float | None = None, sticky: bool = False
    ) -> None:
        if resolve is not None and not 1.0 < resolve < np.inf:
            raise InvalidInputError(
                f"resolve is the factor between rounds in which a game is solved, above 1, not {resolve!r}"
            )
        if not isinstance(sticky, bool):
            raise InvalidInputError(f"rule T is sticky=True or sticky=False, not {sticky!r}")
        self.tracking, self.resolve, self.sticky = tracking, resolve, sticky
        self.intervals = "kl" if sticky else "none"
        self.learners = "single" if resolve is None else "per-answer"

    def check(self, problem: Problem) -> None:
        """Refuse to stick to the only answer."""
        if self.sticky and problem.query.unique:
            raise RefusedProblemError(
                f"sticky=True is for questions with several correct answers, such as epsilon-best-arm and "
                f"good-arm, and {type(problem.query).__name__} has one: leave it out"
            )
        super().check(problem)

    def kernels(self) -> RuleKernels:
        """`purex.rules.track_and_stop.kernels`."""
        from purex.rules.track_and_stop.kernels import ask, hear

        return RuleKernels(ask, hear)

    def memory_size(self, problem: Problem) -> int:
        """The next round of the grid, and the weights."""
        return 0 if self.resolve is None else problem.n_actions + 1

    def numbers(self, problem: Problem, truth: FloatArray | None) -> FloatArray:
        """The factor of the grid, or 0."""
        return np.array([self.resolve or 0.0])
