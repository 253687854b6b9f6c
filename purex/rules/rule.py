"""What a sampling rule is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError, RefusedProblemError
from purex.model.kernels import Kernel, check_arguments
from purex.rules.bonus import LOGARITHM, Bonus
from purex.run_state import DIFFERENCE, DIRECT, NOTHING, RATIO

if TYPE_CHECKING:
    from purex.problem import Problem


Tracking = Literal["ratio", "difference", "direct", "none"]
Intervals = Literal["none", "kl", "sub-gaussian"]
Operation = Literal["none", "best-response", "max-min", "optimistic"]
Gains = Literal["none", "plain", "optimistic"]

TRACKING = {"ratio": RATIO, "difference": DIFFERENCE, "direct": DIRECT, "none": NOTHING}
ARRAYS = ("n", "f", "N", "mean", "mu", "alpha", "beta", "answer", "memory", "pulls")  # one row per run


class Rule:
    """A sampling rule: in each round it chooses weights, and the tracking turns them into an arm.

    `tracking` says how; `learners` is "per-answer" where each candidate answer has a learner of its own (with
    `memory_size` numbers, beginning as `start`), else "single". `intervals` are the confidence intervals
    that the rule wants, from the bonus f. A rule that looks at delta says so in `uses_delta`, and one whose
    weights may be those of actions in `plays_actions`; one that is made of another rule has it as `inner`.
    With `eliminates` the engine drops refuted pieces.
    """

    uses_delta: bool = False
    eliminates: bool = False
    inner: Rule | None = None
    plays_actions: bool = False
    tracking: Tracking = "ratio"
    learners: Literal["per-answer", "single"] = "single"
    intervals: Intervals = "none"
    bonus: Bonus = LOGARITHM

    def check(self, problem: Problem) -> None:
        """Raise `RefusedProblemError`, which says why, for a problem that the rule cannot play."""

    def memory_size(self, problem: Problem) -> int:
        """How many numbers a learner keeps."""
        return 0

    def for_actions(self) -> Rule:
        """The rule that plays in its place where there are actions."""
        return self

    def start(self, problem: Problem) -> FloatArray:
        """The memory of a new learner."""
        return np.zeros(self.memory_size(problem))


@dataclass(frozen=True)
class RuleKernels:
    """One round of a rule as a conversation with an oracle, compiled by `purex.jit.njit`.

    - ``ask(call, now, x, memory, numbers) -> bool`` prepares call number `call` of the round and returns
      True, or leaves the weights to be tracked in x[PLAY] and returns False;
    - ``hear(call, now, x, memory, numbers)`` takes the oracle's reply.

    `now` is a `purex.run_state.Moment`, x the run's table, `memory` that of the learner of the candidate
    answer, `numbers` the rule's. The oracle gets x[PLAY] and x[XI] and leaves its point in x[LAM] (its
    allocation in x[PLAY]); the gains are in x[GAIN_ALPHA] and x[GAIN_BETA]. Parts know neither families nor
    queries, so the same ones serve every problem, compiled or not.
    """

    ask: Kernel
    hear: Kernel

    def __post_init__(self) -> None:
        check_arguments("ask", self.ask, "call, now, x, memory, numbers")
        check_arguments("hear", self.hear, "call, now, x, memory, numbers")


class CompiledRule(Rule, ABC):
    """A rule made of compiled parts: a conversation with an oracle, see `RuleKernels`.

    `operation` is the oracle that it asks, `gains` what it wants to know of the oracle's point. With
    `larger_gain` it only takes the larger of the two optimistic gains: one row may hold it, the other 0. With
    `at_counts` it asks about the counts so far, and plays one arm.
    """

    operation: Operation = "none"
    gains: Gains = "none"
    larger_gain: bool = False
    at_counts: bool = False

    @abstractmethod
    def kernels(self) -> RuleKernels:
        """The parts; importing them imports numba, so it is done here."""

    def check(self, problem: Problem) -> None:
        """Refuse a problem without the oracle that the rule needs."""
        if self.operation == "optimistic":
            problem.game.check_optimistic()

    def numbers(self, problem: Problem, truth: FloatArray | None) -> FloatArray:
        """The numbers for the parts; `truth` are the true means, known in simulations only."""
        return np.zeros(1)


@dataclass(frozen=True)
class Round:
    """What a `BatchRule` sees: one row per run, all about the same round of each.

    `pulls` (R, A) counts the actions of a problem that has some.
    `memory` (R, M) may be written to. `uniforms(c)` are numbers (R,) in (0, 1), a function of seed, run,
    round and c.
    """

    problem: Problem
    n: IntArray
    f: FloatArray
    N: FloatArray
    mean: FloatArray
    mu: FloatArray
    alpha: FloatArray
    beta: FloatArray
    answer: IntArray
    memory: FloatArray
    uniforms: Callable[[int], FloatArray]
    log_inverse_delta: float = np.nan
    pulls: FloatArray | None = None

    def part(self, rows: IntArray, memory: FloatArray | None = None) -> Round:
        """The round of some rows only, with a memory of its own if one is given."""
        arrays = {name: getattr(self, name)[rows] for name in ARRAYS if getattr(self, name) is not None}
        if memory is not None:
            arrays["memory"] = memory
        return replace(self, **arrays, uniforms=lambda c: self.uniforms(c)[rows])


class BatchRule(Rule, ABC):
    """A rule in numpy: whole batches in lock-step. Row r of the weights must depend on row r only."""

    @abstractmethod
    def play(self, now: Round) -> FloatArray:
        """The weights (R, K) to be tracked."""


def check_playable(rule: Rule, problem: Problem) -> None:
    """Raise an error, which says why, for a problem that a rule cannot play.

    Rules in numpy choose rows of a batch as they like, and sub-Gaussian intervals need a variance: neither
    is for arms of unknown variance, whose deviations belong to the rows.
    """
    if problem.actions is not None and not rule.plays_actions:
        raise RefusedProblemError(
            f"the rule {type(rule).__name__} chooses arms, not actions: use one of the paper's, FWS or IDS"
        )
    if problem.arms.unknown_variance:
        if not isinstance(rule, CompiledRule):
            raise RefusedProblemError(
                f"the rule {type(rule).__name__} is not for arms of unknown variance: use D, D1, T, M or RR"
            )
        if rule.intervals == "sub-gaussian":
            raise RefusedProblemError(
                "sub-Gaussian intervals need a variance, and those of these arms are unknown: leave out "
                "intervals='sub-gaussian'"
            )
    rule.check(problem)


def choose_tracking(letter: str, tracking: Any = None) -> Tracking:
    """The tracking of a rule with -C or -D behind its letter; `tracking` changes -C to differences.

    >>> choose_tracking("C"), choose_tracking("C", "difference"), choose_tracking("D")
    ('ratio', 'difference', 'direct')
    """
    if letter == "D":
        if tracking is not None:
            raise InvalidInputError(
                f"a rule with -D tracks directly and takes no tracking={tracking!r}; that with -C does"
            )
        return "direct"
    if tracking not in (None, "ratio", "difference"):
        raise InvalidInputError(f"cumulative tracking is by 'ratio' or 'difference', not {tracking!r}")
    return "difference" if tracking == "difference" else "ratio"
