r"""Mixtures on at most K points (Carathéodory)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray


def reduced(q: FloatArray, G: FloatArray) -> FloatArray:
    r"""Weights with at most K nonzeros that bound the game at least as well as q (S36).

    q (M,) sums to one and G (M, K) holds divergences. As long as more than K points are in use there is a
    direction that leaves every $\sum_m q_m G_{mk}$ as it is. Going it, one way or the other, until a weight
    vanishes, $\sum_m q_m$ does not fall: so the payoffs per unit of weight do not rise.

    >>> G = np.array([[1.0, 3.0], [3.0, 1.0], [2.0, 2.0]])
    >>> q = reduced(np.array([0.25, 0.25, 0.5]), G)
    >>> int((q > 0).sum()), round(float((q @ G).max()), 12)
    (2, 2.0)
    """
    while (q > 0).sum() > G.shape[1]:
        used = np.flatnonzero(q > 0)
        shares = (q[used, None] * G[used]).T  # in relative changes, so that small weights count as well
        size = shares.max(axis=1, keepdims=True)
        change = np.linalg.svd(shares / np.where(size > 0, size, 1.0))[2][-1]
        # Both ways are tried: rounding may hide which one is right where only tiny weights change.
        ends = [_until_one_vanishes(q, used, way) for way in (change, -change) if way.min() < 0]
        q = min(ends, key=lambda end: float((end @ G).max()))
    return q


def _until_one_vanishes(q: FloatArray, used: NDArray[np.intp], change: FloatArray) -> FloatArray:
    """Weights q after these relative changes, times the first number that makes one of them zero."""
    factor = 1.0 - change / change.min()
    factor[change.argmin()] = 0.0
    end = np.zeros_like(q)
    end[used] = q[used] * factor
    return np.asarray(end / end.sum())
