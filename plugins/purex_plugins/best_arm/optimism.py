r"""Best arm: the max-max-min over a confidence box in closed form, compiled.

$\max_i \max_{\xi \in [a, b]} D_{\xi,i}$ (optimistic Track-and-Stop): candidate i is best supported where
$\xi_i = b_i$ and $\xi_j = a_j$ for all rivals, so K max-min games decide.
"""

from __future__ import annotations

import math

import numpy as np

from purex.families.compiled.divergence import GAMMA
from purex.jit import njit
from purex_plugins.best_arm.saddle_point import UNSOLVED, saddle_point
from purex_plugins.pair_kernels import fill

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
def optimistic(lower, upper, given, point, allocation, scratch):
    """Fill model and allocation, return answer and value.

    Only a candidate whose upper end exceeds all other lower ends has a positive value; ties go to the
    first. If there is none, all boxes tie (each is a point): value 0, and the answer is the first arm
    of the largest mean. A game that is not solved here (see `saddle_point`) makes the row nan.

    >>> from purex.families import Arms, Gaussian
    >>> from purex.model import Given
    >>> given, point, w = Given.of(Arms.of(Gaussian(), 2), -np.inf, np.inf), np.empty(2), np.empty(2)
    >>> lower, upper = np.array([0.0, 0.5]), np.array([2.0, 1.0])
    >>> answer, value = optimistic(lower, upper, given, point, w, np.empty(50))
    >>> print(answer, f"{value:.12f}", point, w)
    0 0.281250000000 [2.  0.5] [0.5 0.5]
    """
    K = len(lower)
    trial, table = scratch[:K], scratch[K:]
    codes, scales, parameters = given.codes, given.scales, given.parameters
    alike = are_alike(codes, scales, parameters)
    answer, value, solved = -1, 0.0, True
    for k in range(K):
        point[k] = lower[k]
    for i in range(K):
        if alike and is_dominated(i, lower, upper):
            continue
        point[i] = upper[i]
        D, status = saddle_point(i, point, codes, scales, parameters, trial, table)
        point[i] = lower[i]
        if status == UNSOLVED:
            answer, value, solved = i, math.nan, False
            break
        if value * (1 + TIED) < D:
            answer, value = i, D
            for k in range(K):
                allocation[k] = trial[k]
    if not solved:
        fill(allocation, math.nan)
    else:
        if answer < 0:
            answer = int(np.argmax(upper))
            saddle_point(answer, upper, codes, scales, parameters, allocation, table)
        point[answer] = upper[answer]
    return answer, value
