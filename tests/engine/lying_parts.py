"""The parts of a stranger's compiled rule: it plays twice as much as it should."""

from purex.jit import njit


@njit
def ask(call, i, n, f, key, run, x, w, gain, memory, numbers):
    """Fill the weights; there is nobody to ask."""
    for k in range(len(w)):
        w[k] = 2.0 / len(w)
    return False


@njit
def hear(call, i, n, f, key, run, x, w, gain, memory, numbers):
    """Never called."""
