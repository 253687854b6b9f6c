"""Mirror ascent against best responses, rule M: the gains are plain. The number is the scale."""

from __future__ import annotations

from purex.jit import njit
from purex.learners import mirror_ascent
from purex.rows import GAIN_ALPHA, MU, PLAY, XI

weights, update = mirror_ascent.weights, mirror_ascent.update


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
    """Feed the learner the gains d(mu, lam)."""
    update(memory, x[PLAY], x[GAIN_ALPHA], numbers[0])
