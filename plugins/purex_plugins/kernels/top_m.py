"""Top-M, compiled."""

from __future__ import annotations

import numpy as np

from purex.jit import guvectorize, njit
from purex_plugins.kernels.parts import catch_up, fill


@njit
def top_m_row(i, w, xi, codes, scales, parameters, lower, upper, point):  # type: ignore[no-untyped-def]
    """The best response of one row: fills point, returns value and piece."""
    value, piece, number = np.inf, -1, -1
    inside, outside, x, y = 0, 0, 0.0, 0.0
    for a in range(len(xi)):
        if not (i >> a) & 1:
            continue
        for b in range(len(xi)):
            if (i >> b) & 1:
                continue
            number += 1
            cost, u, v = catch_up(a, b, w, xi, codes, scales, parameters, lower, upper)
            if cost < value or piece < 0:
                value, piece, inside, outside, x, y = cost, number, a, b, u, v
    fill(inside, x, outside, y, xi, lower, upper, point)
    return value, piece


@guvectorize(
    ["(i8, f8[:], f8[:], i8[:], f8[:], f8[:], f8, f8, f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k),(k),(),()->(),(k),()",
)
def top_m(i, w, xi, codes, scales, parameters, lower, upper, value, point, piece):  # type: ignore[no-untyped-def]
    """Best responses of top-M, whole batch at once."""
    value[0], piece[0] = top_m_row(i, w, xi, codes, scales, parameters, lower, upper, point)
