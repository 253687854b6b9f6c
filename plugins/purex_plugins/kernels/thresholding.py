"""Thresholding, compiled."""

from __future__ import annotations

import numpy as np

from purex.jit import guvectorize, njit
from purex_plugins.kernels.parts import clip, move


@njit
def cross_one_row(all_above, i, g, w, xi, codes, scales, parameters, lower, upper, point):  # type: ignore[no-untyped-def]
    """The cheapest arm to take across the level g, from above or from the side that the mask i says.

    Fills point, returns value and piece.
    """
    outside = False  # whether some arm has to be brought into the bounds
    for k in range(len(xi)):
        point[k] = clip(xi[k], lower, upper)
        outside |= point[k] != xi[k]
    value, piece, moved = np.inf, -1, 0.0
    for k in range(len(xi)):
        lam = min(point[k], g) if all_above or (i >> k) & 1 else max(point[k], g)
        cost = move(k, lam, w, xi, codes, scales, parameters)
        if outside:
            for j in range(len(xi)):
                if j != k:
                    cost += move(j, point[j], w, xi, codes, scales, parameters)
        if cost < value or piece < 0:
            value, piece, moved = cost, k, lam
    point[piece] = moved
    return value, piece


@guvectorize(
    ["(i8, f8[:], f8[:], i8[:], f8[:], f8[:], f8, f8, f8, f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k),(k),(),(),()->(),(k),()",
)
def thresholding(i, w, xi, codes, scales, parameters, lower, upper, g, value, point, piece):  # type: ignore[no-untyped-def]
    """Best responses of thresholding, whole batch at once."""
    value[0], piece[0] = cross_one_row(
        False, i, g, w, xi, codes, scales, parameters, lower, upper, point
    )
