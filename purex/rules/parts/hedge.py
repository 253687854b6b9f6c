r"""AdaHedge against best responses, rule D: lines 7 to 9 of Algorithm 1, the second player in sight.

$U^k = \max\{f(t-1)/N^k_{t-1},\ d(\alpha^k, \lambda^k),\ d(\beta^k, \lambda^k)\}$; the memory is AdaHedge's.
"""

from __future__ import annotations

from purex.jit import njit
from purex.learners import adahedge
from purex.rows import GAIN_ALPHA, GAIN_BETA, MU, PLAY, XI, N

weights, update = adahedge.weights, adahedge.update


@njit(inline="always")
def ask(c, i, n, f, key, run, x, memory, numbers):
    """Play the learner's weights; the oracle answers them at the means."""
    if c > 0:
        return False
    weights(memory, x[PLAY])
    for k in range(x.shape[1]):
        x[XI, k] = x[MU, k]
    return True


@njit(inline="always")
def hear(c, i, n, f, key, run, x, memory, numbers):
    """Feed the learner the optimistic gains."""
    for k in range(x.shape[1]):
        x[GAIN_ALPHA, k] = max(f / x[N, k], x[GAIN_ALPHA, k], x[GAIN_BETA, k])
    update(memory, x[PLAY], x[GAIN_ALPHA])
