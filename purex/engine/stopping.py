"""The stopping rule of many deltas on one trajectory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.engine.batch import Batch
from purex.engine.examination import evaluate, rise
from purex.model import Threshold
from purex.run_state import N


@dataclass
class Crossings:
    """When each run stopped for each delta, in decreasing order of delta: arrays (deltas, runs)."""

    log_inverse: FloatArray
    tau: IntArray
    answer: IntArray
    counts: IntArray
    certified: NDArray[np.bool_]

    @classmethod
    def of(cls, log_inverse: FloatArray, runs: int, n_arms: int) -> Crossings:
        """Nothing is known yet; `log_inverse` are the log(1/delta), increasing."""
        shape = (len(log_inverse), runs)
        return cls(
            log_inverse=log_inverse,
            tau=np.zeros(shape, dtype=np.int64),
            answer=np.zeros(shape, dtype=np.int64),
            counts=np.zeros((*shape, n_arms), dtype=np.int64),
            certified=np.zeros(shape, dtype=np.bool_),
        )

    def record(self, batch: Batch, rows: IntArray, which: IntArray, certified: bool) -> None:
        """Rows stop for the deltas `which`, with their present candidates."""
        runs = batch.run[rows]
        self.tau[which, runs] = batch.n[rows]
        self.answer[which, runs] = batch.candidate[rows]
        self.counts[which, runs] = batch.table[rows, N].astype(np.int64)
        self.certified[which, runs] = certified

    def cross(self, batch: Batch, rows: IntArray, threshold: Threshold) -> IntArray:
        """Compare the statistics of these rows with the threshold; returns the rows that go on.

        A row stops for every delta whose threshold it exceeds. Where it does not, the threshold becomes its
        barrier: it will not be lower later.
        """
        going: list[IntArray] = []
        while len(rows):
            next_delta = batch.crossed[rows]
            counts = batch.table[rows, N]
            beta = evaluate(threshold, counts, self.log_inverse[next_delta])
            rise(threshold, batch.barrier[rows], beta, counts)
            passed = batch.statistic[rows] > beta
            batch.barrier[rows] = beta
            going.append(rows[~passed])
            rows, next_delta = rows[passed], next_delta[passed]
            self.record(batch, rows, next_delta, True)
            batch.crossed[rows] += 1
            rows = rows[batch.crossed[rows] < len(self.log_inverse)]
        return np.sort(np.concatenate(going)) if going else rows

    def cap(self, batch: Batch, rows: IntArray) -> None:
        """These rows have had all the rounds they may have: not certified."""
        for which in range(len(self.log_inverse)):
            left = rows[batch.crossed[rows] <= which]
            self.record(batch, left, np.full(len(left), which), False)
