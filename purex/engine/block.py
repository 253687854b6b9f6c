"""A block of runs from start to end, on either path: what one process does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.engine.acting import ActingPath, path_for
from purex.engine.batch import SLOTS, SQUARES, Batch
from purex.engine.compiled_path import CompiledPath
from purex.engine.initial import Initial, interior_arms, needs_pull
from purex.engine.lockstep import Observer
from purex.engine.setting import Setting
from purex.engine.stopping import Crossings, next_look
from purex.run_state import CAPPED, CROSSED, FULL, LEFT, LOOKING, MEAN, PLAYING, ROWS, WITNESS, N, W

CALL = 400_000  # rounds per call at most, after which Ctrl-C and progress have their turn,
FIRST = 2_000  # in the first call,
GROWTH = 8  # and how many times as many in the next, while they take less than
TURN = 0.5  # seconds
MEMORY = 2**26  # bytes of state per batch
WIDEST = {"compiled": 512, "lock-step": 4096}

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Block:
    """Runs to be made: the same everywhere, so that a worker process can make them.

    `runs` are their numbers, `log_inverse` the log(1/delta) in increasing order.
    """

    setting: Setting
    truth: FloatArray
    key: int
    runs: IntArray
    log_inverse: FloatArray
    max_rounds: int
    initial: Initial
    path: Literal["compiled", "lock-step"]
    width: int | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of a block: its crossings, with the runs numbered from 0, and which are finished."""

    block: Block
    crossings: Crossings
    finished: NDArray[np.bool_]
    rounds: int
    interrupted: bool


def run_block(block: Block, progress: Progress | None = None, observe: Observer | None = None) -> Outcome:
    """Make the runs, a batch after the other; an interrupt ends it with the runs that are finished."""
    R = len(block.runs)
    crossings = Crossings.of(block.log_inverse, R, block.setting.problem.n_actions)
    finished = np.zeros(R, dtype=np.bool_)
    state = _State(block, crossings, finished, progress, observe)
    interrupted = False
    try:
        first, slots = 0, SLOTS
        while first < R:
            width = block.width or default_width(block, slots)
            slots = state.run(np.arange(first, min(first + width, R)))
            first += width
    except KeyboardInterrupt:
        interrupted = True
    return Outcome(block, crossings, finished, state.rounds, interrupted)


def default_width(block: Block, slots: int) -> int:
    """As many rows as keep the state small, given the learners that a run has needed so far."""
    problem, rule = block.setting.problem, block.setting.rule
    width = problem.n_arms + (0 if problem.actions is None else problem.n_actions)
    numbers = ROWS * width + slots * (rule.memory_size(problem) + 1)
    return int(min(max(MEMORY // (8 * numbers), 1), WIDEST[block.path]))


class _State:
    """A block on its way."""

    def __init__(
        self,
        block: Block,
        crossings: Crossings,
        finished: NDArray[np.bool_],
        progress: Progress | None,
        observe: Observer | None,
    ) -> None:
        self.block, self.crossings, self.finished, self.progress = block, crossings, finished, progress
        self.pace = FIRST
        self.rounds = 0
        self.stops: list[tuple[Any, ...]] = []  # why runs stopped, where that has to be checked
        setting = block.setting
        key = np.uint64(block.key)
        self.lockstep = path_for(setting.problem)(
            setting,
            block.truth,
            key,
            block.max_rounds,
            log_inverse_delta=float(block.log_inverse[0]),
            observe=observe,
        )
        self.path: Any = self.lockstep
        if block.path == "compiled":
            self.path = CompiledPath(setting, block.truth, key, block.max_rounds)

    def run(self, numbers: IntArray) -> int:
        """Make these runs of the block; returns the learners that a run may have by now."""
        block = self.block
        problem, memory_size = block.setting.problem, len(self.lockstep.rule_given.start)
        n_actions = 0 if problem.actions is None else problem.n_actions
        batch = Batch.of(block.runs[numbers], problem.n_arms, memory_size, n_actions)
        self.start(batch)
        rows = np.arange(len(numbers))
        while len(rows):
            before, began = int(batch.n[rows].sum()), perf_counter()
            self.path.advance(batch, rows, max(self.pace // len(rows), 1))
            played = int(batch.n[rows].sum()) - before
            self.rounds += played
            self.keep_pace(played, perf_counter() - began)
            rows = self.attend(batch, rows, numbers)
        if self.stops:  # all at once: the oracles take whole batches
            block.setting.check_stop(*(np.concatenate(parts) for parts in zip(*self.stops, strict=True)))
            self.stops.clear()
        return int(batch.answers.shape[1])

    def keep_pace(self, played: int, seconds: float) -> None:
        """Let calls take about half a second; no run depends on where calls end."""
        if played:
            wanted = min(TURN * played / max(seconds, 1e-9), GROWTH * self.pace, CALL)
            self.pace = max(int(wanted), 1)

    def start(self, batch: Batch) -> None:
        """The initial pulls."""
        rows = np.arange(len(batch.n))
        if isinstance(self.lockstep, ActingPath):
            self.lockstep.start(batch, rows)
        else:
            self.pull_each(batch, rows)
        if self.block.setting.without_structure is not None:
            batch.look[:] = next_look(batch.n)
        self.rounds += int(batch.n.sum())

    def pull_each(self, batch: Batch, rows: IntArray) -> None:
        """Each arm once, or as often as `needs_pull` says."""
        interior = interior_arms(self.block.setting.problem.arms, self.block.initial)
        for k in range(len(interior)):
            left = rows
            while len(left):
                arms = np.full(len(batch.n), k)
                self.lockstep.pull(batch, left, arms, self.lockstep.draw(batch, left, arms))
                x, squares = batch.table[left], None
                if self.block.setting.problem.arms.unknown_variance:
                    squares = batch.spread[left, SQUARES, k]
                again = needs_pull(x[:, N, k], x[:, MEAN, k], interior[k], squares)
                left = left[again & (batch.n[left] < self.block.max_rounds)]
        batch.table[:, W] = batch.table[:, N]

    def keep(self, batch: Batch, rows: IntArray) -> None:
        """Keep why these rows stopped, if it was on the word of an oracle that does not come with purex."""
        if len(rows) and self.block.setting.problem.foreign_oracle is not None:
            x = batch.table[rows]
            self.stops.append(
                (batch.candidate[rows], x[:, N], x[:, MEAN], batch.statistic[rows], x[:, WITNESS])
            )

    def attend(self, batch: Batch, rows: IntArray, numbers: IntArray) -> IntArray:
        """Look after the rows that came back; returns those that go on."""
        setting = self.block.setting
        left = rows[batch.status[rows] == LEFT]
        if len(left):  # an oracle that compiled rows do not have: one round by the others
            batch.status[left] = PLAYING
            self.lockstep.stop_or_not(batch, left)
            playing = left[batch.status[left] == PLAYING]
            self.lockstep.play_and_pull(batch, playing)
            self.rounds += len(playing)
        status = batch.status[rows]
        going = [rows[(status != CROSSED) & (status != CAPPED) & (status != LOOKING)]]
        capped, crossed, looking = (rows[status == why] for why in (CAPPED, CROSSED, LOOKING))
        setting.check_statistic(batch.statistic[crossed], batch.table[crossed, N], batch.table[crossed, MEAN])
        renumbered = batch.run
        batch.run = numbers  # the crossings of a block count its runs from 0
        self.crossings.cap(batch, capped)
        crossings_before = batch.crossed[crossed]
        going.append(self.crossings.cross(batch, crossed, setting.threshold))
        if len(looking):
            going.append(self.crossings.look(batch, looking, setting))
        batch.run = renumbered
        self.keep(batch, crossed[batch.crossed[crossed] > crossings_before])
        if (status == FULL).any():
            batch.grow()
        following = np.sort(np.concatenate(going))
        done = np.setdiff1d(rows, following, assume_unique=True)
        self.finished[numbers[done]] = True
        if self.progress is not None:
            self.progress(int(self.finished.sum()), self.rounds)
        return following
