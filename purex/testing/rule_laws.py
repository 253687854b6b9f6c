"""The laws of a sampling rule, each a function that raises when a case breaks it."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.engine.batch import Batch
from purex.engine.block import Block, run_block
from purex.engine.setting import Setting
from purex.errors import InvalidInputError, RefusedProblemError
from purex.explorer import Explorer
from purex.games import log_inverse
from purex.plugins import build
from purex.problem import Problem
from purex.rules import Rule
from purex.run_state import PLAY
from purex.streams import stream_key
from purex.testing.laws import LawBrokenError, NotApplicableError

RUNS = 6
NEVER = 1e6  # a log(1/delta) that no statistic of these runs reaches
UNIT = 1e-9  # how far weights may be from adding up to 1, or below 0


@dataclass(frozen=True)
class RuleCase:
    """A rule on a problem: runs of `size` rounds after the initial pulls."""

    problem: Problem
    rule: Rule
    seed: int = 0
    size: int = 60

    @cached_property
    def truth(self) -> FloatArray:
        """A model with an answer: means between 0.3 and 0.7 of the box, or of [0, 1]."""
        low = self.problem.lower if np.isfinite(self.problem.lower) else 0.0
        high = self.problem.upper if np.isfinite(self.problem.upper) else 1.0
        mu = low + (high - low) * np.linspace(0.7, 0.3, self.problem.n_arms)
        return np.asarray(self.problem.project(np.ones_like(mu), mu)[0])

    def plays(
        self, runs: int | IntArray = RUNS, *, rule: Rule | None = None, delta: float = 0.1
    ) -> dict[int, FloatArray]:
        """The weights (rounds, K) that the rule plays in runs of these numbers, all in one batch."""
        problem, K = self.problem, self.problem.n_arms
        numbers = np.arange(runs) if isinstance(runs, int) else runs
        found: dict[int, list[FloatArray]] = {int(r): [] for r in numbers}

        def observe(stage: str, batch: Batch, rows: IntArray) -> None:
            if stage == "play":
                for r in rows:
                    found[int(batch.run[r])].append(batch.table[r, PLAY].copy())

        setting = Setting(problem, rule or self.rule, build("threshold", "stylised", n_arms=K))
        block = Block(
            setting=setting,
            truth=self.truth,
            key=int(stream_key(self.seed)),
            runs=numbers,
            log_inverse=np.array([log_inverse(delta), NEVER]),
            max_rounds=K + self.size,
            initial="once",
            path="lock-step",
            width=len(numbers),
        )
        run_block(block, observe=observe)
        return {r: np.array(w) for r, w in found.items()}


def _demand_same(one: dict[int, FloatArray], other: dict[int, FloatArray], sentence: str) -> None:
    """Raise with the first round in which the plays of a run differ, bit for bit."""
    for r in sorted(set(one) & set(other)):
        a, b = one[r], other[r]
        if a.shape != b.shape:
            raise LawBrokenError(f"{sentence} (run {r}: {len(a)} rounds, then {len(b)})")
        differ = np.flatnonzero((a != b).any(axis=1))
        if len(differ):
            t = int(differ[0])
            raise LawBrokenError(f"{sentence} (run {r}, round {t}: {a[t].tolist()}, then {b[t].tolist()})")


def check_weights_are_probabilities(case: RuleCase) -> None:
    """Each round's weights are numbers >= 0 that add up to 1."""
    for r, w in case.plays().items():
        good = np.isfinite(w).all(axis=1) & (w >= -UNIT).all(axis=1) & (np.abs(w.sum(axis=1) - 1) <= UNIT)
        if not good.all():
            t = int(np.flatnonzero(~good)[0])
            raise LawBrokenError(f"weights that are no probability (run {r}, round {t}: {w[t].tolist()})")


def check_runs_do_not_depend_on_each_other(case: RuleCase) -> None:
    """A run plays the same weights, bit for bit, alone and beside others."""
    whole = case.plays()
    for r in (0, RUNS - 1):
        alone = case.plays(np.array([r]))
        _demand_same(whole, alone, "the weights depend on the other runs of the batch")


def check_the_same_run_plays_the_same(case: RuleCase) -> None:
    """A run, made again, plays the same: a rule keeps no state of its own and draws `uniforms` only."""
    first = case.plays()
    _demand_same(first, case.plays(), "the same run plays other weights when it is made again")


def check_delta_is_declared(case: RuleCase) -> None:
    """A rule that looks at delta says so in `uses_delta`: one run serves all deltas otherwise."""
    if case.rule.uses_delta:
        raise NotApplicableError("the rule says that it looks at delta")
    one, other = case.plays(delta=0.1), case.plays(delta=1e-6)
    _demand_same(one, other, "the weights depend on delta, but uses_delta is False")


def check_any_reward_may_be_told(case: RuleCase) -> None:
    """Rewards of other arms than were asked for are counted, and the rule plays on with them."""
    try:
        explorer = Explorer(case.problem, case.rule, 1e-300, seed=case.seed)
    except (InvalidInputError, RefusedProblemError) as refusal:
        raise NotApplicableError(f"the rule refuses an experiment: {refusal}") from refusal
    K = case.problem.n_arms
    rng = np.random.default_rng(case.seed)
    counts, totals = np.zeros(K, dtype=np.int64), np.zeros(K)
    for t in range(case.size):
        asked = explorer.ask()
        arm = t % K if t < K else int(rng.integers(K)) if rng.random() < 0.5 else asked
        u = np.array([rng.random()])
        reward = float(case.problem.arms.families[arm].quantile(case.truth[arm], u)[0])
        explorer.tell(arm, reward)
        counts[arm] += 1
        totals[arm] += reward
    seen = counts > 0
    told = np.divide(totals, counts, out=np.zeros(K), where=seen)
    if not (
        np.array_equal(explorer.counts, counts) and np.allclose(explorer.means[seen], told[seen], 1e-9, 0)
    ):
        raise LawBrokenError(
            f"rewards {counts.tolist()} were told, but {explorer.counts.tolist()} are counted"
        )


def check_pickles(case: RuleCase) -> None:
    """A pickled copy, as worker processes get it, plays the same."""
    copy = pickle.loads(pickle.dumps(case.rule))
    _demand_same(case.plays(2), case.plays(2, rule=copy), "a pickled copy plays other weights")


RULE_LAWS = (
    check_weights_are_probabilities,
    check_runs_do_not_depend_on_each_other,
    check_the_same_run_plays_the_same,
    check_delta_is_declared,
    check_any_reward_may_be_told,
    check_pickles,
)
