r"""The lock-step path of problems with actions: arms are what is known, actions are what is done.

A run has its table of K arms, as ever, and a second one of A actions, `Batch.moves`, which is all that the
parts of a rule see. Between the two stand the actions: weights of actions become weights of arms before the
oracle is asked, and what arms gain becomes what actions gain before the learner hears of it. A learner plays
shares $w_t$ of the cost. A round in which each costs something else is expected to cost
$r_t = 1/\sum_a (w_t^a/c_a)$; the rounds are shared as $p_t^a = r_t w_t^a/c_a$, which is what is tracked, and
gains count $r_t$ times: a costly round is worth more. So $\sum_t r_t$ is the cost, and regret is one of cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from purex.arrays import BoolArray, FloatArray, IntArray
from purex.engine.batch import Batch
from purex.engine.examination import check_weights
from purex.engine.lockstep import LockStepPath
from purex.model import Actions
from purex.problem import Problem
from purex.rules.rule import BatchRule, CompiledRule
from purex.run_state import (
    ALPHA,
    BETA,
    DIFFERENCE,
    DIRECT,
    GAIN_ALPHA,
    GAIN_BETA,
    LAM,
    MEAN,
    MODEL,
    MU,
    PLAY,
    RATIO,
    Clip,
    LearnerArrays,
    N,
    W,
)


class ActingPath(LockStepPath):
    """Advances batches of a problem with actions by one round at a time."""

    @cached_property
    def actions(self) -> Actions:
        """The actions of the problem."""
        assert self.problem.actions is not None
        return self.problem.actions

    @cached_property
    def kept(self) -> BoolArray:
        """Whether action a keeps arm k, at [a, k]."""
        return np.asarray(self.actions.keeper == np.arange(self.actions.n_actions)[:, None])

    @cached_property
    def unseen(self) -> IntArray:
        """The arms that no action shows."""
        return np.flatnonzero(~self.actions.seen)

    def start(self, batch: Batch, rows: IntArray) -> None:
        """The initial pulls: the actions that show every arm cheaply, once each."""
        self.prepare(batch)
        for a in self.actions.first:
            self.act(batch, rows, np.full(len(batch.n), a))
        batch.moves[:, W] = batch.pulls

    def prepare(self, batch: Batch) -> None:
        """Give arms that are never seen a mean: it weighs nothing."""
        place_unseen(batch.table, self.actions, self.clip)

    def open_round(self, batch: Batch, rows: IntArray) -> None:
        """The bonus and the confidence intervals; of arms that are never seen, all means."""
        at = np.ix_(rows, self.unseen)
        table = batch.table
        table[:, N][at] = 1.0
        super().open_round(batch, rows)
        table[:, N][at] = 0.0
        table[:, ALPHA][at], table[:, BETA][at] = self.clip.low[self.unseen], self.clip.high[self.unseen]

    def play_and_pull(self, batch: Batch, rows: IntArray) -> None:
        """The rest of a round, for rows that do not stop."""
        if len(rows):
            self.act(batch, rows, self.play(batch, rows))

    def play(self, batch: Batch, rows: IntArray) -> IntArray:
        """Lines 7 to 11: learners, oracle, gains, tracking. Returns the actions."""
        moves = batch.moves
        so_far = moves[rows, W]
        moves[rows, N] = self.counts_seen(batch, rows)
        if isinstance(self.rule, BatchRule):
            while not self.stages.find_slots(rows, batch.learners, self.rule_given):
                batch.grow()
            self.play_batch(self.rule, batch, rows)
        else:
            self.converse(batch, rows, np.empty(len(batch.n), dtype=np.int64))
        w = moves[rows, PLAY]
        if self.is_foreign:
            w = check_weights(self.rule, w, len(rows), self.actions.n_actions)
        p = self.actions.pull_shares(w)
        moves[rows, PLAY], moves[rows, W] = p, so_far + p
        chosen = np.empty(len(batch.n), dtype=np.int64)
        chosen[rows] = self.track(batch, rows)
        if self.observe is not None:
            self.observe("play", batch, rows)
        return chosen

    @property
    def at_counts(self) -> bool:
        """Whether the rule asks about the counts so far."""
        return isinstance(self.rule, CompiledRule) and self.rule.at_counts

    def counts_seen(self, batch: Batch, rows: IntArray) -> FloatArray:
        """What a rule takes for the counts of actions (R, A): those of the arms that each is to show.

        They are what forced exploration looks at. A rule that asks about counts sees those of the actions;
        none is 0, for a share of nothing would stay nothing.
        """
        if self.at_counts:
            return np.maximum(batch.pulls[rows], 1.0)
        seen = np.where(self.kept, batch.table[rows, N][:, None], np.inf)
        return np.asarray(seen.min(axis=2))

    def learners(self, batch: Batch) -> LearnerArrays:
        """What the parts of a rule see of a batch: actions only."""
        return batch.learners._replace(table=batch.moves)

    def bonuses_heard(self) -> FloatArray:
        """None: the bonus is in the gains of arms already."""
        return np.zeros_like(self.bonuses)

    def consult(self, batch: Batch, rows: IntArray) -> None:
        """The oracle's reply: to the weights of arms that the play comes to, or as shares of the cost."""
        table, moves, i = batch.table, batch.moves, batch.candidate[rows]
        assert isinstance(self.rule, CompiledRule)
        if self.rule.operation == "best-response":
            v = table[rows, N]
            if not self.at_counts:
                v = self.actions.counts(self.actions.pull_shares(moves[rows, PLAY]))
            table[rows, LAM] = self.problem.oracle(i, v, table[rows, MU]).point
        elif self.rule.operation == "max-min":
            moves[rows, PLAY] = self.problem.game.max_min(i, table[rows, MU]).allocation
        else:
            model = self.problem.game.optimistic(table[rows, ALPHA], table[rows, BETA])
            table[rows, LAM], moves[rows, PLAY] = model.point, model.allocation

    def gains(self, batch: Batch, rows: IntArray) -> None:
        r"""What the actions gain, $r_t \sum_k O_{ak} U^k/c_a$."""
        table, moves = batch.table, batch.moves
        assert isinstance(self.rule, CompiledRule)
        if self.rule.gains == "none":
            return
        super().gains(batch, rows)
        gain = table[rows, GAIN_ALPHA]
        if self.rule.gains == "optimistic":
            floor = self.bonuses[rows, None] / np.maximum(table[rows, N], 1.0)
            gain = np.maximum(floor, np.maximum(gain, table[rows, GAIN_BETA]))
        if self.at_counts:
            moves[rows, GAIN_ALPHA] = self.actions.earnings(gain, self.actions.relative_costs)
        else:
            moves[rows, GAIN_ALPHA] = self.actions.gains(gain, moves[rows, PLAY])
        moves[rows, GAIN_BETA] = 0.0

    def track(self, batch: Batch, rows: IntArray) -> IntArray:
        """The actions (R,) that follow the plays, as `purex.tracking.track` has it for arms."""
        done, moves = batch.pulls[rows], batch.moves
        mode = self.rule_given.tracking
        if mode == RATIO:
            with np.errstate(divide="ignore", invalid="ignore"):
                score = np.where(moves[rows, W] > 0, done / moves[rows, W], np.inf)
        elif mode == DIFFERENCE:
            score = done - moves[rows, W]
        elif mode == DIRECT:
            score = done - batch.n[rows, None] * moves[rows, PLAY]
        else:
            score = -moves[rows, PLAY]
        return np.asarray(np.argmin(score, axis=1))

    def act(self, batch: Batch, rows: IntArray, chosen: IntArray) -> None:
        """Line 12: draw and count a reward of each arm that the chosen actions show."""
        for of_k, arms in self.shown(rows, chosen):
            self.take(batch, of_k, arms, self.draw(batch, of_k, arms))
        self.count(batch, rows, chosen)

    def shown(self, rows: IntArray, chosen: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Arm by arm, the rows whose chosen actions show it, and that arm for all rows."""
        shown = self.actions.observes[chosen[rows]]
        for k in np.flatnonzero(shown.any(axis=0)):
            yield rows[shown[:, k]], np.full(len(chosen), k)

    def take(self, batch: Batch, rows: IntArray, arms: IntArray, rewards: FloatArray) -> None:
        """Count a reward of one arm of each row; rounds are counted by `count`."""
        rounds = np.zeros_like(batch.n)
        self.stages.take_rewards(rows, arms, rewards, rounds, batch.table, self.clip)

    def count(self, batch: Batch, rows: IntArray, chosen: IntArray) -> None:
        """Count a round of these rows, whose rewards are counted."""
        batch.pulls[rows, chosen[rows]] += 1.0
        batch.n[rows] += 1
        if self.observe is not None:
            self.observe("pull", batch, rows)


def place_unseen(table: FloatArray, actions: Actions, clip: Clip) -> None:
    """Give arms that no action shows a mean that their families have, in a table (R, ROWS, K)."""
    unseen = np.flatnonzero(~actions.seen)
    for row in (MEAN, MU, MODEL):
        table[:, row, unseen] = np.clip(0.0, clip.low, clip.high)[unseen]


def path_for(problem: Problem) -> type[LockStepPath]:
    """The lock-step path of a problem, with actions or without."""
    return LockStepPath if problem.actions is None else ActingPath
