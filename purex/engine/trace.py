"""A few runs round by round."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.engine.batch import Batch
from purex.engine.block import Block, run_block
from purex.rules import Descent
from purex.run_state import ALPHA, BETA, LAM, MEAN, MU, PLAY, TOTAL, N, W

SEEN = {"N": N, "mean": MEAN, "mu": MU, "alpha": ALPHA, "beta": BETA}
PLAYED = {"w": PLAY, "W": W, "lam": LAM}
STATE = ("n", "answer", "statistic", *SEEN)


class Recorder:
    """An observer of the lock-step path: notes what each round saw (before its pull) and played.

    `flat` has one entry per round of any run, in the order of time; `last` is what each run saw at its end.
    The mixed plays of a lambda-player, the points and the weights of q, are lists of arrays: their number
    may change from round to round.
    """

    def __init__(self, block: Block) -> None:
        self.setting = block.setting
        self.rule, self.problem = block.setting.rule, block.setting.problem
        self.batch: Batch | None = None
        self.flat: list[dict[str, Any]] = []
        self.last: dict[int, dict[str, Any]] = {}

    def __call__(self, stage: str, batch: Batch, rows: IntArray) -> None:
        """Note a stage of these rows."""
        note = {"oracle": self.note_oracle, "play": self.note_play, "pull": self.note_pull}
        if stage == "statistic":
            self.see(batch, rows)
        elif batch is self.batch:  # else these are the initial pulls
            note[stage](batch, rows)

    def see(self, batch: Batch, rows: IntArray) -> None:
        """What the round sees."""
        if batch is not self.batch:
            self.batch, R = batch, len(batch.n)
            self.now: dict[str, Any] = {name: np.zeros((R, self.problem.n_arms)) for name in (*SEEN, *PLAYED)}
            self.now |= {name: np.zeros(R, dtype=np.int64) for name in ("n", "answer")}
            self.now |= {"statistic": np.zeros(R), "total": np.zeros_like(self.now["N"])}
            self.points: dict[int, list[FloatArray]] = {}
            self.weights: dict[int, FloatArray] = {}
        x, i = batch.table[rows], batch.candidate[rows]
        for name, row in SEEN.items():
            self.now[name][rows] = x[:, row]
        self.now["total"][rows] = x[:, TOTAL]
        self.now["n"][rows], self.now["answer"][rows] = batch.n[rows], i
        self.now["statistic"][rows] = self.setting.seeing(batch, rows).evidence(i, x[:, N], x[:, MEAN])[0]
        for r in rows:
            self.points[int(r)] = []
            self.last[int(batch.run[r])] = {name: self.now[name][r].copy() for name in STATE}
            if isinstance(self.rule, Descent):
                self.weights[int(r)], atoms = self.ensemble_play(self.rule, batch, r)
                self.points[int(r)] = list(atoms)

    def ensemble_play(self, rule: Descent, batch: Batch, r: int) -> tuple[FloatArray, FloatArray]:
        """What the ensemble of gradient descents is going to play: a copy of its memory tells."""
        code, K = int(batch.candidate[r]), self.problem.n_arms
        known = np.flatnonzero(batch.answers[r, : batch.seen[r]] == code)
        memory = batch.memory[r, known[0]] if len(known) else rule.start(self.problem)
        p, points = rule.ensemble(self.problem).play(
            code, memory[None, K + 1 :].copy(), batch.table[r, MU][None].copy()
        )
        return p[0], points[0]

    def note_oracle(self, batch: Batch, rows: IntArray) -> None:
        """The oracle's point: one sample of the lambda-player's play."""
        for r in rows:
            self.points[int(r)].append(batch.table[r, LAM].copy())

    def note_play(self, batch: Batch, rows: IntArray) -> None:
        """What the round plays."""
        for name, row in PLAYED.items():
            self.now[name][rows] = batch.table[rows, row]

    def note_pull(self, batch: Batch, rows: IntArray) -> None:
        """The arm and the reward; the round is complete."""
        note = {name: self.now[name][rows] for name in (*STATE, *PLAYED)}
        at = np.arange(len(rows))
        note["arm"] = np.argmax(batch.table[rows, N] - note["N"], axis=1)
        note["reward"] = (batch.table[rows, TOTAL] - self.now["total"][rows])[at, note["arm"]]
        note["run"] = batch.run[rows].copy()
        note["points"] = [np.array(self.points[int(r)]) for r in rows]
        note["weights"] = [self.weights.get(int(r)) for r in rows]
        self.flat.append(note)

    def traces(self, runs: IntArray) -> list[dict[str, Any]]:
        """The rounds of each run: arrays with one entry per round, by name."""
        if not self.flat:
            return [{} for _ in runs]
        run = np.concatenate([note["run"] for note in self.flat])
        names = [name for name in self.flat[0] if name not in ("run", "points", "weights")]
        whole = {name: np.concatenate([note[name] for note in self.flat]) for name in names}
        points = [p for note in self.flat for p in note["points"]]
        weights = [p for note in self.flat for p in note["weights"]]
        found: list[dict[str, Any]] = []
        for number in runs:
            mine = np.flatnonzero(run == number)
            if len(mine) == 0:  # it stopped at once
                found.append({})
                continue
            trace: dict[str, Any] = {name: array[mine] for name, array in whole.items()}
            if any(len(points[j]) > 1 or weights[j] is not None for j in mine):
                trace["points"] = [points[j] for j in mine]
                trace["weights"] = [_uniform(points[j]) if weights[j] is None else weights[j] for j in mine]
            trace["after"] = self.last[int(number)]
            found.append(trace)
        return found


def _uniform(points: FloatArray) -> FloatArray:
    return np.full(len(points), 1.0 / len(points))


def trace_runs(block: Block) -> list[dict[str, Any]]:
    """The rounds of each run of a block: arrays with one entry per round, by name.

    `n`, `answer`, `statistic`, `arm`, `reward` are (rounds,); `N`, `mean`, `mu`, `alpha`, `beta`, `w`, `W`,
    `lam` are (rounds, K). Where the lambda-player mixes, `points` and `weights` list the atoms (J, K) and the
    weights (J,) of each round's q. `after` is what the run saw at its end. Rewards are differences of sums,
    exact up to rounding.
    """
    recorder = Recorder(block)
    if len(block.runs):
        run_block(replace(block, path="lock-step"), observe=recorder)
    return recorder.traces(block.runs)
