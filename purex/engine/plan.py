"""What a simulation is going to do: its arguments checked, and its runs as blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray
from purex.engine.block import Block
from purex.engine.compiled_path import why_not_compiled
from purex.engine.examination import examine_rule, examine_threshold
from purex.engine.initial import Initial, check_initial
from purex.engine.processes import check_jobs
from purex.engine.setting import Setting, Statistic
from purex.errors import InvalidInputError, RefusedProblemError, shown
from purex.games import log_inverse
from purex.model import Threshold
from purex.plugins import build
from purex.problem import Problem
from purex.rules.rule import Rule, check_playable
from purex.whole_numbers import is_whole

MAX_ROUNDS = 100_000_000

LEAST = {"seed": 0, "trace": 0, "first": 0}  # other counts are at least 1
MOST = 2**62  # of a count: sums of two fit into 64 bits; a seed may be larger
MOST_NUMBERS = 10**9  # that the results of a simulation may hold: 8 gigabytes


@dataclass(frozen=True)
class Plan:
    """Blocks of runs, each with the numbers of the deltas that it serves.

    One block serves all deltas, unless the rule looks at delta.
    """

    deltas: tuple[float, ...]
    blocks: list[tuple[list[int], Block]]

    @classmethod
    def of(
        cls,
        problem: Problem,
        mu: ArrayLike,
        rule: Rule | str,
        deltas: float | Sequence[float],
        *,
        runs: int,
        seed: int,
        threshold: Threshold | str,
        max_rounds: int,
        initial: Initial,
        clip: tuple[float, float] | None,
        path: Literal["auto", "compiled", "lock-step"],
        width: int | None,
        statistic: Statistic = "auto",
        first: int = 0,
        jobs: int = 1,
        trace: int = 0,
    ) -> Plan:
        """Check the arguments of `simulate`, also those that a plan does not need (`jobs`, `trace`)."""
        if not isinstance(problem, Problem):
            raise InvalidInputError(f"a simulation needs a Problem, not {shown(problem)}")
        truth = _check_means(problem, mu)
        rule = build("rule", rule) if isinstance(rule, str) else rule
        if not isinstance(rule, Rule):
            raise InvalidInputError(f"a sampling rule is a Rule or its name, not {shown(rule)}")
        check_playable(rule, problem)
        examine_rule(rule, problem)
        threshold = problem.threshold(threshold)
        given = _check_deltas(deltas)
        levels = np.array([log_inverse(float(delta)) for delta in given])
        examine_threshold(threshold, problem.n_arms, levels)
        _check_counts(
            runs=runs, first=first, seed=seed, max_rounds=max_rounds, width=width, jobs=jobs, trace=trace
        )
        check_jobs(jobs)
        _check_size(runs, len(given), problem.n_actions)
        check_initial(initial)
        if problem.actions is not None:
            check_with_actions(initial, trace)
        if statistic not in get_args(Statistic):
            raise InvalidInputError(f"the statistic is auto, raw, projected or model, not {shown(statistic)}")
        setting = Setting(problem, rule, threshold, _check_clip(clip), statistic)
        order = [int(j) for j in np.argsort(levels, kind="stable")]
        return cls(
            deltas=tuple(float(delta) for delta in given),
            blocks=[
                (
                    group,
                    Block(
                        setting=setting,
                        truth=truth,
                        key=_key(seed),
                        runs=np.arange(first, first + runs),
                        log_inverse=levels[group],
                        max_rounds=int(max_rounds),
                        initial=initial,
                        path=_choose_path(setting, path),
                        width=width,
                    ),
                )
                for group in ([[j] for j in order] if rule.uses_delta else [order])
            ],
        )

    @property
    def setting(self) -> Setting:
        """What is the same in all blocks."""
        return self.blocks[0][1].setting


def check_with_actions(initial: Initial, trace: int) -> None:
    """Refuse what is for arms only."""
    if initial != "once":
        raise RefusedProblemError(
            f"initial={initial!r} pulls single arms, which a problem with actions may not be able to: "
            "leave it out"
        )
    if trace:
        raise RefusedProblemError("runs of a problem with actions are not recorded round by round: trace=0")


def _choose_path(setting: Setting, path: str) -> Literal["compiled", "lock-step"]:
    if path not in ("auto", "compiled", "lock-step"):
        raise InvalidInputError(f"the path is auto, compiled or lock-step, not {shown(path)}")
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
    for family, mean in zip(problem.arms.families, means.tolist(), strict=True):
        family.check_truth(mean)
    return means


def _check_clip(clip: Any) -> tuple[float, float] | None:
    if clip is None:
        return None
    try:
        low, high = (float(end) for end in clip)
    except (TypeError, ValueError, OverflowError):
        low, high = np.nan, np.nan
    if not low <= high:
        raise InvalidInputError(f"a clip is an interval (low, high), not {shown(clip)}")
    return low, high


def _check_deltas(deltas: Any) -> FloatArray:
    try:
        given = np.atleast_1d(np.asarray(deltas))
        numbers = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.empty((0, 0))
    if numbers.ndim != 1 or len(numbers) == 0 or given.dtype.kind not in "iuf":
        raise InvalidInputError(f"deltas are one number or a list of them, not {shown(deltas)}")
    return numbers


def _check_size(runs: int, deltas: int, n_arms: int) -> None:
    """Refuse results that would not fit into memory, before anything is run."""
    most = MOST_NUMBERS // (deltas * (n_arms + 3))
    if runs > most:
        raise InvalidInputError(
            f"{runs:,} runs of {n_arms} arms at {deltas} deltas are too many for one simulation: make at "
            f"most {most:,} at a time, from another `first` each, or a study by `purex run`, chunk by chunk"
        )


def _check_counts(**counts: Any) -> None:
    for name, value in counts.items():
        if value is None and name == "width":
            continue
        least = LEAST.get(name, 1)
        if not is_whole(value, least):
            raise InvalidInputError(f"{name} must be a whole number, at least {least}, not {shown(value)}")
        if value > MOST and name != "seed":
            raise InvalidInputError(f"{name} must be at most 2^62 = {MOST:,}, not {shown(value)}")


def _key(seed: int) -> int:
    from purex.streams import stream_key

    return int(stream_key(seed))
