"""Families derived by sympy against those written by hand, and ones nobody wrote by hand."""

from __future__ import annotations

import pickle
import warnings

import mpmath
import numpy as np
import pytest
import sympy

from purex.errors import InvalidInputError
from purex.families import (
    Arms,
    Bernoulli,
    Exponential,
    Gamma,
    Gaussian,
    NegativeBinomial,
    Poisson,
    SymbolicFamily,
)
from purex.families.family import ConvexTerm

t = sympy.Symbol("t")
LINE = (-np.inf, np.inf)


def first_coin(mu, u):
    return np.where(u > 1 - mu, 1.0, 0.0)


def make(name):
    psi, domain, natural_domain = {
        "bernoulli": (sympy.log(1 + sympy.exp(t)), (0, 1), LINE),
        "poisson": (sympy.exp(t), (0, np.inf), LINE),
        "gaussian": (t**2, LINE, LINE),
        "gamma": (-2 * sympy.log(-t / 2), (0, np.inf), (-np.inf, 0)),
        "negative-binomial": (-3 * sympy.log(1 - sympy.exp(t)), (0, np.inf), (-np.inf, 0)),
        # uniform on {0, 1, 2}, tilted: sympy's inverse exists but lacks digits near the ends
        "three-point": (sympy.log(1 + sympy.exp(t) + sympy.exp(2 * t)), (0, 2), LINE),
        "inverse-gaussian": (-sympy.sqrt(-2 * t), (0, np.inf), (-np.inf, 0)),
    }[name]
    return SymbolicFamily(psi, t, domain=domain, natural_domain=natural_domain, name=name)


BY_HAND = {
    "bernoulli": Bernoulli(),
    "poisson": Poisson(),
    "gaussian": Gaussian(2),
    "gamma": Gamma(2),
    "negative-binomial": NegativeBinomial(3),
}


@pytest.fixture(scope="module")
def symbolic():
    return {name: make(name) for name in [*BY_HAND, "three-point", "inverse-gaussian"]}


@pytest.fixture(params=list(BY_HAND))
def pair(request, symbolic):
    return symbolic[request.param], BY_HAND[request.param]


def draw(family, rng, size):
    return rng.random(size) if family.kind == "bernoulli" else rng.exponential(2, size)


@pytest.mark.parametrize("gap", [1.0, 1e-2, 1e-4, 1e-6, 1e-8])
def test_divergences_agree(pair, gap):
    symbolic, by_hand = pair
    rng = np.random.default_rng(15)
    mu, lam = draw(by_hand, rng, 1500), draw(by_hand, rng, 1500)
    lam = mu + gap * (lam - mu)
    np.testing.assert_allclose(symbolic.d(mu, lam), by_hand.d(mu, lam), rtol=1e-12)


def test_far_pairs_agree_near_both_ends(symbolic):
    rng = np.random.default_rng(16)
    odds = np.exp(rng.uniform(-12, 12, (2, 4000)))
    mu, lam = odds / (1 + odds)
    np.testing.assert_allclose(symbolic["bernoulli"].d(mu, lam), Bernoulli().d(mu, lam), rtol=1e-12)
    mu, lam = odds
    np.testing.assert_allclose(symbolic["poisson"].d(mu, lam), Poisson().d(mu, lam), rtol=1e-12)


def test_edges_agree(pair):
    symbolic, by_hand = pair
    lo, hi = by_hand.domain
    points = np.array([x for x in (lo, hi) if np.isfinite(x)] + [1e-5, 0.3, 0.999])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(
            symbolic.d(points[:, None], points), by_hand.d(points[:, None], points), rtol=1e-12
        )
        np.testing.assert_allclose(symbolic.natural(points), by_hand.natural(points), rtol=1e-12)
        np.testing.assert_allclose(symbolic.entropy(points), by_hand.entropy(points), rtol=1e-12)
        np.testing.assert_allclose(symbolic.variance(points), by_hand.variance(points), rtol=1e-12)
        if by_hand.kind != "gamma":  # whose mean 0 is no law
            for method in ("slope", "curvature"):
                found = getattr(symbolic, method)(points[:, None], points)
                exact = getattr(by_hand, method)(points[:, None], points)
                np.testing.assert_allclose(found, exact, rtol=1e-10, atol=1e-12)


def test_maps_agree(pair):
    symbolic, by_hand = pair
    mu = np.linspace(0.01, 0.99, 50)
    theta = by_hand.natural(mu)
    for method in ("mean", "log_partition"):
        np.testing.assert_allclose(
            getattr(symbolic, method)(theta), getattr(by_hand, method)(theta), rtol=1e-12
        )
    np.testing.assert_allclose(symbolic.variance_slope(mu), by_hand.variance_slope(mu), atol=1e-12)
    np.testing.assert_allclose(symbolic.variance_coefficients, by_hand.variance_coefficients)
    np.testing.assert_allclose(symbolic.constants(0.1, 0.8), by_hand.constants(0.1, 0.8), rtol=1e-12)


def test_bounds_agree(pair):
    symbolic, by_hand = pair
    rng = np.random.default_rng(17)
    mu, level = draw(by_hand, rng, 40), 10 ** rng.uniform(-8, 1, 40)
    np.testing.assert_allclose(symbolic.lower(mu, level), by_hand.lower(mu, level), rtol=1e-12, atol=2e-308)
    np.testing.assert_allclose(symbolic.upper(mu, level), by_hand.upper(mu, level), rtol=1e-12)
    if by_hand.kind in ("bernoulli", "poisson"):
        assert symbolic.lower(0.001, 1.6) < 1e-300
        np.testing.assert_allclose(symbolic.upper(0.0, 0.5), by_hand.upper(0.0, 0.5), rtol=1e-12)


def test_a_formula_that_lacks_digits_is_not_trusted(symbolic):
    """Three points: 1 - sqrt(1 + 6 mu - ...) cancels near 0, so Newton's method takes over."""
    family = symbolic["three-point"]
    assert family._derived.inverse is not None
    assert family._derived.natural is None
    mu = np.array([0.0, 1e-9, 1e-3, 0.7, 1.0, 1.9, 2.0])
    with mpmath.workdps(40):
        for m, theta in zip(mu[1:-1], family.natural(mu)[1:-1], strict=True):
            e = mpmath.exp(mpmath.mpf(float(theta)))
            mean = (e + 2 * e**2) / (1 + e + e**2)
            assert abs(mean / mpmath.mpf(float(m)) - 1) < 1e-14
    np.testing.assert_allclose(family.d(0.0, [0.5, 1.0]), family.log_partition(family.natural([0.5, 1])))
    np.testing.assert_allclose(family.constants(0.1, 1.95).sigma2, 2 / 3, rtol=1e-12)
    close = family.d(0.3, 0.3 + 1e-7) / (1e-14 / (2 * family.variance(0.3)))
    np.testing.assert_allclose(close, 1, atol=1e-6)


def test_inverse_gaussian(symbolic):
    """d(mu, lam) = (mu - lam)^2 / (2 mu lam^2), bounded by 1/(2 mu) as lam grows."""
    family = symbolic["inverse-gaussian"]
    mu, lam = np.array([0.5, 2.0, 2.0, 2.0]), np.array([3.0, 1.0, 2.0 + 1e-6, 50.0])
    np.testing.assert_allclose(family.d(mu, lam), (mu - lam) ** 2 / (2 * mu * lam**2), rtol=1e-12)
    assert family.upper(2.0, 0.3) == np.inf
    assert family.d(2.0, family.upper(2.0, 0.2)) == pytest.approx(0.2, rel=1e-12)


def test_a_family_whose_inverse_nobody_knows_is_inverted_by_newton():
    """exp(t) + t^2/2: Poisson plus Gaussian noise."""
    family = SymbolicFamily(
        sympy.exp(t) + t**2 / 2, t, domain=LINE, natural_domain=LINE, name="noisy-poisson",
        mean_inverse=None,
    )  # fmt: skip
    theta = np.array([-30.0, -1.0, 0.0, 0.5, 6.0, 300.0])
    np.testing.assert_allclose(family.natural(np.exp(theta) + theta), theta, rtol=1e-13, atol=1e-14)


def test_a_given_inverse_is_used():
    family = SymbolicFamily(
        sympy.exp(t), t, domain=(0, np.inf), natural_domain=LINE, name="p", mean_inverse=np.log
    )
    assert family._derived.inverse is None
    np.testing.assert_allclose(family.d([1.0, 0.0], [2.0, 3.0]), Poisson().d([1.0, 0.0], [2.0, 3.0]))


def test_symbolic_families_are_values(symbolic):
    family = symbolic["bernoulli"]
    family.d(0.3, 0.4)
    copy = pickle.loads(pickle.dumps(family))
    assert copy == family == make("bernoulli")
    assert hash(copy) == hash(family)
    assert copy.d(0.3, 0.4) == family.d(0.3, 0.4)
    assert family != symbolic["poisson"]
    assert family.code == -1
    with pytest.raises(AttributeError):
        family.definition = None


def test_ties_of_one_symbolic_kind_are_weighted_means(symbolic):
    arms = Arms([symbolic["three-point"], make("three-point")])
    assert arms.is_homogeneous
    assert not arms.is_compiled
    assert arms.tied_mean(0, 1, 1.0, 0.5, 3.0, 1.5) == 1.25


@pytest.mark.parametrize("name", ["three-point", "inverse-gaussian"])
@pytest.mark.parametrize("other", [Gaussian(), Exponential()])
def test_ties_with_other_kinds_are_searched_on_a_grid(symbolic, name, other):
    family = symbolic[name]
    rng = np.random.default_rng(18)
    for _ in range(2):
        w_a, w_b, mu_a, mu_b = rng.uniform(0.05, 1.9, 4)
        m = Arms([family, other]).tied_mean(0, 1, w_a, mu_a, w_b, mu_b)
        grid = np.linspace(min(mu_a, mu_b), max(mu_a, mu_b), 2001)
        values = w_a * family.d(mu_a, grid) + w_b * other.d(mu_b, grid)
        value = w_a * family.d(mu_a, m) + w_b * other.d(mu_b, m)
        assert value <= values.min() * (1 + 1e-12)


def test_ties_of_a_symbolic_family_with_quadratic_variance_are_exact(symbolic):
    m = Arms([symbolic["bernoulli"], Gaussian()]).tied_mean(0, 1, 1.0, 0.3, 2.0, 0.7)
    assert m == Arms([Bernoulli(), Gaussian()]).tied_mean(0, 1, 1.0, 0.3, 2.0, 0.7)


def test_sampling_needs_a_quantile(symbolic):
    with pytest.raises(InvalidInputError, match="cannot be sampled"):
        symbolic["bernoulli"].sample(0.3, rng=np.random.default_rng(0))
    terms = (ConvexTerm(lambda w, mu: w, lambda cp, x: cp.logistic(x)),)
    family = SymbolicFamily(
        sympy.log(1 + sympy.exp(t)), t, domain=(0, 1), natural_domain=LINE, name="coin",
        convex_in_mean=True, quantile=first_coin, support=lambda x: (x == 0) | (x == 1),
        convex_terms={"natural": terms},
    )  # fmt: skip
    assert family.quantile([0.3, 0.8], 0.5).tolist() == [0, 1]
    assert family.supports([0, 0.5, 1]).tolist() == [True, False, True]
    assert family.convex_terms("natural") == terms
    assert family.convex_terms("mean") is None
    assert family.convex_in_mean
    assert not family.convex_in_log


@pytest.mark.parametrize(
    ("psi", "domain", "sentence"),
    [
        (sympy.exp(t) + sympy.Symbol("x"), (0, 1), "must be a function of t alone"),
        (-sympy.exp(t), (0, 1), "must be strictly convex"),
        (sympy.exp(t), (0, 1), r"must lie in its domain \[0, 1\]"),
    ],
)
def test_nonsense_is_refused(psi, domain, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        SymbolicFamily(psi, t, domain=domain, natural_domain=LINE, name="nonsense")
