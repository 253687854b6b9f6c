"""The threshold of Kaufmann and Koolen for Gaussian arms."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.families import Arms
from purex.model import Query, Structure, Threshold, contiguous, sum_over_arms
from purex.plugins import ThresholdRecord, hookimpl
from purex_plugins.once_per_risk import at_each_risk


@lru_cache(maxsize=4096)
def C(x: float) -> float:
    r"""$C(x) = \min_{1/2 < \lambda < 1} (g(\lambda) + x)/\lambda$, with g as in `GaussianMixture`.

    g is convex, so the quotient has one minimum; there, 1 - lambda lies between 1/(4x + 40) and 1/(2x + 8).
    Any other lambda would give a valid, larger value: the minimisation costs sharpness, never correctness.

    >>> print(f"{C(1.0):.10f} {C(230.0):.9f}")
    2.5070945466 233.306179838
    """
    from scipy.optimize import minimize_scalar  # here: importing scipy takes 0.3 s
    from scipy.special import zeta

    def quotient(log_gap: float) -> float:
        lam = -math.expm1(log_gap)
        g = 2 * lam - 2 * lam * math.log(4 * lam) + math.log(zeta(2 * lam)) - log_gap / 2
        return (g + x) / lam

    ends = (-math.log(4 * x + 40), -math.log(2 * x + 8))
    return float(minimize_scalar(quotient, bounds=ends, method="bounded", options={"xatol": 1e-9}).fun)


class GaussianMixture(Threshold):
    r"""$\beta(N, \delta) = \sum_k 2\ln(4 + \ln N^k) + K\,C(\ln(1/\delta)/K)$, for Gaussian arms.

    With $g(\lambda) = 2\lambda - 2\lambda\ln(4\lambda) + \ln\zeta(2\lambda) - \tfrac12\ln(1-\lambda)$,
    $\exp(\lambda[N^k d(\hat\mu^k, \mu^k) - 2\ln(4 + \ln N^k)] - g(\lambda))$ stays below a nonnegative
    martingale of mean 1, a mixture of Gaussian priors of precisions $e^{4\lambda(i-1)}(1/\lambda - 1)$ with
    weights $i^{-2\lambda}/\zeta(2\lambda)$; docs/thresholds.md has the proof. Their product over the arms and
    Ville's inequality give the threshold.

    >>> print(f"{GaussianMixture(2).of_counts([100, 400], np.log(10)):.6f}")
    14.249514
    """

    status = "proved"
    scope = "Gaussian arms of known variances, any query and structure"

    def of_time(self, t: ArrayLike, log_inverse_delta: ArrayLike) -> NDArray[np.float64]:
        """The value at equal counts, the largest because the iterated logarithm is concave."""
        each = 2 * np.log(4 + np.log(np.maximum(contiguous(t) / self.n_arms, 1.0)))
        return np.asarray(self.n_arms * each + self._constant(log_inverse_delta))

    def of_counts(self, N: ArrayLike, log_inverse_delta: ArrayLike) -> NDArray[np.float64]:
        """The form above; a count of 0 counts as 1."""
        each = 2 * np.log(4 + np.log(np.maximum(contiguous(N), 1.0)))
        return np.asarray(sum_over_arms(each) + self._constant(log_inverse_delta))

    def covers(self, arms: Arms, query: Query, structure: Structure) -> bool:
        """All arms are Gaussian; their variances may differ."""
        return set(arms.kinds) == {"gaussian"}

    def _constant(self, log_inverse_delta: ArrayLike) -> NDArray[np.float64]:
        return self.n_arms * at_each_risk(C, np.asarray(log_inverse_delta) / self.n_arms)


@hookimpl
def purex_thresholds() -> Iterable[ThresholdRecord]:
    """The threshold `gaussian-mixture`."""
    yield ThresholdRecord(
        name="gaussian-mixture",
        factory=GaussianMixture,
        summary="sum_k 2 ln(4 + ln N_k) + K C(ln(1/delta)/K), proved for Gaussian arms",
        reference="Kaufmann & Koolen (2021), Mixture martingales revisited, JMLR 22(246)",
    )
