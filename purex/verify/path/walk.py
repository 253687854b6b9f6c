"""Runs of a rule with the observer beside them, to checkpoints that all runs reach together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.engine.acting import ActingPath, path_for
from purex.engine.batch import Batch
from purex.engine.lockstep import LockStepPath, Observer
from purex.engine.setting import Setting
from purex.engine.stopping import Crossings
from purex.run_state import CROSSED, N, W
from purex.verify.path.breach import NONE, Breach, BreachedActingPath, BreachedPath
from purex.verify.path.observer import PathObserver
from purex.verify.path.state import State
from purex.verify.path.theory import Theory

NEVER = 1e12  # log(1/delta) of a risk for which no run stops
WIDTH = 250  # runs side by side
EDGE = 1 - 1e-6  # of the event's level that chosen rewards come up to: rounding must not leave it


@dataclass(frozen=True, eq=False)
class Walk:
    """What is walked: runs number 0, 1, ... of a setting, and the checkpoints n at which they are looked at.

    Runs go on when they would have stopped; `log_inverse` are the log(1/delta), increasing, of the stopping
    rules that are watched.
    """

    theory: Theory
    setting: Setting
    key: np.uint64
    runs: int
    checkpoints: Sequence[int]
    log_inverse: FloatArray
    breach: Breach = NONE

    def states(self, also: Observer | None = None) -> Iterator[State]:
        """The states at the checkpoints; `also` observes the same stages."""
        for first in range(0, self.runs, WIDTH):
            yield from self._batch(np.arange(first, min(first + WIDTH, self.runs)), also)

    def _batch(self, runs: IntArray, also: Observer | None) -> Iterator[State]:
        setting, first = self.setting, self.theory.actions.first
        observer = PathObserver(self.theory, setting.rule, self.key, self.checkpoints)
        observer.begin(len(runs))

        def observe(stage: str, batch: Batch, rows: IntArray) -> None:
            observer(stage, batch, rows)
            if also is not None:
                also(stage, batch, rows)

        last = max(self.checkpoints)
        kind = path_for(setting.problem)
        if self.breach.bonus != 1.0:
            kind = BreachedActingPath if issubclass(kind, ActingPath) else BreachedPath
        path = kind(setting, self.theory.mu, self.key, last + 1, observe=observe)
        if isinstance(path, BreachedPath):
            path.factor = self.breach.bonus
        rng = np.random.default_rng([int(self.key), int(runs[0])])
        rows = np.arange(len(runs))
        A = 0 if setting.problem.actions is None else self.theory.A
        batch = Batch.of(runs, self.theory.K, len(path.rule_given.start), A)
        for a in first:
            self._pull(path, batch, rows, np.full(len(runs), a))
        batch.table[:, W], batch.moves[:, W] = batch.table[:, N], batch.pulls
        levels = np.append(self.log_inverse, NEVER)
        crossings = Crossings.of(levels, len(runs), self.theory.A)
        for n in range(len(first), last + 1):
            batch.status[rows] = 0
            if path.stop_or_not(batch, rows):
                numbers, batch.run = batch.run, rows
                crossings.cross(batch, rows[batch.status[rows] == CROSSED], setting.threshold)
                batch.run = numbers
            if n in self.checkpoints:
                beta = np.asarray(setting.threshold.of_counts(batch.table[rows, N], levels[batch.crossed]))
                beta[batch.crossed == len(self.log_inverse)] = np.inf
                for r in range(len(runs)):
                    yield observer.state(batch, r, self.checkpoints.index(n), float(beta[r]))
            if n < last:
                self._pull(path, batch, rows, self.breach.tamper(batch, rows, path.play(batch, rows), rng))

    def _pull(self, path: LockStepPath, batch: Batch, rows: IntArray, chosen: IntArray) -> None:
        """Pull these arms, or do these actions."""
        if not isinstance(path, ActingPath):
            path.pull(batch, rows, chosen, self._rewards(path, batch, rows, chosen))
            return
        for of_k, arms in path.shown(rows, chosen):
            path.take(batch, of_k, arms, self._rewards(path, batch, of_k, arms))
        path.count(batch, rows, chosen)

    def _rewards(self, path: LockStepPath, batch: Batch, rows: IntArray, arms: IntArray) -> FloatArray:
        """What the pulled arms yield: by their laws, unless luck is chosen."""
        if self.breach.luck is None:
            return path.draw(batch, rows, arms)
        level = EDGE * self.theory.f_event(min(self.checkpoints))  # E_n holds at every checkpoint n
        return self.breach.luck(self.theory, level, batch, rows, arms)
