"""A few runs round by round."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purex.engine.batch import Batch
from purex.engine.block import Block, run_block
from purex.rows import ALPHA, BETA, LAM, MEAN, MU, PLAY, N, W

IntArray = NDArray[np.int64]

ROWS = {"N": N, "mean": MEAN, "mu": MU, "alpha": ALPHA, "beta": BETA, "w": PLAY, "W": W, "lam": LAM}


class Recorder:
    """An observer of the lock-step path: notes what each round saw (before its pull) and played."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.rounds: list[dict[str, Any]] = []

    def __call__(self, stage: str, batch: Batch, rows: IntArray) -> None:
        """Note a stage of the first row."""
        x = batch.table[rows[0]]
        if stage == "statistic":
            i = batch.candidate[rows[:1]]
            value = self.problem.oracle(i, x[None, N], x[None, MEAN]).value[0]
            self.note = {"n": int(batch.n[rows[0]]), "answer": int(i[0]), "statistic": float(value)}
            self.note |= {name: x[ROWS[name]].copy() for name in ("N", "mean", "mu", "alpha", "beta")}
        elif stage == "play":
            self.note |= {name: x[ROWS[name]].copy() for name in ("w", "W", "lam")}
        elif hasattr(self, "note"):
            self.note["arm"] = int(np.argmax(x[N] - self.note["N"]))
            self.rounds.append(self.note)


def trace_runs(block: Block) -> list[dict[str, Any]]:
    """The rounds of each run of a block: arrays with one entry per round, by name.

    `n`, `answer`, `statistic`, `arm` are (rounds,); `N`, `mean`, `mu`, `alpha`, `beta`, `w`, `W`, `lam` are
    (rounds, K).
    """
    traces = []
    for run in block.runs:
        recorder = Recorder(block.setting.problem)
        run_block(replace(block, runs=np.array([run])), observe=recorder)
        names = recorder.rounds[0] if recorder.rounds else {}
        traces.append({name: np.array([note[name] for note in recorder.rounds]) for name in names})
    return traces
