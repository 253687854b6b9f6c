"""Bernoulli rewards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.arrays import FloatArray
from purex.families.elementwise import elementwise
from purex.families.family import ConvexTerm, Coordinates, Family
from purex.families.prices import krichevsky_trofimov, krichevsky_trofimov_at
from purex.families.special import bend_root, kl


@dataclass(frozen=True)
class Bernoulli(Family):
    r"""$d(\mu, \lambda) = \mu \log(\mu/\lambda) + (1-\mu) \log((1-\mu)/(1-\lambda))$.

    >>> print(Bernoulli().d([0.5, 0, 1], [0.25, 0.5, 1]))
    [0.14384104 0.69314718 0.        ]
    """

    name = "bernoulli"
    kind = "bernoulli"
    domain = (0.0, 1.0)
    code = 1
    convex_in_mean = True
    convex_in_log = True
    variance_coefficients = (0.0, 1.0, -1.0)
    variance_proxy = 0.25

    def price(self, n: ArrayLike, mean: ArrayLike | None = None, /) -> FloatArray:
        """That of the Krichevsky-Trofimov mixture."""
        return krichevsky_trofimov(n) if mean is None else krichevsky_trofimov_at(n, mean)

    def least_price(self, n: ArrayLike, /) -> FloatArray:
        """That of as many successes as failures."""
        return krichevsky_trofimov_at(n, 0.5)

    @elementwise
    def d(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        """The sum of two nonnegative terms, one for each outcome."""
        return kl(mu, lam, lam - mu) + kl(1 - mu, 1 - lam, mu - lam)

    @elementwise
    def natural(self, mu: FloatArray) -> FloatArray:
        r"""The logit, $\theta = \log(\mu/(1-\mu))$."""
        # around 1/2 the logarithms would cancel
        return np.where(mu < 0.25, np.log(mu) - np.log1p(-mu), np.log1p((2 * mu - 1) / (1 - mu)))

    @elementwise
    def mean(self, theta: FloatArray) -> FloatArray:
        r"""$\mu = 1/(1 + e^{-\theta})$."""
        return 1 / (1 + np.exp(-theta))

    @elementwise
    def log_partition(self, theta: FloatArray) -> FloatArray:
        r"""$\psi = \log(1 + e^\theta)$."""
        return np.logaddexp(0.0, theta)

    @elementwise
    def entropy(self, mu: FloatArray) -> FloatArray:
        r"""$\phi = \mu\log\mu + (1-\mu)\log(1-\mu)$."""
        edge = (mu == 0) | (mu == 1)
        return np.where(edge, 0.0, mu * np.log(mu) + (1 - mu) * np.log1p(-mu))

    @elementwise
    def variance(self, mu: FloatArray) -> FloatArray:
        r"""$V = \mu(1-\mu)$."""
        return mu * (1 - mu)

    @elementwise
    def variance_slope(self, mu: FloatArray) -> FloatArray:
        r"""$V' = 1 - 2\mu$."""
        return 1 - 2 * mu

    def max_variance(self, lower: float, upper: float) -> float:
        """V at the point of the box nearest to 1/2."""
        return float(self.variance(min(max(0.5, lower), upper)))

    @elementwise
    def slope(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$-\mu/\lambda + (1-\mu)/(1-\lambda)$, with 0/0 = 0."""
        at_edge = np.where(mu == lam, 1 - 2 * lam, np.where(lam == 0, -np.inf, np.inf))
        edge = (lam == 0) | (lam == 1)
        return np.where(edge, at_edge, (lam - mu) / (lam * (1 - lam)))

    @elementwise
    def curvature(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$\mu/\lambda^2 + (1-\mu)/(1-\lambda)^2$, with 0/0 = 0."""
        success = np.where(mu == 0, 0.0, mu / lam / lam)
        return success + np.where(mu == 1, 0.0, (1 - mu) / (1 - lam) / (1 - lam))

    @elementwise
    def lower(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        r"""With $\xi = \mu e^{-v}$, $d = \mu v - (1-\mu)\log(1 + \frac{\mu}{1-\mu}(1 - e^{-v}))$.

        >>> float(Bernoulli().lower(0.001, 1.6))   # about exp(-1600)
        0.0
        """
        v = bend_root(mu / (1 - mu), level / mu)
        return np.where((level == 0) | (mu == 0), mu, mu * np.exp(-v))

    @elementwise
    def upper(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        r"""The mirror image of `lower`: $1 - \xi = (1-\mu) e^{-v}$.

        >>> print(Bernoulli().upper([0.0, 0.5], 0.5))
        [0.39346934 0.89753005]
        """
        v = bend_root((1 - mu) / mu, level / (1 - mu))
        near = mu - (1 - mu) * np.expm1(-v)
        far = 1 - (1 - mu) * np.exp(-v)  # so that an infinite level gives 1 exactly
        return np.where((level == 0) | (mu == 1), mu, np.where(v < 1, near, far))

    @elementwise
    def quantile(self, mu: FloatArray, u: FloatArray) -> FloatArray:
        """1 where u > 1 - mu, and for the mean 1 always."""
        return np.where((u > 1 - mu) | (mu == 1), 1.0, 0.0)

    @elementwise
    def supports(self, x: FloatArray) -> NDArray[np.bool_]:
        """0 and 1."""
        return np.asarray((x == 0) | (x == 1))

    def convex_terms(self, coordinates: Coordinates, /) -> tuple[ConvexTerm, ...] | None:
        """Minus logarithms in the mean, logistic in the natural parameter."""
        if coordinates == "mean":
            return (
                ConvexTerm(lambda w, mu: w * mu, lambda cp, x: -cp.log(x)),
                ConvexTerm(lambda w, mu: w * (1 - mu), lambda cp, x: -cp.log(1 - x)),
            )
        linear = ConvexTerm(lambda w, mu: -w * mu, lambda cp, x: x)
        if coordinates == "natural":
            return ConvexTerm(lambda w, mu: w, lambda cp, x: cp.logistic(x)), linear
        return (
            ConvexTerm(lambda w, mu: w * (1 - mu), lambda cp, x: -cp.log(1 - cp.exp(x))),
            linear,
        )
