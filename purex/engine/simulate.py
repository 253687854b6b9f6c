"""`simulate`: many runs of a rule on a known model."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.arrays import IntArray
from purex.engine.block import Progress
from purex.engine.initial import Initial
from purex.engine.plan import MAX_ROUNDS, Plan
from purex.engine.processes import compile_kernels, outcomes
from purex.engine.runs import Runs
from purex.engine.setting import Statistic
from purex.engine.trace import trace_runs
from purex.errors import TiedMeansWarning
from purex.model import Threshold
from purex.problem import Problem
from purex.problem.ties import is_undetermined
from purex.problem.unseen_arms import seen
from purex.rules.rule import Rule


def simulate(
    problem: Problem,
    mu: ArrayLike,
    rule: Rule | str,
    deltas: float | Sequence[float] = 0.1,
    *,
    runs: int = 1000,
    first: int = 0,
    seed: int = 0,
    threshold: Threshold | str = "stylised",
    max_rounds: int = MAX_ROUNDS,
    jobs: int = 1,
    initial: Initial = "once",
    clip: tuple[float, float] | None = None,
    statistic: Statistic = "auto",
    path: Literal["auto", "compiled", "lock-step"] = "auto",
    width: int | None = None,
    trace: int = 0,
    progress: Progress | None = None,
) -> Runs:
    """Run a rule on the model mu until it stops, `runs` times, for each delta.

    Reward number n of arm k in run r is a function of (seed, r, k, n): results do not depend on `jobs`,
    `width` or `path`, and rules are compared on common random numbers. An interrupt returns what is finished.

    - `problem`, `mu`: what is asked about which arms, and the true means, which the rule does not see.
    - `rule`: a `Rule` or its name, such as "D-C".
    - `deltas`: one risk or several; all are served by the same runs, unless the rule looks at delta.
    - `runs`, `first`: how many runs, and the number of the first: parts of a simulation, made anywhere, are
      the whole.
    - `seed`: the seed of all random numbers, a whole number from 0 on.
    - `threshold`: a `Threshold` or its name; "auto" is the tightest that is proved for the problem.
    - `max_rounds`: runs are cut off here, and are then not certified.
    - `jobs`: how many processes.
    - `initial`: "once" first pulls each arm once, "interior" each until its Bernoulli mean is off 0 and 1.
    - `clip`: the interval into which the means that the rule sees are brought; the stopping rule sees the
      raw ones.
    - `statistic`: "raw", "projected" or "model", as in `purex.engine.setting.Setting`; "auto" is "model"
      under a structure, else "raw".
    - `path`: "compiled", "lock-step", or "auto": compiled where problem and rule allow it.
    - `width`: how many runs go side by side.
    - `trace`: this many runs, the first ones, are recorded round by round, in `Runs.traces`.
    - `progress`: called with the number of finished runs and of rounds so far.

    Where the means determine no answer, as with two best arms, a correct run never stops: `TiedMeansWarning`,
    unless `max_rounds` is given.

    >>> problem = Problem.from_names("gaussian", "best-arm", n_arms=2)
    >>> result = simulate(problem, [1.0, 0.0], "RR", 0.05, runs=50, seed=1)
    >>> result.tau.shape, bool(result.certified.all()), result.threshold_label
    ((1, 50), True, 'heuristic')
    """
    began = time.perf_counter()
    plan = Plan.of(
        problem, mu, rule, deltas, runs=runs, first=first, seed=seed, threshold=threshold,
        max_rounds=max_rounds, initial=initial, clip=clip, statistic=statistic, path=path, width=width,
        jobs=jobs, trace=trace,
    )  # fmt: skip
    if max_rounds == MAX_ROUNDS and is_undetermined(problem, problem.arms.validate_means(mu)):
        warnings.warn(
            f"the answer is not determined by these means, so runs may go on to {MAX_ROUNDS:,} rounds: "
            "change a mean, or give max_rounds",
            TiedMeansWarning,
            stacklevel=2,
        )
    shape = (len(plan.deltas), runs)
    tau, answer = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    counts = np.zeros((*shape, problem.n_actions), dtype=np.int64)
    certified, finished = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    rounds, interrupted = 0, False
    for group, whole in plan.blocks:
        for outcome in outcomes(whole, jobs, progress):
            rounds, interrupted = rounds + outcome.rounds, interrupted or outcome.interrupted
            numbers, found = outcome.block.runs - first, outcome.crossings
            for row, j in enumerate(group):
                tau[j, numbers], answer[j, numbers] = found.tau[row], found.answer[row]
                counts[j, numbers], certified[j, numbers] = found.counts[row], found.certified[row]
                finished[j, numbers] = outcome.finished
        if interrupted:
            break
    kept = np.flatnonzero(finished.all(axis=0))
    block, setting = plan.blocks[-1][1], plan.setting
    traced = replace(block, runs=block.runs[:trace], path="lock-step")
    return Runs(
        deltas=plan.deltas,
        tau=tau[:, kept],
        answer=answer[:, kept],
        correct=_is_correct(problem, block.truth, answer[:, kept]),
        certified=certified[:, kept],
        counts=counts[:, kept],
        finished=kept + first,
        rounds=rounds,
        seconds=time.perf_counter() - began,
        threshold=type(seen(setting.threshold)).__name__,
        threshold_label=setting.label,
        path=block.path,
        interrupted=interrupted,
        traces=[] if interrupted else trace_runs(traced),
        costs=None if problem.actions is None else problem.actions.costs,
    )


def prepare(
    problem: Problem,
    mu: ArrayLike,
    rule: Rule | str,
    deltas: float | Sequence[float] = 0.1,
    *,
    runs: int = 1000,
    first: int = 0,
    seed: int = 0,
    threshold: Threshold | str = "stylised",
    max_rounds: int = MAX_ROUNDS,
    jobs: int = 1,
    initial: Initial = "once",
    clip: tuple[float, float] | None = None,
    statistic: Statistic = "auto",
    path: Literal["auto", "compiled", "lock-step"] = "auto",
    width: int | None = None,
    trace: int = 0,
) -> None:
    """Compile what `simulate` needs for these arguments, or find it in the cache; refuse as it would.

    `simulate` does so by itself, at its first round; this is for who wants to know when it happens.
    """
    plan = Plan.of(
        problem, mu, rule, deltas, runs=runs, first=first, seed=seed, threshold=threshold,
        max_rounds=max_rounds, initial=initial, clip=clip, statistic=statistic, path=path, width=width,
        jobs=jobs, trace=trace,
    )  # fmt: skip
    compile_kernels(plan.blocks[0][1])


def _is_correct(problem: Problem, truth: NDArray[np.float64], answers: IntArray) -> NDArray[np.bool_]:
    codes, where = np.unique(answers, return_inverse=True)
    right = [problem.query.is_correct(truth[None], np.array([code]))[0] for code in codes]
    return np.array(right, dtype=np.bool_)[where].reshape(answers.shape)
