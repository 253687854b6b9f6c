"""Thresholds of problems in which no action shows some of the arms."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray, IntArray
from purex.families import Arms
from purex.model import Query, Structure, Threshold


class WithUnseenArms(Threshold):
    r"""A threshold that counts an arm that is never seen as if it had been pulled as often as any other.

    Imagine these pulls, and their rewards discarded. The proof bounds $\sum_k N^k d(\hat\mu^k, \mu^k)$ with
    them; the statistic leaves their terms out, which are not negative.
    """

    def __init__(self, threshold: Threshold) -> None:
        super().__init__(threshold.n_arms)
        self.inner = threshold
        self.by_answer, self.by_means, self.rises = threshold.by_answer, threshold.by_means, threshold.rises
        self.event, self.against_model = threshold.event, threshold.against_model

    @property
    def status(self) -> str:  # type: ignore[override]
        """As that of the threshold."""
        return self.inner.status

    def of_time(self, t: ArrayLike, log_inverse_delta: ArrayLike) -> FloatArray:
        """The form in the number of rewards."""
        return self.inner.of_time(t, log_inverse_delta)

    def of_counts(self, N: ArrayLike, log_inverse_delta: ArrayLike) -> FloatArray:
        """The form in the counts."""
        return self.inner.of_counts(_imagined(N), log_inverse_delta)

    def at(
        self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike, mean: FloatArray | None = None
    ) -> FloatArray:
        """The value for these answers."""
        return self.inner.at(_imagined(N), i, log_inverse_delta, mean)

    def floor(self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike) -> FloatArray:
        """A lower bound from now on."""
        return self.inner.floor(_imagined(N), i, log_inverse_delta)

    def least(self, log_inverse_delta: ArrayLike) -> FloatArray:
        """A lower bound for all answers and counts."""
        return self.inner.least(log_inverse_delta)

    def covers(self, arms: Arms, query: Query, structure: Structure) -> bool:
        """Whether the threshold does."""
        return self.inner.covers(arms, query, structure)


def seen(threshold: Threshold) -> Threshold:
    """The threshold that was asked for, without what unseen arms add to it."""
    return threshold.inner if isinstance(threshold, WithUnseenArms) else threshold


def _imagined(N: ArrayLike) -> FloatArray:
    """Counts with those that are 0 replaced by the largest of their row.

    >>> _imagined([[3.0, 0.0, 5.0]])
    array([[3., 5., 5.]])
    """
    counts = np.asarray(N, dtype=np.float64)
    return np.where(counts == 0, counts.max(axis=-1, keepdims=True), counts)
