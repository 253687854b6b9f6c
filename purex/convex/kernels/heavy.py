"""Arms that are far heavier than others, compiled: they stay where they are, up to rounding."""

from __future__ import annotations

import numpy as np

from purex.families.tied import FAR_HEAVIER, STILL
from purex.jit import njit


@njit
def are_far_apart(K, w):
    """Whether some of the first K weights is far heavier than another positive one."""
    least, most = np.inf, 0.0
    for k in range(K):
        if w[k] > 0.0:
            least, most = min(least, w[k]), max(most, w[k])
    return most > FAR_HEAVIER * least


@njit
def keep_heavy(K, w, mu, fit):
    """Put far heavier arms back where a fit has moved them by rounding only; the first K entries count.

    A rounding error of 1e-16 costs an arm 1e-32 times its weight: for a weight of 1e40 that is more than all
    that arms of weight 1 pay.
    """
    least, most, size = np.inf, 0.0, 0.0
    for k in range(K):
        size = max(size, abs(mu[k]))
        if w[k] > 0.0:
            least, most = min(least, w[k]), max(most, w[k])
    if most > FAR_HEAVIER * least:
        for k in range(K):
            if w[k] > FAR_HEAVIER * least and abs(fit[k] - mu[k]) <= STILL * size:
                fit[k] = mu[k]
