"""Mirror ascent against best responses, rule M: the gains are plain. The number is the scale."""

from __future__ import annotations

from purex.jit import njit
from purex.learners import mirror_ascent
from purex.rows import MU, XI

weights, update = mirror_ascent.weights, mirror_ascent.update


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
    """Feed the learner the gains d(mu, lam)."""
    update(memory, w, gain, numbers[0])
