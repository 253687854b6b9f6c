"""Bounded means: M = [lower, upper]^K, Assumption 2 of the paper."""

from collections.abc import Iterable

import numpy as np

from purex.errors import InvalidInputError
from purex.families import Arms
from purex.model import Bounded
from purex.plugins import StructureRecord, hookimpl


class Box(Bounded):
    r"""All means lie in one interval: $M = [l, u]^K$.

    >>> Box(2, lower=0.1, upper=0.9).bounds
    (0.1, 0.9)
    """

    def __init__(self, n_arms: int, lower: float, upper: float) -> None:
        super().__init__(n_arms, lower, upper)
        if not (np.isfinite(lower) and np.isfinite(upper) and lower < upper):
            raise InvalidInputError(f"a box needs finite lower < upper, not [{lower}, {upper}]")

    def check(self, arms: Arms) -> None:
        """Refuse bounds outside the families' domains."""
        start, end = float(arms.lower_ends.max()), float(arms.upper_ends.min())
        if self.lower < start or self.upper > end:
            raise InvalidInputError(
                f"the box [{self.lower:g}, {self.upper:g}] leaves the means these arms can have, "
                f"[{start:g}, {end:g}]"
            )


@hookimpl
def purex_structures() -> Iterable[StructureRecord]:
    """The structure `box`."""
    yield StructureRecord(
        name="box",
        factory=Box,
        summary="all means lie in [lower, upper]",
        reference="Degenne, Koolen & Ménard (2019), assumption 2",
        examples=({"lower": 0.2, "upper": 0.8},),
    )
