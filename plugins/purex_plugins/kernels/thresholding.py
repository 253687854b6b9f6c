"""Thresholding, compiled."""

from __future__ import annotations

import numpy as np

from purex.families.compiled.known import is_inside
from purex.jit import guvectorize, njit
from purex_plugins.kernels.parts import clip, move


@njit(forceinline=True)
def cross_one_row(all_above, i, g, w, xi, codes, scales, parameters, lower, upper, point):
    """The cheapest arm to take across the level g, from above or from the side that the mask i says.

    Fills point, returns value and piece.
    """
    inside = is_inside(xi, lower, upper)
    for k in range(len(xi)):
        point[k] = clip(xi[k], lower, upper)
    value, piece, moved = np.inf, -1, 0.0
    for k in range(len(xi)):
        lam = min(point[k], g) if all_above or (i >> k) & 1 else max(point[k], g)
        if inside and lam == xi[k]:  # xi is an alternative
            return 0.0, k
        cost = move(codes[k], scales[k], parameters[k], w[k], xi[k], lam)
        if not inside:
            for j in range(len(xi)):
                if j != k:
                    cost += move(codes[j], scales[j], parameters[j], w[j], xi[j], point[j])
        if cost < value or piece < 0:
            value, piece, moved = cost, k, lam
    point[piece] = moved
    return value, piece


@guvectorize(
    ["(i8, f8[:], f8[:], i8[:], f8[:], f8[:], f8, f8, f8, f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k),(k),(),(),()->(),(k),()",
)
def thresholding(i, w, xi, codes, scales, parameters, lower, upper, g, value, point, piece):
    """Best responses of thresholding, whole batch at once."""
    value[0], piece[0] = cross_one_row(False, i, g, w, xi, codes, scales, parameters, lower, upper, point)
