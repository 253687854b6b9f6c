r"""Best arm: the max-max-min over a confidence box in closed form, compiled.

$\max_i \max_{\xi \in [a, b]} D_{\xi,i}$ (optimistic Track-and-Stop): candidate i is best supported where
$\xi_i = b_i$ and $\xi_j = a_j$ for all rivals, so K max-min games decide (THEORY, section 5).
"""

from __future__ import annotations

import math

import numpy as np

from purex.families.compiled.divergence import GAMMA
from purex.jit import guvectorize, njit
from purex_plugins.kernels.equilibrium_best_arm import UNSOLVED, equilibrium_best_arm_row_in
from purex_plugins.kernels.equilibrium_four import table_size
from purex_plugins.kernels.equilibrium_pairs import fill

TIED = 1e-12  # values closer than this, relatively, are tied: rounding must not choose between twins
CLEAR = 1e-9  # a relative gap that is not a tie


@njit
def are_alike(codes, scales, parameters):
    """Whether all arms are of one kind and scale, and all values finite (Gamma arms of mean 0 are far)."""
    alike = codes[0] != GAMMA
    for k in range(1, len(codes)):
        alike &= codes[k] == codes[0]
        alike &= scales[k] == scales[0]
        alike &= parameters[k] == parameters[0]
    return alike


@njit
def is_dominated(i, lower, upper):
    """Whether another candidate is better than i, or as good and before it, the arms being alike.

    Candidate j whose ends both reach as high has at least the value of i: its rivals are those of i, but
    one which is lower. The value is convex in the candidate's mean and 0 where it meets the first rival, so
    it grows by the same share as the gap or more, which tells whether j is better than a tie.
    """
    dominated = False
    for j in range(len(lower)):
        clearly = upper[j] - upper[i] > CLEAR * (upper[i] - lower[j])
        dominated |= upper[j] >= upper[i] and lower[j] >= lower[i] and (j < i or clearly)
    return dominated


@njit
def optimistic_best_arm_row_in(lower, upper, codes, scales, parameters, point, allocation, table):
    """One row: fills point and allocation, returns answer, value and status.

    Only a candidate whose upper end exceeds all other lower ends has a positive value; ties go to the
    first. If there is none, all boxes tie (each is a point): value 0, and the answer is the first arm
    of the largest mean. A game that is not solved here (see `equilibrium_best_arm`) makes the row nan.
    The table is scratch space of `optimistic_table_size(K)` numbers.
    """
    K = len(lower)
    trial = table[:K]
    alike = are_alike(codes, scales, parameters)
    answer, value, status = -1, 0.0, 0
    for k in range(K):
        point[k] = lower[k]
    for i in range(K):
        if alike and is_dominated(i, lower, upper):
            continue
        point[i] = upper[i]
        D, how = equilibrium_best_arm_row_in(i, point, codes, scales, parameters, trial, table[K:])
        point[i] = lower[i]
        if how == UNSOLVED:
            answer, value, status = i, math.nan, UNSOLVED
            break
        if value * (1 + TIED) < D:
            answer, value, status = i, D, how
            for k in range(K):
                allocation[k] = trial[k]
    if status == UNSOLVED:
        fill(allocation, math.nan)
    else:
        if answer < 0:
            answer = int(np.argmax(upper))
            equilibrium_best_arm_row_in(answer, upper, codes, scales, parameters, allocation, table[K:])
        point[answer] = upper[answer]
    return answer, value, status


@njit
def optimistic_table_size(K):
    """The length of the scratch space for K arms."""
    return K + table_size(K)


@njit(allocates=True)
def optimistic_best_arm_row(lower, upper, codes, scales, parameters, point, allocation):
    """One row: fills point and allocation, returns answer, value and status."""
    table = np.empty(optimistic_table_size(len(lower)))
    return optimistic_best_arm_row_in(lower, upper, codes, scales, parameters, point, allocation, table)


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
