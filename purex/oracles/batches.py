"""A query's kernels on a whole batch: templates, one row after the other. Importing this imports numba.

`best_response`, `max_min`, `optimistic` and `project` are those of a `QueryKernels`, bound by
`purex.jit.specialise`. The arrays in the last places are filled.
"""

from __future__ import annotations

from typing import Any

best_response: Any = None
max_min: Any = None
optimistic: Any = None
project: Any = None


def respond_rows(i, w, xi, given, scratch, value, point, piece):
    """Best responses to answers i (R,), weights w and means xi (R, K); returns how many are nan."""
    n_left = 0
    for r in range(len(w)):
        value[r], piece[r] = best_response(i[r], w[r], xi[r], given, point[r], scratch)
        n_left += value[r] != value[r]
    return n_left


def max_min_rows(i, mu, given, scratch, value, allocation, gap):
    """The games of answers i (R,) at means mu (R, K)."""
    for r in range(len(mu)):
        value[r], gap[r] = max_min(i[r], mu[r], given, allocation[r], scratch)


def optimistic_rows(ends, given, scratch, answer, value, point, allocation):
    """The most optimistic games of the boxes with these ends, two arrays (R, K)."""
    lower, upper = ends
    for r in range(len(lower)):
        answer[r], value[r] = optimistic(lower[r], upper[r], given, point[r], allocation[r], scratch)


def project_rows(boxed, N, mu, box, given, scratch, point, found):
    """The likeliest models, in the boxes with these ends if `boxed`."""
    low, high = box
    for r in range(len(mu)):
        for k in range(mu.shape[1]):
            point[r, k] = mu[r, k]
        found[r] = project(boxed, N[r], mu[r], low[r], high[r], given, point[r], scratch)
