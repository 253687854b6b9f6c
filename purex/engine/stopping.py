"""The stopping rule of many deltas on one trajectory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from purex.arrays import BoolArray, FloatArray, IntArray
from purex.engine.batch import Batch
from purex.engine.examination import raise_barriers
from purex.engine.setting import Setting
from purex.model import Threshold
from purex.run_state import ASIDE, MEAN, NOBODY, SPARSE, WITNESS, N


def _looks() -> IntArray:
    """After each of the first twenty samples, and then after five per cent more, at most."""
    times = [1]
    while times[-1] < 2**61:
        times.append(times[-1] + 1 + times[-1] // SPARSE)
    return np.array(times)


# When the statistic without the structure is looked at: a function of the number of samples alone, so that a
# run stops at the same time however it is computed.
LOOKS = _looks()


def next_look(n: IntArray) -> IntArray:
    """The first time from n on at which a run is looked at.

    >>> next_look(np.array([7, 150, 1000]))
    array([   7,  154, 1042])
    """
    return np.asarray(LOOKS[np.searchsorted(LOOKS, n)])


@dataclass
class Crossings:
    """When each run stopped for each delta, in decreasing order of delta: arrays (deltas, runs)."""

    log_inverse: FloatArray
    tau: IntArray
    answer: IntArray
    counts: IntArray
    certified: BoolArray

    @classmethod
    def of(cls, log_inverse: FloatArray, runs: int, n_actions: int) -> Crossings:
        """Nothing is known yet; `log_inverse` are the log(1/delta), increasing."""
        shape = (len(log_inverse), runs)
        return cls(
            log_inverse=log_inverse,
            tau=np.zeros(shape, dtype=np.int64),
            answer=np.zeros(shape, dtype=np.int64),
            counts=np.zeros((*shape, n_actions), dtype=np.int64),
            certified=np.zeros(shape, dtype=np.bool_),
        )

    def record(self, batch: Batch, rows: IntArray, which: IntArray, certified: bool) -> None:
        """Rows stop for the deltas `which`, with their present candidates."""
        runs = batch.run[rows]
        self.tau[which, runs] = batch.n[rows]
        self.answer[which, runs] = batch.candidate[rows]
        self.counts[which, runs] = batch.chosen[rows].astype(np.int64)
        self.certified[which, runs] = certified

    def cross(self, batch: Batch, rows: IntArray, threshold: Threshold) -> IntArray:
        """Compare the statistics of these rows with the threshold; returns the rows that go on.

        A row stops for every delta whose threshold it exceeds. Where it does not, the threshold gives its
        barrier, below which it will not be later.
        """
        going: list[IntArray] = []
        while len(rows):
            next_delta = batch.crossed[rows]
            beta = raise_barriers(threshold, batch, rows, self.log_inverse[next_delta])
            passed = batch.statistic[rows] > beta
            going.append(rows[~passed])
            rows = self.stop(batch, rows[passed])
        return np.sort(np.concatenate(going)) if going else rows

    def look(self, batch: Batch, rows: IntArray, setting: Setting) -> IntArray:
        """Compare the statistics without the structure with their threshold; returns the rows that go on."""
        batch.look[rows] = next_look(batch.n[rows] + 1)
        going: list[IntArray] = []
        while len(rows):
            passed = passes_without_structure(setting, batch, rows, self.log_inverse[batch.crossed[rows]])
            going.append(rows[~passed])
            rows = self.stop(batch, rows[passed])
        return np.sort(np.concatenate(going)) if going else rows

    def stop(self, batch: Batch, rows: IntArray) -> IntArray:
        """Rows stop for their next delta; returns those for which there is another."""
        self.record(batch, rows, batch.crossed[rows], True)
        batch.crossed[rows] += 1
        return rows[batch.crossed[rows] < len(self.log_inverse)]

    def cap(self, batch: Batch, rows: IntArray) -> None:
        """These rows have had all the rounds they may have: not certified."""
        for which in range(len(self.log_inverse)):
            left = rows[batch.crossed[rows] <= which]
            self.record(batch, left, np.full(len(left), which), False)


def passes_without_structure(setting: Setting, batch: Batch, rows: IntArray, x: FloatArray) -> BoolArray:
    """Whether the statistics of these rows without the structure exceed their threshold at log(1/delta) = x.

    The closest alternative of an earlier look bounds them from above, and so does the witness, which is an
    alternative without the structure as well: that spares the oracle most of the time.
    """
    aside, table, i = setting.without_structure, batch.table, batch.candidate[rows]
    assert aside is not None
    counts, means = table[rows, N], table[rows, MEAN]
    beta = setting.threshold.at_without_structure(counts, i, x, means)
    batch.quiet[rows] = np.minimum(aside.threshold.floor(counts, i, x), beta)
    other = rows[(batch.aside[rows] != i) & (batch.witness[rows] == i)]
    batch.aside[other], table[other, ASIDE] = batch.witness[other], table[other, WITNESS]
    known = batch.aside[rows] == i
    most = setting.problem.arms.cost(counts, means, np.where(known[:, None], table[rows, ASIDE], means))
    passed: BoolArray = ~known | (most > beta)
    at = np.flatnonzero(passed)
    if len(at):
        value, point = aside.evidence(i[at], counts[at], means[at])
        table[rows[at], ASIDE] = point
        batch.aside[rows[at]] = np.where(value < np.inf, i[at], NOBODY)
        passed[at] = stops = value > beta[at]
        at = at[stops]
        aside.check_stop(i[at], counts[at], means[at], value[stops], point[stops])
    return passed
