r"""Information-directed selection, rule IDS: an arm of the closest alternative, by its share of the cost.

Arm k has the probability $(N^k d(\hat\mu^k, \lambda^k) + c/K) / (Z + c)$ with $Z = \sum_j N^j d(\hat\mu^j,
\lambda^j)$; each the same if Z + c is 0 or infinite. The numbers are the c/K, one per arm.
In plain numpy: `purex.reference.rules.IDS`.
"""

from __future__ import annotations

import math

from purex.jit import njit
from purex.run_state import GAIN_ALPHA, MU, PLAY, XI, N
from purex.streams import DRAWS, uniform

COIN = 0  # which of the rule's random numbers of a round


@njit(inline="always")
def ask(call, now, x, memory, numbers):
    """Ask for the closest alternative at the counts: the one that a stop has to wait for."""
    if call > 0:
        return False
    for k in range(x.shape[1]):
        x[PLAY, k] = x[N, k]
        x[XI, k] = x[MU, k]
    return True


@njit(inline="always")
def hear(call, now, x, memory, numbers):
    """Draw an arm: the one in whose share the uniform number lies."""
    K, w, total, arm = x.shape[1], x[PLAY], 0.0, 0
    for k in range(K):
        w[k] = x[N, k] * x[GAIN_ALPHA, k] + numbers[k]
        total += w[k]
    is_open = not 0.0 < total < math.inf
    u, reached = uniform(now.key, DRAWS, now.run, now.n, COIN), 0.0
    for k in range(K):
        share = 1.0 / K if is_open else w[k] / total
        if share > 0.0 and reached < u:
            arm = k
        reached += share
    for k in range(K):
        w[k] = 1.0 if k == arm else 0.0
