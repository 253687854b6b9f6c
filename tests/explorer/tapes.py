"""Experiments whose rewards are those of a simulated run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import purex
from purex.engine.batch import Batch
from purex.engine.lockstep import LockStepPath
from purex.engine.setting import Setting
from purex.plugins import build
from purex.run_state import N
from purex.streams import stream_key

ROW = np.zeros(1, dtype=np.int64)


class AboveAverage(purex.Query):
    """Is the mean of arm 0 above the average of the others? Declared, and nothing more."""

    def __init__(self, n_arms: int) -> None:
        super().__init__(n_arms)
        self.row = np.full(n_arms, -1.0 / (n_arms - 1))
        self.row[0] = 1.0

    def answer(self, mu: Any) -> Any:
        return (np.einsum("rk,k->r", mu, self.row) > 0).astype(np.int64)

    def alternatives(self, i: int) -> list[purex.Polyhedron]:
        return [purex.Polyhedron(self.row if i == 1 else -self.row, 0.0)]


class Tape:
    """The rewards of run 0 of a simulation: number n of arm k is a function of (seed, k, n)."""

    def __init__(self, problem: purex.Problem, mu: list[float], seed: int = 0) -> None:
        setting = Setting(problem, build("rule", "RR"), build("threshold", "stylised", n_arms=len(mu)))
        self.path = LockStepPath(setting, np.array(mu, dtype=float), np.uint64(stream_key(seed)), 2**60)
        self.batch = Batch.of(ROW, len(mu), 0)

    def reward(self, arm: int) -> float:
        """The next reward of this arm."""
        value = self.path.draw(self.batch, ROW, np.array([arm]))[0]
        self.batch.table[0, N, arm] += 1
        return float(value)


@dataclass
class Play:
    """What an explorer did with the rewards of a tape."""

    explorer: purex.Explorer
    arms: list[int]


def play(explorer: purex.Explorer, tape: Tape, rounds: int = 10**9) -> Play:
    """Ask and tell until the explorer stops, or for so many rounds."""
    arms: list[int] = []
    while len(arms) < rounds and not explorer.stopped:
        arms.append(explorer.ask())
        explorer.tell(arms[-1], tape.reward(arms[-1]))
    return Play(explorer, arms)
