"""The divergence of a symbolic family to an end of its domain is the limit."""

import numpy as np
import pytest
import sympy

from purex.families import Bernoulli, SymbolicFamily
from purex.testing import check_family

THETA = sympy.Symbol("theta", negative=True)


def inverse_gaussian():
    return SymbolicFamily(
        -sympy.sqrt(-2 * THETA),
        THETA,
        name="inverse-gaussian",
        natural_domain=(-np.inf, 0.0),
        domain=(0.0, np.inf),
    )


def test_it_is_finite_where_the_log_partition_is():
    family, mu = inverse_gaussian(), np.array([0.1, 2.0, 30.0])
    assert family.d(mu, np.inf) == pytest.approx(1 / (2 * mu), rel=1e-12)  # of (mu - lam)^2/(2 mu lam^2)
    assert family.d(mu, 1e12) == pytest.approx(family.d(mu, np.inf), rel=1e-9)
    assert np.isinf(family.d(mu, 0.0)).all()
    assert family.d(np.inf, np.inf) == 0


def test_it_is_infinite_where_the_log_partition_is_or_the_natural_end():
    theta = sympy.Symbol("theta", negative=True)
    waiting = SymbolicFamily(
        -sympy.log(-theta), theta, name="waiting", natural_domain=(-np.inf, 0.0), domain=(0.0, np.inf)
    )
    assert np.isinf(waiting.d(2.0, np.inf))
    theta = sympy.Symbol("theta", real=True)
    coin = SymbolicFamily(
        sympy.log(1 + sympy.exp(theta)),
        theta,
        name="coin",
        natural_domain=(-np.inf, np.inf),
        domain=(0.0, 1.0),
    )
    ends = np.array([0.0, 1.0])
    for mu in (0.0, 0.3, 1.0):
        assert np.array_equal(coin.d(mu, ends), Bernoulli().d(mu, ends))


def test_bounds_that_no_mean_reaches_are_the_end():
    report = check_family(inverse_gaussian(), size=20)
    assert {outcome.law for outcome in report.failures} <= {"check_samples_have_the_mean_and_the_variance"}
    assert np.isinf(inverse_gaussian().upper(6.0, 0.1))
