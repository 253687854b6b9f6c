r"""Mirror ascent with a fixed share: the learner of rule M (Ménard 2019).

$w_{s+1} = (1 - \gamma_s)\,\mathrm{normalise}(w_s e^{\eta_s g_s}) + \gamma_s/K$ with
$\eta_s = \sqrt{\ln K/s}/$scale and $\gamma_s = 1/(4\sqrt s)$. The share is inside the recursion: an arm's
weight never falls so low that it could not come back (mixing only what is played is a different rule, and
a much worse one). The memory is (w, s): K + 1 numbers; s = 0 stands for the uniform weights of the start.
In plain numpy: `purex.reference.k_players.MirrorAscent`.
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
    for k in range(K):
        w[k] = memory[k] if memory[K] > 0.0 else 1.0 / K


@njit(forceinline=True)
def update(memory, w, gain, scale):
    """Feed the learner that played w the gains; `scale` is their size, D_mu in the paper's experiments."""
    K = len(w)
    s = memory[K] + 1.0
    rate, share = math.sqrt(math.log(K) / s) / scale, 0.25 / math.sqrt(s)
    most, total = gain[0], 0.0
    for k in range(1, K):
        most = max(most, gain[k])
    for k in range(K):
        memory[k] = w[k] * (math.exp(rate * (gain[k] - most)) if gain[k] < most else 1.0)
        total += memory[k]
    for k in range(K):
        memory[k] = (1 - share) * (memory[k] / total) + share / K
    memory[K] = s


def regret_bound(gains: ArrayLike, n_arms: int, scale: float) -> float:
    r"""A bound on the regret after gains (t, K) whose range in a round is at most B.

    One round of exponential weights with rate $\eta$ loses at most $\eta B^2/8$ beyond its mix gain
    (Hoeffding), and the share $\gamma$ costs a comparator $-\ln(1-\gamma)/\eta$ per round. Summed by
    parts, where $\ln(1/w_k) \le \ln(K/\gamma_s)$ because of the share:

    $R_t \le \ln(K/\gamma_t)/\eta_t + \sum_{s \le t} (\eta_s B^2/8 - \ln(1 - \gamma_s)/\eta_s)$.

    >>> print(f"{regret_bound([[0.0, 1.0]] * 100, 2, 1.0):.3f}")
    85.330
    """
    g = np.asarray(gains, dtype=np.float64)
    if g.size == 0:
        return 0.0
    B = float(np.ptp(g, axis=1).max())
    s = np.arange(1, len(g) + 1)
    rate, share = np.sqrt(math.log(n_arms) / s) / scale, 0.25 / np.sqrt(s)
    return float(math.log(n_arms / share[-1]) / rate[-1] + (rate * B**2 / 8 - np.log1p(-share) / rate).sum())
