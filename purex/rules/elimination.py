"""Rules with elimination: what the data refuted once is not looked at again (Tirinzoni & Degenne 2022)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from purex.arrays import FloatArray
from purex.errors import InvalidInputError, RefusedProblemError
from purex.rules.rule import CompiledRule, Rule, RuleKernels

if TYPE_CHECKING:
    from purex.problem import Problem

MOST_ANSWERS = 1000  # whose pieces are gone through before a run
OPERATIONS = ("none", "best-response", "max-min")  # those that are about one answer and its pieces


class Elimination(CompiledRule):
    r"""A rule for which the pieces of the alternatives are dropped one by one, each for good.

    A piece C of the alternative to the candidate is refuted at the first n with
    $\inf_{\lambda \in C} \sum_k N^k d(\hat\mu^k, \lambda^k) > \beta(n, \delta)$; the run stops when all
    pieces of its candidate are, one after the other. Without elimination all of them have to be beyond the
    threshold at one time. The rule `inner` gets best responses, or the weights of the game, against the
    pieces that are left. (Tirinzoni &
    Degenne 2022, On elimination strategies for bandit fixed-confidence identification.)

    The engine does it (`purex.engine.elimination`), on the lock-step path, in simulations.
    """

    inner: CompiledRule
    eliminates = True
    uses_delta = True

    def __init__(self, inner: Rule) -> None:
        if not isinstance(inner, CompiledRule) or inner.operation not in OPERATIONS:
            raise InvalidInputError(
                f"elimination is for rules that ask for best responses, for the game at the means, or for "
                f"nothing, not for {type(inner).__name__}: use D, T, M, IDS, FTPL or RR"
            )
        if inner.eliminates:
            raise InvalidInputError("elimination is not done twice: give the rule inside")
        self.inner = inner
        self.operation, self.gains = inner.operation, inner.gains
        self.tracking, self.learners = inner.tracking, inner.learners
        self.intervals, self.bonus = inner.intervals, inner.bonus

    def check(self, problem: Problem) -> None:
        """Refuse pieces that cannot be listed, or that only somebody else's oracle knows."""
        self.inner.check(problem)
        answers = problem.query.answers()
        if answers is None or len(answers) > MOST_ANSWERS:
            raise RefusedProblemError(
                f"elimination goes through the pieces of all answers, and those of "
                f"{type(problem.query).__name__} are more than {MOST_ANSWERS}: use the rule inside"
            )
        if problem.arms.unknown_variance or problem.foreign_oracle is not None:
            what = "arms of unknown variance" if problem.arms.unknown_variance else problem.foreign_oracle
            raise RefusedProblemError(f"elimination is not implemented for {what}: use the rule inside")

    def kernels(self) -> RuleKernels:
        """Those of the rule inside."""
        return self.inner.kernels()

    def numbers(self, problem: Problem, truth: FloatArray | None) -> FloatArray:
        """Those of the rule inside."""
        return self.inner.numbers(problem, truth)

    def memory_size(self, problem: Problem) -> int:
        """That of the rule inside."""
        return self.inner.memory_size(problem)

    def start(self, problem: Problem) -> FloatArray:
        """That of the rule inside."""
        return self.inner.start(problem)
