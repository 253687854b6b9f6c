r"""Tracking: which arm to pull so that the counts N follow the weights played.

Cumulative tracking pulls $\arg\min_k N^k_{t-1}/\sum_{s \le t} w^k_s$ (line 11 of Algorithm 1), where the
initial pulls count as basis vectors. Then $-(K-1) \le N - W \le 1$ (claim S27; the body of the
paper lacks the +1). With differences, $\arg\min_k N^k - W^k$, the lower side is $-\sum_{j=2}^K 1/j$ (S29).
Direct tracking pulls $\arg\max_k n w^k_t - N^k$, with n the samples so far. Ties go to the lowest index.
In plain numpy: `purex.reference.tracking`.
"""

from __future__ import annotations

from purex.jit import njit
from purex.run_state import DIFFERENCE, DIRECT, PLAY, RATIO, N, W


@njit(forceinline=True)
def track(mode, n, x):
    """Add the play of a run with table x to W and return the arm to pull.

    NOTHING is for a player that goes second and plays an arm: the weights are a basis vector.
    """
    arm, least = 0, 0.0
    for k in range(x.shape[1]):
        x[W, k] += x[PLAY, k]
        if mode == RATIO:
            score = x[N, k] / x[W, k]
        elif mode == DIFFERENCE:
            score = x[N, k] - x[W, k]
        elif mode == DIRECT:
            score = x[N, k] - n * x[PLAY, k]
        else:
            score = -x[PLAY, k]
        if k == 0 or score < least:
            arm, least = k, score
    return arm
