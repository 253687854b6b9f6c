"""A family from its log-partition function, written in sympy: everything else is derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import sympy
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.families.bounds import search_bound
from purex.families.elementwise import elementwise
from purex.families.family import ConvexTerm, Coordinates, Family
from purex.families.roots import bracketed_root
from purex.families.symbolic.derivation import Derivation, Function
from purex.families.symbolic.quadrature import divergence

FIRST_WIDTH = 1e-8  # of the bracket around a formula that lacks digits
VARIANCE_GRID = 1025  # points of the search for the largest variance on a box


class Definition(NamedTuple):
    """What a symbolic family is given; two families are equal if these are."""

    psi: sympy.Expr
    name: str
    domain: tuple[float, float]
    natural_domain: tuple[float, float]
    convex_in_mean: bool
    convex_in_log: bool
    convex_terms: tuple[tuple[Coordinates, tuple[ConvexTerm, ...]], ...]
    support: Callable[[FloatArray], NDArray[np.bool_]] | None
    quantile: Callable[[FloatArray, FloatArray], FloatArray] | None
    mean_inverse: Function | None


@dataclass(frozen=True, init=False, repr=False)
class SymbolicFamily(Family):
    r"""The exponential family with log-partition $\psi(\theta)$, given as a sympy expression.

    `natural_domain` is the open interval of $\theta$, `domain` the closure of the means
    $\psi'(\theta)$: its ends are the limits of the mean at the ends of `natural_domain`, where
    $\phi$ is sympy's limit of $\mu\theta - \psi(\theta)$ (0 for Bernoulli at 0 and 1).
    $\psi$ must be written so that it can be evaluated everywhere inside.

    The natural parameter is sympy's solution of $\psi'(\theta) = \mu$ if there is one that proves
    accurate, or `mean_inverse` if that is given (which spares the search), or else found by
    Newton's method. `convex_terms` maps coordinates to tuples of `ConvexTerm`; without
    `quantile(mu, u)` there is no sampling; `support(x)` tells possible rewards (default: all).
    Functions that are given must be importable by name if the family is to be pickled.

    >>> theta = sympy.Symbol("theta")
    >>> bernoulli = SymbolicFamily(
    ...     sympy.log(1 + sympy.exp(theta)), theta, name="my-bernoulli",
    ...     domain=(0, 1), natural_domain=(-np.inf, np.inf), convex_in_mean=True)
    >>> print(bernoulli.d([0.5, 0, 1], [0.25, 0.5, 1]))
    [0.14384104 0.69314718 0.        ]
    """

    definition: Definition

    def __init__(
        self,
        log_partition: sympy.Expr,
        parameter: sympy.Symbol,
        *,
        domain: tuple[float, float],
        natural_domain: tuple[float, float],
        name: str,
        convex_in_mean: bool = False,
        convex_in_log: bool = False,
        convex_terms: Mapping[Coordinates, tuple[ConvexTerm, ...]] | None = None,
        support: Callable[[FloatArray], NDArray[np.bool_]] | None = None,
        quantile: Callable[[FloatArray, FloatArray], FloatArray] | None = None,
        mean_inverse: Function | None = None,
    ) -> None:
        psi = sympy.sympify(log_partition)
        if psi.free_symbols != {parameter}:
            raise InvalidInputError(
                f"the log-partition of {name} must be a function of {parameter} alone, not {psi}"
            )
        definition = Definition(
            psi.subs(parameter, Derivation.theta),
            name,
            (float(domain[0]), float(domain[1])),
            (float(natural_domain[0]), float(natural_domain[1])),
            convex_in_mean,
            convex_in_log,
            tuple(sorted((convex_terms or {}).items())),
            support,
            quantile,
            mean_inverse,
        )
        object.__setattr__(self, "definition", definition)
        self._derived.check(name)

    def __reduce__(self) -> tuple[Callable[[Definition], SymbolicFamily], tuple[Definition]]:
        return _restore, (self.definition,)

    def __repr__(self) -> str:
        return f"SymbolicFamily({self.definition.psi}, name={self.name!r})"

    @cached_property
    def _derived(self) -> Derivation:
        given = self.definition
        return Derivation(given.psi, given.domain, given.natural_domain, solve=given.mean_inverse is None)

    @property
    def name(self) -> str:
        """The name that was given."""
        return self.definition.name

    @property
    def kind(self) -> str:
        """The log-partition itself."""
        return f"symbolic({self.definition.psi})"

    @property
    def domain(self) -> tuple[float, float]:
        """The domain that was given."""
        return self.definition.domain

    @property
    def convex_in_mean(self) -> bool:
        """What was said when the family was made."""
        return self.definition.convex_in_mean

    @property
    def convex_in_log(self) -> bool:
        """What was said when the family was made."""
        return self.definition.convex_in_log

    @property
    def variance_coefficients(self) -> tuple[float, float, float] | None:
        """Known if sympy finds V to be a polynomial in the mean of degree two at most."""
        return self._derived.variance_coefficients

    @elementwise
    def d(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        """See `quadrature`; infinite if lam is an end of the domain and mu is not."""
        shape = np.broadcast_shapes(mu.shape, lam.shape)
        x, y = (np.broadcast_to(a, shape).reshape(-1) for a in (mu, lam))
        value = divergence(
            x,
            y,
            self.natural(x),
            self.natural(y),
            psi=self._derived.cumulants(0),
            curvature=self._derived.cumulants(2),
            entropy=self.entropy(x),
            variance=self.variance,
        )
        value = np.where(x == y, 0.0, np.where(self._is_end(y), np.inf, np.maximum(value, 0.0)))
        return value.reshape(shape)

    @elementwise
    def natural(self, mu: FloatArray) -> FloatArray:
        """The inverse of the mean map, by formula or by Newton's method."""
        inverse = self.definition.mean_inverse or self._derived.natural or self._search_natural
        (lo, hi), (bottom, top) = self.domain, self.definition.natural_domain
        theta = inverse(mu)
        lost = ~np.isfinite(theta) & ~self._is_end(mu)  # a formula may overflow on its way
        if lost.any():
            theta = np.where(lost, self._search_natural(mu), theta)
        return np.where(mu == lo, bottom, np.where(mu == hi, top, theta))

    def _search_natural(self, mu: FloatArray) -> FloatArray:
        """The root of psi'(theta) = mu by Newton's method, on a logarithmic scale where it can."""
        (lo, hi), (bottom, top) = self.domain, self.definition.natural_domain
        middle = self._derived.middle
        centre = self._derived.mean(np.asarray(middle))
        target = np.where(self._is_end(mu), centre, mu)
        # means that fall or rise to a finite end do so exponentially, as a rule
        from_below = np.isfinite(lo) & ((target < centre) | np.isinf(hi))
        from_above = np.isfinite(hi) & ~from_below

        def excess(theta: FloatArray) -> tuple[FloatArray, FloatArray]:
            mean, slope = self._derived.mean(theta), self._derived.curvature(theta)
            # beyond the range of exp the mean has long reached its limit
            mean = np.where(np.isnan(mean), np.where(theta > middle, hi, lo), mean)
            below, above = mean - lo, hi - mean
            value = np.where(from_below, np.log(below / (target - lo)), mean - target)
            value = np.where(from_above, -np.log(above / (hi - target)), value)
            return value, slope / np.where(from_below, below, np.where(from_above, above, 1.0))

        rough = self._derived.rough_natural
        start = rough(target) if rough else np.full_like(mu, middle)
        start = np.where((start > bottom) & (start < top), start, middle)
        width = FIRST_WIDTH * (1 + np.abs(start)) if rough else np.ones_like(start)
        low, high = np.maximum(start - width, bottom), np.minimum(start + width, top)
        while (
            short := ((low > bottom) & (excess(low)[0] > 0)) | ((high < top) & (excess(high)[0] < 0))
        ).any():
            width = np.where(short, 8 * width, width)
            low, high = np.maximum(start - width, bottom), np.minimum(start + width, top)
        return bracketed_root(excess, low, high, start)

    @elementwise
    def mean(self, theta: FloatArray) -> FloatArray:
        r"""$\mu = \psi'(\theta)$, and the ends of the domain at the ends of the natural one."""
        (lo, hi), (bottom, top) = self.domain, self.definition.natural_domain
        mean = np.clip(self._derived.mean(theta), lo, hi)
        return np.where(theta <= bottom, lo, np.where(theta >= top, hi, mean))

    @elementwise
    def log_partition(self, theta: FloatArray) -> FloatArray:
        r"""$\psi(\theta)$; infinite outside the natural domain."""
        bottom, top = self.definition.natural_domain
        return np.where((theta < bottom) | (theta > top), np.inf, self._derived.psi(theta))

    @elementwise
    def entropy(self, mu: FloatArray) -> FloatArray:
        r"""$\phi = \mu\theta - \psi(\theta)$, and sympy's limits of it at the ends."""
        theta = self.natural(mu)
        value = mu * theta - self._derived.psi(theta)
        for end, limit in zip(self.domain, self._derived.entropy_limits, strict=True):
            value = np.where(mu == end, limit, value)
        return value

    @elementwise
    def variance(self, mu: FloatArray) -> FloatArray:
        r"""$V = \psi''(\theta)$; 0 at a finite end of the domain."""
        closed = self._derived.variance
        value = closed(mu) if closed else self._derived.curvature(self.natural(mu))
        return np.where(self._is_end(mu) & np.isfinite(mu), 0.0, value)

    @elementwise
    def variance_slope(self, mu: FloatArray) -> FloatArray:
        r"""$V' = \psi'''/\psi''$."""
        closed = self._derived.variance_slope
        if closed:
            return closed(mu)
        theta = self.natural(mu)
        value = self._derived.third(theta) / self._derived.curvature(theta)
        for end, limit in zip(self.domain, self._derived.variance_slope_limits, strict=True):
            value = np.where(mu == end, limit, value)
        return value

    def max_variance(self, lower: float, upper: float) -> float:
        """The largest variance on a grid, refined where its slope changes sign."""
        grid = np.linspace(lower, upper, VARIANCE_GRID)
        best = int(np.argmax(self.variance(grid)))
        left, right = grid[max(best - 1, 0)], grid[min(best + 1, VARIANCE_GRID - 1)]

        def descent(mu: FloatArray) -> tuple[FloatArray, FloatArray]:
            return -self.variance_slope(mu), np.full_like(mu, np.nan)

        top = bracketed_root(descent, left, right, grid[best])
        return float(max(self.variance(grid[best]), self.variance(top)))

    @elementwise
    def slope(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$(\lambda-\mu)/V(\lambda)$; its limit $1/V'$ where both are the same end."""
        value = (lam - mu) / self.variance(lam)
        return np.where((mu == lam) & self._is_end(lam), 1 / self.variance_slope(lam), value)

    @elementwise
    def curvature(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$(1 - (\lambda-\mu)V'/V)/V$; infinite at an end, $-V''/(2V'^2)$ where both are it."""
        V, slope = self.variance(lam), self.variance_slope(lam)
        value = (1 - (lam - mu) / V * slope) / V
        # V'' is known of quadratic variances only; elsewhere the limit is replaced by 0
        limit = -(self.variance_coefficients or (0.0, 0.0, 0.0))[2] / slope**2
        return np.where(self._is_end(lam), np.where(mu == lam, limit, np.inf), value)

    @elementwise
    def lower(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        """See `purex.families.bounds`."""
        return search_bound(self, mu, level, -1)

    @elementwise
    def upper(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        """See `purex.families.bounds`."""
        return search_bound(self, mu, level, 1)

    @elementwise
    def quantile(self, mu: FloatArray, u: FloatArray) -> FloatArray:
        """The function that was given, or a refusal."""
        if self.definition.quantile is None:
            raise InvalidInputError(
                f"{self.name} cannot be sampled: give SymbolicFamily its quantile function"
            )
        return np.asarray(self.definition.quantile(mu, u), dtype=np.float64)

    @elementwise
    def supports(self, x: FloatArray) -> NDArray[np.bool_]:
        """What the support function says, or every finite number."""
        support = self.definition.support
        return np.isfinite(x) if support is None else np.asarray(support(x), dtype=np.bool_)

    def convex_terms(self, coordinates: Coordinates, /) -> tuple[ConvexTerm, ...] | None:
        """The terms that were given."""
        return dict(self.definition.convex_terms).get(coordinates)

    def _is_end(self, mu: FloatArray) -> NDArray[np.bool_]:
        return np.asarray((mu == self.domain[0]) | (mu == self.domain[1]))


def _restore(definition: Definition) -> SymbolicFamily:
    family = SymbolicFamily.__new__(SymbolicFamily)
    object.__setattr__(family, "definition", definition)
    return family
