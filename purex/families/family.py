r"""One-parameter exponential families: the law of an arm's rewards, named by its mean.

Notation of the paper (appendix on exponential families): $\psi$ is the cumulant (log-partition),
$\phi = \psi^*$ its conjugate, $\theta = \phi'(\mu)$ the natural parameter,
$V(\mu) = \psi''(\theta)$ the variance, and
$d(\mu, \lambda) = \phi(\mu) - \phi(\lambda) - (\mu - \lambda)\phi'(\lambda)$ the KL divergence.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.families.elementwise import elementwise

Coordinates = Literal["mean", "natural", "log"]


class Constants(NamedTuple):
    r"""What the theory knows of a family on a box $[\mu_{min}, \mu_{max}]$ (Assumptions 1 and 2).

    L: Lipschitz constant $\phi'(\mu_{max}) - \phi'(\mu_{min})$; D: the larger of the divergences
    between the ends; sigma2: the largest variance, so that $d(x, y) \ge (x - y)^2/(2\sigma^2)$.
    """

    L: float
    D: float
    sigma2: float


class ConvexTerm(NamedTuple):
    """One summand coefficient(w, mu) * expression(cp, x) of a divergence as a convex program.

    The coefficient is nonnegative unless the expression is affine; `cp` is the cvxpy module and `x`
    a cvxpy variable, both handed in, so that families need not know cvxpy.
    """

    coefficient: Callable[[FloatArray, FloatArray], FloatArray]
    expression: Callable[[Any, Any], Any]


class Family(ABC):
    r"""A one-parameter exponential family; a frozen value, equal to any other built the same way.

    Methods work elementwise on float64 arrays that broadcast, take positional arguments and return
    limits at the ends of the domain (0 log 0 = 0) without warnings and without nan.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """The family as written on the command line, such as ``gaussian(variance=2.0)``."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """What families that differ by `scale` alone have in common, such as ``gaussian``."""

    @property
    @abstractmethod
    def domain(self) -> tuple[float, float]:
        """The closed interval of means (an infinite end is a limit, not a mean)."""

    @property
    def largest_mean(self) -> float:
        """The largest size of a mean whose divergences are numbers; beyond, they would be infinite."""
        return math.inf

    @property
    def scale(self) -> float:
        """The s of natural(mu) = s * base_natural(mu) and d = s * d_base."""
        return 1.0

    @property
    def code(self) -> int:
        """The integer that compiled kernels know the kind by; -1 if they do not."""
        return -1

    @property
    def parameter(self) -> float:
        """The number that compiled kernels need besides code and scale, or 0."""
        return 0.0

    @property
    def is_exact(self) -> bool:
        """Whether d is the divergence of the rewards' own laws, not that of the hardest law in a class."""
        return True

    @property
    def unknown_variance(self) -> bool:
        """Whether d depends on a variance that is estimated from the rewards; see `SeenArms`."""
        return False

    @property
    def draws_compiled(self) -> bool:
        """Whether simulated rewards follow the law that compiled kernels know by `code`."""
        return True

    @property
    def unit(self) -> float:
        """The size of one success, by which distances from the ends of the domain are measured."""
        return 1.0

    @property
    def variance_proxy(self) -> float | None:
        r"""The $\sigma^2$ with $E\,e^{s(X-\mu)} \le e^{s^2\sigma^2/2}$ at every mean and s, or None."""
        return None

    @property
    def convex_in_mean(self) -> bool:
        """Whether lam -> d(mu, lam) is convex."""
        return False

    @property
    def convex_in_log(self) -> bool:
        """Whether y -> d(mu, e^y) is convex."""
        return False

    @property
    def variance_coefficients(self) -> tuple[float, float, float] | None:
        """(v0, v1, v2) if V(mu) = v0 + v1 mu + v2 mu^2 (Morris' six families), else None."""
        return None

    @property
    def mixture_precision(self) -> float:
        r"""The $\rho$ of `price`: it bounds $\tfrac{n}{n+\rho}\,n\,d(\hat\mu, \mu)$, so all of it if 0.

        Or else it is 1, and at a precision of $\rho$ the price of n rewards is that of $n/\rho$ at 1.
        """
        return 0.0

    def price(self, n: ArrayLike, mean: ArrayLike | None = None, /) -> FloatArray | None:
        """What an arm with n rewards of this mean pays for a proof (see `purex.families.prices`).

        Without the mean, the most that it may be: nondecreasing in n. None if no price is known: thresholds
        then use a bound for all exponential families, which is larger.
        """
        return None

    def least_price(self, n: ArrayLike, /) -> FloatArray | None:
        """The least price of n rewards, whatever their mean, nondecreasing in n; by default the price."""
        return self.price(n)

    def first_reward_cumulant(self, lam: float, /) -> float | None:
        r"""$\ln E\,e^{\lambda d(X, \mu)}$ of a reward X, where $0 < \lambda < 1$, the same for every mean.

        For a `price` that leaves the divergence of the first reward out; None for any other.
        """
        return None

    @abstractmethod
    def d(self, mu: ArrayLike, lam: ArrayLike, /) -> FloatArray:
        """The KL divergence d(mu, lam) between the laws of these means; mu is the data's."""

    @abstractmethod
    def natural(self, mu: ArrayLike, /) -> FloatArray:
        r"""The natural parameter $\theta = \phi'(\mu)$."""

    @abstractmethod
    def mean(self, theta: ArrayLike, /) -> FloatArray:
        r"""The mean $\mu = \psi'(\theta)$."""

    @abstractmethod
    def log_partition(self, theta: ArrayLike, /) -> FloatArray:
        r"""The cumulant $\psi(\theta)$; infinite where it diverges."""

    @abstractmethod
    def entropy(self, mu: ArrayLike, /) -> FloatArray:
        r"""The conjugate $\phi(\mu) = \sup_\theta \mu\theta - \psi(\theta)$."""

    @abstractmethod
    def variance(self, mu: ArrayLike, /) -> FloatArray:
        r"""The variance function $V(\mu) = \psi''(\theta) = 1/\phi''(\mu)$."""

    @abstractmethod
    def variance_slope(self, mu: ArrayLike, /) -> FloatArray:
        r"""The derivative $V'(\mu)$."""

    @abstractmethod
    def slope(self, mu: ArrayLike, lam: ArrayLike, /) -> FloatArray:
        r"""The derivative $(\lambda - \mu)/V(\lambda)$ of $d(\mu, \lambda)$ in $\lambda$."""

    @abstractmethod
    def curvature(self, mu: ArrayLike, lam: ArrayLike, /) -> FloatArray:
        r"""The second derivative $1/V(\lambda) - (\lambda-\mu)V'(\lambda)/V(\lambda)^2$."""

    @abstractmethod
    def lower(self, mu: ArrayLike, level: ArrayLike, /) -> FloatArray:
        """The lower end of {xi in the domain : d(mu, xi) <= level}; the caller gives f/N."""

    @abstractmethod
    def upper(self, mu: ArrayLike, level: ArrayLike, /) -> FloatArray:
        """The upper end of {xi in the domain : d(mu, xi) <= level}; the caller gives f/N."""

    @abstractmethod
    def quantile(self, mu: ArrayLike, u: ArrayLike, /) -> FloatArray:
        """The smallest x with P(X <= x) >= u: a fixed uniform u gives rewards monotone in mu."""

    @abstractmethod
    def supports(self, x: ArrayLike, /) -> NDArray[np.bool_]:
        """Whether each x is a possible reward."""

    def check_truth(self, mu: float) -> None:  # noqa: B027 - most families have nothing to refuse
        """Raise an error, which says why, for a mean at which rewards cannot be simulated."""

    def convex_terms(self, coordinates: Coordinates, /) -> tuple[ConvexTerm, ...] | None:
        """The summands of w * d_base(mu, lam(x)) up to a constant, for lam given by x, or None.

        x is the mean, the natural parameter divided by `scale`, or the logarithm of the mean; None
        means that the divergence is not convex there (or that nobody said how to write it).
        """
        return None

    def sample(
        self,
        mu: ArrayLike,
        *,
        rng: np.random.Generator,
        size: int | tuple[int, ...] | None = None,
    ) -> FloatArray:
        """Rewards of mean mu by inverse transform, one uniform each (size: the shape of mu)."""
        return self.quantile(mu, rng.random(np.shape(mu) if size is None else size))

    @elementwise
    def base_natural(self, mu: FloatArray) -> FloatArray:
        """The natural parameter divided by `scale`: the same for all families of one kind."""
        return self.natural(mu) / self.scale

    @elementwise
    def base_mean(self, x: FloatArray) -> FloatArray:
        """The inverse of `base_natural`."""
        return self.mean(x * self.scale)

    def max_variance(self, lower: float, upper: float) -> float:
        """The largest variance on [lower, upper]; here for V monotone."""
        return float(max(self.variance(lower), self.variance(upper)))

    def constants(self, lower: float, upper: float) -> Constants:
        r"""L, D and $\sigma^2$ on the box [lower, upper], which must be finite.

        >>> from purex.families import Bernoulli
        >>> L, D, sigma2 = Bernoulli().constants(0.05, 0.95)
        >>> print(f"{L:.12f} {D:.12f} {sigma2}")
        5.888877958333 2.649995081250 0.25
        """
        lo, hi = self.domain
        if not (lo <= lower <= upper <= hi and np.isfinite(lower) and np.isfinite(upper)):
            raise InvalidInputError(
                f"the constants of {self.name} need a finite box inside [{lo:g}, {hi:g}], "
                f"not [{lower:g}, {upper:g}]"
            )
        L = float(self.natural(upper) - self.natural(lower)) if lower < upper else 0.0
        D = float(max(self.d(upper, lower), self.d(lower, upper)))
        if not np.isfinite(L):
            raise InvalidInputError(
                f"the constants of {self.name} are infinite on [{lower:g}, {upper:g}]: "
                f"give a box strictly inside [{lo:g}, {hi:g}]"
            )
        return Constants(L, D, self.max_variance(lower, upper))


def positive(what: str, value: float) -> float:
    """Return value as a float; raise an error if it is not positive and finite."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not 0 < number < np.inf:
        raise InvalidInputError(f"the {what} must be a positive finite number, not {value!r}")
    return number
