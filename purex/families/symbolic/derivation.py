"""What sympy derives from a log-partition function, turned into numpy functions.

Expressions that are equal on paper differ in floating point, so each is tried in several forms
against 40-digit arithmetic, and the most accurate one is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import mpmath
import numpy as np
import sympy
from sympy.codegen.rewriting import expm1_opt, log1p_opt, optimize

from purex.arrays import FloatArray
from purex.errors import InvalidInputError

Function = Callable[[FloatArray], FloatArray]

DIGITS = 40  # of the arithmetic that judges the forms
ACCURATE = 1e-13  # relative error beyond which a closed form in the mean is not used
OFFSETS = (1e-6, 1e-3, 0.1, 0.7, 2.0, 5.0, 11.0, 24.0)  # where forms are tried, from an end or 0


@dataclass(frozen=True)
class Derivation:
    r"""$\psi, \psi', \psi'', \psi'''$ as functions of $\theta$, and of $\mu$ if there is a formula.

    >>> poisson = Derivation(sympy.exp(Derivation.theta), (0.0, np.inf), (-np.inf, np.inf))
    >>> poisson.inverse, poisson.variance_coefficients
    (log(mu), (0.0, 1.0, 0.0))
    """

    expression: sympy.Expr
    domain: tuple[float, float]
    natural_domain: tuple[float, float]
    solve: bool = True

    theta: ClassVar[sympy.Symbol] = sympy.Symbol("theta", real=True)
    mu: ClassVar[sympy.Symbol] = sympy.Symbol("mu", real=True)

    def check(self, name: str) -> None:
        """Refuse a log-partition that is not convex or has means outside the domain."""
        points = np.array(self.points)
        mean, curvature = self.mean(points), self.curvature(points)
        lo, hi = self.domain
        if not (curvature > 0).all():
            at, found = points[~(curvature > 0)][0], curvature[~(curvature > 0)][0]
            hint = "" if np.isfinite(found) else "; write it so that nothing overflows there"
            raise InvalidInputError(
                f"the log-partition of {name} must be strictly convex, but its second derivative "
                f"at {at:g} is {found:g}{hint}"
            )
        if not ((mean >= lo) & (mean <= hi)).all():
            raise InvalidInputError(
                f"the means of {name} must lie in its domain [{lo:g}, {hi:g}], but one is "
                f"{mean[~((mean >= lo) & (mean <= hi))][0]:g}"
            )

    @cached_property
    def points(self) -> list[float]:
        """Natural parameters at which forms are tried."""
        lo, hi = self.natural_domain
        if np.isfinite(lo) and np.isfinite(hi):
            shares = [offset * (hi - lo) for offset in (1e-6, 1e-3, 0.1, 0.3, 0.5)]
            return [lo + share for share in shares] + [hi - share for share in shares]
        if np.isfinite(lo):
            return [lo + offset for offset in OFFSETS]
        if np.isfinite(hi):
            return [hi - offset for offset in OFFSETS]
        return [*OFFSETS, *(-offset for offset in OFFSETS)]

    @property
    def middle(self) -> float:
        """A natural parameter that is neither extreme nor special."""
        return self.points[3]

    @property
    def psi(self) -> Function:
        """The log-partition."""
        return self.cumulants(0)[0]

    @property
    def mean(self) -> Function:
        """Its first derivative."""
        return self.cumulants(1)[0]

    @property
    def curvature(self) -> Function:
        """Its second derivative."""
        return self.cumulants(2)[0]

    @property
    def third(self) -> Function:
        """Its third derivative."""
        return self.cumulants(3)[0]

    def cumulants(self, order: int) -> tuple[Function, float]:
        """The derivative of that order, and its largest relative error at the points."""
        if order not in self._cumulants:
            expression = self.expression.diff(self.theta, order) if order else self.expression
            self._cumulants[order] = _most_accurate(_forms(expression), self.theta, self.points)
        return self._cumulants[order]

    @cached_property
    def _cumulants(self) -> dict[int, tuple[Function, float]]:
        return {}

    @cached_property
    def inverse(self) -> sympy.Expr | None:
        """The natural parameter as a formula in the mean, if sympy finds one that is true."""
        if not self.solve:
            return None
        # bare symbols: assumptions make solve drop what it cannot prove
        x, m = sympy.symbols("x m")
        try:
            found = sympy.solve(self.expression.diff(self.theta).subs(self.theta, x) - m, x)
        except NotImplementedError:
            return None
        for solution in found:
            formula = solution.subs(m, self.mu)
            if formula.free_symbols <= {self.mu} and self._inverts(formula):
                return formula
        return None

    def _inverts(self, formula: sympy.Expr) -> bool:
        """Whether formula(psi'(theta)) = theta at all the points, in 40 digits."""
        mean = _precise(self.expression.diff(self.theta), self.theta)
        natural = _precise(formula, self.mu)
        with mpmath.workdps(DIGITS):
            errors = [abs(natural(mean(mpmath.mpf(p))) - p) / abs(p) for p in self.points if p]
        return all(error < 1e-12 for error in errors)

    @cached_property
    def means(self) -> list[float]:
        """The means of the points, without those that round to an end of the domain."""
        with mpmath.workdps(DIGITS):
            mean = _precise(self.expression.diff(self.theta), self.theta)
            values = {float(mean(mpmath.mpf(p))) for p in self.points}
        return sorted(values - set(self.domain))

    @cached_property
    def natural(self) -> Function | None:
        """The natural parameter as a function of the mean, if its formula is accurate."""
        return self._natural[0] if self._natural[1] < ACCURATE else None

    @property
    def rough_natural(self) -> Function | None:
        """The same, accurate or not: where to start Newton's method."""
        return self._natural[0]

    @cached_property
    def _natural(self) -> tuple[Function | None, float]:
        if self.inverse is None:
            return None, np.inf
        return _most_accurate(_forms(self.inverse), self.mu, self.means, self._natural_scale)

    def _natural_scale(self, theta: FloatArray) -> FloatArray:
        """What an error of theta counts against: the distance to a finite end, or |theta| + 1."""
        scale = np.abs(theta) + 1
        for end in filter(np.isfinite, self.natural_domain):
            scale = np.minimum(scale, np.abs(theta - end))
        return scale

    @cached_property
    def variance_formula(self) -> sympy.Expr | None:
        """The variance as the shortest formula in the mean."""
        if self.inverse is None:
            return None
        curvature = self.expression.diff(self.theta, 2).subs(self.theta, self.inverse)
        forms = _forms(curvature)
        if not any(form.is_polynomial(self.mu) for form in forms):  # as for hyperbolic functions
            forms.append(sympy.simplify(curvature.rewrite(sympy.exp)))
        return min(forms, key=sympy.count_ops)

    @cached_property
    def variance(self) -> Function | None:
        """The variance as a function of the mean, if its formula is accurate."""
        return self._of_mu(self.variance_formula)

    @cached_property
    def variance_slope(self) -> Function | None:
        """The derivative of the variance in the mean, if its formula is accurate."""
        if self.variance is None or self.variance_formula is None:
            return None
        return self._of_mu(self.variance_formula.diff(self.mu))

    def _of_mu(self, formula: sympy.Expr | None) -> Function | None:
        if formula is None:
            return None
        function, error = _most_accurate(_forms(formula), self.mu, self.means)
        return function if error < ACCURATE else None

    @cached_property
    def variance_coefficients(self) -> tuple[float, float, float] | None:
        """The coefficients of the variance if it is a polynomial of degree two at most."""
        formula = self.variance_formula
        if formula is None or not formula.is_polynomial(self.mu):
            return None
        polynomial = sympy.Poly(formula, self.mu)
        if polynomial.degree() > 2:
            return None
        v0, v1, v2 = (float(polynomial.coeff_monomial(self.mu**k)) for k in range(3))
        return v0, v1, v2

    @cached_property
    def entropy_limits(self) -> tuple[float, float]:
        """The limits of mu theta - psi(theta) at the ends of the domain, infinite if unknown."""
        lower, upper = (
            self._limit(sympy.nsimplify(end) * self.theta - self.expression, side)
            if np.isfinite(end)
            else np.inf
            for side, end in enumerate(self.domain)
        )
        return lower, upper

    @cached_property
    def variance_slope_limits(self) -> tuple[float, float]:
        """The limits of psi'''/psi'' at the ends of the natural domain, infinite if unknown."""
        ratio = self.expression.diff(self.theta, 3) / self.expression.diff(self.theta, 2)
        return self._limit(sympy.simplify(ratio), 0), self._limit(sympy.simplify(ratio), 1)

    def _limit(self, expression: sympy.Expr, side: int) -> float:
        end = sympy.nsimplify(self.natural_domain[side])
        limit = sympy.limit(expression, self.theta, end, "+-"[side])
        return float(limit) if limit.is_number and limit.is_real else np.inf


def _forms(expression: sympy.Expr) -> list[sympy.Expr]:
    """The expression and other ways to write it."""
    return list(dict.fromkeys([expression, sympy.simplify(expression), sympy.factor(expression)]))


def _precise(expression: sympy.Expr, symbol: sympy.Symbol) -> Callable[[Any], Any]:
    return sympy.lambdify(symbol, expression, "mpmath")  # type: ignore[no-any-return]


def _numeric(expression: sympy.Expr, symbol: sympy.Symbol) -> Function:
    """A numpy function of arrays, with log1p and expm1 where they belong."""
    written = optimize(expression, [expm1_opt, log1p_opt])
    function = sympy.lambdify(symbol, written, ["scipy", "numpy"])

    def evaluate(x: FloatArray) -> FloatArray:
        x = np.asarray(x, dtype=np.float64)
        with np.errstate(all="ignore"):
            value = np.asarray(function(x)) + np.zeros_like(x)  # a constant comes without a shape
        # Lambert's W and others are complex functions: off the real line they have no value here
        return value if np.isrealobj(value) else np.where(value.imag == 0, value.real, np.nan)

    return evaluate


def _evaluate(precise: Callable[[Any], Any], point: float) -> float:
    """The value in 40 digits, rounded; nan where there is none or it is not real."""
    try:
        with mpmath.workdps(DIGITS):
            return float(precise(mpmath.mpf(point)))
    except (ArithmeticError, TypeError, ValueError):
        return np.nan


def _most_accurate(
    forms: Iterable[sympy.Expr],
    symbol: sympy.Symbol,
    points: list[float],
    scale: Function = np.abs,
) -> tuple[Function, float]:
    """The form with the smallest error at these points, relative to scale(value); that error."""
    best: tuple[float, Function] | None = None
    for form in forms:
        exact = np.array([_evaluate(_precise(form, symbol), point) for point in points])
        function = _numeric(form, symbol)
        values = function(np.array(points))
        with np.errstate(all="ignore"):
            errors = np.abs(values - exact) / scale(exact)
            errors = np.where(values == exact, 0.0, errors)
        error = float(np.max(np.where(np.isfinite(errors), errors, np.inf)))
        if best is None or error < best[0]:
            best = error, function
    assert best is not None
    return best[1], best[0]
