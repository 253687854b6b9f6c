r"""Mixtures on at most K points (Carathéodory)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def reduced(q: FloatArray, G: FloatArray) -> FloatArray:
    r"""Weights with at most K nonzeros that bound the game at least as well as q (S36).

    q (M,) sums to one and G (M, K) holds divergences. As long as more than K points are in use there is a
    direction that leaves every $\sum_m q_m G_{mk}$ as it is; going along it, in the sense in which
    $\sum_m q_m$ does not fall, until a weight vanishes, the payoffs per unit of weight can only fall.

    >>> G = np.array([[1.0, 3.0], [3.0, 1.0], [2.0, 2.0]])
    >>> q = reduced(np.array([0.25, 0.25, 0.5]), G)
    >>> int((q > 0).sum()), round(float((q @ G).max()), 12)
    (2, 2.0)
    """
    q = np.array(q)
    while (q > 0).sum() > G.shape[1]:
        used = np.flatnonzero(q > 0)
        shares = (q[used, None] * G[used]).T  # in relative changes, so that small weights count as well
        size = shares.max(axis=1, keepdims=True)
        change = np.linalg.svd(shares / np.where(size > 0, size, 1.0))[2][-1]
        if q[used] @ change < 0:
            change = -change
        left = 1.0 + change / -change.min()
        left[change.argmin()] = 0.0
        q[used] *= left
        q /= q.sum()
    return q
