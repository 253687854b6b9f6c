"""Counts of huge mean: the search ends, and the quantile is the law's, against mpmath."""

import mpmath as mp
import numpy as np
import pytest

import purex
from purex.families import Geometric, NegativeBinomial, Poisson

U = np.array([1e-30, 1e-12, 1e-3, 0.2, 0.5, 0.7, 0.99, 1 - 1e-9, 1 - 2**-53])
DIGITS = 350  # so that 1e300 times a logarithm keeps 40 of them
ROUNDING = 1e-12  # of the probability, relative to the smaller tail


def poisson_tails(k, mu):
    """P(X <= k) and P(X > k): Q(k + 1, mu) and P(k + 1, mu), integrated."""
    with mp.workdps(80):
        a, x, width = mp.mpf(k) + 1, mp.mpf(mu), 2 * mp.sqrt(mp.mpf(k) + 1)
        norm = mp.loggamma(a)

        def density(t):
            return mp.exp((a - 1) * mp.log(t) - t - norm)

        above = mp.quad(density, [x + j * width for j in range(8)])
        return above, mp.quad(density, [x - j * width for j in range(7, -1, -1)])


def negative_binomial_tails(k, mu, r):
    """P(X <= k) and P(X > k): the incomplete beta function by its hypergeometric series."""
    with mp.workdps(DIGITS):
        a, b = mp.mpf(r), mp.mpf(k) + 1
        x = a / (a + mp.mpf(mu))
        total = term = mp.mpf(1)
        n = 0
        while term > total * mp.mpf(10) ** -40 or (a + b + n) * x > 0.9 * (a + 1 + n):
            term *= (a + b + n) * x / (a + 1 + n)
            total, n = total + term, n + 1
        log = a * mp.log(x) + b * mp.log1p(-x) - mp.log(a) - mp.loggamma(a) - mp.loggamma(b)
        below = mp.exp(log + mp.loggamma(a + b)) * total
        return below, 1 - below


def miss(tails, k, u):
    """How far k is from the smallest count that reaches u, as a share of the smaller tail."""
    step = max(1.0, float(np.spacing(k)))
    (below, above), (before, after) = tails(k), (tails(k - step) if k > 0 else (mp.mpf(0), mp.mpf(1)))
    if u < 0.5:
        return float(max(u - below, before - u, 0) / mp.mpf(u))
    tail = 1 - mp.mpf(float(u))
    return float(max(above - tail, tail - after, 0) / tail)


@pytest.mark.parametrize("size", [0.01, 2.5, 300.0])
@pytest.mark.parametrize("mu", [3e6, 1e15, 1e17, 1e290])
def test_negative_binomial_quantiles_of_huge_means(size, mu):
    for u, k in zip(U, NegativeBinomial(size).quantile(mu, U), strict=True):
        assert miss(lambda k: negative_binomial_tails(k, mu, size), k, u) < ROUNDING


@pytest.mark.parametrize("mu", [3e6, 1e9, 1e13, 1e17])
def test_poisson_quantiles_of_huge_means(mu):
    """One count, or one floating-point number, off is a share of at most 10 sd^-1 of the smaller tail."""
    rounding = 10 * max(1.0, float(np.spacing(mu))) / mu**0.5 if mu > 2**53 else ROUNDING
    inner = (U > 1e-12) & (U < 1 - 1e-12)
    for u, k in zip(U[inner], Poisson().quantile(mu, U[inner]), strict=True):
        assert miss(lambda k: poisson_tails(k, mu), k, u) < rounding


@pytest.mark.parametrize("mu", [1e17, 1e40, 1e300])
def test_beyond_the_floating_point_numbers_a_poisson_count_is_its_normal_quantile(mu):
    with mp.workdps(60):
        z = [mp.sqrt(2) * mp.erfinv(2 * mp.mpf(float(u)) - 1) for u in U[1:]]
        expected = [float(mp.mpf(mu) + mp.sqrt(mu) * x + (x * x + 2) / 6) for x in z]
    assert Poisson().quantile(mu, U[1:]) == pytest.approx(expected, rel=4e-16)


@pytest.mark.parametrize("size", [1e17, 1e300])
@pytest.mark.parametrize("mu", [0.5, 40.0, 3e6, 1e18])
def test_a_negative_binomial_law_of_huge_size_is_poissons(size, mu):
    if size > 1e17 * mu:
        assert NegativeBinomial(size).quantile(mu, U).tolist() == Poisson().quantile(mu, U).tolist()
    else:  # the variance is mu (1 + mu/r)
        wide = (1 + mu / size) ** 0.5
        expected = mu + (Poisson().quantile(mu, U) - mu) * wide
        spread = (mu * wide**2) ** 0.5
        assert np.abs(NegativeBinomial(size).quantile(mu, U) - expected).max() < 1e-6 * spread


def test_geometric_quantiles_by_the_closed_form():
    u = U[2:]
    for mu in (3e6, 1e12, 1e17, 1e200):
        expected = -np.log1p(-u) / np.log1p(1 / mu)
        assert Geometric().quantile(mu, u) == pytest.approx(expected, rel=1e-13, abs=1.0)


def test_large_and_small_means_side_by_side():
    """Each element as if it were alone."""
    mu = np.array([0.5, 1e5, 1e7, 1e17, 0.0, 1e300])
    for family in (Poisson(), NegativeBinomial(2.5), NegativeBinomial(1e9), Geometric()):
        together = family.quantile(mu[:, None], U)
        alone = [[family.quantile(m, u) for u in U] for m in mu]
        assert together.tolist() == alone
        assert (np.diff(together, axis=1) >= 0).all()
        assert family.quantile(1e17, [0.0, 1.0]).tolist() == [0.0, np.inf]


def test_a_simulation_with_huge_counts_ends():
    problem = purex.Problem.from_names("poisson", "best-arm", n_arms=2)
    result = purex.simulate(problem, [1e17, 1e16], "D-C", 0.1, runs=3, seed=1)
    assert result.certified.all()
    assert result.correct.all()
