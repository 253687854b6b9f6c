"""The built-in families, and their divergences in 50 digits."""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import numpy as np
import pytest

from purex.families import (
    Bernoulli,
    Exponential,
    Family,
    Gamma,
    Gaussian,
    Geometric,
    NegativeBinomial,
    Poisson,
)

FAMILIES = [
    Gaussian(),
    Gaussian(variance=0.25),
    Bernoulli(),
    Poisson(),
    Exponential(),
    Gamma(shape=2.5),
    Geometric(),
    NegativeBinomial(size=0.3),
    NegativeBinomial(size=40),
]


@pytest.fixture(params=FAMILIES, ids=lambda family: family.name)
def family(request: pytest.FixtureRequest) -> Family:
    return request.param


def _exact_d(family: Family, mu: float, lam: float) -> mpmath.mpf:
    """The textbook formula of the divergence, in 50 digits more than 1 - mu needs."""
    smallest = min((abs(x) for x in (mu, lam) if x), default=1.0)
    with mpmath.workdps(50 + int(max(0.0, -np.log10(smallest)))):
        x, y = mpmath.mpf(float(mu)), mpmath.mpf(float(lam))

        def xlog(a: mpmath.mpf, ratio: mpmath.mpf) -> mpmath.mpf:
            return a * mpmath.log(ratio) if a else mpmath.mpf(0)

        if x == y:
            return mpmath.mpf(0)
        if family.kind == "gaussian":
            return mpmath.mpf(family.scale) * (x - y) ** 2 / 2
        if (y == 0 and x > 0) or (family.kind == "bernoulli" and y == 1):
            return mpmath.inf
        if family.kind == "bernoulli":
            return xlog(x, x / y) + xlog(1 - x, (1 - x) / (1 - y))
        if family.kind == "poisson":
            return xlog(x, x / y) + y - x
        if family.kind == "gamma":
            return mpmath.mpf(family.scale) * (x / y - 1 - mpmath.log(x / y)) if x else mpmath.inf
        r = mpmath.mpf(family.parameter)
        return xlog(x, x / y) - (x + r) * mpmath.log((x + r) / (y + r))


@pytest.fixture
def exact_d() -> Callable[[Family, float, float], mpmath.mpf]:
    return _exact_d


def _means(family: Family, rng: np.random.Generator, size: int) -> np.ndarray:
    """Means of all magnitudes: log-uniform, and for Bernoulli near both ends."""
    if family.kind == "gaussian":
        return rng.normal(0, 3, size)
    if family.kind == "bernoulli":
        p = 0.5 * 10 ** rng.uniform(-12, 0, size)
        return np.where(rng.random(size) < 0.5, p, 1 - p)
    return 10 ** rng.uniform(-9, 6, size)


@pytest.fixture
def draw_means() -> Callable[[Family, np.random.Generator, int], np.ndarray]:
    return _means


@pytest.fixture
def all_families() -> list[Family]:
    return FAMILIES
