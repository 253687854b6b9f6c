"""Gaussian rewards of unknown variance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from purex.arrays import FloatArray
from purex.families.elementwise import elementwise
from purex.families.family import ConvexTerm, Coordinates, positive
from purex.families.gaussian import Gaussian

FAR = 1e8  # standard deviations from which on 1 + u^2 is u^2, to the last digit


def divergence(mu: FloatArray, lam: FloatArray, deviation: FloatArray | float) -> FloatArray:
    r"""$\tfrac12\ln(1 + u^2)$ with $u = (\mu-\lambda)/\sigma$, the least over all variances at lam.

    >>> print(f"{divergence(np.array(3.0), np.array(1.0), 2.0):.12f}")
    0.346573590280
    """
    u = np.where(mu == lam, 0.0, np.abs(mu - lam) / deviation)
    near = np.minimum(u, FAR)
    return np.asarray(np.where(u < FAR, 0.5 * np.log1p(near * near), np.log(np.maximum(u, FAR))))


def radius(level: FloatArray, deviation: FloatArray | float) -> FloatArray:
    r"""The distance $\sigma\sqrt{e^{2 level} - 1}$ at which the divergence is this level.

    >>> print(f"{radius(np.array(0.5 * np.log(2)), 2.0):.12f}")
    2.000000000000
    """
    with np.errstate(over="ignore"):
        return np.asarray(deviation * np.sqrt(np.expm1(2 * level)))


@dataclass(frozen=True, init=False, repr=False)
class Student(Gaussian):
    r"""$d(\mu, \lambda) = \tfrac12\ln(1 + (\mu-\lambda)^2/\sigma^2)$: normal, variance unknown.

    It is the smallest Kullback-Leibler divergence to a normal law of mean lam and any variance. In an
    experiment $\sigma^2$ is estimated from the rewards of the arm; `deviation` is the true $\sigma$ of
    simulations, and of games at means that are known. `natural`, `variance` and the like are those of the law
    that simulations draw from.

    >>> print(Student(deviation=2).name, f"{Student(deviation=2).d(3.0, 1.0):.12f}")
    student(deviation=2.0) 0.346573590280
    """

    deviation: float

    kind = "student"
    code = -1
    convex_in_mean = False
    unknown_variance = True

    def __init__(self, deviation: float = 1.0) -> None:
        sigma = positive("deviation", deviation)
        object.__setattr__(self, "deviation", sigma)
        super().__init__(variance=positive("square of the deviation", sigma * sigma))

    def __repr__(self) -> str:
        return f"Student(deviation={self.deviation!r})"

    @property
    def name(self) -> str:
        """``student``, with its deviation unless that is 1."""
        return "student" if self.deviation == 1 else f"student(deviation={self.deviation!r})"

    @property
    def scale(self) -> float:
        """1: the deviation is not known."""
        return 1.0

    @property
    def variance_proxy(self) -> None:  # type: ignore[override]
        """None: it is not known."""
        return

    @property
    def variance_coefficients(self) -> None:  # type: ignore[override]
        """None: d is not the integral of (lam - mu)/V(lam)."""
        return

    @elementwise
    def d(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$\tfrac12\ln(1 + (\mu-\lambda)^2/\sigma^2)$."""
        return divergence(mu, lam, self.deviation)

    @elementwise
    def slope(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$(\lambda-\mu)/(\sigma^2 + (\lambda-\mu)^2)$."""
        return (lam - mu) / (self.sigma2 + (lam - mu) ** 2)

    @elementwise
    def curvature(self, mu: FloatArray, lam: FloatArray) -> FloatArray:
        r"""$(\sigma^2 - (\lambda-\mu)^2)/(\sigma^2 + (\lambda-\mu)^2)^2$, negative beyond one deviation."""
        square = (lam - mu) ** 2
        return (self.sigma2 - square) / (self.sigma2 + square) ** 2

    @elementwise
    def lower(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        r"""$\mu - \sigma\sqrt{e^{2 level} - 1}$."""
        return mu - radius(level, self.deviation)

    @elementwise
    def upper(self, mu: FloatArray, level: FloatArray) -> FloatArray:
        r"""$\mu + \sigma\sqrt{e^{2 level} - 1}$."""
        return mu + radius(level, self.deviation)

    def convex_terms(self, coordinates: Coordinates, /) -> tuple[ConvexTerm, ...] | None:
        """None: it is not convex."""
        return None
