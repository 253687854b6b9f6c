"""A threshold from the deviation inequality of Magureanu, Combes and Proutiere."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray
from purex.families import Arms
from purex.model import Query, Structure, Threshold, contiguous
from purex.plugins import ThresholdRecord, hookimpl

LOG_2 = math.log(2)
NEWTON_STEPS = 3  # from a start within 0.16 of a root above 3: the next error is below 1e-14


class Magureanu(Threshold):
    r"""The solution x of $x = \ln\frac{m(m+1)}{\delta} + K + 1 + K\ln\frac{2x^2(\ln(2t) + 1/(K+1))}{K}$.

    Here $m = 1 + \log_2 t$. Magureanu, Combes & Proutiere (2014) bound the probability that
    $\sum_k N^k d^+(\hat\mu^k, \mu^k) \ge x$ at a *fixed* time t, for the *one-sided* divergence, by
    $e^{K+1}(x\lceil x\ln t\rceil/K)^K e^{-x}$, x >= K+1 (quoted from memory). Their slices of the counts
    carry martingales, so the same number, times $2^K$ for the signs of the deviations, bounds the
    probability that $\sum_k N^k d(\hat\mu^k, \mu^k) \ge x$ at *some* time up to t; docs/thresholds.md has the
    proof. The m-th of the epochs $2^{m-1} \le t < 2^m$ gets the risk $\delta/(m(m+1))$; the ceiling is
    bounded by $x\ln(2t) + 1 \le x(\ln(2t) + 1/(K+1))$.

    >>> print(f"{Magureanu(2).of_time(500, np.log(10)):.6f}")
    27.163573
    """

    status = "proved"
    scope = "any one-parameter exponential families, any query and structure"

    def of_time(self, t: ArrayLike, log_inverse_delta: ArrayLike) -> FloatArray:
        """The threshold after t >= 1 samples."""
        K = self.n_arms
        log_2t = np.log(np.maximum(contiguous(t), 1.0)) + LOG_2
        # m(m+1) = log_2t (log_2t + ln 2)/(ln 2)^2; with z = x/2K the equation is z - ln z = 1 + y, and y > 1
        constant = (K + 1 + K * math.log(8 * K) - 2 * math.log(LOG_2)) / (2 * K) - 1
        y = np.log(log_2t * (log_2t + LOG_2)) / (2 * K) + 0.5 * np.log(log_2t + 1 / (K + 1))
        y = contiguous(y + (np.asarray(log_inverse_delta) / (2 * K) + constant))
        z = 1 + y
        z = z + np.log(z + np.log(z))
        for _ in range(NEWTON_STEPS):
            z = z * (y + np.log(z)) / (z - 1)
        return np.asarray(2 * K * z)

    def covers(self, arms: Arms, query: Query, structure: Structure) -> bool:
        """All arms of purex are such but those of unknown variance, and the proof asks for nothing else."""
        return not arms.unknown_variance


@hookimpl
def purex_thresholds() -> Iterable[ThresholdRecord]:
    """The threshold `magureanu`."""
    yield ThresholdRecord(
        name="magureanu",
        factory=Magureanu,
        summary="peeling of the counts, in t alone, proved for all exponential families",
        reference="after Magureanu, Combes & Proutiere (2014), Lipschitz bandits",
    )
