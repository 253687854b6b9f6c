"""Quantiles of laws on the nonnegative integers, exact in the distribution function."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from purex.families.elementwise import FloatArray


def count_quantile(
    distribution: Callable[[FloatArray, FloatArray], FloatArray],
    mu: FloatArray,
    u: FloatArray,
    *,
    variance: FloatArray,
    skew: FloatArray,
) -> FloatArray:
    """The smallest integer k >= 0 with distribution(k, mu) >= u; infinite where u = 1.

    Starts at the Cornish-Fisher approximation (`skew` is the third cumulant over the variance),
    gallops to a bracket and halves it; typically four evaluations.

    >>> geometric = lambda k, mu: 1 - (mu / (mu + 1)) ** (k + 1)
    >>> mu, u = np.array([1.0, 1.0, 1.0]), np.array([0.5, 0.51, 0.999])
    >>> print(count_quantile(geometric, mu, u, variance=2 * mu, skew=3 * mu))
    [0. 1. 9.]
    """
    from scipy.special import ndtri  # here: importing scipy.special takes 0.3 s

    mu, u, variance, skew = np.broadcast_arrays(mu, u, variance, skew)
    z = ndtri(u)
    guess = np.floor(mu + np.sqrt(variance) * z + skew * (z * z - 1) / 6)
    guess = np.where(np.isfinite(guess), np.maximum(guess, 0.0), 0.0)
    # invariant: the quantile is above `low` and at most `high`
    enough = distribution(guess, mu) >= u
    low, high = np.where(enough, -1.0, guess), np.where(enough, guess, np.inf)
    endless = u >= 1
    step = np.ones_like(guess)
    searching = ~endless
    while searching.any():  # gallop: double the step until both sides of the bracket are known
        probe = np.where(enough, np.maximum(high - step, -1.0), low + step)
        reaches = (probe >= 0) & (distribution(np.maximum(probe, 0.0), mu) >= u)
        low = np.where(searching & ~reaches, probe, low)
        high = np.where(searching & reaches, probe, high)
        searching &= np.where(enough, reaches, ~reaches)
        step = 2 * step
    while (open_ := ~endless & (high - low > 1)).any():
        probe = np.where(open_, np.floor(0.5 * (low + high)), high)
        reaches = distribution(probe, mu) >= u
        low, high = np.where(open_ & ~reaches, probe, low), np.where(open_ & reaches, probe, high)
    return np.where(endless, np.inf, high)
