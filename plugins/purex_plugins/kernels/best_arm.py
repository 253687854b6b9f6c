"""Best arm, compiled."""

from __future__ import annotations

import numpy as np

from purex.families.compiled.known import is_inside
from purex.jit import guvectorize, njit
from purex_plugins.kernels.parts import catch_up, clip, tie


@njit
def best_arm_row(i, w, xi, codes, scales, parameters, lower, upper, point):
    """The best response of one row: fills point, returns value and piece."""
    inside = is_inside(xi, lower, upper)
    value, rival, x, y = np.inf, -1, 0.0, 0.0
    for j in range(len(xi)):
        if j == i:
            continue
        if inside and xi[j] >= xi[i]:  # xi is an alternative
            value, rival, x, y = 0.0, j, xi[i], xi[j]
            break
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
    for k in range(len(xi)):  # a single arm has no rival, and stays
        point[k] = xi[k] if inside or rival < 0 else clip(xi[k], lower, upper)
    if rival >= 0:
        point[i] = x
        point[rival] = y
    return value, rival - (rival > i)


@guvectorize(
    ["(i8, f8[:], f8[:], i8[:], f8[:], f8[:], f8, f8, f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k),(k),(),()->(),(k),()",
)
def best_arm(i, w, xi, codes, scales, parameters, lower, upper, value, point, piece):
    """Best responses of best arm, whole batch at once."""
    value[0], piece[0] = best_arm_row(i, w, xi, codes, scales, parameters, lower, upper, point)
