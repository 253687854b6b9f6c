"""Poisson rewards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.families.counts import count_quantile
from purex.families.elementwise import elementwise
from purex.families.family import ConvexTerm, Coordinates, Family
from purex.families.large_counts import LARGE, poisson_quantile
from purex.families.special import bend_root, excess_root, kl


@dataclass(frozen=True)
class Poisson(Family):
    r"""$d(\mu, \lambda) = \mu\log(\mu/\lambda) + \lambda - \mu$ and $\psi(\theta) = e^\theta$.

    >>> print(Poisson().d([2.0, 0.0], [1.0, 3.0]))
    [0.38629436 3.        ]
    """

    name = "poisson"
    kind = "poisson"
    domain = (0.0, np.inf)
    code = 2
    convex_in_mean = True
    convex_in_log = True
    variance_coefficients = (0.0, 1.0, 0.0)

    @elementwise
    def d(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$\mu\log(\mu/\lambda) + \lambda - \mu$."""
        return kl(mu, lam, lam - mu)

    @elementwise
    def natural(self, mu: FloatArray) -> FloatArray:
        r"""$\theta = \log\mu$."""
        return np.log(mu)

    @elementwise
    def mean(self, theta: FloatArray) -> FloatArray:
        r"""$\mu = e^\theta$."""
        return np.exp(theta)

    @elementwise
    def log_partition(self, theta: FloatArray) -> FloatArray:
        r"""$\psi = e^\theta$."""
        return np.exp(theta)

    @elementwise
    def entropy(self, mu: FloatArray) -> FloatArray:
        r"""$\phi = \mu\log\mu - \mu$."""
        return np.where(mu == 0, 0.0, mu * np.log(mu) - mu)

    @elementwise
    def variance(self, mu: FloatArray) -> FloatArray:
        r"""$V = \mu$."""
        return mu

    @elementwise
    def variance_slope(self, mu: FloatArray) -> FloatArray:
        """One."""
        return np.ones_like(mu)

    @elementwise
    def slope(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$1 - \mu/\lambda$, with 0/0 = 0."""
        return np.where(mu == 0, 1.0, (lam - mu) / lam)

    @elementwise
    def curvature(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$\mu/\lambda^2$, with 0/0 = 0."""
        return np.where(mu == 0, 0.0, mu / lam / lam)

    @elementwise
    def lower(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        r"""With $\xi = \mu e^{-v}$, $d = \mu (e^{-v} - 1 + v)$."""
        v = bend_root(np.zeros_like(mu), level / mu)
        return np.where((level == 0) | (mu == 0), mu, mu * np.exp(-v))

    @elementwise
    def upper(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        r"""With $\xi = \mu e^y$, $d = \mu (e^y - 1 - y)$.

        >>> print(Poisson().upper([0.0, 1.0], np.e - 2))
        [0.71828183 2.71828183]
        """
        y = excess_root(level / mu)
        # mu e^y by the equation itself: the error of y is not multiplied by e^y
        return np.where((level == 0) | (mu == 0), mu + level, mu + (level + mu * y))

    @elementwise
    def quantile(self, mu: FloatArray, u: FloatArray) -> FloatArray:
        """The smallest count k with P(X <= k) >= u."""
        from scipy.special import gammainc, gammaincc  # here: importing scipy.special takes 0.3 s

        mu, u = np.broadcast_arrays(mu, u)
        if (large := mu > LARGE).any():
            few = self.quantile(np.where(large, 1.0, mu), u)
            return np.where(large, poisson_quantile(mu, u), few)

        def below(k: FloatArray) -> FloatArray:
            return np.asarray(gammaincc(k + 1, mu), dtype=np.float64)

        def above(k: FloatArray) -> FloatArray:
            return np.asarray(gammainc(k + 1, mu), dtype=np.float64)

        return count_quantile(below, above, u, mean=mu, variance=mu, skew=np.ones_like(mu))

    @elementwise
    def supports(self, x: FloatArray) -> NDArray[np.bool_]:
        """Nonnegative integers."""
        return np.asarray((x >= 0) & (x == np.floor(x)) & np.isfinite(x))

    def convex_terms(self, coordinates: Coordinates, /) -> tuple[ConvexTerm, ...] | None:
        """In the mean x - mu log x; e^x - mu x in the natural parameter, which is the logarithm."""
        if coordinates == "mean":
            return (
                ConvexTerm(lambda w, mu: w * mu, lambda cp, x: -cp.log(x)),
                ConvexTerm(lambda w, mu: w, lambda cp, x: x),
            )
        return (
            ConvexTerm(lambda w, mu: w, lambda cp, x: cp.exp(x)),
            ConvexTerm(lambda w, mu: -w * mu, lambda cp, x: x),
        )
