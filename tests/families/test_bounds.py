"""Confidence bounds: the ends of {xi : d(mu, xi) <= level}."""

from __future__ import annotations

import time
import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purex.families import Bernoulli, Exponential, Gaussian, Geometric, NegativeBinomial, Poisson
from purex.families.bounds import search_bound
from purex.families.compiled import lower_bound, upper_bound
from purex.families.compiled.divergence import BERNOULLI

LEVELS = 10.0 ** np.arange(-12, 3.5, 0.5)


def xi_error(family, exact_d, mu, xi, level):
    """The distance to the exact bound, relatively: residual over slope, in 50 digits."""
    residual = exact_d(family, mu, xi) - level
    slope = (xi - mu) / float(family.variance(xi))
    return abs(float(residual) / slope) / abs(xi)


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_bounds_reach_the_level(family, exact_d, draw_means, side):
    rng = np.random.default_rng(6)
    checked = 0
    for level in LEVELS:
        mu = draw_means(family, rng, 6)
        bound = getattr(family, side)(mu, level)
        assert (bound <= mu if side == "lower" else bound >= mu).all()
        for m, xi in zip(mu, bound, strict=True):
            # a bound within rounding of mu, of an end, or out of range has no accuracy to check
            near_end = family.kind == "bernoulli" and (1 - xi) < 1e-3
            if abs(xi - m) > 1e-6 * abs(m) and 1e-150 < abs(xi) < 1e150 and not near_end:
                assert xi_error(family, exact_d, m, xi, level) < 1e-12, (m, level)
                checked += 1
    assert checked > 50


def test_upper_bounds_near_one(exact_d):
    """Bernoulli: 1 - xi keeps the digits that a float near 1 can have."""
    mu = np.array([0.2, 0.5, 0.9, 0.99])
    for level in (0.1, 0.2, 0.3):
        xi = Bernoulli().upper(mu, level)
        for m, x in zip(mu, xi, strict=True):
            exact = float(exact_d(Bernoulli(), m, x))
            assert abs(exact - level) <= 2**-53 / (1 - x) + 1e-13 * level


@pytest.mark.parametrize("q", [1e-9, 1e-3, 0.1, 0.5, 0.9, 1.0, 1.5, 1.73, 1.7320507, 1.7320509, 2.0, 2.5])
def test_bernoulli_bounds_in_many_digits(q):
    """The compiled bounds, q standard deviations away: the short way (q^2 <= 3), and where it ends."""
    with mpmath.workdps(150):
        for mu in (1e-99, 1e-6, 0.001, 0.03, 0.21, 0.4, 0.5, 0.6, 0.9, 0.999, 1 - 2**-30):
            level = 0.5 * q * q * mu * (1 - mu)
            for side, bound in ((-1, lower_bound), (1, upper_bound)):
                b = mpmath.mpf(mu) if side < 0 else 1 - mpmath.mpf(mu)  # the part that shrinks to x
                found = bound(BERNOULLI, 0.0, mu, level)
                v = level / b - mpmath.log(1 - b) * (1 - b) / b  # right of the root of a convex function
                for _ in range(200):
                    x = b * mpmath.exp(-v)
                    value = b * v + (1 - b) * mpmath.log((1 - b) / (1 - x)) - level
                    step = value * (1 - x) / (b - x)
                    v -= step
                    if abs(step) < 1e-30 * v:
                        break
                exact = x if side < 0 else 1 - x
                assert abs(found - exact) <= 6e-16 * exact, (mu, side)


def test_levels_zero_and_infinity(family):
    lo, hi = family.domain
    mu = np.array([x for x in (lo, hi) if np.isfinite(x)] + [0.3, 0.9])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(family.lower(mu, 0), mu)
        np.testing.assert_array_equal(family.upper(mu, 0), mu)
        interior = mu[(mu > lo) & (mu < hi)]
        np.testing.assert_array_equal(family.lower(interior, np.inf), lo)
        np.testing.assert_array_equal(family.upper(interior, np.inf), hi)
        for level in (1e-300, 1e-20, 1.0, 1600.0, 1e300, np.inf):
            ends = np.stack([family.lower(mu, level), family.upper(mu, level)])
            assert not np.isnan(ends).any()
            assert (ends >= lo).all()
            assert (ends <= hi).all()


def test_bounds_of_means_at_the_edge():
    level = np.array([1e-9, 0.1, 2.0, 800.0])
    np.testing.assert_allclose(Bernoulli().upper(0.0, level), -np.expm1(-level), rtol=1e-15)
    np.testing.assert_allclose(Bernoulli().lower(1.0, level), np.exp(-level), rtol=1e-15)
    np.testing.assert_allclose(Poisson().upper(0.0, level), level, rtol=1e-15)
    np.testing.assert_allclose(Geometric().upper(0.0, level[:3]), np.expm1(level[:3]), rtol=1e-14)
    assert (Bernoulli().lower(0.0, level) == 0).all()
    assert (Bernoulli().upper(1.0, level) == 1).all()
    assert (Poisson().lower(0.0, level) == 0).all()


def test_a_bound_below_the_smallest_number_is_zero_at_once():
    """Mean 0.001 and level 1.6 put the lower bound near exp(-1600)."""
    mu = np.full(1000, 0.001)
    start = time.perf_counter()
    assert (Bernoulli().lower(mu, 1.6) == 0).all()
    assert (Poisson().lower(mu, 1.6) == 0).all()
    assert (NegativeBinomial(2).lower(mu, 1.6) == 0).all()
    assert time.perf_counter() - start < 1.0  # it takes 2 ms
    subnormal = Bernoulli().lower(0.001, 0.72)
    assert 0 < subnormal < 1e-310


@pytest.mark.parametrize("side", [-1, 1])
def test_the_search_for_families_without_formulas_agrees(family, side):
    rng = np.random.default_rng(7)
    mu, level = rng.uniform(0.05, 0.95, 60), 10 ** rng.uniform(-8, 1, 60)
    formula = family.upper(mu, level) if side > 0 else family.lower(mu, level)
    found = search_bound(family, mu, level, side)
    np.testing.assert_allclose(found, formula, rtol=1e-12, atol=1e-300)


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from([Gaussian(), Bernoulli(), Poisson(), Exponential(), Geometric()]),
    st.floats(0.0, 1.0),
    st.floats(0.0, 50.0),
    st.floats(0.0, 50.0),
)
def test_bounds_are_monotone_in_the_level(family, mu, level, more):
    lower, upper = family.lower(mu, level), family.upper(mu, level)
    assert family.lower(mu, level + more) <= lower + 1e-13 * abs(lower)
    assert family.upper(mu, level + more) >= upper - 1e-13 * abs(upper)
