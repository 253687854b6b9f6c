"""Negative binomial rewards of known size; the geometric law is size 1."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.families.counts import count_quantile
from purex.families.elementwise import elementwise
from purex.families.family import ConvexTerm, Coordinates, Family, positive
from purex.families.large_counts import LARGE, WHOLE, negative_binomial_quantile
from purex.families.poisson import Poisson
from purex.families.special import bend_root, kl

POISSON = 1e16  # sizes over this many means: the law is Poisson's to rounding


@dataclass(frozen=True)
class NegativeBinomial(Family):
    r"""The number of failures before success number r (any $r > 0$), with mean $\mu$.

    $d(\mu, \lambda) = \mu\log\frac{\mu}{\lambda} - (\mu+r)\log\frac{\mu+r}{\lambda+r}$,
    $\psi(\theta) = -r\log(1 - e^\theta)$, $V = \mu + \mu^2/r$.

    >>> print(NegativeBinomial(size=2).d([1.0, 0.0], [3.0, 2.0]))
    [0.43386458 1.38629436]
    """

    size: float

    domain = (0.0, np.inf)
    code = 4
    convex_in_log = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", positive("size", self.size))

    @property
    def name(self) -> str:
        """``negative-binomial(size=...)``."""
        return f"negative-binomial(size={self.size!r})"

    @property
    def kind(self) -> str:
        """``negative-binomial(r)``: families of different size are not related by a scale."""
        return f"negative-binomial({self.size!r})"

    @property
    def parameter(self) -> float:
        """The size r."""
        return self.size

    @property
    def variance_coefficients(self) -> tuple[float, float, float]:
        r"""$V = \mu + \mu^2/r$."""
        return 0.0, 1.0, 1 / self.size

    @elementwise
    def d(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""Two nonnegative terms that do not cancel, with $g(u) = u - \log(1 + u)$.

        $d = r\,g\!\left(-\frac{\lambda-\mu}{\lambda+r}\right)
        + \mu\,g\!\left(\frac{r(\lambda-\mu)}{\mu(\lambda+r)}\right)$: the first is all that is left
        for $r \to 0$ (Gamma), the second for $r \to \infty$ (Poisson).
        """
        r, gap = self.size, lam - mu
        share = r / (lam + r)
        gamma = share * kl(lam + r, mu + r, -gap)
        poisson = kl(mu, lam * ((mu + r) / (lam + r)), share * gap)
        return np.where(mu == lam, 0.0, np.where(np.isinf(lam), np.inf, gamma + poisson))

    @elementwise
    def natural(self, mu: FloatArray) -> FloatArray:
        r"""$\theta = \log(\mu/(\mu+r)) = -\log(1 + r/\mu)$."""
        return -np.log1p(self.size / mu)

    @elementwise
    def mean(self, theta: FloatArray) -> FloatArray:
        r"""$\mu = r e^\theta/(1 - e^\theta)$, infinite where $\theta \ge 0$."""
        return np.where(theta < 0, self.size / np.expm1(-theta), np.inf)

    @elementwise
    def log_partition(self, theta: FloatArray) -> FloatArray:
        r"""$\psi = -r\log(1 - e^\theta)$, infinite where $\theta \ge 0$."""
        # log(1 - e^theta) keeps its digits through log1p for small e^theta, through expm1 near 0
        log = np.where(theta < -1, np.log1p(-np.exp(theta)), np.log(-np.expm1(theta)))
        return np.where(theta < 0, -self.size * log, np.inf)

    @elementwise
    def entropy(self, mu: FloatArray) -> FloatArray:
        r"""$\phi = \mu\log\frac{\mu}{\mu+r} + r\log\frac{r}{\mu+r}$."""
        failures = np.where(mu == 0, 0.0, -mu * np.log1p(self.size / mu))
        return failures - self.size * np.log1p(mu / self.size)

    @elementwise
    def variance(self, mu: FloatArray) -> FloatArray:
        r"""$V = \mu + \mu^2/r$."""
        return mu * (1 + mu / self.size)

    @elementwise
    def variance_slope(self, mu: FloatArray) -> FloatArray:
        r"""$V' = 1 + 2\mu/r$."""
        return 1 + 2 * mu / self.size

    @elementwise
    def slope(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$\frac{r(\lambda-\mu)}{\lambda(\lambda+r)}$, with 0/0 = 1."""
        return np.where(mu == 0, 1.0, (lam - mu) / lam) * (self.size / (lam + self.size))

    @elementwise
    def curvature(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$\mu/\lambda^2 - (\mu+r)/(\lambda+r)^2$, with 0/0 = 0."""
        r = self.size
        failures = np.where(mu == 0, 0.0, mu / lam / lam)
        return failures - (mu + r) / (lam + r) / (lam + r)

    @elementwise
    def lower(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        r"""With $\frac{\xi}{\xi+r} = \frac{\mu}{\mu+r} e^{-v}$: `bend_root` with a = r, b = mu."""
        r = self.size
        v = bend_root(mu / r, level / mu)
        below = mu * np.exp(-v) / (1 - mu / r * np.expm1(-v))
        return np.where((level == 0) | (mu == 0), mu, below)

    @elementwise
    def upper(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        r"""With $\xi + r = (\mu+r) e^v$: `bend_root` with a = mu, b = r.

        >>> print(Geometric().upper([0.0, 1.0], np.log(2)))
        [1.         5.82842712]
        """
        v = bend_root(self.size / mu, level / self.size)
        return np.where(level == 0, mu, mu + (mu + self.size) * np.expm1(v))

    @elementwise
    def quantile(self, mu: FloatArray, u: FloatArray) -> FloatArray:
        """The smallest count k with P(X <= k) >= u."""
        from scipy.special import betainc, betaincc  # here: importing scipy.special takes 0.3 s

        r = self.size
        mu, u = np.broadcast_arrays(mu, u)
        if (large := mu > WHOLE).any():
            few = self.quantile(np.where(large, 1.0, mu), u)
            return np.where(large, negative_binomial_quantile(r, mu, u), few)
        if r > POISSON * max(1.0, float(mu.max(initial=0.0))):
            return np.asarray(Poisson().quantile(mu, u))
        failure, success = mu / (r + mu), r / (r + mu)
        # the smaller of the two has all its digits; the other, to a power of a million, would lose six
        rare_success, rare_failure = mu > LARGE, (r > LARGE) & (mu < r)

        def below(k: FloatArray) -> FloatArray:
            found = np.asarray(betainc(r, k + 1, success), dtype=np.float64)
            return np.where(rare_failure, betaincc(k + 1, r, failure), found) if r > LARGE else found

        def above(k: FloatArray) -> FloatArray:
            found = np.asarray(betainc(k + 1, r, failure), dtype=np.float64)
            if not rare_success.any():
                return found
            return np.where(rare_success & ~rare_failure, betaincc(r, k + 1, success), found)

        variance, skew = mu * (1 + mu / r), 1 + 2 * mu / r
        return count_quantile(below, above, u, mean=mu, variance=variance, skew=skew)

    @elementwise
    def supports(self, x: FloatArray) -> NDArray[np.bool_]:
        """Nonnegative integers."""
        return np.asarray((x >= 0) & (x == np.floor(x)) & np.isfinite(x))

    def convex_terms(self, coordinates: Coordinates, /) -> tuple[ConvexTerm, ...] | None:
        """-r log(1 - e^x) in the natural parameter; (mu + r) log(e^x + r) in the logarithm."""
        r = self.size
        linear = ConvexTerm(lambda w, mu: -w * mu, lambda cp, x: x)
        if coordinates == "mean":
            return None
        if coordinates == "natural":
            return ConvexTerm(lambda w, mu: w * r, lambda cp, x: -cp.log(1 - cp.exp(x))), linear
        # log(e^x + r) = logistic(x - log r) + log r
        return (
            ConvexTerm(lambda w, mu: w * (mu + r), lambda cp, x: cp.logistic(x - np.log(r))),
            linear,
        )


@dataclass(frozen=True)
class Geometric(NegativeBinomial):
    r"""The number of failures before the first success: the negative binomial family of size 1.

    >>> float(Geometric().variance(2.0)), Geometric().kind
    (6.0, 'negative-binomial(1.0)')
    """

    size: float = field(default=1.0, init=False, repr=False)

    @property
    def name(self) -> str:
        """``geometric``."""
        return "geometric"
