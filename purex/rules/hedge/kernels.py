r"""AdaHedge against best responses, rule D: lines 7 to 9 of Algorithm 1, the second player in sight.

$U^k = \max\{f(t-1)/N^k_{t-1},\ d(\alpha^k, \lambda^k),\ d(\beta^k, \lambda^k)\}$; the memory is AdaHedge's.
In plain numpy: `purex.reference.rules.D`.
"""

from __future__ import annotations

from purex.jit import njit
from purex.learners.adahedge import update, weights
from purex.run_state import GAIN_ALPHA, GAIN_BETA, MU, PLAY, XI, N


@njit(inline="always")
def ask(call, now, x, memory, numbers):
    """Play the learner's weights; the oracle answers them at the means."""
    if call > 0:
        return False
    weights(memory, x[PLAY])
    for k in range(x.shape[1]):
        x[XI, k] = x[MU, k]
    return True


@njit(inline="always")
def hear(call, now, x, memory, numbers):
    """Feed the learner the optimistic gains."""
    gain = x[GAIN_ALPHA]
    for k in range(x.shape[1]):
        gain[k] = max(now.f / x[N, k], gain[k], x[GAIN_BETA, k])
    update(memory, x[PLAY], gain)
