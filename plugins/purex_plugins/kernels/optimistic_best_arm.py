r"""Best arm: the max-max-min over a confidence box in closed form, compiled.

$\max_i \max_{\xi \in [a, b]} D_{\xi,i}$ (optimistic Track-and-Stop): candidate i is best supported where
$\xi_i = b_i$ and $\xi_j = a_j$ for all rivals, so K max-min games decide (THEORY, section 5).
"""

from __future__ import annotations

import math

import numpy as np

from purex.jit import guvectorize, njit
from purex_plugins.kernels.equilibrium_best_arm import UNSOLVED, equilibrium_best_arm_row
from purex_plugins.kernels.equilibrium_pairs import fill

TIED = 1e-12  # values closer than this, relatively, are tied: rounding must not choose between twins


@njit
def optimistic_best_arm_row(lower, upper, codes, scales, parameters, point, allocation):
    """One row: fills point and allocation, returns answer, value and status.

    Only a candidate whose upper end exceeds all other lower ends has a positive value; ties go to the
    first. If there is none, all boxes tie (each is a point): value 0, and the answer is the first arm
    of the largest mean. A game that is not solved here (see `equilibrium_best_arm`) makes the row nan.
    """
    K = len(lower)
    trial = np.empty(K)
    answer, value, status = -1, 0.0, 0
    for k in range(K):
        point[k] = lower[k]
    for i in range(K):
        point[i] = upper[i]
        D, how = equilibrium_best_arm_row(i, point, codes, scales, parameters, trial)
        point[i] = lower[i]
        if how == UNSOLVED:
            fill(allocation, math.nan)
            return i, math.nan, UNSOLVED
        if value * (1 + TIED) < D:
            answer, value, status = i, D, how
            for k in range(K):
                allocation[k] = trial[k]
    if answer < 0:
        answer = int(np.argmax(upper))
        equilibrium_best_arm_row(answer, upper, codes, scales, parameters, allocation)
    point[answer] = upper[answer]
    return answer, value, status


@guvectorize(
    ["(f8[:], f8[:], i8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8[:], i8[:])"],
    "(k),(k),(k),(k),(k)->(),(),(k),(k),()",
)
def optimistic_best_arm(lower, upper, codes, scales, parameters, answer, value, point, allocation, status):
    """Max-max-min answers, values, points and allocations of best arm, whole batch at once.

    >>> a, b, ones = np.array([0.0, 0.5]), np.array([2.0, 1.0]), np.ones(2)
    >>> answer, value, point, w, _ = optimistic_best_arm(a, b, np.zeros(2, int), ones, ones)
    >>> print(answer, f"{value:.12f}", point, w)
    0 0.281250000000 [2.  0.5] [0.5 0.5]
    """
    answer[0], value[0], status[0] = optimistic_best_arm_row(
        lower, upper, codes, scales, parameters, point, allocation
    )
