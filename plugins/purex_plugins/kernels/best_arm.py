"""Best arm, compiled."""

from __future__ import annotations

import numpy as np

from purex.jit import guvectorize, njit
from purex_plugins.kernels.parts import catch_up, fill, is_inside, tie


@njit
def best_arm_row(i, w, xi, codes, scales, parameters, lower, upper, point):
    """The best response of one row: fills point, returns value and piece."""
    inside = is_inside(xi, lower, upper)
    value, rival, x, y = np.inf, -1, 0.0, 0.0
    for j in range(len(xi)):
        if j == i:
            continue
        if inside and xi[j] >= xi[i]:  # xi is an alternative
            point[:] = xi
            return 0.0, j - (j > i)
        if inside:
            u, cost = tie(
                codes[i], scales[i], parameters[i], w[i], xi[i],
                codes[j], scales[j], parameters[j], w[j], xi[j],
                lower, upper,
            )  # fmt: skip
            v = u
        else:
            cost, u, v = catch_up(i, j, w, xi, codes, scales, parameters, lower, upper)
        if cost < value or rival < 0:
            value, rival, x, y = cost, j, u, v
    if rival < 0:  # a single arm has no rival
        point[:] = xi
        return value, -1
    fill(i, x, rival, y, xi, lower, upper, point)
    return value, rival - (rival > i)


@guvectorize(
    ["(i8, f8[:], f8[:], i8[:], f8[:], f8[:], f8, f8, f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k),(k),(),()->(),(k),()",
)
def best_arm(i, w, xi, codes, scales, parameters, lower, upper, value, point, piece):
    """Best responses of best arm, whole batch at once."""
    value[0], piece[0] = best_arm_row(i, w, xi, codes, scales, parameters, lower, upper, point)
