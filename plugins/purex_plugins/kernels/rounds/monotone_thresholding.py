"""Thresholding under monotone means inside a compiled round; the numbers are direction and threshold."""

from __future__ import annotations

from purex.jit import njit
from purex_plugins.kernels.monotone import monotone_project, monotone_size, monotone_thresholding_row

scratch_size = monotone_size
project = monotone_project
best_response_in = monotone_thresholding_row


@njit
def answer(mu, query):
    """The arms at or above the threshold, as a bit mask."""
    mask = 0
    for k in range(len(mu)):
        if mu[k] >= query[1]:
            mask |= 1 << k
    return mask
