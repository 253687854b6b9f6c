"""The threshold of the Krichevsky-Trofimov mixture, for Bernoulli arms and bounded rewards."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.families import Arms
from purex.families.interval import is_judged_as_bernoulli
from purex.model import Query, Structure, Threshold, contiguous, sum_over_arms
from purex.plugins import ThresholdRecord, hookimpl


class BernoulliMixture(Threshold):
    r"""$\beta(N, \delta) = \ln(1/\delta) + \sum_k (\tfrac12 \ln N^k + \ln 2)$.

    The likelihood of n coin flips at their frequency is at most $2\sqrt n$ times their Krichevsky-Trofimov
    probability. So $\sum_k N^k d(\hat\mu^k, \mu^k)$ exceeds the logarithm of a nonnegative martingale of
    mean 1 by at most the sum above, and by Ville's inequality it exceeds $\beta$ with probability at most
    delta. For any rewards in an interval it is a supermartingale, and the bound holds also where sums are not
    whole numbers (docs/thresholds.md).

    >>> print(f"{BernoulliMixture(2).of_counts([100, 400], np.log(10)):.6f}")
    8.987197
    """

    status = "proved"
    scope = "Bernoulli arms and bounded rewards, any query and structure"

    def of_time(self, t: ArrayLike, log_inverse_delta: ArrayLike) -> NDArray[np.float64]:
        """The value at equal counts, the largest because the logarithm is concave."""
        each = 0.5 * np.log(np.maximum(contiguous(t) / self.n_arms, 1.0)) + math.log(2)
        return np.asarray(self.n_arms * each + np.asarray(log_inverse_delta))

    def of_counts(self, N: ArrayLike, log_inverse_delta: ArrayLike) -> NDArray[np.float64]:
        """The form above; a count of 0 counts as 1."""
        each = 0.5 * np.log(np.maximum(contiguous(N), 1.0))
        return np.asarray(sum_over_arms(each) + self.n_arms * math.log(2) + np.asarray(log_inverse_delta))

    def covers(self, arms: Arms, query: Query, structure: Structure) -> bool:
        """All arms are Bernoulli, or have rewards in an interval."""
        return all(is_judged_as_bernoulli(family) for family in arms.families)


@hookimpl
def purex_thresholds() -> Iterable[ThresholdRecord]:
    """The threshold `bernoulli-mixture`."""
    yield ThresholdRecord(
        name="bernoulli-mixture",
        factory=BernoulliMixture,
        summary="ln(1/delta) + sum_k (ln(N_k)/2 + ln 2), proved for Bernoulli arms and bounded rewards",
        reference="Krichevsky & Trofimov (1981), The performance of universal encoding; Ville (1939)",
    )
