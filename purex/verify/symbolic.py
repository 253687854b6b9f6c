r"""Identities proved by sympy, family by family: the one file of verification that knows it.

Each function returns pairs (what, residual): an identity is proved where the residual is the number 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import sympy

Pairs = Iterator[tuple[str, Any]]


class Law(NamedTuple):
    """A family in symbols: psi of theta, the natural parameter of a mean, and expectations at a mean."""

    name: str
    psi: Callable[[Any], Any]
    natural: Callable[[Any], Any]
    log_density: Callable[[Any, Any], Any]  # of x at a mean, up to what does not depend on the mean
    expectation: Callable[[Any, Any, Any], Any]  # of an expression in x, at mean mu

    def phi(self, mu: Any) -> Any:
        r"""$\phi(\mu) = \mu\theta - \psi(\theta)$ at the theta of mu."""
        theta = self.natural(mu)
        return mu * theta - self.psi(theta)

    def d(self, mu: Any, lam: Any) -> Any:
        """The Bregman divergence of phi."""
        y = sympy.Dummy(positive=True)
        slope = sympy.diff(self.phi(y), y).subs(y, lam)
        return self.phi(mu) - self.phi(lam) - (mu - lam) * slope


def _over_reals(g: Any, x: Any, mu: Any) -> Any:
    weight = sympy.exp(-((x - mu) ** 2) / 2) / sympy.sqrt(2 * sympy.pi)
    return sympy.integrate(sympy.expand(g) * weight, (x, -sympy.oo, sympy.oo))


def _over_bits(g: Any, x: Any, mu: Any) -> Any:
    return mu * g.subs(x, 1) + (1 - mu) * g.subs(x, 0)


def _over_counts(g: Any, x: Any, mu: Any) -> Any:
    n = sympy.Symbol("n", integer=True, nonnegative=True)
    terms = sympy.Poly(sympy.expand(g), x)
    moments = {1: sympy.summation(n * mu**n / sympy.factorial(n), (n, 0, sympy.oo)) * sympy.exp(-mu), 0: 1}
    return sum(c * sympy.simplify(moments[power]) for (power,), c in terms.terms())


def _over_positive(g: Any, x: Any, mu: Any) -> Any:
    return sympy.integrate(sympy.expand(g) * sympy.exp(-x / mu) / mu, (x, 0, sympy.oo))


LAWS = (
    Law("gaussian", lambda t: t**2 / 2, lambda m: m, lambda x, m: -((x - m) ** 2) / 2, _over_reals),
    Law(
        "bernoulli",
        lambda t: sympy.log(1 + sympy.exp(t)),
        lambda m: sympy.log(m) - sympy.log(1 - m),
        lambda x, m: x * sympy.log(m) + (1 - x) * sympy.log(1 - m),
        _over_bits,
    ),
    Law("poisson", sympy.exp, sympy.log, lambda x, m: x * sympy.log(m) - m, _over_counts),
    Law(
        "exponential",
        lambda t: -sympy.log(-t),
        lambda m: -1 / m,
        lambda x, m: -sympy.log(m) - x / m,
        _over_positive,
    ),
)


def means(law: Law, names: str) -> tuple[Any, ...]:
    """Symbols of means; those of Bernoulli arms are written r/(1 + r), so that sympy knows 0 < mu < 1."""
    if law.name == "gaussian":
        return tuple(sympy.symbols(names, real=True))
    symbols = sympy.symbols(names, positive=True)
    return tuple(r / (1 + r) for r in symbols) if law.name == "bernoulli" else tuple(symbols)


def _zero(expression: Any) -> Any:
    return sympy.simplify(sympy.expand_log(sympy.simplify(expression), force=True))


def divergence_is_kl() -> Pairs:
    """S1: the Bregman divergence of phi is the expected log-likelihood ratio."""
    x = sympy.Symbol("x", real=True)
    for law in LAWS:
        mu, lam = means(law, "m l")
        ratio = sympy.expand_log(sympy.expand(law.log_density(x, mu) - law.log_density(x, lam)), force=True)
        yield law.name, _zero(law.expectation(ratio, x, mu) - law.d(mu, lam))


def three_points() -> Pairs:
    r"""S2: $d(\mu, \lambda) = d(\xi, \lambda) + (\mu - \xi)(\phi'(\mu) - \phi'(\lambda)) - d(\xi, \mu)$."""
    mu, lam, xi = sympy.symbols("mu lam xi", real=True)
    phi = sympy.Function("phi")

    def d(x: Any, y: Any) -> Any:
        return phi(x) - phi(y) - (x - y) * phi(y).diff(y)

    gap = phi(mu).diff(mu) - phi(lam).diff(lam)
    yield "any phi", sympy.expand(d(mu, lam) - d(xi, lam) - (mu - xi) * gap + d(xi, mu))
    for law in LAWS:
        mu, lam, xi = means(law, "m l u")
        slope = law.natural(mu) - law.natural(lam)
        yield law.name, _zero(law.d(mu, lam) - law.d(xi, lam) - (mu - xi) * slope + law.d(xi, mu))


def leader_by_one_response() -> Pairs:
    r"""S6: $\sum_s v_s d(x_s, \lambda) - V d(\bar x, \lambda)$ does not depend on lambda; three points."""
    v, x = sympy.symbols("v1:4", positive=True), sympy.symbols("x1:4", real=True)
    lam, phi = sympy.Symbol("lam", real=True), sympy.Function("phi")
    V = sum(v)
    mean = sum(a * b for a, b in zip(v, x, strict=True)) / V
    slope = sympy.Symbol("slope")  # phi'(lam), whatever it is

    def d(y: Any) -> Any:
        return phi(y) - phi(lam) - (y - lam) * slope

    jensen = sum(a * phi(b) for a, b in zip(v, x, strict=True)) - V * phi(mean)
    yield "any phi", sympy.simplify(sum(a * d(b) for a, b in zip(v, x, strict=True)) - V * d(mean) - jensen)


def curvatures() -> Pairs:
    r"""S12: the second derivative of $\lambda \mapsto d(\mu, \lambda)$, and its sign where it has one."""
    m, y = sympy.symbols("m y", positive=True)
    expected = {
        "gaussian": sympy.Integer(1),
        "bernoulli": (m * (1 - y) ** 2 + (1 - m) * y**2) / (y**2 * (1 - y) ** 2),
        "poisson": m / y**2,
        "exponential": (2 * m - y) / y**3,
    }
    for law in LAWS:
        second = sympy.diff(law.d(m, y), y, 2)
        yield law.name, sympy.simplify(second - expected[law.name])
        if law.name != "exponential":
            mu, lam = means(law, "m l")
            sign = sympy.factor(expected[law.name].subs({m: mu, y: lam}, simultaneous=True))
            yield f"{law.name} is convex in the mean", 0 if sign.is_positive else 1
        else:
            at = expected[law.name].subs(y, 3 * m)
            yield "exponential is not, at lam = 3 mu", 0 if sympy.simplify(at).is_negative else 1
        t = sympy.Symbol("t", negative=True) if law.name == "exponential" else sympy.Symbol("t", real=True)
        variance = sympy.simplify(sympy.diff(law.psi(t), t, 2))
        yield f"{law.name} is convex in theta", 0 if variance.is_positive else 1


def exact_divergence(name: str, mu: str, lam: str, digits: int = 30) -> str:
    """d(mu, lam) of a law at two decimal numbers, to many digits."""
    law = next(law for law in LAWS if law.name == name)
    return str(sympy.N(law.d(sympy.Rational(mu), sympy.Rational(lam)), digits))
