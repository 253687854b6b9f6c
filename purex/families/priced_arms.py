"""Arms whose rewards cost something: divergences per unit of cost."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray
from purex.families.arms import Arms
from purex.families.family import Family


class PricedArms(Arms):
    r"""Arms of divergences $d(\mu^k, \lambda^k)/c_k$, as the game in shares of the cost has them.

    Oracles that know an arm by code, scale and parameter solve this game like any other: only the scale
    is divided by the cost. A reward is worth as much as one of a Gaussian arm of c times the variance.

    >>> from purex.families import Gaussian
    >>> arms = PricedArms([Gaussian(), Gaussian()], np.array([1.0, 4.0]))
    >>> print(arms.d([1.0, 1.0], [0.0, 0.0]), arms.scales)
    [0.5   0.125] [1.   0.25]
    """

    prices: FloatArray

    def __init__(self, families: Sequence[Family], prices: FloatArray) -> None:
        super().__init__(families)
        object.__setattr__(self, "prices", np.array(prices, dtype=np.float64))

    def __reduce__(self) -> Any:
        return PricedArms, (self.families, self.prices)

    @cached_property
    def scales(self) -> FloatArray:
        """The scale of each arm's family, over its price."""
        return np.asarray(super().scales / self.prices)

    def d(self, mu: ArrayLike, lam: ArrayLike) -> FloatArray:
        """The divergence d(mu, lam) of each arm, over its price."""
        return np.asarray(super().d(mu, lam) / self.prices)
