"""Quantiles and samples against scipy.stats."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from purex.families import Bernoulli, Exponential, Gamma, Gaussian, Geometric, NegativeBinomial, Poisson

U = np.concatenate([np.linspace(0.001, 0.999, 97), [1e-12, 1e-6, 1 - 1e-6, 1 - 1e-12, 1 - 2**-53]])


def law(family, mu):
    """The same law in scipy.stats."""
    return {
        "gaussian": lambda: stats.norm(mu, family.scale**-0.5),
        "bernoulli": lambda: stats.bernoulli(mu),
        "poisson": lambda: stats.poisson(mu),
        "gamma": lambda: stats.gamma(family.scale, scale=mu / family.scale),
    }.get(family.kind, lambda: stats.nbinom(family.parameter, family.parameter / (family.parameter + mu)))()


def expected(family, mu):
    """Scipy's quantiles; counts above the median by their survival function, searched here."""
    if not isinstance(family, Poisson | NegativeBinomial):
        return law(family, mu).ppf(U)
    variance = float(family.variance(mu))
    counts = np.arange(100 + mu + 12 * variance**0.5 + 60 * variance / mu)  # P(more) < 1e-20
    below, above = law(family, mu).cdf(counts), law(family, mu).sf(counts)
    reached = np.where(U[:, None] < 0.5, below >= U[:, None], above <= 1 - U[:, None])
    return counts[np.argmax(reached, axis=1)]


@pytest.mark.parametrize("mu", [0.003, 0.2, 0.8])
def test_quantiles_of_small_means(family, mu):
    np.testing.assert_allclose(family.quantile(mu, U), expected(family, mu), rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize("mu", [3.0, 47.5, 700.0])
@pytest.mark.parametrize("family", [Poisson(), Geometric(), NegativeBinomial(0.3), Gamma(2.5)])
def test_quantiles_of_large_means(family, mu):
    np.testing.assert_allclose(family.quantile(mu, U), expected(family, mu), rtol=1e-11)


@pytest.mark.parametrize("family", [Poisson(), Geometric(), NegativeBinomial(2.5)])
def test_counts_are_the_smallest_that_reach_u(family):
    rng = np.random.default_rng(0)
    mu, u = rng.exponential(20, 400), rng.random(400)
    k = family.quantile(mu, u)
    assert (law(family, mu).cdf(k) >= u * (1 - 1e-14)).all()
    assert (law(family, mu).cdf(k - 1) < u * (1 + 1e-14)).all()


def test_edges():
    assert Bernoulli().quantile([0, 0, 1, 1], [0, 1 - 2**-53, 0, 0.5]).tolist() == [0, 0, 1, 1]
    for family in (Poisson(), Geometric(), Gamma(2)):
        assert family.quantile(0.0, [0, 0.5, 0.999]).tolist() == [0, 0, 0]
        assert family.quantile(2.0, 0.0) == 0
        assert family.quantile(2.0, 1.0) == np.inf
    assert np.isfinite(Gaussian().quantile(0.0, 0.0))


def test_a_fixed_uniform_gives_rewards_monotone_in_the_mean(family):
    mu = np.linspace(0.01, 0.99, 50)
    rewards = family.quantile(mu, U[:, None])
    assert (np.diff(rewards, axis=1) >= 0).all()


def test_samples_have_the_mean_and_variance_of_the_family(family):
    """20,000 rewards; each of the 18 checks fails with probability 6e-7 (five standard errors)."""
    n, mu = 20_000, 0.6
    x = family.sample(mu, rng=np.random.default_rng(8), size=n)
    assert family.supports(x).all()
    variance = float(family.variance(mu))
    assert abs(x.mean() - mu) < 5 * np.sqrt(variance / n)
    fourth = float(np.mean((x - mu) ** 4))
    assert abs(np.mean((x - mu) ** 2) - variance) < 5 * np.sqrt((fourth - variance**2) / n)


def test_samples_take_the_shape_of_the_means():
    x = Bernoulli().sample([[0.0, 1.0], [1.0, 0.0]], rng=np.random.default_rng(0))
    assert x.tolist() == [[0, 1], [1, 0]]
    assert Gaussian().sample(np.zeros(1000), rng=np.random.default_rng(0)).std() > 0.5
    assert np.shape(Gaussian().sample(0.0, rng=np.random.default_rng(0))) == ()


def test_supports():
    x = [-1, 0, 0.5, 1, 2, np.inf, np.nan]
    assert Gaussian().supports(x).tolist() == [True] * 5 + [False] * 2
    assert Bernoulli().supports(x).tolist() == [False, True, False, True, False, False, False]
    for family in (Poisson(), Geometric()):
        assert family.supports(x).tolist() == [False, True, False, True, True, False, False]
    assert Exponential().supports(x).tolist() == [False, True, True, True, True, False, False]
