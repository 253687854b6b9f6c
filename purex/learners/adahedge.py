r"""AdaHedge: exponential weights that tune themselves (de Rooij, van Erven, Grünwald & Koolen 2014).

With cumulative losses L and the cumulative mixability gap $\Delta$, the rate is $\eta = \ln K/\Delta$ and
$w \propto e^{-\eta L}$. The gap grows by the difference of the loss $w \cdot \ell$ and the mix loss
$-\frac1\eta \ln \sum_k w_k e^{-\eta \ell_k}$. The memory is (L, Delta): K + 1 numbers; a Delta of 0 at the
start is the original, where an infinite rate follows the leader.
In plain numpy: `purex.reference.k_players.AdaHedge`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from purex.jit import njit


def memory_size(n_arms: int) -> int:
    """The numbers that a learner keeps."""
    return n_arms + 1


@njit(forceinline=True)
def weights(memory, w):
    """Write the weights of the learner into w."""
    K = len(w)
    least = memory[0]
    for k in range(1, K):
        least = min(least, memory[k])
    gap = memory[K]
    rate = math.log(K) / gap if gap > 0.0 else math.inf
    total = 0.0
    for k in range(K):
        excess = memory[k] - least
        w[k] = math.exp(-rate * excess) if excess > 0.0 else 1.0
        total += w[k]
    for k in range(K):
        w[k] /= total


@njit(forceinline=True)
def update(memory, w, gain):
    r"""Feed the learner that played w the losses $\ell = -$gain."""
    K = len(w)
    most, old, new, loss = gain[0], memory[0], memory[0] - gain[0], 0.0
    for k in range(K):
        most = max(most, gain[k])
        old = min(old, memory[k])
        loss -= w[k] * gain[k]
        memory[k] -= gain[k]
        new = min(new, memory[k])
    gap = memory[K]
    if K == 1 or not math.isfinite(most):
        return
    if gap > 0.0:
        rate, total = math.log(K) / gap, 0.0
        for k in range(K):  # relative to the smallest loss, or it overflows
            total += w[k] * (math.exp(rate * (gain[k] - most)) if gain[k] < most else 1.0)
        mix = -most - math.log(total) / rate
    else:
        mix = new - old
    memory[K] += max(0.0, loss - mix)


def regret_bound(scales: ArrayLike, n_arms: int) -> float:
    r"""$\sqrt{\sum_s b_s^2 \ln K} + \max_s b_s (\frac43 \ln K + 2)$, $b_s$ the range of losses in round s.

    Lemma of section 3.1 of the paper (S43): it holds for every sequence of losses.

    >>> round(regret_bound([1.0] * 100, 2), 4)
    11.2497
    """
    b = np.asarray(scales, dtype=np.float64)
    if b.size == 0:
        return 0.0
    return float(math.sqrt((b**2).sum() * math.log(n_arms)) + b.max() * (4 / 3 * math.log(n_arms) + 2))
