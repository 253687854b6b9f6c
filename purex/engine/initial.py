"""The initial pulls: each arm once, or until Bernoulli means are off their ends and variances positive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from purex.arrays import BoolArray, FloatArray
from purex.errors import InvalidInputError, shown
from purex.families import Arms

Initial = Literal["once", "interior"]

FEWEST = 3  # rewards from which a variance is estimated


def check_initial(initial: Any) -> None:
    """Refuse what is neither of the two conventions."""
    if initial not in ("once", "interior"):
        raise InvalidInputError(f"initial pulls are 'once' or 'interior', not {shown(initial)}")


def interior_arms(arms: Arms, initial: Initial) -> BoolArray:
    """The arms (K,) that are pulled until their mean is off the ends of its domain.

    >>> from purex.families import Bernoulli, Gaussian
    >>> interior_arms(Arms([Bernoulli(), Gaussian()]), "interior")
    array([ True, False])
    """
    return np.array([initial == "interior" and family.kind == "bernoulli" for family in arms.families])


def needs_pull(
    N: FloatArray, mean: FloatArray, interior: BoolArray, squares: FloatArray | None = None
) -> BoolArray:
    """Where an arm needs (another) initial pull: it has none, or is of `interior` with a mean of 0 or 1.

    Where variances are unknown, `squares` are the sums of squared distances from the means: at least three
    rewards are needed, not all the same.

    >>> needs_pull(np.array([1.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0]), np.array([True, False, False]))
    array([ True, False,  True])
    """
    need = (N == 0) | (interior & ((mean == 0.0) | (mean == 1.0)))
    if squares is not None:
        need = need | (N < FEWEST) | (squares == 0.0)
    return np.asarray(need)


def next_initial(n: int, counts: FloatArray, waiting: Sequence[int], pending: Sequence[int]) -> list[int]:
    """The next n arms, while these are waiting and those pending.

    >>> next_initial(5, np.array([1.0, 0.0, 0.0]), [1, 2], [1])
    [2, 0, 1, 2, 0]
    """
    counts = counts.copy()
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
