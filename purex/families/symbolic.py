"""A family from its log-partition function, written in sympy: everything else is derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import sympy
from numpy.typing import NDArray

from purex.errors import InvalidInputError
from purex.families.bounds import search_bound
from purex.families.derivation import Derivation, Function
from purex.families.elementwise import FloatArray, elementwise
from purex.families.family import ConvexTerm, Coordinates, Family
from purex.families.quadrature import divergence
from purex.families.roots import bracketed_root

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
        return Derivation(
            given.psi, given.domain, given.natural_domain, solve=given.mean_inverse is None
        )

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
        """See `purex.families.quadrature`; infinite if lam (not mu) is an end of the domain."""
        shape = np.broadcast_shapes(mu.shape, lam.shape)
        x, y = (np.broadcast_to(a, shape).reshape(-1) for a in (mu, lam))
        value = divergence(
            x,
            y,
            self.natural(x),
            self.natural(y),
            psi=self._derived.psi,
            curvature=self._derived.curvature,
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
        return np.where(mu == lo, bottom, np.where(mu == hi, top, theta))

    def _search_natural(self, mu: FloatArray) -> FloatArray:
        """The root of psi'(theta) = mu, from a bracket that doubles until it is wide enough."""
        bottom, top = self.definition.natural_domain
        middle = self._derived.middle
        target = np.where(self._is_end(mu), self._derived.mean(np.asarray(middle)), mu)

        def excess(theta: FloatArray) -> tuple[FloatArray, FloatArray]:
            value = self._derived.mean(theta) - target
            # beyond the range of exp the mean has long reached its limit
            value = np.where(np.isnan(value), np.copysign(np.inf, theta - middle), value)
            return value, self._derived.curvature(theta)

        width = 1.0
        low, high = np.full_like(mu, max(bottom, middle - 1)), np.full_like(mu, min(top, middle + 1))
        while width < 1e300 and ((excess(low)[0] > 0) | (excess(high)[0] < 0)).any():
            width *= 2
            low = np.where(excess(low)[0] > 0, max(bottom, middle - width), low)
            high = np.where(excess(high)[0] < 0, min(top, middle + width), high)
        return bracketed_root(excess, low, high, np.full_like(mu, middle))

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
        return np.where(self._is_end(mu), self._derived.third_ratio_limit(mu), value)

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
        r"""$(1 - (\lambda-\mu)V'/V)/V$; infinite at an end, but 0 where both are the same end."""
        V = self.variance(lam)
        value = (1 - (lam - mu) / V * self.variance_slope(lam)) / V
        return np.where(self._is_end(lam), np.where(mu == lam, 0.0, np.inf), value)

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
