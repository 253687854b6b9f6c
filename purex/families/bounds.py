"""Confidence bounds of any family by a bracketed search in the mean."""

from __future__ import annotations

import numpy as np

from purex.arrays import FloatArray
from purex.families.family import Family
from purex.families.roots import bracketed_root


def search_bound(family: Family, mu: FloatArray, level: FloatArray, side: int) -> FloatArray:
    """The end of {xi : d(mu, xi) <= level} below (side = -1) or above (side = 1) mu.

    >>> from purex.families import Poisson
    >>> print(search_bound(Poisson(), np.array(1.0), np.array(np.e - 2), 1))
    2.718281828459045
    """
    mu, level = (np.array(x, dtype=np.float64) for x in np.broadcast_arrays(mu, level))
    end = np.full_like(mu, family.domain[(side + 1) // 2])
    gaussian = np.sqrt(2 * level * family.variance(mu))  # exact for constant variance
    step = 2 * np.where(gaussian > 0, gaussian, 1.0)
    factor = 4.0
    far = _towards(mu + side * step, end, side)
    while (inside := (family.d(mu, far) < level) & (far != end)).any():
        step, factor = factor * step, min(factor * factor, 1e300)
        far = np.where(inside, _towards(mu + side * step, end, side), far)

    def excess(xi: FloatArray) -> tuple[FloatArray, FloatArray]:
        # rising in xi on either side: d - level above mu, level - d below
        return side * (family.d(mu, xi) - level), side * family.slope(mu, xi)

    low, high = (far, mu) if side < 0 else (mu, far)
    root = bracketed_root(excess, low, high, mu + side * gaussian)
    whole = family.d(mu, far) <= level  # the end of the domain is within the level
    return np.where(level == 0, mu, np.where(whole, far, root))


def _towards(x: FloatArray, end: FloatArray, side: int) -> FloatArray:
    return np.minimum(x, end) if side > 0 else np.maximum(x, end)
