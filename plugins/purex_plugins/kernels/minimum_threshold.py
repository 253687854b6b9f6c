"""Minimum threshold, compiled."""

from __future__ import annotations

from purex.jit import guvectorize, njit
from purex_plugins.kernels.parts import clip, move
from purex_plugins.kernels.thresholding import cross_one_row


@njit(forceinline=True)
def minimum_threshold_row(i, g, w, xi, codes, scales, parameters, lower, upper, point):
    """The best response of one row: fills point, returns value and piece."""
    if i != 1:  # "not below": one arm goes down to the level
        return cross_one_row(True, i, g, w, xi, codes, scales, parameters, lower, upper, point)
    value = 0.0
    for k in range(len(xi)):
        point[k] = max(clip(xi[k], lower, upper), g)
        value += move(codes[k], scales[k], parameters[k], w[k], xi[k], point[k])
    return value, 0


@guvectorize(
    ["(i8, f8[:], f8[:], i8[:], f8[:], f8[:], f8, f8, f8, f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k),(k),(),(),()->(),(k),()",
)
def minimum_threshold(i, w, xi, codes, scales, parameters, lower, upper, g, value, point, piece):
    """Best responses of minimum threshold, whole batch at once."""
    value[0], piece[0] = minimum_threshold_row(i, g, w, xi, codes, scales, parameters, lower, upper, point)
