r"""Track-and-Stop, rule T: the oracle weights of the means, with forced exploration.

If some $N^k \le \sqrt n - K/2$, the uniform vector on these arms is tracked (as in the authors' code);
until $\sqrt n > K/2$ nothing is forced. The number is the factor of the grid of rounds in which a game is
solved, 0 for every round; the memory, one per candidate answer, the next round of the grid and the weights.
In plain numpy, without the grid: `purex.reference.rules.T`.
"""

from __future__ import annotations

import math

from purex.jit import njit
from purex.run_state import MU, PLAY, XI, N

FACTOR = 0  # what the number is
NEXT, WEIGHTS = range(2)  # where they stand in the memory


@njit(inline="always")
def ask(call, now, x, memory, numbers):
    """The starved arms if there are any, else the max-min at the means."""
    if call > 0:
        return False
    K, w = x.shape[1], x[PLAY]
    level, starved = math.sqrt(now.n) - K / 2, 0
    for k in range(K):
        starved += x[N, k] <= level
    for k in range(K):
        x[XI, k] = x[MU, k]
        if starved > 0:
            w[k] = 1.0 / starved if x[N, k] <= level else 0.0
    if starved > 0:
        return False
    if numbers[FACTOR] == 0.0 or now.n >= memory[NEXT]:
        return True
    for k in range(K):
        w[k] = memory[WEIGHTS + k]
    return False


@njit(inline="always")
def hear(call, now, x, memory, numbers):
    """The oracle has written its allocation into the play; with a grid it is kept."""
    if numbers[FACTOR] > 0.0:
        memory[NEXT] = math.ceil(numbers[FACTOR] * now.n)
        for k in range(x.shape[1]):
            memory[WEIGHTS + k] = x[PLAY, k]
