r"""Minimum threshold and thresholding: the max-max-min over a confidence box in closed form, compiled.

$\max_i \max_{\xi \in [a, b]} \max_w \inf_{\lambda \in \neg i} \sum_k w_k d(\xi_k, \lambda_k)$ (optimistic
Track-and-Stop). Every divergence $d(\xi_k, g)$ grows away from g, so each answer is best supported at
one corner of the box (THEORY, section 5; NUMBERS, trap 16).
"""

from __future__ import annotations

from purex.jit import guvectorize, njit
from purex_plugins.kernels.equilibrium_threshold import (
    BELOW,
    SOLVED,
    all_arms_row,
    one_arm_row,
    price,
    share_by_price,
)

NOT_BELOW = 0


@njit(forceinline=True)
def optimistic_minimum_threshold_row(lower, upper, codes, scales, parameters, g, point, allocation):
    """One row: fills point and allocation, returns answer and value.

    "Below" is best supported where all arms are at their lower ends, "not below" at the upper ends, and
    only if all of these are above g. An exact tie goes to "below"; if neither answer has a model
    off g, the answer is "not below", with value 0.
    """
    below = all_arms_row(lower, codes, scales, parameters, g, allocation)
    above = one_arm_row(True, NOT_BELOW, upper, codes, scales, parameters, g, allocation)
    chosen = below > 0 and below >= above
    for k in range(len(lower)):
        point[k] = lower[k] if chosen else upper[k]
    if chosen:
        return BELOW, all_arms_row(lower, codes, scales, parameters, g, allocation)
    return NOT_BELOW, above


@njit(forceinline=True)
def optimistic_thresholding_row(lower, upper, codes, scales, parameters, g, point, allocation):
    """One row: fills point and allocation, returns answer and value.

    Each arm by itself goes to the end of its interval from which g is farther; an exact tie to the
    upper end, so that an arm with no other mean than g counts as at the level.
    """
    answer = 0
    for k in range(len(lower)):
        down = price(k, lower, codes, scales, parameters, g) if lower[k] < g else 0.0
        up = price(k, upper, codes, scales, parameters, g) if upper[k] > g else 0.0
        if up >= down:
            answer |= 1 << k
        point[k] = upper[k] if up >= down else lower[k]
        allocation[k] = max(up, down)
    return answer, share_by_price(allocation)


@guvectorize(
    ["(f8[:], f8[:], i8[:], f8[:], f8[:], f8, i8[:], f8[:], f8[:], f8[:], i8[:])"],
    "(k),(k),(k),(k),(k),()->(),(),(k),(k),()",
)
def optimistic_minimum_threshold(
    lower, upper, codes, scales, parameters, g, answer, value, point, allocation, status
):
    """Max-max-min answers, values, points and allocations of minimum threshold, whole batch at once.

    >>> import numpy as np
    >>> a, b, ones = np.array([-1.0, 0.5]), np.array([2.0, 3.0]), np.ones(2)
    >>> answer, value, point, w, _ = optimistic_minimum_threshold(a, b, np.zeros(2, int), ones, ones, 0.0)
    >>> print(answer, f"{value:.12f}", point, w.round(6))
    0 1.384615384615 [2. 3.] [0.692308 0.307692]
    """
    answer[0], value[0] = optimistic_minimum_threshold_row(
        lower, upper, codes, scales, parameters, g, point, allocation
    )
    status[0] = SOLVED


@guvectorize(
    ["(f8[:], f8[:], i8[:], f8[:], f8[:], f8, i8[:], f8[:], f8[:], f8[:], i8[:])"],
    "(k),(k),(k),(k),(k),()->(),(),(k),(k),()",
)
def optimistic_thresholding(
    lower, upper, codes, scales, parameters, g, answer, value, point, allocation, status
):
    """Max-max-min answers, values, points and allocations of thresholding, whole batch at once.

    >>> import numpy as np
    >>> a, b, ones = np.array([-1.0, -1.0]), np.array([2.0, 0.5]), np.ones(2)
    >>> answer, value, point, w, _ = optimistic_thresholding(a, b, np.zeros(2, int), ones, ones, 0.0)
    >>> print(answer, value, point, w)
    1 0.4 [ 2. -1.] [0.2 0.8]
    """
    answer[0], value[0] = optimistic_thresholding_row(
        lower, upper, codes, scales, parameters, g, point, allocation
    )
    status[0] = SOLVED
