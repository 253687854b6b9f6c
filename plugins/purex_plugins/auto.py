"""`auto`: the tightest proved threshold for a problem, chosen before any data."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray, IntArray
from purex.families import Arms
from purex.model import Query, Structure, Threshold, Unstructured
from purex.plugins import ThresholdRecord, hookimpl
from purex_plugins.linear.threshold import LinearMixture
from purex_plugins.rank_aware import RankAware

LOG_2 = math.log(2)


class EitherOr(Threshold):
    """Under a structure: stop by the statistic with the structure or by that without, each at half the risk.

    With the structure all arms pay, or all dimensions; without it only those of a support do. So knowing more
    never costs more than ln 2. The values here are those with the structure.
    """

    status = "proved"
    scope = "any one-parameter exponential families, any query and structure"
    event = "wrong answer"

    def __init__(self, structured: Threshold, without_structure: Threshold) -> None:
        super().__init__(structured.n_arms)
        self.structured, self.without_structure = structured, without_structure
        self.rises, self.against_model = structured.rises, structured.against_model
        self.by_means = structured.by_means or without_structure.by_means

    def at(
        self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike, mean: FloatArray | None = None
    ) -> FloatArray:
        """With the structure, at half the risk."""
        return self.structured.at(N, i, np.asarray(log_inverse_delta) + LOG_2, mean)

    def floor(self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike) -> FloatArray:
        """A lower bound from now on."""
        return self.structured.floor(N, i, np.asarray(log_inverse_delta) + LOG_2)

    def of_counts(self, N: ArrayLike, log_inverse_delta: ArrayLike) -> FloatArray:
        """With the structure, at half the risk."""
        return self.structured.of_counts(N, np.asarray(log_inverse_delta) + LOG_2)

    def of_time(self, t: ArrayLike, log_inverse_delta: ArrayLike) -> FloatArray:
        """With the structure, at half the risk."""
        return self.structured.of_time(t, np.asarray(log_inverse_delta) + LOG_2)

    def at_without_structure(
        self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike, mean: FloatArray | None = None
    ) -> FloatArray:
        """Without the structure, at the other half."""
        assert self.without_structure is not None
        return self.without_structure.at(N, i, np.asarray(log_inverse_delta) + LOG_2, mean)

    def covers(self, arms: Arms, query: Query, structure: Structure) -> bool:
        """Both parts do."""
        assert self.without_structure is not None
        return self.structured.covers(arms, query, structure) and self.without_structure.covers(
            arms, query, Unstructured(arms.n_arms)
        )


class Auto(RankAware):
    """Without a structure it is `rank-aware`. Under one an experiment stops by either of two statistics.

    Each has half the risk: the statistic with the structure, by `linear-mixture` where that covers it and by
    the price of all arms elsewhere; and the statistic without it, by `rank-aware`.

    >>> from purex.families import Gaussian
    >>> from purex_plugins.best_arm import BestArm
    >>> three = Arms.of(Gaussian(), 3)
    >>> type(Auto(3).for_problem(three, BestArm(3), Unstructured(3))).__name__
    'RankAware'
    """

    def __init__(self, n_arms: int) -> None:
        super().__init__(n_arms)

    def for_problem(self, arms: Arms, query: Query, structure: Structure) -> Threshold:
        """The choice, which depends on the problem alone."""
        by_support = RankAware(self.n_arms)
        if structure.is_only_bounds:
            return by_support.for_problem(arms, query, structure)
        linear = LinearMixture(self.n_arms)
        structured: Threshold = linear if linear.covers(arms, query, structure) else by_support
        return EitherOr(
            structured.for_problem(arms, query, structure),
            by_support.for_problem(arms, query, Unstructured(self.n_arms)),
        )


@hookimpl
def purex_thresholds() -> Iterable[ThresholdRecord]:
    """The threshold `auto`."""
    yield ThresholdRecord(
        name="auto",
        factory=Auto,
        summary="the tightest proved threshold for the problem, chosen before any data",
        reference="docs/thresholds.md",
    )
