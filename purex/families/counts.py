"""Quantiles of laws on the nonnegative integers, exact in the distribution function."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray


def count_quantile(
    below: Callable[[FloatArray], FloatArray],
    above: Callable[[FloatArray], FloatArray],
    u: FloatArray,
    *,
    mean: FloatArray,
    variance: FloatArray,
    skew: FloatArray,
) -> FloatArray:
    """The smallest integer k >= 0 with P(X <= k) >= u; infinite where u = 1.

    `below` is P(X <= k) and `above` P(X > k), which has the digits that the former lacks near 1.
    Starts at the Cornish-Fisher approximation (`skew` is the third cumulant over the variance),
    gallops to a bracket and halves it; typically four evaluations.

    >>> u, one = np.array([0.5, 0.51, 0.999]), np.ones(3)   # geometric of mean 1
    >>> above = lambda k: 0.5 ** (k + 1)
    >>> print(count_quantile(lambda k: 1 - above(k), above, u, mean=one, variance=2 * one, skew=3 * one))
    [0. 1. 9.]
    """
    from scipy.special import ndtri  # here: importing scipy.special takes 0.3 s

    def reaches(k: FloatArray) -> NDArray[np.bool_]:
        return np.where(u < 0.5, below(k) >= u, above(k) <= 1 - u)

    z = ndtri(u)
    guess = np.floor(mean + np.sqrt(variance) * z + skew * (z * z - 1) / 6)
    guess = np.where(np.isfinite(guess), np.maximum(guess, 0.0), 0.0)
    # invariant: the quantile is above `low` and at most `high`
    down, endless = reaches(guess), u >= 1
    low, high = np.where(down, -1.0, guess), np.where(down, guess, np.inf)
    step, searching = 1.0, ~endless & ~(down & (guess == 0))
    # gallop: double the step until the quantile is between two probes, or there are no more numbers
    while searching.any():
        probe = np.where(down, np.maximum(high - step, -1.0), low + step)
        reached = (probe >= 0) & reaches(np.maximum(probe, 0.0))
        low = np.where(searching & ~reached, probe, low)
        high = np.where(searching & reached, probe, high)
        searching &= (down == reached) & np.isfinite(probe)
        step *= 2
    while True:
        middle = np.floor(0.5 * low + 0.5 * high)  # not strictly between them where there is no number
        wide = ~endless & (high - low > 1) & (low < middle) & (middle < high)
        if not wide.any():
            break
        probe = np.where(wide, middle, high)
        reached = reaches(probe)
        low, high = np.where(wide & ~reached, probe, low), np.where(wide & reached, probe, high)
    return np.where(endless, np.inf, high)
