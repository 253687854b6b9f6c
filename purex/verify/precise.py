r"""Exponential families to any number of digits: divergences and Chernoff information in mpmath.

T_0 has up to 14 digits and is asked for to the last one, more than float64 carries through its formula. Given
numbers are read as the decimals they are printed as: 0.6 is 6/10, not the float64 nearest to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
from mpmath import mp

from purex.errors import RefusedProblemError
from purex.families import Family
from purex.families.interval import OnInterval


def exact(x: Any) -> Any:
    """The decimal that a number is printed as.

    >>> with mp.workdps(20):
    ...     print(exact(0.6), mp.mpf(0.6))
    0.6 0.5999999999999999778
    """
    return x if isinstance(x, mpmath.mpf) else mp.mpf(str(x))


def _kl(x: Any, y: Any) -> Any:
    """The term x log(x/y), 0 at x = 0."""
    return x * mp.log(x / y) if x else mp.mpf(0)


@dataclass(frozen=True)
class Precise:
    """A family in mpmath: d(x, y), the natural parameter and its inverse."""

    d: Callable[[Any, Any], Any]
    natural: Callable[[Any], Any]
    mean: Callable[[Any], Any]

    @classmethod
    def of(cls, family: Family) -> Precise:
        """A shipped family; others are refused."""
        s = exact(family.scale)
        if family.kind == "gaussian":
            return cls(lambda x, y: s * (x - y) ** 2 / 2, lambda x: s * x, lambda t: t / s)
        if family.kind == "bernoulli":
            return cls(
                lambda x, y: _kl(x, y) + _kl(1 - x, 1 - y),
                lambda x: mp.log(x / (1 - x)),
                lambda t: 1 / (1 + mp.exp(-t)),
            )
        if isinstance(family, OnInterval):
            l, r = exact(family.start), exact(family.end) - exact(family.start)
            return cls(
                lambda x, y: _kl((x - l) / r, (y - l) / r) + _kl(1 - (x - l) / r, 1 - (y - l) / r),
                lambda x: mp.log((x - l) / (r - x + l)) / r,
                lambda t: l + r / (1 + mp.exp(-r * t)),
            )
        if family.kind == "poisson":
            return cls(lambda x, y: _kl(x, y) - x + y, mp.log, mp.exp)
        if family.kind == "gamma":
            return cls(lambda x, y: s * (x / y - 1 - mp.log(x / y)), lambda x: -s / x, lambda t: -s / t)
        if family.kind.startswith("negative-binomial"):
            r = exact(family.parameter)
            return cls(
                lambda x, y: _kl(x, y) - (x + r) * mp.log((x + r) / (y + r)),
                lambda x: mp.log(x / (x + r)),
                lambda t: r * mp.exp(t) / (1 - mp.exp(t)),
            )
        raise RefusedProblemError(f"there is no form of {family.name} with many digits")

    def chernoff(self, x: Any, y: Any) -> Any:
        r"""$\mathrm{ch}(x, y) = \inf_u d(u, x) + d(u, y)$, at the mean of $(\theta_x + \theta_y)/2$ (S11).

        >>> from purex.families import Gaussian
        >>> print(Precise.of(Gaussian()).chernoff(mp.mpf(1), mp.mpf(3)))
        1.0
        """
        if x == y:
            return mp.mpf(0)
        u = self.mean((self.natural(x) + self.natural(y)) / 2)
        return self.d(u, x) + self.d(u, y)


def meeting(of_x: Precise, x: Any, of_y: Precise, y: Any) -> Any:
    r"""$\min_m \max\{\mathrm{ch}(m, x), \mathrm{ch}(m, y)\}$: attained between x and y where both are equal.

    >>> from purex.families import Gaussian
    >>> G = Precise.of(Gaussian())
    >>> print(meeting(G, mp.mpf(1), G, mp.mpf("0.5")))
    0.015625
    >>> wide = Precise.of(Gaussian(variance=4))  # they meet at 1
    >>> print(mp.nstr(meeting(G, mp.mpf(0), wide, mp.mpf(3)), 12))
    0.25
    """
    low, high = min(x, y), max(x, y)
    start = low + (high - low) / 4, high - (high - low) / 4

    def difference(m: Any) -> Any:
        return of_x.chernoff(m, x) - of_y.chernoff(m, y)

    try:
        m = mp.findroot(difference, start, solver="ridder")
    except (ValueError, ZeroDivisionError):  # arms of different scales may meet in the outer quarters
        m = mp.findroot(difference, (low, high), solver="illinois", maxsteps=1000)
    if not low <= m <= high:
        raise RefusedProblemError("the Chernoff information of two arms has no meeting point between them")
    return of_x.chernoff(m, x)
