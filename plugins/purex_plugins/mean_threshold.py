"""What queries that compare means with a threshold share: the check of the threshold."""

from __future__ import annotations

import math

from purex.errors import InvalidInputError
from purex.families import Arms


def check_threshold(query: str, threshold: float, name: str = "threshold") -> float:
    """A finite number, or a refusal in which it has this name."""
    try:
        level = float(threshold)
    except (TypeError, ValueError):
        level = math.nan
    if not math.isfinite(level):
        raise InvalidInputError(f"{query} needs a finite {name}, not {threshold!r}")
    return level


def check_inside(query: str, threshold: float, arms: Arms, lower: float, upper: float) -> None:
    """Refuse a threshold that some arm's mean could not cross."""
    start = max(lower, float(arms.lower_ends.max()))
    end = min(upper, float(arms.upper_ends.min()))
    if not start < threshold < end:
        raise InvalidInputError(
            f"the threshold of {query} must lie strictly between {start:g} and {end:g}, "
            f"where the means can be, not at {threshold:g}"
        )
