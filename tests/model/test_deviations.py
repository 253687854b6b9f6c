"""Prices and bounds: against mpmath, from now on, row by row, and the steps of their proofs."""

import mpmath
import numpy as np
import pytest

from purex.errors import InvalidInputError
from purex.families import Arms, Bernoulli, Exponential, Gamma, Gaussian, Poisson
from purex.families.prices import (
    gamma_cumulant,
    gamma_mixture,
    krichevsky_trofimov,
    krichevsky_trofimov_at,
    normal_mixture,
    stirling_excess,
)
from purex.model import Deviations
from purex.model.deviations import first_rewards, kaufmann_koolen

MIXED = Arms([Bernoulli(), Gaussian(), Gaussian(2.0), Bernoulli()])
FAMILIES = {
    "bernoulli": Arms.of(Bernoulli(), 4),
    "gaussian": Arms.of(Gaussian(), 4),
    "mixed": MIXED,
    "poisson": Arms.of(Poisson(), 4),
    "gamma": Arms.of(Gamma(3.0), 4),
}
SUPPORTS = np.array([[0, 1, 4], [2, 4, 4], [0, 1, 3], [1, 2, 3]])

each_family = pytest.mark.parametrize("arms", FAMILIES.values(), ids=FAMILIES)


def mp_r(n):
    n = mpmath.mpf(n)
    return mpmath.log(mpmath.pi) / 2 + mpmath.loggamma(n + 1) - mpmath.loggamma(n + mpmath.mpf(1) / 2)


def test_the_price_of_coin_flips_has_its_printed_values():
    printed = 0.693147180560, 1.736152296596, 4.026367582411
    assert krichevsky_trofimov([1, 10, 1000]) == pytest.approx(printed, abs=5e-13)


def test_the_price_of_coin_flips_agrees_with_mpmath_up_to_a_million_millions():
    rng = np.random.default_rng(0)
    n = np.concatenate([np.arange(1, 60), [999, 1e6, 1e9, 1e12], 10 ** rng.uniform(0, 12, 200)])
    with mpmath.workdps(50):
        expected = np.array([float(mp_r(x)) for x in n])
    assert (np.abs(krichevsky_trofimov(n) - expected) <= 2e-15 * (1 + expected)).all()


def test_the_price_of_coin_flips_at_a_sum_agrees_with_mpmath():
    rng = np.random.default_rng(10)
    n = np.concatenate([np.arange(1, 40), np.floor(10 ** rng.uniform(0, 9, 300))])
    share = np.where(rng.random(len(n)) < 0.2, rng.integers(0, 2, len(n)), rng.beta(0.2, 0.2, len(n)))

    def exact(n, p):
        s, n, half = mpmath.mpf(n) * mpmath.mpf(p), mpmath.mpf(n), mpmath.mpf(1) / 2
        entropy = sum(x * mpmath.log(x / n) for x in (s, n - s) if x > 0)
        return (
            entropy
            + mpmath.log(mpmath.pi)
            + mpmath.loggamma(n + 1)
            - sum(mpmath.loggamma(x + half) for x in (s, n - s))
        )

    with mpmath.workdps(50):
        expected = np.array([float(exact(x, p)) for x, p in zip(n, share, strict=True)])
    assert (np.abs(krichevsky_trofimov_at(n, share) - expected) <= 1e-13 * (1 + expected)).all()
    assert (krichevsky_trofimov_at(n, share) <= krichevsky_trofimov(n) * (1 + 1e-14)).all()
    assert (krichevsky_trofimov_at(n, share) >= krichevsky_trofimov_at(n, 0.5) - 1e-13).all()


def test_prices_rise_with_the_count():
    n = np.arange(1, 100_000)
    for price in (krichevsky_trofimov(n), krichevsky_trofimov_at(n, 0.5), normal_mixture(n, 1.0)):
        assert (np.diff(price) > 0).all()
        assert (price > 0).all()


def test_the_mixture_of_coin_flips_bounds_the_divergence_at_real_sums():
    """n d(s/n, mu) - r(n) <= ln L: equality at s = 0 and s = n, strict in between, for any mu."""
    rng = np.random.default_rng(1)
    with mpmath.workdps(30):

        def x_log(x, y):
            return x * mpmath.log(y) if x else mpmath.mpf(0)

        def excess(n, s, mu):
            """The left side less the right."""
            s, n, mu, half = mpmath.mpf(s), mpmath.mpf(n), mpmath.mpf(mu), mpmath.mpf(1) / 2
            divergence = x_log(s, s / (n * mu)) + x_log(n - s, (n - s) / (n * (1 - mu)))
            mixture = mpmath.loggamma(s + half) + mpmath.loggamma(n - s + half) - mpmath.loggamma(n + 1)
            ratio = mixture - mpmath.log(mpmath.pi) - x_log(s, mu) - x_log(n - s, 1 - mu)
            return divergence - mp_r(n) - ratio

        for _ in range(300):
            n = int(10 ** rng.uniform(0, 4))
            s, mu = (
                n * float(rng.choice([rng.uniform(), rng.beta(0.2, 0.2)])),
                float(rng.uniform(0.001, 0.999)),
            )
            assert excess(n, s, mu) <= 0
        for n in (1, 7, 1000):
            assert abs(excess(n, 0, 0.3)) < 1e-20
            assert abs(excess(n, n, 0.3)) < 1e-20
            assert excess(n, n / 2, 0.3) < -0.1
        for x in (1e-6, 0.01, 0.5, 1, 30, 1e4):  # why the excess is convex in s
            assert mpmath.psi(1, mpmath.mpf(x) + 0.5) < 1 / mpmath.mpf(x)


@pytest.mark.parametrize("law", ["power", "uniform", "three points", "coin"])
def test_rewards_in_the_unit_interval_make_the_mixture_a_supermartingale(law):
    """E of one more factor is at most 1, at any past: the mixture is linear in exp(eta X) <= its chord."""
    rng = np.random.default_rng(2)
    x = {
        "power": ((np.arange(4000) + 0.5) / 4000) ** 2.5,
        "uniform": (np.arange(4000) + 0.5) / 4000,
        "three points": np.array([0.0, 0.3, 1.0, 0.3]),
        "coin": np.array([0.0, 0.0, 0.0, 1.0]),
    }[law]
    mu = x.mean()
    for _ in range(50):
        q = rng.uniform(0.001, 0.999)  # one likelihood ratio of a mixture
        factor = (q / mu) ** x * ((1 - q) / (1 - mu)) ** (1 - x)
        assert factor.mean() <= 1 + 1e-12


@pytest.mark.parametrize("rho", [0.5, 1.0, 4.0])
def test_the_normal_mixture_is_the_integral_of_likelihood_ratios(rho):
    with mpmath.workdps(25):
        for n, z in ((1, 0.3), (10, 2.0), (300, 0.1)):  # z is how far the mean is off, with variance 1

            def integrand(u, n=n, z=z):
                prior = mpmath.sqrt(rho / (2 * mpmath.pi)) * mpmath.exp(-rho * u**2 / 2)
                return prior * mpmath.exp(n * z * u - n * u**2 / 2)

            mixture = mpmath.log(mpmath.quad(integrand, [-20, 0, z, 20]))
            left = n / (n + rho) * n * z**2 / 2 - float(normal_mixture(n, rho))
            assert float(mixture) == pytest.approx(left, rel=1e-9)


def sums(arms, N, mean, mu, support):
    cost = N * arms.d(mean, mu)
    return sum(cost[..., k] for k in support)


@pytest.mark.parametrize("arms", [FAMILIES["bernoulli"], FAMILIES["gaussian"], MIXED])
def test_the_bound_follows_from_the_martingales(arms):
    """Where the product of the martingales is at most e^x the sum is at most the bound; and is attained."""
    rng = np.random.default_rng(3)
    deviations, closest = Deviations(arms), np.inf
    for _ in range(2000):
        N = np.floor(10 ** rng.uniform(0, 4, arms.n_arms))
        mu = rng.uniform(0.1, 0.9, arms.n_arms)
        mean = np.clip(mu + rng.normal(0, 1, arms.n_arms) / np.sqrt(N), 0, 1)
        cost = N * arms.d(mean, mu)
        rho = 4 * arms.mixture_precisions
        # at most the logarithm of the martingale, and for coins just that
        log_L = cost * N / (N + rho) - arms.price(np.where(rho > 0, N / 4, N), mean)
        for row in SUPPORTS:
            S = [k for k in row if k < arms.n_arms]
            x = sum(log_L[k] for k in S)
            bound = deviations.bound(N[None], row[None], np.array([x]), mean[None])[0, 0]
            assert bound <= deviations.bound(N[None], row[None], np.array([x]))[0, 0] * (1 + 1e-14)
            assert sum(cost[k] for k in S) <= bound * (1 + 1e-12) + 1e-12
            closest = min(closest, bound - sum(cost[k] for k in S))
    assert closest < 1e-9


@each_family
def test_the_floor_is_below_the_bound_from_now_on(arms):
    deviations, rng = Deviations(arms), np.random.default_rng(4)
    touched = 0.0
    for _ in range(300):
        N = np.floor(10 ** rng.uniform(0, 4, (20, 4)))
        x = rng.uniform(0, 12, 20)
        floor, bound = deviations.floor(N, SUPPORTS, x), deviations.bound(N, SUPPORTS, x)
        assert (floor <= bound).all()
        touched += (floor == bound).mean() / 300
        for power in (0.01, 0.3, 2.0):
            more = N + np.floor(10 ** (power * rng.uniform(0, 3, N.shape)) - 1) * rng.integers(0, 2, N.shape)
            later = deviations.bound(more, SUPPORTS, x, rng.uniform(0, 1, N.shape))
            assert (floor <= later * (1 + 1e-14)).all()
        assert (deviations.bound(N, SUPPORTS, x + 0.1) > bound).all()
        if not deviations.has_factor and not deviations.by_means:
            np.testing.assert_array_equal(floor, bound)
    assert touched > 0.25 or deviations.by_means


def test_the_floor_of_gaussian_arms_is_reached_if_the_arm_with_fewest_samples_gets_more():
    deviations, rng = Deviations(FAMILIES["gaussian"]), np.random.default_rng(14)
    more = np.concatenate([[0.0], 10 ** np.linspace(-3, 4, 2000)])
    for _ in range(50):
        N, x = np.floor(10 ** np.append(rng.uniform(0, 3), rng.uniform(4, 5, 3))), rng.uniform(0, 12, 1)
        later = np.repeat(N[None], len(more), axis=0)
        later[:, np.argmin(N)] += more
        row = np.argsort(N)[None, :2]
        least = deviations.bound(later, row, np.repeat(x, len(more))).min()
        assert deviations.floor(N[None], row, x)[0, 0] == pytest.approx(least, rel=1e-3)


def test_a_bound_with_a_factor_does_fall_while_counts_are_small():
    deviations = Deviations(FAMILIES["gaussian"])
    values = [deviations.bound(np.full((1, 4), n), SUPPORTS[:1], np.array([3.0]))[0, 0] for n in (1.0, 5.0)]
    assert values[0] > values[1] > deviations.floor(np.ones((1, 4)), SUPPORTS[:1], np.array([3.0]))[0, 0]


@each_family
def test_a_row_does_not_depend_on_the_others(arms):
    deviations, rng = Deviations(arms), np.random.default_rng(5)
    N, x = np.floor(10 ** rng.uniform(0, 6, (97, 4))), rng.uniform(0, 50, 97)
    for of in (deviations.bound, deviations.floor):
        whole = of(N, SUPPORTS, x)
        for rows in (slice(0, 1), slice(3, 10), slice(None, None, 3)):
            np.testing.assert_array_equal(of(N[rows], SUPPORTS, x[rows]), whole[rows])
        for p in range(len(SUPPORTS)):
            np.testing.assert_array_equal(of(N, SUPPORTS[p : p + 1], x)[:, 0], whole[:, p])
        np.testing.assert_array_equal(of(np.asfortranarray(N), SUPPORTS, x), whole)


def test_other_families_pay_kaufmann_and_koolens_price():
    arms = Arms([Poisson(), Bernoulli(), Exponential()])
    deviations = Deviations(arms)
    assert not deviations.is_mixture
    N, x = np.array([[10.0, 20.0, 30.0]]), np.array([4.0])
    expected = 2 * kaufmann_koolen(2.0) + 3 * np.log(1 + np.log([10, 30])).sum()
    assert deviations.bound(N, np.array([[0, 2]]), x)[0, 0] == pytest.approx(expected, rel=1e-14)
    with pytest.raises(InvalidInputError, match="no mixture price is known for exponential, poisson among"):
        Deviations(arms, "mixture")
    assert not Deviations(FAMILIES["bernoulli"], "kaufmann-koolen").is_mixture


@each_family
def test_intervals_end_where_the_divergence_reaches_its_bound(arms):
    deviations, rng = Deviations(arms), np.random.default_rng(6)
    N, mean = np.floor(10 ** rng.uniform(0.5, 4, 4)), rng.uniform(0.2, 0.8, 4)
    low, high = deviations.intervals(N, mean, np.log(4 / 0.05))
    bound = deviations.bound(N[None], np.arange(4)[:, None], np.array([np.log(4 / 0.05)]), mean[None])[0]
    for end in (low, high):
        assert N * arms.d(mean, end) == pytest.approx(bound, rel=1e-6)
    assert ((low < mean) & (mean < high)).all()


def mp_g(z):
    z = mpmath.mpf(z)
    return z * mpmath.log(z) - z - mpmath.loggamma(z)


def test_stirlings_excess_agrees_with_mpmath():
    rng = np.random.default_rng(7)
    z = np.concatenate([[1e-3, 0.5, 1.0, 15.999, 16.0], 10 ** rng.uniform(-2, 12, 300)])
    with mpmath.workdps(50):
        expected = np.array([float(mp_g(x)) for x in z])
    assert (np.abs(stirling_excess(z) - expected) <= 4e-14 * (1 + np.abs(expected))).all()


@pytest.mark.parametrize("shape", [0.5, 1.0, 3.0])
def test_the_gamma_price_is_that_of_all_scales_given_the_first_reward(shape):
    """The integral of likelihood ratios of rewards 2 to n over the posterior of the first."""
    family, rng = Gamma(shape), np.random.default_rng(8)
    with mpmath.workdps(20):
        for n, mu in ((2, 1.0), (5, 7.0), (40, 1e-3)):
            rewards = rng.gamma(shape, mu / shape, n)
            first, rest = rewards[0], float(rewards[1:].sum())

            def integrand(v, n=n, mu=mu, first=first, rest=rest):
                """The likelihood ratio of a gamma law of this rate, and its density given `first`."""
                rate, true = mpmath.exp(v) * shape / mu, shape / mu
                prior = (rate * first) ** shape * mpmath.exp(-rate * first) / mpmath.gamma(shape)
                return prior * (rate / true) ** (shape * (n - 1)) * mpmath.exp(-(rate - true) * rest)

            ratio = mpmath.log(mpmath.quad(integrand, mpmath.linspace(-30, 8, 40)))
            left = n * family.d(rewards.mean(), mu) - family.d(first, mu) - gamma_mixture(n, shape)
            assert float(ratio) == pytest.approx(float(left), rel=1e-8, abs=1e-8)  # of a number about 1


@pytest.mark.parametrize("shape", [0.5, 1.0, 3.0])
def test_the_cumulant_of_a_first_reward_agrees_with_quadrature_at_any_mean(shape):
    family = Gamma(shape)
    for lam in (0.05, 0.3, 0.6):
        for mu in (1.0, 1e-6):
            with mpmath.workdps(20):

                def integrand(v, lam=lam):
                    """X = mu e^v: d(X, mu) does not depend on mu."""
                    d = shape * (mpmath.exp(v) - 1 - v)
                    density = (shape * mpmath.exp(v)) ** shape * mpmath.exp(-shape * mpmath.exp(v))
                    return density / mpmath.gamma(shape) * mpmath.exp(lam * d)

                expected = mpmath.log(mpmath.quad(integrand, mpmath.linspace(-400, 8, 400)))
            assert gamma_cumulant(lam, shape) == pytest.approx(float(expected), rel=1e-8)
            x = mu * 2.5
            assert float(family.d(x, mu)) == pytest.approx(shape * (2.5 - 1 - np.log(2.5)), rel=1e-9)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_gamma_sums_stay_below_their_bound_and_not_by_much(size):
    """At all of 2000 times, with the risk e^-x = 0.1: 4000 runs; 0.1 is exceeded by chance with 1e-6."""
    family, x, rng = Exponential(), np.log(10), np.random.default_rng(9)
    deviations, support = Deviations(Arms.of(family, size)), np.arange(size)[None]
    counts = np.unique(np.round(np.geomspace(1, 2000, 200)))
    bound = deviations.bound(np.repeat(counts[:, None], size, axis=1), support, np.full(len(counts), x))[:, 0]
    runs, beyond, most = 4000, 0, 0.0
    for _ in range(runs // 400):
        mean = np.cumsum(rng.exponential(size=(400, size, 2000)), axis=2) / np.arange(1, 2001)
        mean = mean[..., counts.astype(int) - 1]
        total = (counts * family.d(mean, 1.0)).sum(axis=1)
        beyond += (total > bound).any(axis=1).sum()
        most = max(most, float((total / bound).max()))
    assert beyond <= 0.1 * runs
    assert most > 0.7  # the bound is within sight


def test_gamma_arms_pay_far_less_than_any_arms_do():
    N, pair = np.full((1, 5), 200.0), np.array([[0, 1]])
    for risk, paid, before in ((np.log(4 / 0.1), 13.54, 32.27), (np.log(4 / 0.01), None, None)):
        arms = Arms.of(Exponential(), 5)
        found = Deviations(arms).bound(N, pair, np.array([risk]))[0, 0]
        other = Deviations(arms, "kaufmann-koolen").bound(N, pair, np.array([risk]))[0, 0]
        assert found < other / 2
        if paid is not None:
            assert (found, other) == (pytest.approx(paid, abs=0.01), pytest.approx(before, abs=0.01))


def test_what_takes_the_place_of_x_is_the_least_over_a_fine_grid():
    grid, family = np.linspace(0.002, 0.998, 4000), Gamma(2.0)
    kappa = np.array([family.first_reward_cumulant(lam) for lam in grid])
    for x in (0.5, 3.0, 15.0):
        half = x + np.log(2)
        tail = ((half + 2 * kappa) / grid).min()
        expected = half + (2 * kappa + (1 - grid) * tail).min()
        assert first_rewards(family, x, 2) == pytest.approx(expected, rel=1e-5)
        assert first_rewards(family, x, 2) <= expected * (1 + 1e-12)
