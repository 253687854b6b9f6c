r"""Track-and-Stop, rule T: the oracle weights of the means, with forced exploration.

If some $N^k \le \sqrt n - K/2$, the uniform vector on these arms is tracked (as in the authors' code);
until $\sqrt n > K/2$ nothing is forced. The number is the factor of the grid of rounds in which a game is
solved, 0 for every round; the memory, one per candidate answer, the next round of the grid and the weights.
"""

from __future__ import annotations

import math

from purex.jit import njit
from purex.rows import MU, XI, N

NEXT, WEIGHTS = range(2)


@njit(inline="always")
def ask(c, i, n, f, key, run, x, w, gain, memory, numbers):
    """The starved arms if there are any, else the max-min at the means."""
    if c > 0:
        return False
    K = x.shape[1]
    level, starved = math.sqrt(n) - K / 2, 0
    for k in range(K):
        starved += x[N, k] <= level
    for k in range(K):
        x[XI, k] = x[MU, k]
        if starved > 0:
            w[k] = 1.0 / starved if x[N, k] <= level else 0.0
    if starved > 0:
        return False
    if numbers[0] == 0.0 or n >= memory[NEXT]:
        return True
    for k in range(K):
        w[k] = memory[WEIGHTS + k]
    return False


@njit(inline="always")
def hear(c, i, n, f, key, run, x, w, gain, memory, numbers):
    """The oracle has written its allocation into the play; with a grid it is kept."""
    if numbers[0] > 0.0:
        memory[NEXT] = math.ceil(numbers[0] * n)
        for k in range(x.shape[1]):
            memory[WEIGHTS + k] = w[k]
