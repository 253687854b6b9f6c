"""What a sampling rule is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError
from purex.rows import DIFFERENCE, DIRECT, NOTHING, RATIO
from purex.rules.bonus import LOGARITHM, Bonus

if TYPE_CHECKING:
    from purex.problem import Problem


Tracking = Literal["ratio", "difference", "direct", "none"]
Intervals = Literal["none", "kl", "sub-gaussian"]
Operation = Literal["none", "best-response", "max-min", "optimistic"]
Gains = Literal["none", "plain", "optimistic"]

TRACKING = {"ratio": RATIO, "difference": DIFFERENCE, "direct": DIRECT, "none": NOTHING}


class Rule:
    """A sampling rule: in each round it chooses weights, and the tracking makes an arm of them.

    `tracking` says how; `learners` is "per-answer" where each candidate answer has a learner of its own (with
    `memory_size` numbers, beginning as `start`), else "single". `intervals` are the confidence intervals
    that the rule wants, from the bonus f. A rule that looks at delta says so in `uses_delta`.
    """

    uses_delta: ClassVar[bool] = False

    tracking: Tracking = "ratio"
    learners: Literal["per-answer", "single"] = "single"
    intervals: Intervals = "none"
    bonus: Bonus = LOGARITHM

    def check(self, problem: Problem) -> None:
        """Refuse a problem that the rule cannot play, with a sentence (`RefusedProblemError`)."""

    def memory_size(self, problem: Problem) -> int:
        """How many numbers a learner keeps."""
        return 0

    def start(self, problem: Problem) -> FloatArray:
        """The memory of a new learner."""
        return np.zeros(self.memory_size(problem))


class CompiledRule(Rule):
    """A rule made of compiled parts: `parts` is the module with `ask` and `hear` (see `purex.rules.parts`).

    `operation` is the oracle that it asks, `gains` what it wants to know of the oracle's point.
    """

    parts: ClassVar[str]
    operation: Operation = "none"
    gains: Gains = "none"

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


class BatchRule(Rule, ABC):
    """A rule in numpy: whole batches in lock-step. Row r of the weights must depend on row r only."""

    @abstractmethod
    def play(self, now: Round) -> FloatArray:
        """The weights (R, K) to be tracked."""


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
