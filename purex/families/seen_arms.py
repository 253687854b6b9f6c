"""Arms of unknown variance, with the standard deviations that their rewards have shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray
from purex.families.arms import Arms
from purex.families.family import Family
from purex.families.student import Student, divergence, radius


class SeenArms(Arms):
    """Arms whose divergences use these deviations (..., K): row r those of row r of the other arrays.

    >>> from purex.families import Student
    >>> seen = SeenArms([Student(), Student()], np.array([[1.0, 2.0]]))
    >>> print(seen.d([[0.0, 0.0]], [[1.0, 2.0]]))
    [[0.34657359 0.34657359]]
    """

    deviations: FloatArray

    def __init__(self, families: Sequence[Family], deviations: FloatArray) -> None:
        super().__init__(families)
        object.__setattr__(self, "deviations", np.ascontiguousarray(deviations, dtype=np.float64))

    @classmethod
    def in_simulations(cls, arms: Arms) -> SeenArms:
        """Arms with the deviations by which they are simulated."""
        return cls(arms.families, np.array([f.deviation for f in arms.families if isinstance(f, Student)]))

    def __reduce__(self) -> Any:
        return SeenArms, (self.families, self.deviations)

    def rows(self, rows: Any, shape: tuple[int, ...]) -> SeenArms:
        """The arms of some rows of a batch of this shape."""
        return SeenArms(self.families, np.broadcast_to(self.deviations, shape)[rows])

    def d(self, mu: ArrayLike, lam: ArrayLike) -> FloatArray:
        """The divergence d(mu, lam) of each arm."""
        with np.errstate(all="ignore"):
            return divergence(_own(mu), _own(lam), self.deviations)

    def lower(self, mu: ArrayLike, level: ArrayLike) -> FloatArray:
        """The lower confidence bound of each arm at level f/N."""
        return np.asarray(_own(mu) - radius(_own(level), self.deviations))

    def upper(self, mu: ArrayLike, level: ArrayLike) -> FloatArray:
        """The upper confidence bound of each arm at level f/N."""
        return np.asarray(_own(mu) + radius(_own(level), self.deviations))


def _own(x: ArrayLike) -> FloatArray:
    return np.asarray(x, dtype=np.float64, order="C")
