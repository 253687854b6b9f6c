r"""What several arms of unknown variance may deviate by together: docs/thresholds.md has the proof.

One arm has the test martingale M of the sequential t-test. Products over arms are none under adaptive
sampling, but the suprema $A^k = \sup_n \ln M^k_n$ are independent, each at most exponential: so sums of s of
them are at most Gamma(s, 1).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from purex.arrays import FloatArray

MAX_STEPS = 200  # of Newton's method, which falls to the root and takes some ten


@lru_cache(maxsize=4096)
def sum_of_suprema(x: float, size: int) -> float:
    r"""The X with $P(\Gamma(s, 1) > X) = e^{-x}$: $X - \ln\sum_{j<s} X^j/j! = x$.

    The left side is convex and increasing, and positive at $2x + 3s$ by Chernoff's bound: Newton's method
    falls from there to the root. In logarithms, so that no tail is too small.

    >>> print(f"{sum_of_suprema(3.0, 1):.12f} {sum_of_suprema(3.0, 2):.12f} {sum_of_suprema(500.0, 2):.9f}")
    3.000000000000 4.749031386013 506.228962504
    """
    if size == 1 or x <= 0:
        return max(x, 0.0)
    powers = np.arange(size)
    factorials = np.array([math.lgamma(j + 1.0) for j in range(size)])
    X = 2 * x + 3 * size
    for _ in range(MAX_STEPS):
        terms = powers * math.log(X) - factorials
        top = float(terms.max())
        log_sum = top + math.log(float(np.exp(terms - top).sum()))
        slope = math.exp(float(terms[-1]) - log_sum)
        following = X - (X - log_sum - x) / slope
        if not 0 < following < X:  # by rounding only
            break
        X = following
    return X


def lifted(Y: FloatArray, share: FloatArray, precision: float) -> FloatArray:
    r"""$g_n(Y) = Y - \tfrac n2\ln(1 - \tfrac\rho n(e^{2Y/n} - 1))$, from $share = \rho/n$.

    Bounds of the logarithm of M are turned into those of $\tfrac n2\ln(1 + u^2)$; infinite where n is too
    small for any.

    >>> print(lifted(np.array([5.0, 5.0, 5.0]), np.array([1.0, 0.1, 0.001]), 1.0).round(9))
    [       inf 5.94267319 5.00502511]
    """
    with np.errstate(all="ignore"):
        excess = share * np.expm1(2 * Y * share / precision)
        value = Y - precision * np.log1p(-excess) / (2 * share)
    return np.asarray(np.where(excess < 1, value, np.inf))
