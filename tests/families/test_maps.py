"""Natural parameters, cumulants, variances, derivatives and constants."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purex.errors import InvalidInputError
from purex.families import (
    Arms,
    Bernoulli,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    NegativeBinomial,
    Poisson,
)


def test_mean_inverts_natural(family, draw_means):
    mu = draw_means(family, np.random.default_rng(4), 500)
    np.testing.assert_allclose(family.mean(family.natural(mu)), mu, rtol=1e-13)
    np.testing.assert_allclose(family.base_mean(family.base_natural(mu)), mu, rtol=1e-13)
    np.testing.assert_allclose(family.natural(mu), family.scale * family.base_natural(mu), rtol=1e-14)


def test_entropy_is_the_conjugate_of_the_cumulant(family, draw_means):
    """phi(mu) = mu theta - psi(theta), and mu theta' - psi(theta') is smaller for any other theta'."""
    rng = np.random.default_rng(5)
    mu = draw_means(family, rng, 300)
    mu = mu[np.abs(mu) < 1e3]
    theta = family.natural(mu)
    conjugate = mu * theta - family.log_partition(theta)
    scale = 1 + np.abs(mu * theta) + np.abs(family.log_partition(theta))
    assert (np.abs(family.entropy(mu) - conjugate) <= 1e-14 * scale).all()
    for factor in (0.9, 1.1):
        other = mu * (factor * theta) - family.log_partition(factor * theta)
        assert (other <= family.entropy(mu) + 1e-14 * scale).all()


def test_divergence_is_the_bregman_divergence_of_the_entropy(family):
    """S1, at means where the naive formula keeps its digits."""
    mu, lam = np.array([0.2, 0.6, 0.9]), np.array([0.5, 0.1, 0.3])
    bregman = family.entropy(mu) - family.entropy(lam) - (mu - lam) * family.natural(lam)
    np.testing.assert_allclose(family.d(mu, lam), bregman, rtol=1e-13)


def test_variance_is_the_derivative_of_the_mean(family):
    for mu in (0.03, 0.4, 0.97):
        theta = float(family.natural(mu))
        h = 1e-5 * abs(theta)
        numeric = (family.mean(theta + h) - family.mean(theta - h)) / (2 * h)
        np.testing.assert_allclose(family.variance(mu), numeric, rtol=1e-8)
        numeric = (family.variance(mu + 1e-6) - family.variance(mu - 1e-6)) / 2e-6
        np.testing.assert_allclose(family.variance_slope(mu), numeric, rtol=1e-8, atol=1e-9)
        v0, v1, v2 = family.variance_coefficients
        np.testing.assert_allclose(family.variance(mu), v0 + v1 * mu + v2 * mu**2, rtol=1e-14)


def test_slope_and_curvature_are_derivatives_of_the_divergence(family, exact_d):
    with mpmath.workdps(50):
        for mu, lam in ((0.3, 0.31), (0.9, 0.02), (0.1, 0.95), (0.5, 0.5)):
            h = mpmath.mpf(10) ** -15  # differences in 50 digits: errors of 1e-20
            left, middle, right = (_d(family, exact_d, mu, lam + k * h) for k in (-1, 0, 1))
            slope, curvature = (right - left) / (2 * h), (right - 2 * middle + left) / h**2
            np.testing.assert_allclose(family.slope(mu, lam), float(slope), rtol=1e-12, atol=1e-14)
            np.testing.assert_allclose(family.curvature(mu, lam), float(curvature), rtol=1e-12)


def _d(family, exact_d, mu, lam):
    """exact_d for a second mean that is no float."""
    x, r, s = mpmath.mpf(mu), mpmath.mpf(family.parameter), mpmath.mpf(family.scale)
    log = mpmath.log
    return {
        "gaussian": lambda: s * (x - lam) ** 2 / 2,
        "bernoulli": lambda: x * log(x / lam) + (1 - x) * log((1 - x) / (1 - lam)),
        "poisson": lambda: x * log(x / lam) + lam - x,
        "gamma": lambda: s * (x / lam - 1 - log(x / lam)),
    }.get(family.kind, lambda: x * log(x / lam) - (x + r) * log((x + r) / (lam + r)))()


def test_derivatives_at_the_edges():
    bernoulli = Bernoulli()
    assert bernoulli.slope([0, 1, 0.3, 0.3], [0, 1, 0, 1]).tolist() == [1, -1, -np.inf, np.inf]
    assert bernoulli.curvature([0, 1, 0.3], [0, 1, 0]).tolist() == [1, 1, np.inf]
    for family in (Poisson(), Geometric()):
        assert family.slope([0, 2.0], 0).tolist() == [1, -np.inf]
    assert Poisson().curvature([0, 2.0], 0).tolist() == [0, np.inf]
    assert Exponential().slope(2.0, 0) == -np.inf


def test_nothing_is_nan_and_nothing_warns_on_the_closed_domain(family):
    lo, hi = family.domain
    mu = np.array([x for x in (lo, hi) if np.isfinite(x)] + [0.3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = [family.natural(mu), family.entropy(mu), family.variance(mu)]
        values += [family.variance_slope(mu), family.base_natural(mu)]
        values += [family.slope(mu[:, None], mu), family.curvature(mu[:, None], mu)]
        values += [family.log_partition(family.natural(mu)), family.mean(family.natural(mu))]
    assert not any(np.isnan(value).any() for value in values)
    np.testing.assert_allclose(values[-1], mu, rtol=1e-15)


def test_constants_of_the_theory():
    """The constants L, D and sigma^2 of a box, computed with 50 digits."""
    L, D, sigma2 = Bernoulli().constants(0.05, 0.95)
    np.testing.assert_allclose(L, 5.88887795833288092, rtol=1e-15)
    np.testing.assert_allclose(D, 2.6499950812497964140, rtol=1e-15)
    assert sigma2 == 0.25
    assert Gaussian().constants(0, 2) == (2, 2, 1)
    assert Gaussian().constants(-1, 2) == (3, 4.5, 1)
    assert Gaussian(4).constants(0, 2) == (0.5, 0.5, 4)
    assert Bernoulli().constants(0.1, 0.2).sigma2 == pytest.approx(0.16)
    assert Exponential().constants(1, 2).sigma2 == 4
    assert Poisson().constants(1, 1) == (0, 0, 1)


def test_constants_bound_what_they_should(family):
    """S4 and S5 on a grid of the box."""
    x = np.linspace(0.05, 0.95, 40)
    L, D, sigma2 = family.constants(0.05, 0.95)
    d = family.d(x[:, None], x)
    assert d.max() <= D * (1 + 1e-14)
    assert (d >= (x[:, None] - x) ** 2 / (2 * sigma2) - 1e-15).all()
    steps = np.abs(np.diff(d, axis=0)) / np.diff(x)[:, None]
    assert steps.max() <= L * (1 + 1e-12)


@pytest.mark.parametrize(
    ("family", "box"),
    [
        (Bernoulli(), (0.2, 1.2)),
        (Bernoulli(), (0.9, 0.1)),
        (Bernoulli(), (0.0, 0.5)),
        (Bernoulli(), (np.nan, 0.5)),
        (Gaussian(), (0.0, np.inf)),
        (Poisson(), (-1.0, 2.0)),
        (Poisson(), (0.0, 2.0)),
        (Exponential(), (0.0, 2.0)),
    ],
)
def test_boxes_without_constants_are_refused(family, box):
    with pytest.raises(InvalidInputError, match=f"the constants of {family.name}"):
        family.constants(*box)


@pytest.mark.parametrize("value", [0, -1.0, np.inf, np.nan, "two", None])
@pytest.mark.parametrize("make", [Gaussian, Gamma, NegativeBinomial])
def test_parameters_must_be_positive_and_finite(make, value):
    with pytest.raises(InvalidInputError, match="must be a positive finite number"):
        make(value)


def test_names_kinds_scales_and_codes():
    families = [Gaussian(), Gaussian(variance=2), Bernoulli(), Poisson(), Exponential(),
                Gamma(2), Geometric(), NegativeBinomial(3)]  # fmt: skip
    assert [f.name for f in families] == [
        "gaussian", "gaussian(variance=2.0)", "bernoulli", "poisson", "exponential",
        "gamma(shape=2.0)", "geometric", "negative-binomial(size=3.0)",
    ]  # fmt: skip
    assert [f.scale for f in families] == [1, 0.5, 1, 1, 1, 2, 1, 1]
    assert [f.code for f in families] == [0, 0, 1, 2, 3, 3, 4, 4]
    assert [f.parameter for f in families] == [0, 0, 0, 0, 0, 0, 1, 3]
    assert Exponential().kind == Gamma(2).kind
    assert Geometric().kind == NegativeBinomial(1).kind != NegativeBinomial(3).kind


def test_families_are_frozen_values(family):
    copy = pickle.loads(pickle.dumps(family))
    assert copy == family
    assert hash(copy) == hash(family)
    assert repr(copy) == repr(family)
    assert eval(repr(family)) == family
    assert Gaussian(2) != Gaussian(3)
    with pytest.raises(AttributeError):
        family.size = 2.0


@settings(deadline=None, max_examples=100)
@given(st.floats(1e-6, 1 - 1e-6), st.floats(1e-6, 1 - 1e-6))
def test_bernoulli_divergence_is_convex_in_its_second_mean(mu, lam):
    assert Bernoulli().curvature(mu, lam) > 0
    assert Poisson().curvature(mu, lam) > 0


def test_exponential_divergence_is_concave_beyond_twice_the_mean():
    """S12."""
    assert Exponential().curvature(1.0, [1.9, 2.0, 2.1]).tolist()[1] == 0
    assert Exponential().curvature(1.0, 2.1) < 0 < Exponential().curvature(1.0, 1.9)
    assert not Exponential().convex_in_mean
    assert not Geometric().convex_in_mean


def test_importing_families_is_cheap():
    """Neither scipy.special nor numba nor sympy nor cvxpy comes with `import purex.families`."""
    code = (
        "import sys, purex.families; from purex.families import Arms, Bernoulli;"
        "Arms.of(Bernoulli(), 2).upper([0.2, 0.3], 1.0);"
        "print([m for m in ('scipy', 'numba', 'sympy', 'cvxpy', 'mpmath') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_arms_of_all_families_can_be_hashed():
    assert len({Arms.of(Bernoulli(), 2), Arms.of(Bernoulli(), 2), Arms.of(Poisson(), 2)}) == 2
