"""Rewards of any law on an interval, simulated by Beta laws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from purex.arrays import FloatArray
from purex.families.elementwise import elementwise
from purex.families.family import positive
from purex.families.interval import OnInterval

CONCENTRATION = 10.0  # a Beta law with an eleventh of the Bernoulli variance


@dataclass(frozen=True, init=False, repr=False)
class Bounded(OnInterval):
    r"""Any rewards in [lower, upper]; only the interval matters for a real experiment.

    In simulations they are drawn from the law $\mathrm{Beta}(cp, c(1-p))$ stretched over the interval, where
    p is the mean rescaled to [0, 1] and c the concentration. Its variance is V/(1 + c), where V is that of
    the law on the two ends.

    >>> Bounded().name, Bounded().kind, Bounded(lower=-1, upper=3).name
    ('bounded', 'bernoulli', 'bounded(lower=-1.0, upper=3.0)')
    >>> print(Bounded(upper=10).quantile(4.0, [0.1, 0.5, 0.9]))
    [2.10396238 3.93084833 5.99420489]
    """

    concentration: float

    def __init__(self, lower: float = 0.0, upper: float = 1.0, concentration: float = CONCENTRATION) -> None:
        self._set_interval(lower, upper)
        object.__setattr__(self, "concentration", positive("concentration", concentration))

    def __repr__(self) -> str:
        return f"Bounded(lower={self.start!r}, upper={self.end!r}, concentration={self.concentration!r})"

    @property
    def name(self) -> str:
        """``bounded``, with the interval unless that is [0, 1], and the concentration unless that is 10."""
        given = [] if self._is_unit else [f"lower={self.start!r}", f"upper={self.end!r}"]
        if self.concentration != CONCENTRATION:
            given.append(f"concentration={self.concentration!r}")
        return f"bounded({', '.join(given)})" if given else "bounded"

    @elementwise
    def quantile(self, mu: FloatArray, u: FloatArray) -> FloatArray:
        """That of the Beta law; at the ends of the interval the mean itself."""
        from scipy.special import betaincinv  # here: importing scipy.special takes 0.3 s

        p, q = self._shares(self._inside(mu))
        x = np.asarray(betaincinv(self.concentration * p, self.concentration * q, u), dtype=np.float64)
        x = np.where(p == 0, 0.0, np.where(q == 0, 1.0, x))
        return self._inside(self.start + self.unit * x)
