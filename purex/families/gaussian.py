"""Gaussian rewards of known variance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.arrays import FloatArray
from purex.families.elementwise import elementwise
from purex.families.family import ConvexTerm, Coordinates, Family, positive
from purex.families.prices import normal_mixture

SMALLEST_UNIFORM = 2.0**-54  # half a step of Generator.random: u = 0 gives a finite reward, too


@dataclass(frozen=True, init=False, repr=False)
class Gaussian(Family):
    r"""$d(\mu, \lambda) = (\mu-\lambda)^2 / (2\sigma^2)$ and $\psi(\theta) = \sigma^2\theta^2/2$.

    >>> float(Gaussian().d(0.5, 1.5)), float(Gaussian(variance=2).d(0.5, 1.5))
    (0.5, 0.25)
    >>> Gaussian(variance=2).name
    'gaussian(variance=2.0)'
    """

    sigma2: float  # `variance` is the function V(mu)

    kind = "gaussian"
    domain = (-np.inf, np.inf)
    code = 0
    convex_in_mean = True

    def __init__(self, variance: float = 1.0) -> None:
        object.__setattr__(self, "sigma2", positive("variance", variance))

    def __repr__(self) -> str:
        return f"Gaussian(variance={self.sigma2!r})"

    @property
    def name(self) -> str:
        """``gaussian``, with its variance unless that is 1."""
        return "gaussian" if self.sigma2 == 1 else f"gaussian(variance={self.sigma2!r})"

    @property
    def scale(self) -> float:
        """One over the variance."""
        return 1 / self.sigma2

    @property
    def variance_proxy(self) -> float:
        """The variance."""
        return self.sigma2

    @property
    def variance_coefficients(self) -> tuple[float, float, float]:
        """V is constant."""
        return self.sigma2, 0.0, 0.0

    @property
    def mixture_precision(self) -> float:
        """That of one reward."""
        return 1.0

    def price(self, n: ArrayLike, mean: ArrayLike | None = None, /) -> FloatArray:
        """That of a normal mixture."""
        return normal_mixture(n, self.mixture_precision)

    @elementwise
    def d(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$(\lambda - \mu)^2/(2\sigma^2)$."""
        return np.where(mu == lam, 0.0, (lam - mu) ** 2 / (2 * self.sigma2))

    @property
    def largest_mean(self) -> float:
        """Where squares of differences, and sums of them, are numbers."""
        return 1e150

    @elementwise
    def natural(self, mu: FloatArray) -> FloatArray:
        r"""$\theta = \mu/\sigma^2$."""
        return mu / self.sigma2

    @elementwise
    def mean(self, theta: FloatArray) -> FloatArray:
        r"""$\mu = \sigma^2\theta$."""
        return theta * self.sigma2

    @elementwise
    def base_natural(self, mu: FloatArray) -> FloatArray:
        """The mean itself."""
        return mu

    @elementwise
    def base_mean(self, x: FloatArray) -> FloatArray:
        """The mean itself."""
        return x

    @elementwise
    def log_partition(self, theta: FloatArray) -> FloatArray:
        r"""$\psi = \sigma^2\theta^2/2$."""
        return self.sigma2 * theta**2 / 2

    @elementwise
    def entropy(self, mu: FloatArray) -> FloatArray:
        r"""$\phi = \mu^2/(2\sigma^2)$."""
        return mu**2 / (2 * self.sigma2)

    @elementwise
    def variance(self, mu: FloatArray) -> FloatArray:
        r"""$V = \sigma^2$."""
        return np.full_like(mu, self.sigma2)

    @elementwise
    def variance_slope(self, mu: FloatArray) -> FloatArray:
        """Zero."""
        return np.zeros_like(mu)

    @elementwise
    def slope(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$(\lambda - \mu)/\sigma^2$."""
        return (lam - mu) / self.sigma2

    @elementwise
    def curvature(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$1/\sigma^2$."""
        return np.full(np.broadcast_shapes(mu.shape, lam.shape), 1 / self.sigma2)

    @elementwise
    def lower(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        r"""$\mu - \sqrt{2\sigma^2\,\mathrm{level}}$."""
        return mu - np.sqrt(2 * self.sigma2 * level)

    @elementwise
    def upper(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        r"""$\mu + \sqrt{2\sigma^2\,\mathrm{level}}$.

        >>> float(Gaussian().upper(1.0, 2.0))
        3.0
        """
        return mu + np.sqrt(2 * self.sigma2 * level)

    @elementwise
    def quantile(self, mu: FloatArray, u: FloatArray) -> FloatArray:
        """Mean plus standard deviation times the normal quantile; u = 0 is read as 2^-54."""
        from scipy.special import ndtri  # here: importing scipy.special takes 0.3 s

        return mu + math.sqrt(self.sigma2) * ndtri(np.maximum(u, SMALLEST_UNIFORM))

    @elementwise
    def supports(self, x: FloatArray) -> NDArray[np.bool_]:
        """Every finite number."""
        return np.isfinite(x)

    def convex_terms(self, coordinates: Coordinates, /) -> tuple[ConvexTerm, ...] | None:
        """In the mean, which is the natural parameter of the base, x^2/2 - mu x."""
        if coordinates == "log":
            return None
        return (
            ConvexTerm(lambda w, mu: w, lambda cp, x: cp.square(x) / 2),
            ConvexTerm(lambda w, mu: -w * mu, lambda cp, x: x),
        )
