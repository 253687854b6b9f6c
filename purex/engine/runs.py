"""The result of a simulation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from purex.arrays import BoolArray, IntArray

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Summary:
    """The runs of one delta in a few numbers."""

    delta: float
    mean: float
    se: float
    median: float
    quantiles: dict[str, float]
    error_rate: float
    uncertified: int
    proportions: list[float]


@dataclass(frozen=True)
class Runs:
    """Stopping times of `runs` runs for each delta.

    `tau`, `answer`, `correct` and `certified` are (deltas, runs), `counts` is (deltas, runs, K). A run that
    is not certified was cut off at max_rounds: its answer is no more than the candidate at that time.
    `finished` are the numbers of the runs that are here: all of them, unless the simulation was interrupted.
    """

    deltas: tuple[float, ...]
    tau: IntArray
    answer: IntArray
    correct: BoolArray
    certified: BoolArray
    counts: IntArray
    finished: IntArray
    rounds: int
    seconds: float
    threshold: str
    threshold_label: str
    path: str
    interrupted: bool = False
    traces: list[dict[str, Any]] = field(default_factory=list)

    def summary(self, which: int = 0) -> Summary:
        """The numbers of delta number `which`; error rate and times are over all runs, certified or not."""
        tau = self.tau[which]
        R = len(tau)
        if R == 0:
            nothing = float("nan")
            empty = {f"{q:g}": nothing for q in QUANTILES}
            return Summary(self.deltas[which], nothing, nothing, nothing, empty, nothing, 0, [])
        certified = self.certified[which]
        wrong = certified & ~self.correct[which]
        shares = self.counts[which] / tau[:, None]
        return Summary(
            delta=self.deltas[which],
            mean=float(tau.mean()),
            se=float(tau.std(ddof=1) / np.sqrt(R)) if R > 1 else float("nan"),
            median=float(np.median(tau)),
            quantiles={f"{q:g}": float(np.quantile(tau, q)) for q in QUANTILES},
            error_rate=float(wrong.mean()),
            uncertified=int((~certified).sum()),
            proportions=[float(share) for share in shares.mean(axis=0)],
        )
