"""The state of a batch of runs: arrays with one row per run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from purex.arrays import BoolArray, FloatArray, IntArray
from purex.run_state import NOBODY, ROWS, LearnerArrays, N, RunArrays

NEVER = 2**62  # samples
SLOTS = 2  # learners per run at the start
CENTRE, SQUARES = range(2)  # the rows of `spread`


@dataclass
class Batch:
    """R runs: `table` (R, ROWS, K) holds the vectors of `purex.run_state`, the rest is one number per run.

    The arrays are those of `RunArrays`, which kernels take; `crossed` counts the deltas for which a run has
    stopped. `spread` (R, 2, K) is for arms of unknown variance only: the means of the rewards, by Welford's
    recursion, and the sums of squared distances from them. `moves` (R, ROWS, A) and `pulls` (R, A) are for
    problems with A actions only (else A is 0): the table of actions that a rule sees, and how often each was
    chosen. `refuted` (R, pieces) is for elimination only.
    """

    run: IntArray
    n: IntArray
    status: IntArray
    barrier: FloatArray
    barred: IntArray
    least: FloatArray
    checked: IntArray
    look: IntArray
    aside: IntArray
    quiet: FloatArray
    statistic: FloatArray
    candidate: IntArray
    crossed: IntArray
    table: FloatArray
    slot: IntArray
    answers: IntArray
    seen: IntArray
    memory: FloatArray
    witness: IntArray
    spread: FloatArray
    moves: FloatArray
    pulls: FloatArray
    refuted: BoolArray

    @classmethod
    def of(cls, runs: IntArray, n_arms: int, memory_size: int, n_actions: int = 0) -> Batch:
        """Fresh runs with these numbers."""
        R = len(runs)

        def whole() -> IntArray:
            return np.zeros(R, dtype=np.int64)

        return cls(
            run=np.array(runs, dtype=np.int64),
            n=whole(),
            status=whole(),
            barrier=np.full(R, -np.inf),
            barred=np.full(R, NOBODY),
            least=np.full(R, -np.inf),
            checked=whole(),
            look=np.full(R, NEVER),
            aside=np.full(R, NOBODY),
            quiet=np.full(R, -np.inf),
            statistic=np.zeros(R),
            candidate=whole(),
            crossed=whole(),
            table=np.zeros((R, ROWS, n_arms)),
            slot=whole(),
            answers=np.full((R, SLOTS), NOBODY),
            seen=whole(),
            memory=np.zeros((R, SLOTS, memory_size)),
            witness=np.full(R, NOBODY),
            spread=np.zeros((R, 2, n_arms)),
            moves=np.zeros((R, ROWS, n_actions)),
            pulls=np.zeros((R, n_actions)),
            refuted=np.zeros((R, 0), dtype=np.bool_),
        )

    @property
    def chosen(self) -> FloatArray:
        """How often each arm was pulled (R, K), or each action chosen (R, A)."""
        return self.pulls if self.pulls.shape[1] else self.table[:, N]

    @property
    def plays(self) -> FloatArray:
        """The table that a rule sees: `table`, or `moves` where there are actions."""
        return self.moves if self.pulls.shape[1] else self.table

    @property
    def arrays(self) -> RunArrays:
        """What kernels take: the arrays of this moment, which `grow` replaces."""
        return RunArrays(
            self.run, self.n, self.status, self.barrier, self.barred, self.least, self.checked, self.look,
            self.aside, self.quiet, self.statistic, self.candidate, self.table, self.slot, self.answers,
            self.seen, self.memory, self.witness,
        )  # fmt: skip

    @property
    def learners(self) -> LearnerArrays:
        """What kernels take that only talk with learners."""
        return LearnerArrays(
            self.run, self.n, self.candidate, self.table, self.slot, self.answers, self.seen, self.memory
        )

    def limits(self, at: Any) -> FloatArray:
        """What the statistics of these rows' candidates have to pass before a threshold is evaluated."""
        barred = self.barred[at] == self.candidate[at]
        return np.asarray(np.where(barred, self.barrier[at], self.least[at]))

    def see(self, rows: IntArray, arms: IntArray, rewards: FloatArray) -> None:
        """Add rewards, which are not yet counted, to the spread of their arms.

        The mean is exactly that of rewards that are all the same, whose squares then stay 0.
        """
        k, x = arms[rows], rewards[rows]
        off = x - self.spread[rows, CENTRE, k]
        self.spread[rows, CENTRE, k] += off / (self.table[rows, N, k] + 1.0)
        self.spread[rows, SQUARES, k] += off * (x - self.spread[rows, CENTRE, k])

    def deviations(self, at: Any) -> FloatArray:
        """The standard deviations (R, K) of the rewards of these rows, or (K,) of one."""
        return np.asarray(np.sqrt(self.spread[at, SQUARES] / self.table[at, N]))

    def grow(self) -> None:
        """Make room for twice as many learners."""
        more = np.full_like(self.answers, NOBODY)
        self.answers = np.concatenate([self.answers, more], axis=1)
        self.memory = np.concatenate([self.memory, np.zeros_like(self.memory)], axis=1)

    def take_over(self, other: Batch) -> None:
        """Become equal to another batch, in the arrays that are here wherever they have room."""
        for name, array in vars(other).items():
            mine = getattr(self, name)
            if mine.shape == array.shape:
                mine[...] = array
            else:
                setattr(self, name, array.copy())

    def copy(self, rows: IntArray | slice = slice(None)) -> Batch:
        """A batch of these rows, with arrays of its own."""
        return Batch(**{name: np.array(array[rows]) for name, array in vars(self).items()})
