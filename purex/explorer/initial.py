"""The initial pulls: each arm once, or until every Bernoulli mean is off its ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray


def arms_in_need(counts: FloatArray, means: FloatArray, interior: NDArray[np.bool_]) -> list[int]:
    """The arms without a reward, and those of `interior` whose mean is 0 or 1, in order."""
    at_end = interior & np.isin(means, (0.0, 1.0))
    return [int(k) for k in np.flatnonzero((counts == 0) | at_end)]


def next_initial(n: int, counts: FloatArray, waiting: Sequence[int], pending: Sequence[int]) -> list[int]:
    """The next n arms, while these are waiting and those pending.

    >>> next_initial(5, np.array([1.0, 0.0, 0.0]), [1, 2], [1])
    [2, 0, 1, 2, 0]
    """
    for k in pending:
        counts[k] += 1
    first = [k for k in waiting if k not in pending][:n]
    for k in first:
        counts[k] += 1
    arms = list(first)
    while len(arms) < n:
        k = int(np.argmin(counts))
        counts[k] += 1
        arms.append(k)
    return arms
