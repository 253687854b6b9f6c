"""Mirror ascent against best responses, rule M: the gains are plain. The number is the scale.

In plain numpy: `purex.reference.rules.M`.
"""

from __future__ import annotations

from purex.jit import njit
from purex.learners.mirror_ascent import update, weights
from purex.run_state import GAIN_ALPHA, MU, PLAY, XI


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
    """Feed the learner the gains d(mu, lam)."""
    update(memory, x[PLAY], x[GAIN_ALPHA], numbers[0])
