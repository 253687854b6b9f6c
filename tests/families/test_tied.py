"""The cheapest common mean of two arms, against grids and a bounded optimiser."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

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

KINDS = [Gaussian(0.7), Bernoulli(), Poisson(), Gamma(1.8), Geometric(), NegativeBinomial(3.0)]


def cost(a, b, w_a, mu_a, w_b, mu_b, m):
    terms = [np.zeros(np.shape(m))]
    terms += [w * f.d(mu, m) for f, w, mu in ((a, w_a, mu_a), (b, w_b, mu_b)) if w > 0]
    return sum(terms)


def brute_force(a, b, w_a, mu_a, w_b, mu_b):
    """The smallest cost on a grid of 2,000 points, polished by scipy around the best one."""
    lo = max(min(mu_a, mu_b), a.domain[0], b.domain[0])
    hi = min(max(mu_a, mu_b), a.domain[1], b.domain[1])
    grid = lo + (hi - lo) * (0.5 - 0.5 * np.cos(np.linspace(0, np.pi, 2001)))
    values = cost(a, b, w_a, mu_a, w_b, mu_b, grid)
    best = int(np.argmin(values))
    bracket = (grid[max(best - 1, 0)], grid[min(best + 1, 2000)])
    if bracket[0] == bracket[1]:
        return values[best]
    polished = minimize_scalar(
        lambda m: float(cost(a, b, w_a, mu_a, w_b, mu_b, m)), bounds=bracket, method="bounded",
        options={"xatol": 1e-12 * (hi - lo)},
    )  # fmt: skip
    return min(values[best], polished.fun)


def draw(family, rng):
    if family.kind == "gaussian":
        return rng.normal(0.5, 2)
    return rng.random() if family.kind == "bernoulli" else rng.exponential(2)


@pytest.mark.parametrize(("a", "b"), list(itertools.product(KINDS, KINDS)), ids=lambda f: f.name)
@pytest.mark.parametrize("count", [12, pytest.param(500, marks=pytest.mark.full)])
def test_no_point_is_cheaper(a, b, count):
    rng = np.random.default_rng(9)
    arms = Arms([a, b])
    for _ in range(count):
        w_a, w_b = 10 ** rng.uniform(-3, 1, 2)
        arguments = (w_a, draw(a, rng), w_b, draw(b, rng))
        m = arms.tied_mean(0, 1, *arguments)
        value, reference = cost(a, b, *arguments, m), brute_force(a, b, *arguments)
        assert value <= reference * (1 + 1e-9) + 1e-13
        assert value >= reference * (1 - 1e-6) - 1e-13  # the reference is a value of the cost


def test_the_global_minimum_of_two():
    """Exponential 0.1 against Gaussian 5 has a local minimum of 3.588 and a global 2.857."""
    a, b = Exponential(), Gaussian()
    m = Arms([a, b]).tied_mean(0, 1, 1.0, 0.1, 0.3, 5.0)
    np.testing.assert_allclose(cost(a, b, 1.0, 0.1, 0.3, 5.0, m), 2.857, atol=5e-4)
    grid = np.linspace(0.1, 5, 100_001)
    values = cost(a, b, 1.0, 0.1, 0.3, 5.0, grid)
    minima = values[1:-1][(values[1:-1] < values[:-2]) & (values[1:-1] < values[2:])]
    np.testing.assert_allclose(sorted(minima), [2.857, 3.588], atol=5e-4)


def test_many_random_mixed_pairs_at_once_agree_with_one_at_a_time():
    rng = np.random.default_rng(10)
    arms = Arms([Gamma(1.8), Gaussian(0.7)])
    w_a, w_b, mu_a = rng.random(50), rng.random(50), rng.exponential(1, 50)
    mu_b = rng.normal(1, 2, 50)
    whole = arms.tied_mean(0, 1, w_a, mu_a, w_b, mu_b)
    single = [arms.tied_mean(0, 1, *x) for x in zip(w_a, mu_a, w_b, mu_b, strict=True)]
    np.testing.assert_array_equal(whole, single)
    backwards = arms.tied_mean(1, 0, w_b, mu_b, w_a, mu_a)
    np.testing.assert_allclose(backwards, whole, rtol=1e-12)


def test_one_kind_is_the_mean_weighted_by_scale():
    arms = Arms([Gaussian(variance=1), Gaussian(variance=3)])
    np.testing.assert_allclose(arms.tied_mean(0, 1, 1.0, 0.0, 3.0, 1.0), 0.5, rtol=1e-15)
    arms = Arms([Exponential(), Gamma(3)])
    np.testing.assert_allclose(arms.tied_mean(0, 1, 1.0, 1.0, 1.0, 5.0), 4.0, rtol=1e-15)


def test_zero_weights():
    bernoulli, mixed = Arms.of(Bernoulli(), 2), Arms([Bernoulli(), Gaussian()])
    for arms in (bernoulli, mixed):
        assert arms.tied_mean(0, 1, 0.0, 0.3, 1.0, 0.6) == 0.6
        assert arms.tied_mean(0, 1, 1.0, 0.3, 0.0, 0.6) == 0.3
        assert arms.tied_mean(0, 1, 0.0, 0.3, 0.0, 0.6) == 0.3
    # the common mean must be one of both families
    assert mixed.tied_mean(0, 1, 0.0, 0.3, 1.0, 5.0) == 1.0
    assert mixed.tied_mean(1, 0, 0.0, 5.0, 0.0, 0.3) == 1.0


def test_rounding_onto_an_end_does_not_make_the_cost_infinite():
    """Mean 1 with a large weight against mean 0.5 with a tiny one."""
    bernoulli, mixed = Arms.of(Bernoulli(), 2), Arms([Bernoulli(), Gaussian()])
    for w in (1e-20, 1e-300, 5e-324):
        for mu in (0.0, 1.0):
            for arguments in ((1.0, mu, w, 0.5), (w, 0.5, 1.0, mu)):
                m = bernoulli.tied_mean(0, 1, *arguments)
                assert cost(Bernoulli(), Bernoulli(), *arguments, m) < 1e-15
        m = mixed.tied_mean(0, 1, w, 0.5, 1.0, 3.0)
        assert cost(Bernoulli(), Gaussian(), w, 0.5, 1.0, 3.0, m) < 2 + 1e-15
    m = Arms.of(Poisson(), 2).tied_mean(0, 1, 1.0, 0.0, 1e-300, 1.0)
    assert 0 < m < 1e-299


def test_weights_that_vanish_with_their_scale():
    arms = Arms.of(Gaussian(variance=9), 2)
    assert arms.tied_mean(0, 1, 5e-324, 1.0, 5e-324, 3.0) == 2.0


def test_bounds_on_the_common_mean():
    same, mixed = Arms.of(Bernoulli(), 2), Arms([Exponential(), Gaussian()])
    assert same.tied_mean(0, 1, 1.0, 0.2, 1.0, 0.4, lower=0.35) == 0.35
    assert same.tied_mean(0, 1, 1.0, 0.2, 1.0, 0.4, upper=0.25) == 0.25
    near = mixed.tied_mean(0, 1, 1.0, 0.1, 0.3, 5.0, upper=2.0)  # cuts off the global minimum
    grid = np.linspace(0.1, 2, 50_001)
    values = cost(Exponential(), Gaussian(), 1.0, 0.1, 0.3, 5.0, grid)
    np.testing.assert_allclose(near, grid[np.argmin(values)], atol=1e-4)


numbers = st.one_of(st.sampled_from([0.0, 1e-100, 1.0]), st.floats(1e-6, 1))


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from(KINDS), st.sampled_from(KINDS), numbers, numbers, numbers, numbers,
)  # fmt: skip
def test_the_common_mean_lies_between_the_two_and_costs_no_more_than_either(a, b, w_a, mu_a, w_b, mu_b):
    m = Arms([a, b]).tied_mean(0, 1, w_a, mu_a, w_b, mu_b)
    assert min(mu_a, mu_b) <= m <= max(mu_a, mu_b)
    value = cost(a, b, w_a, mu_a, w_b, mu_b, m)
    for end in (mu_a, mu_b):
        assert value <= cost(a, b, w_a, mu_a, w_b, mu_b, end) * (1 + 1e-12) + 1e-15
