"""What stays the same in all runs of a simulation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.engine.batch import Batch
from purex.errors import InvalidInputError, OracleFailureError
from purex.families import Arms, Family
from purex.model import Given, Threshold
from purex.model.threshold import Status
from purex.problem import Problem
from purex.problem.evidence import Evidence, check_evidence
from purex.rules.rule import TRACKING, CompiledRule, Rule
from purex.run_state import Clip, RuleGiven

Statistic = Literal["auto", "raw", "projected", "model"]

EDGE = 1e-3  # of a `unit`: how far from the end of their domain the sampling rule sees means of discrete arms
HAIR = 1e-300  # and those of positive continuous arms, whose mean is 0 by rounding only


@dataclass(frozen=True)
class Setting:
    """A problem, a rule, a threshold and the conventions of a run.

    `clip` bounds the means that the sampling rule sees (None: see `default_clip`; one that is given stays as
    it is), and is no part of the model. `statistic` is what the stopping rule compares with the threshold:
    the likelihood ratio against the alternative of all of Theta^K ("raw"), of the means brought into the
    problem's bounds ("projected"), or of M ("model"). "auto" is "model" under a structure, where the raw
    ratio also counts how far the means are from M, and "raw" elsewhere; in a box it is "model" too for
    thresholds that pay for the arms of a piece only, because the raw ratio counts those of the other arms.
    """

    problem: Problem
    rule: Rule
    threshold: Threshold
    clip: tuple[float, float] | None = None
    statistic: Statistic = "auto"

    def __post_init__(self) -> None:
        if self.problem.actions is not None:
            object.__setattr__(self, "rule", self.rule.for_actions())
        if self.statistic == "auto":
            against_model = self.problem.is_structured or self._needs_model
            object.__setattr__(self, "statistic", "model" if against_model else "raw")

    @property
    def _needs_model(self) -> bool:
        return self.threshold.against_model or (self.threshold.by_answer and self.problem.is_restricted)

    @property
    def label(self) -> Status:
        """Whether an error of at most delta is proved for this threshold and statistic on this problem."""
        if self.statistic != "model" and self.threshold.against_model:
            return "heuristic"
        if self.statistic == "raw" and self._needs_model:
            return "heuristic"
        return self.problem.label(self.threshold)

    @cached_property
    def without_structure(self) -> Setting | None:
        """The statistic that is looked at now and then besides this one, if the threshold has a second."""
        second = self.threshold.without_structure
        if second is None or self.problem.has_unseen_arms:  # which could be anything without the structure
            return None
        return Setting(self.problem.without_structure(), self.rule, second, self.clip)

    def seeing(self, batch: Batch, at: Any) -> Setting:
        """The same for these rows of a batch: where variances are unknown, with those that they show."""
        if not self.problem.arms.unknown_variance:
            return self
        return replace(self, problem=self.problem.seeing(batch.deviations(at)))

    def evidence(self, i: IntArray, N: FloatArray, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The statistics (R,) of candidates i, counts N and means (R, K), and the closest alternatives."""
        mean, fit = self.compared(N, mean)
        value, point, _ = self.problem.oracle(i, N, mean)
        if self.statistic == "model":
            value = value - fit
        self.check_statistic(value, N, mean)
        return value, point

    def compared(self, N: FloatArray, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The means (R, K) that the statistic is about, and what is taken off it (R,): how far M is."""
        if self.statistic == "projected":
            mean = np.clip(mean, self.problem.lower, self.problem.upper)
        if self.statistic == "model":
            return mean, self.problem.arms.cost(N, mean, self.problem.project(N, mean))
        return mean, np.zeros(len(mean))

    def check_statistic(self, value: FloatArray, N: FloatArray, mean: FloatArray) -> None:
        """Raise if a statistic is nan: it would neither stop a run nor let it go on."""
        missing = np.isnan(value)
        if missing.any():
            r = int(np.flatnonzero(missing)[0])
            oracle = self.problem.foreign_oracle or self.problem.oracle_name
            raise OracleFailureError(
                f"the oracle {oracle} gives a statistic that is not a number (N = {N[r].tolist()}, "
                f"means = {mean[r].tolist()})"
            )

    def check_stop(
        self, i: IntArray, N: FloatArray, mean: FloatArray, statistic: FloatArray, point: FloatArray
    ) -> None:
        """Raise if runs are about to stop on the word of an oracle from elsewhere that is not true."""
        if self.problem.foreign_oracle is None:
            return
        value = statistic
        if self.statistic == "projected":
            mean = np.clip(mean, self.problem.lower, self.problem.upper)
        if self.statistic == "model":
            value = statistic + self.problem.arms.cost(N, mean, self.problem.project(N, mean))
        check_evidence(self.problem, self.problem.foreign_oracle, Evidence(i, N, mean, value, point))

    @cached_property
    def given(self) -> Given:
        """The problem as kernels see it."""
        problem, compiled = self.problem, self.problem.compiled
        numbers = () if compiled is None else compiled.numbers
        return Given.of(problem.arms, problem.lower, problem.upper, numbers)

    @cached_property
    def clipping(self) -> Clip:
        """Where means are cut off, arm by arm."""
        arms, problem = self.problem.arms, self.problem
        ends = [default_clip(family) if self.clip is None else self.clip for family in arms.families]
        low = np.maximum([low for low, _ in ends], problem.lower)
        high = np.minimum([high for _, high in ends], problem.upper)
        if (low > high).any():
            raise InvalidInputError(f"no mean lies both in the clip {self.clip} and in the problem's bounds")
        start, end = (arms.lower_ends, arms.upper_ends) if self.clip is None else (low, high)
        half = np.array([0.5 * family.unit for family in arms.families])
        sigma2 = np.zeros(arms.n_arms)
        if self.rule.intervals == "sub-gaussian":
            sigma2[:] = [sub_gaussian(f, *ends) for f, *ends in zip(arms.families, low, high, strict=True)]
        floor, ceiling = np.full(arms.n_arms, problem.lower), np.full(arms.n_arms, problem.upper)
        return Clip(low, high, floor, ceiling, np.array(start), np.array(end), half, sigma2)

    def rule_given(self, truth: FloatArray | None, key: np.uint64) -> RuleGiven:
        """The rule as kernels see it; `truth` are the true means, known in simulations only."""
        rule, problem = self.rule, self.problem
        numbers = rule.numbers(problem, truth) if isinstance(rule, CompiledRule) else np.zeros(1)
        return RuleGiven(
            rule.start(problem),
            numbers,
            TRACKING[rule.tracking],
            rule.learners == "single",
            rule.bonus.code,
            rule.bonus.factor,
            key,
        )


def clip_ends(clip: Clip, N: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The ends (..., K) of the clip after N (..., K) pulls: of rare events half a success may be less.

    The same as `least_mean` and `most_mean` of `purex.engine.kernels.round`.
    """
    least = np.maximum(clip.floor, clip.start + clip.half / N)
    most = np.minimum(clip.ceiling, clip.end - clip.half / N)
    return np.minimum(clip.low, least), np.maximum(clip.high, most)


def default_clip(family: Family) -> tuple[float, float]:
    """The means that the sampling rule sees: off the ends of the domain, where divergences are infinite.

    Where an arm has been pulled more than 500 times its means may come as near as half a success in these
    pulls (see `clip_ends`), so that rare events are told from each other.

    >>> from purex.families import Bernoulli, Gaussian
    >>> default_clip(Bernoulli()), default_clip(Gaussian())
    ((0.001, 0.999), (-inf, inf))
    """
    low, high = family.domain
    edge = HAIR if family.kind.startswith("gamma") else EDGE * family.unit
    return low + edge, high - edge


def sub_gaussian(family: Family, low: float, high: float) -> float:
    r"""The $\sigma^2$ of the sub-Gaussian intervals: the proxy, or the largest variance on the box."""
    if family.variance_proxy is not None:
        return family.variance_proxy
    if not (np.isfinite(low) and np.isfinite(high)):
        raise InvalidInputError(
            f"sub-Gaussian intervals for {family.name} need finite bounds: give box=(lower, upper), or --box"
        )
    return family.max_variance(low, high)


def can_draw_compiled(arms: Arms) -> bool:
    """Whether all rewards can be drawn by compiled code."""
    from purex.families.compiled.rewards import can_draw

    return all(f.draws_compiled and can_draw(f.code, f.scale, f.parameter) for f in arms.families)
