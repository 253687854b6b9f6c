"""Top-M, compiled."""

from __future__ import annotations

import numpy as np

from purex.families.compiled.known import is_inside
from purex.jit import guvectorize, njit
from purex_plugins.kernels.parts import catch_up, fill, tie


@njit
def top_m_row(i, w, xi, codes, scales, parameters, lower, upper, point):
    """The best response of one row: fills point, returns value and piece."""
    inside = is_inside(xi, lower, upper)
    value, piece, number = np.inf, -1, -1
    leaver, joiner, x, y = 0, 0, 0.0, 0.0
    for a in range(len(xi)):
        if not (i >> a) & 1:
            continue
        for b in range(len(xi)):
            if (i >> b) & 1:
                continue
            number += 1
            if inside and xi[b] >= xi[a]:  # xi is an alternative
                fill(a, xi[a], b, xi[b], xi, lower, upper, point)
                return 0.0, number
            if inside:
                u, cost = tie(
                    codes[a], scales[a], parameters[a], w[a], xi[a],
                    codes[b], scales[b], parameters[b], w[b], xi[b],
                    lower, upper,
                )  # fmt: skip
                v = u
            else:
                cost, u, v = catch_up(a, b, w, xi, codes, scales, parameters, lower, upper)
            if cost < value or piece < 0:
                value, piece, leaver, joiner, x, y = cost, number, a, b, u, v
    fill(leaver, x, joiner, y, xi, lower, upper, point)
    return value, piece


@guvectorize(
    ["(i8, f8[:], f8[:], i8[:], f8[:], f8[:], f8, f8, f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k),(k),(),()->(),(k),()",
)
def top_m(i, w, xi, codes, scales, parameters, lower, upper, value, point, piece):
    """Best responses of top-M, whole batch at once."""
    value[0], piece[0] = top_m_row(i, w, xi, codes, scales, parameters, lower, upper, point)
