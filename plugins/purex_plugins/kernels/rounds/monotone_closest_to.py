"""Closest-to under monotone means inside a compiled round; the numbers are direction and threshold."""

from __future__ import annotations

from purex.jit import njit
from purex_plugins.kernels.monotone import monotone_closest_to_row, monotone_project, monotone_size

scratch_size = monotone_size
project = monotone_project
best_response_in = monotone_closest_to_row


@njit
def answer(mu, query):
    """The index of the mean nearest to the threshold; ties to the lowest."""
    best = 0
    for k in range(1, len(mu)):
        if abs(mu[k] - query[1]) < abs(mu[best] - query[1]):
            best = k
    return best
