"""From weights to an arm: line 11 of Algorithm 1."""

from __future__ import annotations

from typing import Literal

import numpy as np

from purex.arrays import FloatArray

Tracking = Literal["ratio", "difference", "direct", "none"]


def scores(tracking: Tracking, n: int, N: FloatArray, w: FloatArray, W: FloatArray) -> FloatArray:
    r"""What is least for the arm to pull, with $W^k = \sum_{s \le t} w_s^k$.

    The paper's "ratio" is $N^k_{t-1}/W^k$, which keeps $N^k - W^k$ in $[-(K-1), 1]$ (appendix C);
    "difference" is $N^k - W^k$; "direct" is $N^k - n w_t^k$ (-D in section 4, of Garivier & Kaufmann 2016).
    "none" is for a k-player that moves second and plays an arm.

    >>> N, w, W = np.array([3.0, 2.0]), np.array([0.75, 0.25]), np.array([3.5, 2.5])
    >>> print(scores("ratio", 5, N, w, W), scores("direct", 5, N, w, W))
    [0.85714286 0.8       ] [-0.75  0.75]
    """
    if tracking == "ratio":
        return N / W
    if tracking == "difference":
        return N - W
    return N - n * w if tracking == "direct" else -w


def track(tracking: Tracking, n: int, N: FloatArray, w: FloatArray, W: FloatArray) -> int:
    r"""Line 11: $k_t = \arg\min_k N^k_{t-1}/\sum_{s \le t} w^k_s$; ties go to the lowest index.

    >>> track("ratio", 5, np.array([3.0, 2.0]), np.array([0.75, 0.25]), np.array([3.5, 2.5]))
    1
    """
    return int(np.argmin(scores(tracking, n, N, w, W)))
