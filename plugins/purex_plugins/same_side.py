"""Same side: all means lie on one side of a level, and nobody says on which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from purex.families import Arms
from purex.model import Polyhedron, Structure
from purex.plugins import StructureRecord, hookimpl
from purex_plugins.mean_threshold import check_inside, check_threshold


class SameSide(Structure):
    r"""All means at or above a threshold g, or all at or below: $M = [g, \infty)^K \cup (-\infty, g]^K$.

    Not convex, and empirical means are usually outside, so that line 4 of Algorithm 1 has work to do.

    >>> below_and_above = SameSide(2, threshold=0.5).cells()
    >>> [cell.contains([0.6, 0.7]).item() for cell in below_and_above]
    [True, False]
    """

    def __init__(self, n_arms: int, threshold: float) -> None:
        super().__init__(n_arms)
        self.threshold = check_threshold("same-side", threshold)

    def cells(self) -> Sequence[Polyhedron]:
        """All means above, and all means below."""
        eye, level = np.eye(self.n_arms), np.full(self.n_arms, self.threshold)
        return [Polyhedron(-eye, -level), Polyhedron(eye, level)]

    def rescaled(self, factor: float) -> SameSide:
        """The threshold in the other unit."""
        return SameSide(self.n_arms, factor * self.threshold)

    def check(self, arms: Arms) -> None:
        """Refuse a threshold that some arm's mean could not cross."""
        check_inside("same-side", self.threshold, arms, -np.inf, np.inf)


@hookimpl
def purex_structures() -> Iterable[StructureRecord]:
    """The structure `same-side`."""
    yield StructureRecord(
        name="same-side",
        factory=SameSide,
        summary="all means lie on the same side of a threshold",
        reference="Degenne, Koolen & Ménard (2019), Algorithm 1, line 4: a set M that is not convex",
        examples=({"threshold": 0.5},),
    )
