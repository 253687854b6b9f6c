"""Gamma rewards of known shape; the exponential law is shape 1."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.arrays import FloatArray
from purex.families.elementwise import elementwise
from purex.families.family import ConvexTerm, Coordinates, Family, positive
from purex.families.prices import gamma_cumulant, gamma_mixture
from purex.families.special import bend_root, excess_root, kl


@dataclass(frozen=True)
class Gamma(Family):
    r"""$d(\mu, \lambda) = \alpha\,(\mu/\lambda - 1 - \log(\mu/\lambda))$, shape $\alpha$ known.

    >>> float(Gamma(shape=2).d(2.0, 1.0))
    0.6137056388801094
    """

    shape: float

    kind = "gamma"
    domain = (0.0, np.inf)
    code = 3
    convex_in_log = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", positive("shape", self.shape))

    @property
    def name(self) -> str:
        """``gamma(shape=...)``."""
        return f"gamma(shape={self.shape!r})"

    @property
    def scale(self) -> float:
        """The shape."""
        return self.shape

    @property
    def variance_coefficients(self) -> tuple[float, float, float]:
        r"""$V = \mu^2/\alpha$."""
        return 0.0, 0.0, 1 / self.shape

    def price(self, n: ArrayLike, mean: ArrayLike | None = None, /) -> FloatArray:
        """That of the mixture of all scales, given the first reward."""
        return gamma_mixture(n, self.shape)

    def first_reward_cumulant(self, lam: float, /) -> float:
        """The divergence of a reward from its mean does not depend on the mean."""
        return gamma_cumulant(lam, self.shape)

    @elementwise
    def d(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$\alpha\,(\lambda\log(\lambda/\mu) - \lambda + \mu)/\lambda$."""
        value = self.shape * (kl(lam, mu, mu - lam) / lam)
        return np.where(mu == lam, 0.0, np.where(np.isinf(lam), np.inf, value))

    @elementwise
    def natural(self, mu: FloatArray) -> FloatArray:
        r"""$\theta = -\alpha/\mu$."""
        return -self.shape / mu

    @elementwise
    def mean(self, theta: FloatArray) -> FloatArray:
        r"""$\mu = -\alpha/\theta$, infinite where $\theta \ge 0$."""
        return np.where(theta < 0, -self.shape / theta, np.inf)

    @elementwise
    def base_natural(self, mu: FloatArray) -> FloatArray:
        r"""$-1/\mu$."""
        return -1 / mu

    @elementwise
    def base_mean(self, x: FloatArray) -> FloatArray:
        r"""$-1/x$, infinite where $x \ge 0$."""
        return np.where(x < 0, -1 / x, np.inf)

    @elementwise
    def log_partition(self, theta: FloatArray) -> FloatArray:
        r"""$\psi = -\alpha\log(-\theta/\alpha)$, infinite where $\theta \ge 0$."""
        return np.where(theta < 0, -self.shape * np.log(-theta / self.shape), np.inf)

    @elementwise
    def entropy(self, mu: FloatArray) -> FloatArray:
        r"""$\phi = -\alpha(1 + \log\mu)$."""
        return -self.shape * (1 + np.log(mu))

    @elementwise
    def variance(self, mu: FloatArray) -> FloatArray:
        r"""$V = \mu^2/\alpha$."""
        return mu * mu / self.shape

    @elementwise
    def variance_slope(self, mu: FloatArray) -> FloatArray:
        r"""$V' = 2\mu/\alpha$."""
        return 2 * mu / self.shape

    @elementwise
    def slope(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$\alpha(\lambda - \mu)/\lambda^2$."""
        return self.shape * np.where(mu == 0, 1.0, (lam - mu) / lam) / lam

    @elementwise
    def curvature(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$\alpha(2\mu - \lambda)/\lambda^3$: negative beyond $2\mu$."""
        return self.shape * np.where(mu == 0, -1.0, (2 * mu - lam) / lam) / lam / lam

    @elementwise
    def lower(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        r"""With $\xi = \mu e^{-y}$, $d = \alpha(e^y - 1 - y)$."""
        c = level / self.shape
        # mu e^-y by the equation itself: e^y = 1 + c + y
        return np.where(level == 0, mu, mu / (1 + (c + excess_root(c))))

    @elementwise
    def upper(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        r"""With $\xi = \mu e^v$, $d = \alpha(e^{-v} - 1 + v)$.

        >>> round(float(Gamma(shape=2).upper(3.0, 2 / np.e)), 12) == round(3 * np.e, 12)
        True
        """
        c = level / self.shape
        return np.where((level == 0) | (mu == 0), mu, mu * np.exp(bend_root(np.zeros_like(c), c)))

    @elementwise
    def quantile(self, mu: FloatArray, u: FloatArray) -> FloatArray:
        """The inverse of the incomplete gamma function; a tiny draw may round to 0."""
        from scipy.special import gammaincinv  # here: importing scipy.special takes 0.3 s

        return np.where(mu == 0, 0.0, mu * (gammaincinv(self.shape, u) / self.shape))

    @elementwise
    def supports(self, x: FloatArray) -> NDArray[np.bool_]:
        """Nonnegative numbers; 0 has probability 0, but tiny draws round to it."""
        return np.asarray((x >= 0) & np.isfinite(x))

    def convex_terms(self, coordinates: Coordinates, /) -> tuple[ConvexTerm, ...] | None:
        """-log(-x) - mu x in the natural parameter, mu e^-x + x in the logarithm of the mean."""
        if coordinates == "mean":
            return None
        if coordinates == "natural":
            return (
                ConvexTerm(lambda w, mu: w, lambda cp, x: -cp.log(-x)),
                ConvexTerm(lambda w, mu: -w * mu, lambda cp, x: x),
            )
        return (
            ConvexTerm(lambda w, mu: w * mu, lambda cp, x: cp.exp(-x)),
            ConvexTerm(lambda w, mu: w, lambda cp, x: x),
        )


@dataclass(frozen=True)
class Exponential(Gamma):
    r"""$d(\mu, \lambda) = \mu/\lambda - 1 - \log(\mu/\lambda)$: the Gamma family of shape 1.

    >>> float(Exponential().d(2.0, 1.0)), Exponential().kind
    (0.3068528194400547, 'gamma')
    """

    shape: float = field(default=1.0, init=False, repr=False)

    @property
    def name(self) -> str:
        """``exponential``."""
        return "exponential"
