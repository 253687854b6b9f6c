"""Rules in batches: the weights of another rule, kept while the samples grow by a factor."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError
from purex.model.kernels import kernel_name
from purex.rules.batched.memory import ANSWER, NEXT, SEEN, WEIGHTS, count_batches, next_start
from purex.rules.rule import BatchRule, CompiledRule, Round, Rule, RuleKernels

if TYPE_CHECKING:
    from purex.problem import Problem

FACTOR = 1.5
LEAST_FACTOR = 1.01  # below it there are more batches than a memory has room for


class Batched(Rule):
    r"""A rule that is asked after $n_1, n_2, \ldots$ samples only, $n_{j+1} = \lceil c\, n_j \rceil$.

    The weights that it plays there are played, and tracked, in all rounds up to the next: so rewards are
    needed $\log_c n$ times in n samples. The first batch starts after the initial pulls. `inner` learns where
    it is asked, and nowhere else.

    >>> from purex.rules import TrackAndStop
    >>> rule = batched(TrackAndStop(), factor=2)
    >>> type(rule).__name__, rule.tracking
    ('BatchedKernels', 'ratio')
    """

    inner: Rule

    def __init__(self, inner: Rule, factor: float = FACTOR) -> None:
        is_number = isinstance(factor, int | float) and not isinstance(factor, bool)
        if not is_number or not LEAST_FACTOR <= factor < np.inf:
            raise InvalidInputError(
                f"the factor of batched is by how much samples grow in a batch, a number from {LEAST_FACTOR} "
                f"on, not {factor!r}"
            )
        if isinstance(inner, Batched):
            raise InvalidInputError("a batched rule is not batched again: give the rule inside")
        if inner.tracking == "none":
            raise InvalidInputError(
                f"batched keeps the weights of a rule for a whole batch, but {type(inner).__name__} plays a "
                "single arm: use D, T, M or O"
            )
        self.inner, self.factor = inner, float(factor)
        self.tracking, self.intervals, self.bonus = inner.tracking, inner.intervals, inner.bonus
        self.uses_delta = inner.uses_delta

    def check(self, problem: Problem) -> None:
        """Refuse what the rule inside refuses."""
        self.inner.check(problem)

    @property
    def is_single(self) -> bool:
        """Whether the rule inside has one learner for all answers."""
        return self.inner.learners == "single"

    def start(self, problem: Problem) -> FloatArray:
        """No weights yet, and new inner learners: for all answers, or as many as there can be batches."""
        answers, number = problem.query.answers(), 1
        if not self.is_single:
            number = count_batches(self.factor)
            number = number if answers is None else min(number, len(answers))
        learner = np.concatenate([np.zeros(ANSWER), self.inner.start(problem)])
        return np.concatenate([np.zeros(WEIGHTS + problem.n_arms), np.tile(learner, number)])

    def memory_size(self, problem: Problem) -> int:
        """The next start, the weights, and the inner learners."""
        return len(self.start(problem))


class BatchedKernels(Batched, CompiledRule):
    """A compiled rule in batches."""

    inner: CompiledRule

    def __init__(self, inner: CompiledRule, factor: float = FACTOR) -> None:
        super().__init__(inner, factor)
        self.operation, self.gains = inner.operation, inner.gains
        self.larger_gain = inner.larger_gain

    def kernels(self) -> RuleKernels:
        """`purex.rules.batched.kernels` around those of the rule inside."""
        return _around(self.inner.kernels())

    def numbers(self, problem: Problem, truth: FloatArray | None) -> FloatArray:
        """Those of the rule inside, and `FACTOR`, `SIZE` and `IS_SINGLE` of `memory`."""
        own = [self.factor, self.inner.memory_size(problem), self.is_single]
        return np.concatenate([self.inner.numbers(problem, truth), own])


class BatchedPlays(Batched, BatchRule):
    """A rule in numpy in batches."""

    inner: BatchRule

    def play(self, now: Round) -> FloatArray:
        """The weights of the batch of each row; the rule inside sees the rows whose batch starts."""
        K, memory = now.N.shape[1], now.memory
        rows = np.flatnonzero(now.n >= memory[:, NEXT])
        if len(rows):
            size = self.inner.memory_size(now.problem)
            at = rows[:, None], self._find_learners(now, rows, size)[:, None] + np.arange(size)
            seen = now.part(rows, memory=memory[at])
            memory[rows, WEIGHTS : WEIGHTS + K] = self.inner.play(seen)
            memory[at] = seen.memory
            memory[rows, NEXT] = [next_start(float(n), self.factor) for n in now.n[rows]]
        return memory[:, WEIGHTS : WEIGHTS + K].copy()

    def _find_learners(self, now: Round, rows: IntArray, size: int) -> IntArray:
        """Where the memory of each row's inner learner begins: as in `kernels.find_learner`."""
        memory, first = now.memory, np.full(len(rows), WEIGHTS + now.N.shape[1])
        for j, r in enumerate(() if self.is_single else rows):
            answer, place = divmod(int(now.answer[r]), 2**32), int(first[j])
            end = place + int(memory[r, SEEN]) * (ANSWER + size)
            while place < end and tuple(memory[r, place : place + ANSWER]) != answer:
                place += ANSWER + size
            if place == end:
                memory[r, SEEN] += 1
                memory[r, place : place + ANSWER] = answer
            first[j] = place
        return first + ANSWER


def batched(inner: Rule, factor: float = FACTOR) -> Batched:
    """A rule in batches, compiled if it is."""
    if isinstance(inner, CompiledRule):
        return BatchedKernels(inner, factor)
    if isinstance(inner, BatchRule):
        return BatchedPlays(inner, factor)
    raise InvalidInputError(f"only rules can be batched, not {inner!r}")


@cache
def _around(inner: RuleKernels) -> RuleKernels:
    from purex.jit import specialise
    from purex.rules.batched import kernels

    return RuleKernels(
        specialise(kernels.ask, f"batched_{kernel_name(inner.ask)}", inline=True, inner_ask=inner.ask),
        specialise(kernels.hear, f"batched_{kernel_name(inner.hear)}", inline=True, inner_hear=inner.hear),
    )
