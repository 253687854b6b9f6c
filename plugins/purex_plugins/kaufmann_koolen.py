"""The threshold of Kaufmann and Koolen for every exponential family."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.families import Arms, Exponential
from purex.model import Query, Structure, Threshold, contiguous, sum_over_arms
from purex.plugins import ThresholdRecord, hookimpl
from purex_plugins.once_per_risk import at_each_risk

Z = 1.5  # the z of the paper's h~_z
BRANCH = 1 / math.log(Z) + math.log(math.log(Z))  # h(1/ln z), with h(v) = v - ln v
LOG_2_ZETA_2 = math.log(math.pi**2 / 3)


def h_inverse_1p(x: float) -> float:
    r"""$h^{-1}(1 + x)$: the $v \ge 1$ with $h(v) = v - \ln v = 1 + x$, for x >= 0; a tiny x keeps its digits.

    One over it is the lower confidence bound of an exponential arm, whose $d(1, 1/v)$ is $v - 1 - \ln v$.

    >>> print(f"{h_inverse_1p(1.0):.12f}")
    3.146193220621
    """
    return float(1 / Exponential().lower(1.0, x))


def h_tilde(x: float) -> float:
    r"""$\tilde h_z(x) = \min_{1 < u \le z} u (x - \ln\ln u)$, z = 3/2.

    >>> print(f"{h_tilde(1.0):.10f} {h_tilde(2.0):.10f}")
    2.8540806836 4.3233806475
    """
    if x < BRANCH:
        return Z * (x - math.log(math.log(Z)))
    v = h_inverse_1p(x - 1)
    return math.exp(1 / v) * v


@lru_cache(maxsize=4096)
def T(x: float) -> float:
    r"""$T(x) = 2\tilde h_z\left(\tfrac12(h^{-1}(1 + x) + \ln(2\zeta(2)))\right)$.

    >>> print(f"{T(1.0):.10f} {T(100.0):.9f}")
    9.1045170257 116.971342671
    """
    return 2 * h_tilde((h_inverse_1p(x) + LOG_2_ZETA_2) / 2)


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
        """All arms of purex are such, and the proof asks for nothing else."""
        return True

    def _constant(self, log_inverse_delta: ArrayLike) -> NDArray[np.float64]:
        return self.n_arms * at_each_risk(T, np.asarray(log_inverse_delta) / self.n_arms)


@hookimpl
def purex_thresholds() -> Iterable[ThresholdRecord]:
    """The threshold `kaufmann-koolen`."""
    yield ThresholdRecord(
        name="kaufmann-koolen",
        factory=KaufmannKoolen,
        summary="sum_k 3 ln(1 + ln N_k) + K T(ln(1/delta)/K), proved for all exponential families",
        reference="Kaufmann & Koolen (2021), Mixture martingales revisited, JMLR 22(246)",
    )
