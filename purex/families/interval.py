r"""Rewards of any law on an interval, judged as if they were Bernoulli.

A reward X in [0, 1] of mean $\mu$ has $E\,e^{\eta X} \le 1 - \mu + \mu e^\eta$, because $e^{\eta x}$ lies
below its chord: the Bernoulli law is the one whose averages deviate most. So likelihood ratios of Bernoulli
laws are supermartingales, and every proof that needs no more than that holds for all these rewards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.arrays import FloatArray
from purex.errors import InvalidInputError, shown
from purex.families.bernoulli import Bernoulli
from purex.families.elementwise import elementwise
from purex.families.family import ConvexTerm, Coordinates, Family
from purex.families.prices import krichevsky_trofimov, krichevsky_trofimov_at
from purex.families.special import bend_root, kl

LARGEST = 1e150  # of an end, and of one over the width: squares of both are numbers
NARROWEST = 1e-9  # of the width, relative to the larger end: means must keep seven digits inside the interval
NEAR = 1e3  # times the width: V = (mu - lower)(upper - mu), multiplied out, loses six digits at most


def is_judged_as_bernoulli(family: Family) -> bool:
    """Whether Bernoulli likelihood ratios of the (rescaled) rewards are supermartingales.

    >>> from purex.families import Bounded, Gaussian
    >>> is_judged_as_bernoulli(Bounded(lower=-1, upper=3)), is_judged_as_bernoulli(Gaussian())
    (True, False)
    """
    return family.kind == Bernoulli.kind or isinstance(family, OnInterval)


@dataclass(frozen=True, init=False, repr=False)
class OnInterval(Family):
    r"""Rewards in [l, u], with the Bernoulli divergence of the means rescaled to $(\mu-l)/(u-l)$.

    The divergence, and all that follows from it, is that of the hardest law, whose rewards are l or u: what
    is guaranteed for it holds for every law on the interval. On [0, 1] the kind is ``bernoulli``, and all
    that is made for Bernoulli arms applies. Subclasses say which rewards are simulated.
    """

    start: float  # `lower` and `upper` are the confidence bounds
    end: float

    is_exact = False
    draws_compiled = False
    convex_in_mean = True

    def _set_interval(self, lower: Any, upper: Any) -> None:
        try:
            l, u = float(lower) + 0.0, float(upper) + 0.0  # no -0.0
        except (TypeError, ValueError, OverflowError):
            l, u = math.nan, math.nan
        if not -math.inf < l < u < math.inf:
            raise InvalidInputError(
                f"rewards lie between two finite numbers lower < upper, not lower={shown(lower)} and "
                f"upper={shown(upper)}"
            )
        if max(abs(l), abs(u)) > LARGEST or u - l < 1 / LARGEST:
            raise InvalidInputError(
                f"the interval [{l:g}, {u:g}] is too large or too small to compute with: give rewards in "
                "another unit"
            )
        if u - l < NARROWEST * max(abs(l), abs(u)):
            raise InvalidInputError(
                f"the interval [{l!r}, {u!r}] is narrow for its distance from 0, which costs digits: "
                "subtract its lower end from the rewards"
            )
        object.__setattr__(self, "start", l)
        object.__setattr__(self, "end", u)

    @property
    def _is_unit(self) -> bool:
        return self.start == 0 and self.end == 1

    @property
    def kind(self) -> str:
        """``bernoulli`` on [0, 1]; elsewhere ``bounded`` with the interval."""
        return Bernoulli.kind if self._is_unit else f"bounded(lower={self.start!r}, upper={self.end!r})"

    @property
    def code(self) -> int:
        """That of Bernoulli arms on [0, 1]; compiled kernels know no other interval."""
        return Bernoulli.code if self._is_unit else -1

    @property
    def domain(self) -> tuple[float, float]:
        """The interval."""
        return self.start, self.end

    @property
    def unit(self) -> float:
        """The width of the interval."""
        return self.end - self.start

    @property
    def variance_proxy(self) -> float:
        """Hoeffding's: a quarter of the squared width."""
        return 0.25 * self.unit**2

    @property
    def convex_in_log(self) -> bool:
        """Where no mean is negative."""
        return self.start >= 0

    @property
    def variance_coefficients(self) -> tuple[float, float, float] | None:
        """Those of (mu - lower)(upper - mu); None far from 0, where multiplying out would cancel."""
        if max(abs(self.start), abs(self.end)) > NEAR * self.unit:
            return None
        return -self.start * self.end, self.start + self.end, -1.0

    def _inside(self, mu: FloatArray) -> FloatArray:
        """Means brought into the interval, which a rounded average of rewards may leave."""
        return np.clip(mu, self.start, self.end)

    def _shares(self, mu: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The probabilities of the upper and of the lower end, each without cancellation."""
        return (mu - self.start) / self.unit, (self.end - mu) / self.unit

    def price(self, n: ArrayLike, mean: ArrayLike | None = None, /) -> FloatArray:
        """That of the Krichevsky-Trofimov mixture, which bounds sums that are not whole numbers as well."""
        if mean is None:
            return krichevsky_trofimov(n)
        share, _ = self._shares(self._inside(np.asarray(mean, dtype=np.float64)))
        return krichevsky_trofimov_at(n, share)

    def least_price(self, n: ArrayLike, /) -> FloatArray:
        """That of a mean in the middle."""
        return krichevsky_trofimov_at(n, 0.5)

    @elementwise
    def d(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        """The Bernoulli divergence of the rescaled means.

        >>> from purex.families import Bounded
        >>> print(Bounded(lower=-1, upper=3).d([1.0, -1.0], [0.0, 1.0]))
        [0.14384104 0.69314718]
        """
        mu, lam = self._inside(mu), self._inside(lam)
        (p, q), (P, Q) = self._shares(mu), self._shares(lam)
        gap = (lam - mu) / self.unit
        return kl(p, P, gap) + kl(q, Q, -gap)

    @elementwise
    def natural(self, mu: FloatArray) -> FloatArray:
        r"""The logit of the rescaled mean over the width, $\theta = \log\frac{\mu-l}{u-\mu}/(u-l)$."""
        p, q = self._shares(self._inside(mu))
        # around 1/2 the logarithms would cancel
        return np.where(p < 0.25, np.log(p) - np.log1p(-p), np.log1p((2 * p - 1) / q)) / self.unit

    @elementwise
    def mean(self, theta: FloatArray) -> FloatArray:
        r"""$\mu = l + (u-l)/(1 + e^{-(u-l)\theta})$, counted from the end that is nearer to 0."""
        x = self.unit * theta
        if abs(self.end) < abs(self.start):
            mu = self.end - self.unit / (1 + np.exp(x))
            return np.where(x == -np.inf, self.start, self._inside(mu))
        mu = self.start + self.unit / (1 + np.exp(-x))
        return np.where(x == np.inf, self.end, self._inside(mu))

    @elementwise
    def log_partition(self, theta: FloatArray) -> FloatArray:
        r"""$\psi = l\theta + \log(1 + e^{(u-l)\theta})$."""
        x = self.unit * theta
        if abs(self.end) < abs(self.start):
            psi = self.end * theta + np.logaddexp(0.0, -x)
        else:
            psi = self.start * theta + np.logaddexp(0.0, x)
        for infinite, end in ((-np.inf, self.start), (np.inf, self.end)):
            psi = np.where(theta == infinite, end * infinite if end else 0.0, psi)
        return psi

    @elementwise
    def entropy(self, mu: FloatArray) -> FloatArray:
        r"""$\phi = p\log p + (1-p)\log(1-p)$ of the rescaled mean p."""
        p, q = self._shares(self._inside(mu))
        log_p = np.where(p < 0.5, np.log(p), np.log1p(-q))
        log_q = np.where(p < 0.5, np.log1p(-p), np.log(q))
        return np.where((p == 0) | (q == 0), 0.0, p * log_p + q * log_q)

    @elementwise
    def variance(self, mu: FloatArray) -> FloatArray:
        r"""$V = (\mu-l)(u-\mu)$, that of the law on the two ends: no law of this mean has a larger one."""
        mu = self._inside(mu)
        return (mu - self.start) * (self.end - mu)

    @elementwise
    def variance_slope(self, mu: FloatArray) -> FloatArray:
        r"""$V' = (u-\mu) - (\mu-l)$."""
        return (self.end - mu) - (mu - self.start)

    def max_variance(self, lower: float, upper: float) -> float:
        """V at the point of the box nearest to the middle of the interval."""
        middle = self.start + 0.5 * self.unit
        return float(self.variance(min(max(middle, lower), upper)))

    @elementwise
    def slope(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$(\lambda-\mu)/V(\lambda)$, with 0/0 read as the limit of Bernoulli arms."""
        mu, lam = self._inside(mu), self._inside(lam)
        P, Q = self._shares(lam)
        at_edge = np.where(mu == lam, Q - P, np.where(P == 0, -np.inf, np.inf))
        inside = (lam - mu) / self.unit / (P * Q)
        return np.where((P == 0) | (Q == 0), at_edge, inside) / self.unit

    @elementwise
    def curvature(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$\big(p/\ell^2 + (1-p)/(1-\ell)^2\big)/(u-l)^2$ at the rescaled means, with 0/0 = 0."""
        (p, q), (P, Q) = self._shares(self._inside(mu)), self._shares(self._inside(lam))
        success, failure = np.where(p == 0, 0.0, p / P / P), np.where(q == 0, 0.0, q / Q / Q)
        return (success + failure) / self.unit / self.unit

    @elementwise
    def lower(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        """As `Bernoulli.lower`, with the distance from the lower end in place of the mean."""
        mu = self._inside(mu)
        p, q = self._shares(mu)
        above = mu - self.start
        v = bend_root(p / q, level / p)
        # counted from the lower end, or from mu where that is nearer to 0
        near, far = mu + above * np.expm1(-v), self.start + above * np.exp(-v)
        xi = np.where((v < 1) & (np.abs(mu) < abs(self.start)), near, far)
        return np.where((level == 0) | (p == 0), mu, np.minimum(xi, mu))

    @elementwise
    def upper(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        """As `Bernoulli.upper`: the mirror image of `lower`.

        >>> from purex.families import Bounded
        >>> print(Bounded(lower=0, upper=100).upper([0.0, 50.0], 0.5))
        [39.34693403 89.75300488]
        """
        mu = self._inside(mu)
        p, q = self._shares(mu)
        below = self.end - mu
        v = bend_root(q / p, level / q)
        near, far = mu - below * np.expm1(-v), self.end - below * np.exp(-v)
        xi = np.clip(np.where(v < 1, near, far), mu, self.end)
        return np.where((level == 0) | (q == 0), mu, xi)

    @elementwise
    def supports(self, x: FloatArray) -> NDArray[np.bool_]:
        """Every number of the interval."""
        return np.asarray((x >= self.start) & (x <= self.end))

    def convex_terms(self, coordinates: Coordinates, /) -> tuple[ConvexTerm, ...] | None:
        """Those of Bernoulli arms at the rescaled mean; in logarithms for lower >= 0."""
        l, u, r = self.start, self.end, self.unit

        def up(w: FloatArray, mu: FloatArray) -> FloatArray:
            return w * (mu - l) / r

        def down(w: FloatArray, mu: FloatArray) -> FloatArray:
            return w * (u - mu) / r

        if coordinates == "mean":
            return (
                ConvexTerm(up, lambda cp, x: -cp.log((x - l) / r)),
                ConvexTerm(down, lambda cp, x: -cp.log((u - x) / r)),
            )
        if coordinates == "natural":
            return (
                ConvexTerm(lambda w, mu: w, lambda cp, x: cp.logistic(r * x)),
                ConvexTerm(lambda w, mu: -up(w, mu), lambda cp, x: r * x),
            )
        if l < 0:
            return None
        return (
            ConvexTerm(up, lambda cp, x: -cp.log(1 - l * cp.exp(-x)) - x if l else -x),
            ConvexTerm(down, lambda cp, x: -cp.log(1 - cp.exp(x - math.log(u)))),
        )
