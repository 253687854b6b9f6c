"""The lock-step path: one round of a whole batch at a time, around oracles of any kind.

The same compiled parts as in the compiled path, in the same order, so that both give the same trajectories.
For families that compiled code does not know, what a round does with families is done in numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.engine.batch import Batch
from purex.engine.elimination import Refutations
from purex.engine.examination import check_weights, is_foreign
from purex.engine.round_kernel import stages, talk
from purex.engine.setting import Setting, can_draw_compiled, clip_ends
from purex.errors import RefusedProblemError
from purex.families.specialisation import Known
from purex.rules.rule import BatchRule, CompiledRule, Round
from purex.run_state import (
    ALPHA,
    BETA,
    CAPPED,
    CROSSED,
    GAIN_ALPHA,
    GAIN_BETA,
    LAM,
    LOOKING,
    MEAN,
    MODEL,
    MU,
    NOBODY,
    PLAY,
    WITNESS,
    XI,
    LearnerArrays,
    N,
    Rewards,
)

Observer = Callable[[str, Batch, IntArray], None]


class LockStepPath:
    """Advances batches of any setting by one round at a time.

    `truth` is None where rewards are not drawn (an `Explorer` is told them). `observe` is called with the
    name of each stage that was reached ("statistic", "oracle", "play", "pull"), the batch and the rows.
    """

    def __init__(
        self,
        setting: Setting,
        truth: FloatArray | None,
        key: np.uint64,
        max_rounds: int,
        *,
        log_inverse_delta: float = np.nan,
        observe: Observer | None = None,
    ) -> None:
        self.setting, self.truth, self.key, self.max_rounds = setting, truth, key, max_rounds
        rule, problem = setting.rule, setting.problem
        self.rule, self.problem, self.observe = rule, problem, observe
        self.log_inverse_delta = log_inverse_delta
        self.is_foreign = is_foreign(rule)
        self.refutations: Refutations | None = None
        if rule.eliminates:
            if truth is None:
                raise RefusedProblemError(
                    "elimination is for simulations, since the certificate of an experiment is about all "
                    "alternatives at one time: use the rule inside"
                )
            self.refutations = Refutations(setting, log_inverse_delta)
        self.structured = problem.is_structured
        self.known = problem.arms.is_compiled
        self.drawn = truth is not None and can_draw_compiled(problem.arms)
        self.given, self.clip = setting.given, setting.clipping
        self.rule_given = setting.rule_given(truth, key)
        arms = Known.of(problem.arms, problem.lower, problem.upper)
        self.stages = stages(rule.intervals if self.known else "none", arms)
        if isinstance(rule, CompiledRule):
            self.compiled_gains = self.known and problem.actions is None
            self.talk = talk(rule.kernels(), rule.gains if self.compiled_gains else "none", arms)

    def advance(self, batch: Batch, rows: IntArray, budget: int) -> None:
        """At most `budget` rounds for these rows; stops as soon as one of them needs attention."""
        batch.status[rows] = 0
        for _ in range(budget):
            if self.stop_or_not(batch, rows):
                rows = rows[batch.status[rows] == 0]
                self.play_and_pull(batch, rows)
                return
            self.play_and_pull(batch, rows)

    def play_and_pull(self, batch: Batch, rows: IntArray) -> None:
        """The rest of a round, for rows that do not stop."""
        if len(rows) == 0:
            return
        arms = self.play(batch, rows)
        rewards = self.draw(batch, rows, arms)
        self.pull(batch, rows, arms, rewards)

    def stop_or_not(self, batch: Batch, rows: IntArray) -> bool:
        """Lines 3 to 6 of Algorithm 1: the candidates, and whether their statistics pass the barriers.

        Returns whether some row needs attention; `batch.status` says which and why.
        """
        table, at = batch.table, selection(rows)
        self.open_round(batch, rows)
        if self.structured or (not self.problem.query.unique and self.rule.intervals != "none"):
            low, high = (-np.inf, np.inf)
            if self.rule.intervals != "none":
                low, high = table[rows, ALPHA], table[rows, BETA]
            found = self.problem.candidate(table[rows, N], table[rows, MEAN], low, high)
            batch.candidate[rows], table[rows, MODEL] = found.answer, found.point
        else:
            batch.candidate[at] = self.problem.query.answer(table[at, MODEL])
        attention = False
        # A witness bounds the raw statistic, and so that against M, which is smaller.
        needs_oracle = self.setting.statistic == "projected" or self.refutations is not None
        asking = rows if needs_oracle else self.unheld(batch, rows)
        if len(asking):
            to = selection(asking)
            value = self.weigh(batch, asking)
            crossed = asking[~(value <= batch.limits(to)) & (batch.n[to] != batch.checked[to])]
            if len(crossed):
                batch.status[crossed] = CROSSED
                attention = True
        if (batch.n[at] >= batch.look[at]).any():
            going = rows[batch.status[rows] == 0]
            batch.status[going[batch.n[going] >= batch.look[going]]] = LOOKING
            attention = True
        if (batch.n[at] >= self.max_rounds).any():
            going = rows[batch.status[rows] == 0]
            batch.status[going[batch.n[going] >= self.max_rounds]] = CAPPED
            attention = True
        if self.observe is not None:
            self.observe("statistic", batch, rows)
        return attention

    def open_round(self, batch: Batch, rows: IntArray) -> None:
        """The bonus and the confidence intervals of each row."""
        self.bonuses = np.empty(len(batch.n))
        given = (self.rule_given, self.bonuses, self.given, self.clip)
        self.stages.open_round(rows, batch.n, batch.table, *given)
        if not self.known:
            self.intervals(batch, rows)

    def weigh(self, batch: Batch, rows: IntArray) -> FloatArray:
        """The statistics of these rows' candidates, which become theirs, and the witnesses."""
        table, at = batch.table, selection(rows)
        if self.refutations is not None:
            value, table[rows, WITNESS] = self.refutations.look(batch, rows)
            batch.witness[rows] = NOBODY  # what holds a run now may be refuted later
        else:
            setting, i = self.setting.seeing(batch, at), batch.candidate[at]
            value, point = setting.evidence(i, table[at, N], table[at, MEAN])
            table[at, WITNESS] = point
            batch.witness[at] = np.where(value < np.inf, i, NOBODY)
        batch.statistic[at] = value
        return value

    def play(self, batch: Batch, rows: IntArray) -> IntArray:
        """Lines 7 to 11: learners, oracle, gains, tracking. Returns the arms."""
        arms = np.empty(len(batch.n), dtype=np.int64)
        if isinstance(self.rule, BatchRule):
            while not self.stages.find_slots(rows, batch.learners, self.rule_given):
                batch.grow()
            self.play_batch(self.rule, batch, rows)
            self.stages.choose_arms(rows, batch.n, batch.table, self.rule_given.tracking, arms)
        else:
            self.converse(batch, rows, arms)
            if self.is_foreign:
                check_weights(self.rule, batch.table[rows, PLAY], len(rows), batch.table.shape[2])
        if self.observe is not None:
            self.observe("play", batch, rows)
        return arms

    def converse(self, batch: Batch, rows: IntArray, arms: IntArray) -> None:
        """The conversation of the rule's parts with the oracle; fills the arms."""
        room, given, call = np.empty(len(rows), dtype=np.int64), self.rule_given, 0
        bonuses = self.bonuses_heard()
        while (number := self.talk.ask_first(rows, self.learners(batch), given, bonuses, arms, room)) < 0:
            batch.grow()
        while number:
            asking = room[:number]
            self.consult(batch, asking)
            if self.observe is not None:
                self.observe("oracle", batch, asking)
            if not self.compiled_gains:
                self.gains(batch, asking)
            number = self.talk.hear_and_ask(
                asking, call, self.learners(batch), given, bonuses, self.given, arms, room
            )
            call += 1

    def learners(self, batch: Batch) -> LearnerArrays:
        """What the parts of a rule see of a batch."""
        return batch.learners

    def bonuses_heard(self) -> FloatArray:
        """The bonuses that they see."""
        return self.bonuses

    def consult(self, batch: Batch, rows: IntArray) -> None:
        """The oracle's reply, into the tables."""
        at = selection(rows)
        table, i, problem = batch.table, batch.candidate[at], self.setting.seeing(batch, at).problem
        assert isinstance(self.rule, CompiledRule)
        if self.refutations is not None and self.rule.operation == "best-response":
            found = self.refutations.respond(batch.refuted[at], i, table[at, PLAY], table[at, XI])
            table[at, LAM] = found.point
        elif self.rule.operation == "best-response":
            table[at, LAM] = problem.oracle(i, table[at, PLAY], table[at, XI]).point
        elif self.refutations is not None and self.rule.operation == "max-min":
            table[at, PLAY] = self.refutations.allocate(batch.refuted[at], i, table[at, XI])
        elif self.rule.operation == "max-min":
            table[at, PLAY] = problem.game.max_min(i, table[at, XI]).allocation
        else:
            model = problem.game.optimistic(table[at, ALPHA], table[at, BETA])
            table[at, LAM], table[at, PLAY] = model.point, model.allocation

    def play_batch(self, rule: BatchRule, batch: Batch, rows: IntArray) -> None:
        """One round of a rule in numpy."""
        table, slot = batch.table, batch.slot[rows]
        memory = batch.memory[rows, slot]
        now = Round(
            problem=self.problem,
            n=batch.n[rows],
            f=self.bonuses[rows],
            N=table[rows, N],
            mean=table[rows, MEAN],
            mu=table[rows, MU],
            alpha=table[rows, ALPHA],
            beta=table[rows, BETA],
            answer=batch.candidate[rows],
            memory=memory,
            uniforms=lambda c: self.stages.draw_uniforms(self.key, batch.run[rows], batch.n[rows], c),
            log_inverse_delta=self.log_inverse_delta,
            pulls=None if self.problem.actions is None else batch.pulls[rows],
        )
        weights = rule.play(now)
        if self.is_foreign:
            weights = check_weights(rule, weights, len(rows), self.problem.n_actions)
        (table if self.problem.actions is None else batch.moves)[rows, PLAY] = weights
        batch.memory[rows, slot] = memory

    def draw(self, batch: Batch, rows: IntArray, arms: IntArray) -> FloatArray:
        """The rewards of the chosen arms."""
        rewards = np.empty(len(batch.n))
        assert self.truth is not None
        if self.drawn:
            source = Rewards(self.key, self.truth)
            self.stages.draw_rewards(rows, arms, batch.run, batch.table, self.given, source, rewards)
            return rewards
        chosen = arms[rows]
        u = self.stages.reward_uniforms(self.key, batch.run[rows], chosen, batch.table[rows, N, chosen])
        for k in np.unique(chosen):
            of_k = chosen == k
            rewards[rows[of_k]] = self.problem.arms.families[k].quantile(self.truth[k], u[of_k])
        return rewards

    def pull(self, batch: Batch, rows: IntArray, arms: IntArray, rewards: FloatArray) -> None:
        """Line 12: count the rewards."""
        if self.problem.arms.unknown_variance:
            batch.see(rows, arms, rewards)
        self.stages.take_rewards(rows, arms, rewards, batch.n, batch.table, self.clip)
        if self.observe is not None:
            self.observe("pull", batch, rows)

    # What a round does with families that compiled code does not know.

    def unheld(self, batch: Batch, rows: IntArray) -> IntArray:
        """The rows whose witness does not keep them from stopping."""
        table = batch.table
        if self.known:
            found: IntArray = self.stages.find_unheld(
                rows, table, batch.candidate, batch.witness, batch.limits(rows), self.given
            )
            return found
        arms = self.setting.seeing(batch, rows).problem.arms
        cost = arms.cost(table[rows, N], table[rows, MEAN], table[rows, WITNESS])
        held = (batch.witness[rows] == batch.candidate[rows]) & (cost <= batch.limits(rows))
        free: IntArray = rows[~held]
        return free

    def intervals(self, batch: Batch, rows: IntArray) -> None:
        """The confidence intervals."""
        table, arms = batch.table, self.setting.seeing(batch, rows).problem.arms
        mu, f = table[rows, MU], self.bonuses[rows, None]
        if self.rule.intervals == "kl":
            low, high = arms.lower(mu, f / table[rows, N]), arms.upper(mu, f / table[rows, N])
        elif self.rule.intervals == "sub-gaussian":
            radius = np.sqrt(2 * self.clip.sigma2 * f / table[rows, N])
            low, high = mu - radius, mu + radius
        else:
            return
        least, most = clip_ends(self.clip, table[rows, N])
        table[rows, ALPHA], table[rows, BETA] = np.maximum(least, low), np.minimum(most, high)

    def gains(self, batch: Batch, rows: IntArray) -> None:
        """The divergences to the oracle's point."""
        table, arms = batch.table, self.setting.seeing(batch, rows).problem.arms
        assert isinstance(self.rule, CompiledRule)
        if self.rule.gains == "plain":
            table[rows, GAIN_ALPHA] = arms.d(table[rows, MU], table[rows, LAM])
        elif self.rule.gains == "optimistic":
            table[rows, GAIN_ALPHA] = arms.d(table[rows, ALPHA], table[rows, LAM])
            table[rows, GAIN_BETA] = arms.d(table[rows, BETA], table[rows, LAM])


def selection(rows: IntArray) -> Any:
    """An index for these rows: a slice for a single one, whose views cost less than copies do."""
    if len(rows) == 1:
        r = int(rows[0])
        return slice(r, r + 1)
    return rows
