r"""AdaHedge against best responses, rule D: lines 7 to 9 of Algorithm 1, the second player in sight.

$U^k = \max\{f(t-1)/N^k_{t-1},\ d(\alpha^k, \lambda^k),\ d(\beta^k, \lambda^k)\}$; the memory is AdaHedge's.
"""

from __future__ import annotations

from purex.jit import njit
from purex.learners import adahedge
from purex.rows import GAIN_BETA, MU, XI, N

weights, update = adahedge.weights, adahedge.update


@njit(inline="always")
def ask(c, i, n, f, key, run, x, w, gain, memory, numbers):
    """Play the learner's weights; the oracle answers them at the means."""
    if c > 0:
        return False
    weights(memory, w)
    for k in range(x.shape[1]):
        x[XI, k] = x[MU, k]
    return True


@njit(inline="always")
def hear(c, i, n, f, key, run, x, w, gain, memory, numbers):
    """Feed the learner the optimistic gains."""
    for k in range(x.shape[1]):
        gain[k] = max(f / x[N, k], gain[k], x[GAIN_BETA, k])
    update(memory, w, gain)
