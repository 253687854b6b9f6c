r"""Information-directed selection, rule IDS: the arms of the closest alternative, by their share of its cost.

$w^k = N^k d(\hat\mu^k, \lambda^k) / \sum_j N^j d(\hat\mu^j, \lambda^j)$, uniform where the sum is 0 or
infinite. The number is 1 if the arm is drawn from w, 0 if w is tracked.
In plain numpy: `purex.reference.rules.IDS`.
"""

from __future__ import annotations

import math

from purex.jit import njit
from purex.run_state import GAIN_ALPHA, MU, PLAY, XI, N
from purex.streams import DRAWS, uniform

DRAWN = 0  # what the number is
COIN = 0  # which of the rule's random numbers of a round


@njit(inline="always")
def ask(call, now, x, memory, numbers):
    """The closest alternative to the means, as it is weighed by the stopping rule: with the counts."""
    if call > 0:
        return False
    K = x.shape[1]
    level, starved = math.sqrt(now.n) - K / 2, 0
    for k in range(K):
        starved += x[N, k] <= level
        x[PLAY, k] = x[N, k]
        x[XI, k] = x[MU, k]
    if starved > 0 and numbers[1] == 1:
        least = 0
        for k in range(K):
            if x[N, k] < x[N, least]:
                least = k
        for k in range(K):
            x[PLAY, k] = 1.0 if k==least else 0.0
        return False
    return True


@njit(inline="always")
def hear(call, now, x, memory, numbers):
    """Shares of its cost, and perhaps an arm drawn by them."""
    K, w, total = x.shape[1], x[PLAY], 0.0
    for k in range(K):
        w[k] = x[N, k] * x[GAIN_ALPHA, k]
        if numbers[1] == 2:
            w[k] = max(w[k], math.log(now.n))
        if numbers[1] == 3:
            w[k] = max(w[k], 0.5)
        if numbers[1] == 4:
            w[k] = max(w[k], math.log(math.log(now.n)+1.0))
        total += w[k]
    is_open = not 0.0 < total < math.inf
    for k in range(K):
        w[k] = 1.0 / K if is_open else w[k] / total
    if numbers[DRAWN] == 0.0:
        return
    u, arm, reached = uniform(now.key, DRAWS, now.run, now.n, COIN), -1, 0.0
    for k in range(K):
        reached += w[k]
        if w[k] > 0.0 and (arm < 0 or reached - w[k] < u):  # the last arm that begins before u
            arm = k
    for k in range(K):
        w[k] = 1.0 if k == arm else 0.0
