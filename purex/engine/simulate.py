"""`simulate`: many runs of a rule on a known model."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.engine.block import Block, Outcome, Progress, run_block
from purex.engine.compiled import why_not_compiled
from purex.engine.runs import Runs
from purex.engine.setting import Setting
from purex.engine.trace import trace_runs
from purex.errors import InvalidInputError, RefusedProblemError
from purex.games import log_inverse
from purex.model import Threshold
from purex.plugins import build
from purex.problem import Problem
from purex.rules.rule import Rule

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MAX_ROUNDS = 100_000_000
BLOCKS_PER_JOB = 8  # so that the long runs of one block do not leave the other processes idle


def simulate(
    problem: Problem,
    mu: ArrayLike,
    rule: Rule | str,
    deltas: float | Sequence[float] = 0.1,
    *,
    runs: int = 1000,
    seed: int = 0,
    threshold: Threshold | str = "stylised",
    max_rounds: int = MAX_ROUNDS,
    jobs: int = 1,
    initial: Literal["once", "interior"] = "once",
    clip: tuple[float, float] | None = None,
    path: Literal["auto", "compiled", "lock-step"] = "auto",
    width: int | None = None,
    trace: int = 0,
    progress: Progress | None = None,
) -> Runs:
    """Run a rule on the model mu until it stops, `runs` times, for each delta.

    Reward number n of arm k in run r is a function of (seed, r, k, n): results do not depend on `jobs`,
    `width` or `path`, and rules are compared on common random numbers. `path` is "compiled" where problem and
    rule allow it, else "lock-step". The first `trace` runs are recorded round by round. `progress` is called with the
    finished runs and the rounds so far. An interrupt returns what is finished.

    >>> problem = Problem.from_names("gaussian", "best-arm", n_arms=2)
    >>> result = simulate(problem, [1.0, 0.0], "RR", 0.05, runs=50, seed=1)
    >>> result.tau.shape, bool(result.certified.all()), result.threshold_label
    ((1, 50), True, 'heuristic')
    """
    began = time.perf_counter()
    K = problem.n_arms
    truth = _check_means(problem, mu)
    rule = build("rule", rule) if isinstance(rule, str) else rule
    if not isinstance(rule, Rule):
        raise InvalidInputError(f"a sampling rule is a Rule or its name, not {rule!r}")
    rule.check(problem)
    threshold = build("threshold", threshold, n_arms=K) if isinstance(threshold, str) else threshold
    given = np.atleast_1d(np.asarray(deltas, dtype=np.float64))
    levels = np.array([log_inverse(float(delta)) for delta in given])
    _check_counts(runs=runs, seed=seed, max_rounds=max_rounds, jobs=jobs, width=width, trace=trace)
    if len(levels) == 0:
        raise InvalidInputError("at least one delta is needed")
    if initial not in ("once", "interior"):
        raise InvalidInputError(f"initial pulls are 'once' or 'interior', not {initial!r}")
    setting = Setting(problem, rule, threshold, clip)
    way = _choose_path(setting, path)
    order = np.argsort(levels, kind="stable")
    groups = [[j] for j in order] if rule.uses_delta else [list(order)]

    shape = (len(levels), runs)
    tau, answer = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    counts, certified = np.zeros((*shape, K), dtype=np.int64), np.zeros(shape, dtype=np.bool_)
    finished = np.zeros(shape, dtype=np.bool_)
    rounds, interrupted = 0, False
    key = _key(seed)
    for group in groups:
        whole = Block(setting, truth, key, np.arange(runs), levels[group], max_rounds, initial, way, width)
        for outcome in _outcomes(whole, jobs, progress):
            rounds, interrupted = rounds + outcome.rounds, interrupted or outcome.interrupted
            numbers, found = outcome.block.runs, outcome.crossings
            for row, j in enumerate(group):
                tau[j, numbers], answer[j, numbers] = found.tau[row], found.answer[row]
                counts[j, numbers], certified[j, numbers] = found.counts[row], found.certified[row]
                finished[j, numbers] = outcome.finished
        if interrupted:
            break
    kept = np.flatnonzero(finished.all(axis=0))
    answers = answer[:, kept]
    traced = min(trace, runs)
    return Runs(
        deltas=tuple(float(delta) for delta in given),
        tau=tau[:, kept],
        answer=answers,
        correct=_is_correct(problem, truth, answers),
        certified=certified[:, kept],
        counts=counts[:, kept],
        finished=kept,
        rounds=rounds,
        seconds=time.perf_counter() - began,
        threshold=type(threshold).__name__,
        threshold_label=problem.label(threshold),
        path=way,
        interrupted=interrupted,
        traces=trace_runs(
            Block(
                setting, truth, key, np.arange(traced), levels[groups[-1]], max_rounds, initial, "lock-step"
            )
        )
        if traced and not interrupted
        else [],
    )


def _outcomes(whole: Block, jobs: int, progress: Progress | None) -> Iterator[Outcome]:
    """The outcomes of a block: of itself, or of its parts in `jobs` processes."""
    R = len(whole.runs)
    if jobs == 1 or R == 1:
        yield run_block(whole, progress)
        return
    from dataclasses import replace

    from joblib import Parallel, delayed

    if whole.path == "compiled":  # compiled here once, found in the cache by the workers
        run_block(replace(whole, runs=whole.runs[:0]))
    size = -(-R // (jobs * BLOCKS_PER_JOB))
    parts = [replace(whole, runs=whole.runs[first : first + size]) for first in range(0, R, size)]
    done, rounds = 0, 0
    workers = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    try:
        for outcome in workers(delayed(run_block)(part) for part in parts):
            done, rounds = done + int(outcome.finished.sum()), rounds + outcome.rounds
            if progress is not None:
                progress(done, rounds)
            yield outcome
    except KeyboardInterrupt:
        empty = run_block(replace(whole, runs=whole.runs[:0]))
        yield replace(empty, interrupted=True)


def _choose_path(setting: Setting, path: str) -> Literal["compiled", "lock-step"]:
    if path not in ("auto", "compiled", "lock-step"):
        raise InvalidInputError(f"the path is auto, compiled or lock-step, not {path!r}")
    if path == "lock-step":
        return "lock-step"
    reason = why_not_compiled(setting)
    if reason is not None and path == "compiled":
        raise RefusedProblemError(f"there is no compiled path: {reason}")
    return "compiled" if reason is None else "lock-step"


def _check_means(problem: Problem, mu: ArrayLike) -> FloatArray:
    means = problem.arms.validate_means(mu)
    if means.ndim != 1:
        raise InvalidInputError(f"a simulation is about one model, not about {len(means)}")
    if not problem.contains(means).all():
        raise InvalidInputError(
            f"the means {means.tolist()} are not a possible model: they leave the box or the structure"
        )
    return means


def _check_counts(**counts: Any) -> None:
    least = {"seed": 0, "trace": 0}
    for name, value in counts.items():
        if value is None and name == "width":
            continue
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least.get(name, 1):
            raise InvalidInputError(
                f"{name} must be a whole number, at least {least.get(name, 1)}, not {value!r}"
            )


def _key(seed: int) -> int:
    from purex.streams import stream_key

    return int(stream_key(seed))


def _is_correct(problem: Problem, truth: FloatArray, answers: IntArray) -> NDArray[np.bool_]:
    codes, where = np.unique(answers, return_inverse=True)
    right = np.array(
        [problem.query.is_correct(truth[None], np.array([code]))[0] for code in codes], dtype=bool
    )
    return right[where].reshape(answers.shape)
