"""The parts of a stranger's compiled rule: it plays twice as much as it should."""

from purex.jit import njit
from purex.run_state import PLAY


@njit
def ask(call, now, x, memory, numbers):
    """Fill the weights; there is nobody to ask."""
    for k in range(x.shape[1]):
        x[PLAY, k] = 2.0 / x.shape[1]
    return False


@njit
def hear(call, now, x, memory, numbers):
    """Never called."""


@njit
def hear_too_much(call, i, now, x, memory, numbers):
    """One argument more than a rule's part has."""
