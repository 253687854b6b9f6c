"""The interval in which all means of a problem lie."""

from __future__ import annotations

import numpy as np

from purex.errors import InvalidInputError, shown
from purex.families import Arms
from purex.model import Structure


def bounds(arms: Arms, structure: Structure, box: tuple[float, float] | None) -> tuple[float, float]:
    """The interval all means lie in: the box and the structure's own bounds."""
    try:
        lower, upper = (-np.inf, np.inf) if box is None else (float(end) for end in box)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(
            f"a box is two numbers (lower, upper) with lower < upper, not {shown(box)}"
        ) from None
    if box is not None:
        start, end = float(arms.lower_ends.max()), float(arms.upper_ends.min())
        if not (start <= lower < upper <= end):
            raise InvalidInputError(
                f"a box needs {start:g} <= lower < upper <= {end:g}, but it is [{lower:g}, {upper:g}]"
            )
    if structure.bounds is not None:
        lower, upper = max(lower, structure.bounds[0]), min(upper, structure.bounds[1])
    if not lower < upper:
        raise InvalidInputError("the box and the structure have no model in common")
    return lower, upper
