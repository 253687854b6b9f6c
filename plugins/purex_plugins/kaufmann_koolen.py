"""The threshold of Kaufmann and Koolen for every exponential family."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.families import Arms
from purex.model import Query, Structure, Threshold, contiguous, sum_over_arms
from purex.model.deviations import kaufmann_koolen
from purex.plugins import ThresholdRecord, hookimpl
from purex_plugins.once_per_risk import at_each_risk


class KaufmannKoolen(Threshold):
    r"""$\beta(N, \delta) = \sum_k 3\ln(1 + \ln N^k) + K\,T(\ln(1/\delta)/K)$.

    $\sum_k N^k d(\hat\mu^k, \mu^k)$ exceeds it at some time with probability at most delta, whatever the
    sampling rule.

    >>> print(f"{KaufmannKoolen(2).of_counts([100, 400], np.log(10)):.6f}")
    29.797112
    """

    status = "proved"
    scope = "any one-parameter exponential families, any query and structure"

    def of_time(self, t: ArrayLike, log_inverse_delta: ArrayLike) -> NDArray[np.float64]:
        """The value at equal counts, the largest because the iterated logarithm is concave."""
        each = 3 * np.log(1 + np.log(np.maximum(contiguous(t) / self.n_arms, 1.0)))
        return np.asarray(self.n_arms * each + self._constant(log_inverse_delta))

    def of_counts(self, N: ArrayLike, log_inverse_delta: ArrayLike) -> NDArray[np.float64]:
        """The form above; a count of 0 counts as 1."""
        each = 3 * np.log(1 + np.log(np.maximum(contiguous(N), 1.0)))
        return np.asarray(sum_over_arms(each) + self._constant(log_inverse_delta))

    def covers(self, arms: Arms, query: Query, structure: Structure) -> bool:
        """All arms of purex are such but those of unknown variance, and the proof asks for nothing else."""
        return not arms.unknown_variance

    def _constant(self, log_inverse_delta: ArrayLike) -> NDArray[np.float64]:
        return self.n_arms * at_each_risk(kaufmann_koolen, np.asarray(log_inverse_delta) / self.n_arms)


@hookimpl
def purex_thresholds() -> Iterable[ThresholdRecord]:
    """The threshold `kaufmann-koolen`."""
    yield ThresholdRecord(
        name="kaufmann-koolen",
        factory=KaufmannKoolen,
        summary="sum_k 3 ln(1 + ln N_k) + K T(ln(1/delta)/K), proved for all exponential families",
        reference="Kaufmann & Koolen (2021), Mixture martingales revisited, JMLR 22(246)",
    )
