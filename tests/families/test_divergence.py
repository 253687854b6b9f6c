"""d(mu, lam) against 50 digits, at the edges, and through the identities of the theory."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purex.families import Bernoulli, Exponential, Gamma, Gaussian, Geometric, Poisson

GAPS = [10.0**-k for k in range(9)]


def relative_error(value, exact):
    return float(abs(float(value) - exact) / abs(exact)) if exact else float(value != 0)


@pytest.mark.parametrize("gap", GAPS)
def test_close_means_agree_with_fifty_digits(family, exact_d, draw_means, gap):
    rng = np.random.default_rng(1)
    mu = draw_means(family, rng, 40)
    lo, hi = family.domain
    lam = np.clip(mu * (1 + gap * rng.choice([-1, 1], 40)), lo, hi)
    if family.kind == "bernoulli":
        lam = np.where(mu > 0.5, 1 - (1 - mu) * (1 + gap * rng.choice([-0.9, 1], 40)), lam)
        lam = np.clip(lam, 0, 1)
    errors = [
        relative_error(d, exact_d(family, m, x))
        for d, m, x in zip(family.d(mu, lam), mu, lam, strict=True)
        if np.isfinite(d) or exact_d(family, m, x) < 1e300
    ]
    assert max(errors) < 2e-14


@pytest.mark.parametrize("count", [300, pytest.param(20_000, marks=pytest.mark.full)])
def test_far_means_agree_with_fifty_digits(family, exact_d, draw_means, count):
    rng = np.random.default_rng(2)
    mu, lam = draw_means(family, rng, count), draw_means(family, rng, count)
    errors = [
        relative_error(d, exact_d(family, m, x)) for d, m, x in zip(family.d(mu, lam), mu, lam, strict=True)
    ]
    assert max(errors) < 2e-14


def test_the_naive_bernoulli_formula_would_fail_here():
    p, gap = 0.3, 1e-8
    q = p + gap
    naive = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
    exact = gap**2 / (2 * p * (1 - p))
    assert abs(naive / exact - 1) > 0.01
    assert abs(Bernoulli().d(p, q) / exact - 1) < 1e-7  # the gap itself is rounded


def test_equal_means_have_divergence_zero(family, draw_means):
    mu = draw_means(family, np.random.default_rng(3), 200)
    assert (family.d(mu, mu) == 0).all()


def test_edges_are_limits_not_nan(family, exact_d):
    lo, hi = family.domain
    edges = [x for x in (lo, hi) if np.isfinite(x)] or [0.0]
    inner = [5e-324, 1e-310, 1e-200, 0.25, 1 - 2**-53]
    inner += [3.0, 1e200] if hi > 1 else []
    points = np.array(edges + inner)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = family.d(points[:, None], points)
    assert not np.isnan(table).any()
    for i, mu in enumerate(points):
        for j, lam in enumerate(points):
            exact = exact_d(family, mu, lam)
            if exact > 1e307:
                assert table[i, j] > 1e307
            elif exact > 1e-290:
                subnormal = 0 < min(mu, lam) < 1e-307  # such numbers have few digits themselves
                assert relative_error(table[i, j], exact) < (1e-3 if subnormal else 1e-13), (mu, lam)


def test_an_infinite_second_mean_is_infinitely_far(family):
    if np.isinf(family.domain[1]):
        assert (family.d([0.5, 3.0], np.inf) == np.inf).all()


def test_bernoulli_far_from_a_certain_law_is_finite_unless_impossible():
    d = Bernoulli().d
    assert d(0.5, np.nextafter(1.0, 0)) < 20
    assert d(0.5, 1.0) == d(0.5, 0.0) == d(0, 1) == d(1, 0) == np.inf
    assert d(0, 0) == d(1, 1) == 0
    np.testing.assert_allclose(d(0.0, 0.5), np.log(2), rtol=1e-15)


means = st.floats(0.001, 0.999)


@settings(deadline=None, max_examples=200)
@given(st.sampled_from([Gaussian(2.0), Bernoulli(), Poisson(), Exponential(), Gamma(3), Geometric()]),
       means, means, means)  # fmt: skip
def test_three_point_identity(family, mu, lam, xi):
    """S2: d(mu, lam) = d(xi, lam) + (mu - xi)(phi'(mu) - phi'(lam)) - d(xi, mu)."""
    terms = [
        family.d(xi, lam),
        (mu - xi) * (family.natural(mu) - family.natural(lam)),
        -family.d(xi, mu),
    ]
    residual = family.d(mu, lam) - sum(terms)
    assert abs(residual) <= 1e-10 * (1 + sum(map(abs, terms)))


@settings(deadline=None, max_examples=100)
@given(means, means)
def test_relabelling_the_outcomes_changes_nothing(p, q):
    """Bernoulli: swapping 0 and 1 is exact where 1 - p is."""
    p, q = round(p * 2**20) / 2**20, round(q * 2**20) / 2**20
    np.testing.assert_allclose(Bernoulli().d(p, q), Bernoulli().d(1 - p, 1 - q), rtol=1e-13)


def test_negative_binomial_tends_to_poisson_and_to_gamma():
    from purex.families import NegativeBinomial

    mu, lam = np.array([0.5, 2.0, 7.0]), np.array([0.7, 1.0, 7.0001])
    poisson = NegativeBinomial(1e13).d(mu, lam)
    np.testing.assert_allclose(poisson, Poisson().d(mu, lam), rtol=1e-11)
    gamma = NegativeBinomial(2.0).d(1e14 * mu, 1e14 * lam)
    np.testing.assert_allclose(gamma, Gamma(2.0).d(1e14 * mu, 1e14 * lam), rtol=1e-11)
