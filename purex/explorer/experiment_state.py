"""What an explorer knows after its rewards: enough to go on from, and nothing of how it is computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.explorer.argument_checks import LARGEST
from purex.families import Family
from purex.model import Actions


class WrongStateError(InvalidInputError):
    """A state that cannot be the one of an experiment; `why` says what is wrong with it."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(f"this state cannot be restored: {why}")

    def __reduce__(self) -> tuple[type[WrongStateError], tuple[str]]:
        return type(self), (self.why,)


@dataclass(frozen=True)
class Learner:
    """The learner of one answer, and its numbers."""

    answer: int
    memory: FloatArray


@dataclass(frozen=True)
class Witness:
    """An alternative to `answer` that has shown that the experiment cannot stop yet."""

    answer: int
    point: FloatArray


@dataclass(frozen=True)
class Note:
    """The statistic and what it had to exceed after so many samples."""

    samples: int
    statistic: float
    threshold: float


@dataclass(frozen=True)
class State:
    """The numbers of an experiment, from which `Explorer.restore` goes on bit for bit.

    `counts`, `totals` and `weights` (K,) are the pulls, the sums of rewards and the sums of the weights
    played; `late_counts` and `late_totals` count and add the rewards told after the end. `barrier` is a value
    that the threshold is known to be above, if one is known; if the threshold depends on the answer, that for
    the answer `barred`. `history` is how it came so far, in notes. `spread` (2, K) is for arms of unknown
    variance: the means of the rewards and the sums of squared distances from them. With actions `weights`
    (A,) are theirs, `pulls` (A,) says how often each was done, and `late_pulls` how often after the end.
    """

    counts: FloatArray
    totals: FloatArray
    weights: FloatArray
    learners: tuple[Learner, ...]
    barrier: float | None
    witness: Witness | None
    late_counts: FloatArray
    late_totals: FloatArray
    barred: int | None = None
    history: tuple[Note, ...] = ()
    spread: FloatArray | None = None
    pulls: FloatArray | None = None
    late_pulls: FloatArray | None = None

    @property
    def samples(self) -> int:
        """The rounds before the end."""
        return int((self.counts if self.pulls is None else self.pulls).sum())

    def check_rewards(self, families: Sequence[Family], actions: Actions | None = None) -> None:
        """Refuse counts and sums that no rewards of these families have."""
        for name in ("counts", "totals", "late_counts", "late_totals"):
            _check_length(name, getattr(self, name), len(families))
        _check_length("weights", self.weights, len(families) if actions is None else actions.n_actions)
        self._check_pulls(actions)
        for what, counts in (("counts", self.counts), ("late_counts", self.late_counts)):
            if (counts < 0).any() or (counts != np.floor(counts)).any():
                _refuse(f"'{what}' must be whole numbers >= 0")
        _check_sums(families, self.counts, self.totals)
        _check_sums(families, self.late_counts, self.late_totals)
        self._check_spread(any(family.unknown_variance for family in families))

    def _check_pulls(self, actions: Actions | None) -> None:
        if actions is None:
            if self.pulls is not None or self.late_pulls is not None:
                _refuse("'pulls' are there for actions, and this experiment has none")
            return
        for what, pulls, counts in (
            ("pulls", self.pulls, self.counts),
            ("late_pulls", self.late_pulls, self.late_counts),
        ):
            if pulls is None:
                _refuse(f"'{what}' of its actions are missing")
            _check_length(what, pulls, actions.n_actions)
            if (pulls < 0).any() or (pulls != np.floor(pulls)).any():
                _refuse(f"'{what}' must be whole numbers >= 0")
            if (actions.counts(pulls) != counts).any():
                _refuse(f"'{what}' cannot belong to its counts")

    def _check_spread(self, unknown_variance: bool) -> None:
        if (self.spread is not None) is not unknown_variance:
            _refuse("'spread' is there for arms of unknown variance, and for no others")
        if self.spread is None:
            return
        for numbers in self.spread:
            _check_length("spread", numbers, len(self.counts))
        centre, squares = self.spread
        means = self.totals / np.maximum(self.counts, 1)
        slack = 8 * np.finfo(float).eps * self.counts * np.maximum(np.abs(means), np.sqrt(np.abs(squares)))
        few = (self.counts < 2) & (squares != 0)
        if (squares < 0).any() or few.any() or (np.abs(centre - means) > slack).any():
            _refuse("'spread' cannot belong to its counts and sums")

    def check_play(self, is_started: bool, memory_size: int, single: bool) -> None:
        """Refuse weights and learners that do not belong to the counts, or to a rule.

        `is_started` says whether the initial pulls are made, `memory_size` how many numbers a learner of the
        rule has, and `single` whether it has only one learner.
        """
        self._check_weights(is_started)
        self._check_history()
        if not is_started and (self.learners or self.barrier is not None or self.witness is not None):
            _refuse("it has learners before its initial pulls are made")
        self._check_learners(memory_size, single)
        if self.witness is not None:
            _check_length("point", self.witness.point, len(self.counts))

    def _check_weights(self, is_started: bool) -> None:
        n, least = self.samples, 1.0 if self.pulls is None else 0.0
        slack = 4 * (len(self.weights) + n) * np.finfo(float).eps  # of as many additions
        belongs = (self.weights >= least).all() and abs(self.weights.sum() - n) <= slack * n
        done = self.counts if self.pulls is None else self.pulls
        if not belongs if is_started else (self.weights != done).any():
            _refuse("'weights' cannot belong to its counts")

    def _check_history(self) -> None:
        times = [note.samples for note in self.history]
        if times != sorted(set(times)) or (times and not 0 < times[-1] <= self.samples):
            _refuse("'history' cannot belong to its counts")

    def _check_learners(self, memory_size: int, single: bool) -> None:
        if len(self.learners) > max(1, self.samples):
            _refuse("'learners' is longer than the experiment")
        if single and len(self.learners) > 1:
            _refuse("its rule has a single learner, but there are several")
        seen = set()
        for learner in self.learners:
            if learner.answer in seen:
                _refuse(f"there are two learners of answer {learner.answer}")
            seen.add(learner.answer)
            _check_length("memory", learner.memory, memory_size)


def _check_sums(families: Sequence[Family], counts: FloatArray, totals: FloatArray) -> None:
    """Refuse sums that so many rewards of these families cannot have."""
    for k, family in enumerate(families):
        ends = family.domain
        low, high = (counts[k] * end if counts[k] else 0.0 for end in ends)
        # a sum of rewards at an end of the interval is rounded, each time by half a spacing at most
        rounded = not family.is_exact and np.isfinite(ends).all()
        slack = counts[k] * np.spacing(max(abs(low), abs(high))) if rounded else 0.0
        if abs(totals[k]) > LARGEST * counts[k]:
            _refuse(f"the sum {float(totals[k])!r} of {counts[k]:g} rewards of arm {k} is too large")
        middle = 0.5 * (ends[0] + ends[1]) if np.isfinite(ends).all() else 0.5
        lattice = not bool(family.supports(middle))  # then all rewards are whole numbers
        if not low - slack <= totals[k] <= high + slack or (lattice and totals[k] != math.floor(totals[k])):
            _refuse(
                f"{counts[k]:g} rewards of arm {k} ({family.name}) cannot have the sum {float(totals[k])!r}"
            )


def _check_length(what: str, numbers: FloatArray, length: int) -> None:
    if np.shape(numbers) != (length,) or not np.isfinite(numbers).all():
        _refuse(f"'{what}' is no list of {length} numbers")


def _refuse(why: str) -> NoReturn:
    raise WrongStateError(why)
