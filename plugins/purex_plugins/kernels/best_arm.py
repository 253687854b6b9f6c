"""Best arm, compiled."""

from __future__ import annotations

import numpy as np

from purex.jit import guvectorize, njit
from purex_plugins.kernels.parts import catch_up, fill


@njit
def best_arm_row(i, w, xi, codes, scales, parameters, lower, upper, point):  # type: ignore[no-untyped-def]
    """The best response of one row: fills point, returns value and piece."""
    value, rival, x, y = np.inf, -1, 0.0, 0.0
    for j in range(len(xi)):
        if j != i:
            cost, a, b = catch_up(i, j, w, xi, codes, scales, parameters, lower, upper)
            if cost < value or rival < 0:
                value, rival, x, y = cost, j, a, b
    if rival < 0:  # a single arm has no rival
        point[:] = xi
        return value, -1
    fill(i, x, rival, y, xi, lower, upper, point)
    return value, rival - (rival > i)


@guvectorize(
    ["(i8, f8[:], f8[:], i8[:], f8[:], f8[:], f8, f8, f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k),(k),(),()->(),(k),()",
)
def best_arm(i, w, xi, codes, scales, parameters, lower, upper, value, point, piece):  # type: ignore[no-untyped-def]
    """Best responses of best arm, whole batch at once."""
    value[0], piece[0] = best_arm_row(
        i, w, xi, codes, scales, parameters, lower, upper, point
    )
