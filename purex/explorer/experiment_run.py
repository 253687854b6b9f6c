"""One run of the engine whose rewards are told: its rounds, its end, and its state."""

from __future__ import annotations

from typing import Any

import numpy as np

from purex.arrays import FloatArray
from purex.engine.acting import ActingPath, path_for
from purex.engine.batch import Batch
from purex.engine.examination import raise_barriers
from purex.engine.setting import Setting
from purex.engine.stopping import next_look, passes_without_structure
from purex.explorer.argument_checks import check_variation
from purex.explorer.evidence import weigh
from purex.explorer.experiment_state import Note, State
from purex.explorer.initial_pulls import InitialActions, InitialPulls
from purex.explorer.restoring import restored, state_of
from purex.explorer.telling import Told
from purex.run_state import CROSSED, MEAN, PLAY, WITNESS, N, W

ENDLESS = 2**62  # rounds: whoever tells the rewards decides when it is enough
SPARSE = 20  # the history has a note after each so-many-th part more samples
ROW = np.zeros(1, dtype=np.int64)  # an experiment is a batch of one run


class ExperimentRun:
    """The numbers of an experiment and what a reward does to them.

    `batch` is before the present round, `ahead` after its play, once somebody has looked; `waiting` are the
    arms that need initial pulls, `late` (2, K) counts and sums of rewards told after the end, `next` the arm
    that the rule chooses. `risk` is log(1/delta), as a batch of one. With actions `waiting` and `next` are
    actions, and `late_pulls` (A,) counts those done after the end.
    """

    def __init__(
        self,
        setting: Setting,
        seed: int,
        risk: FloatArray,
        initial: InitialPulls | InitialActions,
        max_samples: int | None,
    ) -> None:
        from purex.streams import stream_key  # here: it imports numba

        K = setting.problem.n_arms
        self.setting, self.risk, self.initial, self.max_samples = setting, risk, initial, max_samples
        key = np.uint64(stream_key(seed))
        actions = setting.problem.actions
        A = 0 if actions is None else actions.n_actions
        path = path_for(setting.problem)
        self.path: Any = path(setting, None, key, ENDLESS, log_inverse_delta=float(risk[0]))
        self.batch = Batch.of(ROW, K, len(self.path.rule_given.start), A)
        if isinstance(self.path, ActingPath):
            self.path.prepare(self.batch)
        self.ahead = self.batch.copy()
        self.waiting: list[int] = initial.arms_in_need(self.batch)
        self.late, self.late_pulls = np.zeros((2, K)), np.zeros(A)
        self.looked = self.stopped = False
        self.history: list[Note] = []
        self.next = 0
        self._arm, self._reward = np.zeros(1, dtype=np.int64), np.zeros(1)

    @property
    def samples(self) -> int:
        """How many rewards were told before the end."""
        return int(self.batch.n[0])

    @property
    def told(self) -> int:
        """How many rewards were told, or rounds of actions, with those after the end."""
        late = self.late[0] if self.setting.problem.actions is None else self.late_pulls
        return self.samples + int(late.sum())

    @property
    def moves(self) -> FloatArray:
        """The table (ROWS, K) of the weights of arms before the present round, or (ROWS, A) of actions."""
        before = self.batch.table if self.setting.problem.actions is None else self.batch.moves
        return np.asarray(before[0])

    @property
    def play(self) -> FloatArray:
        """The weights of the present round, once somebody has looked."""
        ahead = self.ahead.table if self.setting.problem.actions is None else self.ahead.moves
        return np.asarray(ahead[0, PLAY])

    @property
    def is_used_up(self) -> bool:
        """Whether there may be no more samples."""
        return self.max_samples is not None and self.samples >= self.max_samples

    @property
    def seeing(self) -> Setting:
        """The setting at the present round: where variances are unknown, with those that rewards show."""
        return self.setting.seeing(self.ahead, 0)

    def count(self, pairs: Told, one_look: bool) -> None:
        """Count rewards, all or none: a round in the middle may fail, if a plugin does.

        With `one_look` the experiment can stop at the last of them only.
        """
        before = self.state() if len(pairs) > 1 else None
        is_over = False
        try:
            for number, (k, x) in enumerate(pairs):
                if number == 0 or not one_look:
                    self.look()
                    is_over = self.stopped or self.is_used_up
                elif not is_over:
                    self.look(may_stop=False)
                if is_over:
                    self._count_late(k, x)
                else:
                    self._pull(k, x)
        except BaseException:
            if before is not None:
                self.restore(before)
            raise

    def _count_late(self, k: int, x: float | tuple[float, ...]) -> None:
        """Count a reward of arm k, or the rewards of action k, after the end."""
        if not isinstance(x, tuple):
            self.late[:, k] += 1, x
            return
        self.late_pulls[k] += 1
        for arm, reward in zip(self.path.actions.sets[k], x, strict=True):
            self.late[:, arm] += 1, reward

    def _take(self, batch: Batch, k: int, x: float | tuple[float, ...]) -> None:
        """Count a reward of arm k, or the rewards of action k."""
        if not isinstance(x, tuple):
            self._arm[0], self._reward[0] = k, x
            self.path.pull(batch, ROW, self._arm, self._reward)
            return
        for arm, reward in zip(self.path.actions.sets[k], x, strict=True):
            self._arm[0], self._reward[0] = arm, reward
            self.path.take(batch, ROW, self._arm, self._reward)
        self._arm[0] = k
        self.path.count(batch, ROW, self._arm)

    def _pull(self, k: int, x: float | tuple[float, ...]) -> None:
        """Count one reward, or the rewards of one action, after a look."""
        if self.waiting:
            batch = self.batch
            if not isinstance(x, tuple):
                check_variation(batch, self.setting.problem.arms, k, x)
            self._take(batch, k, x)
            self.moves[W] = batch.chosen[0]
            self.waiting = self.initial.arms_in_need(batch)
            if not self.waiting and self.setting.without_structure is not None:
                batch.look[:] = next_look(batch.n)
            return
        self._take(self.ahead, k, x)
        self.batch, self.ahead = self.ahead, self.batch
        self.looked = False

    def look(self, may_stop: bool = True) -> None:
        """The present round up to its pull, on a copy: whether it stops, and which arm it chooses."""
        if self.looked or self.waiting:
            return
        ahead = self.ahead
        ahead.take_over(self.batch)
        self.path.stop_or_not(ahead, ROW)
        x, i = ahead.table, ahead.candidate
        if ahead.status[0] == CROSSED and may_stop:
            beta = raise_barriers(self.setting.threshold, ahead, ROW, self.risk)
            if ahead.statistic[0] > beta[0]:
                self.setting.check_stop(i, x[:, N], x[:, MEAN], ahead.statistic, x[:, WITNESS])
                self.stopped = True
        if not self.stopped and ahead.n[0] >= ahead.look[0]:
            if may_stop:
                self.stopped = bool(passes_without_structure(self.setting, ahead, ROW, self.risk)[0])
            ahead.look[:] = next_look(ahead.n + 1)
        ahead.status[0] = 0
        if may_stop:
            self._note_progress()
        if not self.stopped:
            self.next = int(self.path.play(ahead, ROW)[0])
        self.looked = True

    def _note_progress(self) -> None:
        """Write down how far the experiment is, now and then and at its end."""
        last, samples = self.history[-1].samples if self.history else 0, self.samples
        is_end = self.stopped or self.is_used_up
        if samples > last and (is_end or samples >= last + 1 + last // SPARSE):
            x = self.ahead.table
            evidence = weigh(self.seeing, self.ahead.candidate, x[:, N], x[:, MEAN], self.risk)
            self.history.append(Note(samples, evidence.statistic, evidence.threshold))

    def state(self) -> State:
        """All numbers that it goes on from: a copy."""
        return state_of(self.batch, self.setting, self.history, self.late, self.late_pulls)

    def restore(self, state: State) -> None:
        """Go on from a state, bit for bit; one that it cannot have is refused and changes nothing."""
        rule = self.path.rule_given
        batch = restored(state, self.setting, self.risk, len(rule.start), rule.single, self.initial)
        late = np.array([state.late_counts, state.late_totals])
        self.batch, self.ahead, self.late = batch, batch.copy(), late
        self.late_pulls = np.zeros(0) if state.late_pulls is None else state.late_pulls.copy()
        self.waiting = self.initial.arms_in_need(batch)
        self.history = list(state.history)
        self.looked = self.stopped = False
