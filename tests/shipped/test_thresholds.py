"""The shipped thresholds: values against mpmath, the contract, the steps of the proofs, simulations.

A statistical test compares a frequency with a bound delta and fails when the lower Clopper-Pearson limit
at 99.9 % exceeds it: with a correct threshold and a fresh seed, each of the 30 comparisons fails with
probability at most 0.001. Seeds are fixed.
"""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta as beta_law

from purex.families import Arms, Bernoulli, Exponential, Gaussian, Poisson
from purex.model import Unstructured, deviations, sum_over_arms
from purex.plugins import Registry, build
from purex_plugins import (
    bernoulli_mixture,
    garivier_kaufmann,
    gaussian_mixture,
    kaufmann_koolen,
    magureanu,
    stylised,
)
from purex_plugins.bernoulli_mixture import BernoulliMixture
from purex_plugins.best_arm import BestArm
from purex_plugins.box import Box
from purex_plugins.garivier_kaufmann import GarivierKaufmann
from purex_plugins.gaussian_mixture import C, GaussianMixture
from purex_plugins.kaufmann_koolen import KaufmannKoolen
from purex_plugins.magureanu import Magureanu
from purex_plugins.stylised import Stylised
from purex_plugins.thresholding import Thresholding

MODULES = (stylised, garivier_kaufmann, kaufmann_koolen, bernoulli_mixture, gaussian_mixture, magureanu)
SHIPPED = (Stylised, GarivierKaufmann, KaufmannKoolen, BernoulliMixture, GaussianMixture, Magureanu)
T = deviations.kaufmann_koolen
ROUNDING = 4e-15  # relative: sums of a dozen terms, a Newton iteration
RISKS = (0.0, 1e-9, 0.02, 2.302585092994046, 23.0, 230.0, 1e4)  # ln(1/delta)

shipped = pytest.mark.parametrize("threshold", SHIPPED, ids=lambda c: c.__name__)


# ---- values -----------------------------------------------------------------------------------------------


def mp_T(x):
    def h_inverse(y):
        return -mpmath.lambertw(-mpmath.exp(-y), -1).real

    # h~ as a minimum over u, not by its two branches
    y = (h_inverse(1 + x) + mpmath.log(2 * mpmath.zeta(2))) / 2
    u = mpmath.mpf(3) / 2
    if mpmath.log(u) * y - mpmath.log(u) * mpmath.log(mpmath.log(u)) > 1:  # the slope at 3/2 is positive
        u = mpmath.findroot(
            lambda v: y - mpmath.log(mpmath.log(v)) - 1 / mpmath.log(v),
            (1 + 1 / (2 * y), mpmath.mpf(3) / 2),
            solver="anderson",
            tol=1e-40,
        )
    return 2 * u * (y - mpmath.log(mpmath.log(u)))


def mp_C(x):
    def g(lam):
        zeta = mpmath.log(mpmath.zeta(2 * lam))
        return 2 * lam - 2 * lam * mpmath.log(4 * lam) + zeta - mpmath.log(1 - lam) / 2

    def quotient(s):  # s = ln(1 - lambda); golden section, on more than the interval of the code
        return (g(1 - mpmath.exp(s)) + x) / (1 - mpmath.exp(s))

    low, high = -mpmath.log(100 * (x + 10)), mpmath.log(mpmath.mpf("0.49"))
    ratio = (mpmath.sqrt(5) - 1) / 2
    for _ in range(70):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, b) if quotient(a) < quotient(b) else (a, high)
    return quotient((low + high) / 2)


@pytest.mark.parametrize(
    ("x", "value"),
    [(1.0, 9.10451702566), (5.0, 15.1913987431), (20.0, 32.9147502355), (100.0, 116.971342671)],
)
def test_T_has_its_published_values(x, value):
    assert T(x) == pytest.approx(value, rel=1e-11)


@pytest.mark.parametrize("x", RISKS)
def test_T_and_C_agree_with_mpmath(x):
    with mpmath.workdps(40 + int(x / 2)):  # e^-x must not vanish beside x
        assert T(x) == pytest.approx(float(mp_T(mpmath.mpf(x))), rel=1e-13)
    with mpmath.workdps(40):
        assert C(x) == pytest.approx(float(mp_C(mpmath.mpf(x))), rel=1e-13)


@pytest.mark.parametrize("x", RISKS)
@pytest.mark.parametrize("N", [[1], [7], [1, 1, 1], [3, 100, 12345], [10**9, 1]])
def test_the_forms_in_counts_agree_with_mpmath(N, x):
    K, ln = len(N), mpmath.log
    with mpmath.workdps(40):
        expected = {
            BernoulliMixture: x + sum(ln(n) / 2 + ln(2) for n in N),
            KaufmannKoolen: sum(3 * ln(1 + ln(n)) for n in N) + K * mpmath.mpf(T(x / K)),
            GaussianMixture: sum(2 * ln(4 + ln(n)) for n in N) + K * mpmath.mpf(C(x / K)),
            GarivierKaufmann: ln(2 * sum(N) * max(K - 1, 1)) + x,
            Stylised: ln(1 + ln(sum(N))) + x,
        }
        for threshold, value in expected.items():
            assert threshold(K).of_counts(N, x) == pytest.approx(float(value), rel=ROUNDING, abs=ROUNDING)


@pytest.mark.parametrize("x", RISKS)
@pytest.mark.parametrize("K", [1, 2, 5, 100])
@pytest.mark.parametrize("t", [1, 2, 1000, 10**9])
def test_magureanu_solves_its_equation_and_satisfies_the_inequality_it_stands_for(t, K, x):
    value = float(Magureanu(K).of_time(t, x))
    with mpmath.workdps(40):
        b, ln = mpmath.mpf(value), mpmath.log
        m = 1 + ln(t) / ln(2)
        s = ln(2 * t) + mpmath.mpf(1) / (K + 1)
        right = ln(m * (m + 1)) + x + K + 1 + K * ln(2 * b**2 * s / K)
        assert value == pytest.approx(float(right), rel=1e-13)
        assert value >= max(K + 1, 2 * K)
        # a little above the solution, the inequality itself, with its ceiling and the whole epoch
        b *= 1 + mpmath.mpf(10) ** -12
        epoch = 1 + int(mpmath.floor(ln(t) / ln(2)))
        D = mpmath.ceil(b * ln(2**epoch))
        log_bound = K * ln(2) + K + 1 + K * ln(b * D / K) - b
        assert log_bound <= -x - ln(epoch * (epoch + 1))


# ---- the contract -----------------------------------------------------------------------------------------

counts = st.lists(st.integers(1, 10**7), min_size=1, max_size=6)
risks = st.floats(0.0, 300.0)


@shipped
@given(N=counts, arm=st.integers(0, 5), more=st.integers(1, 10**6), x=risks, dx=st.floats(1e-9, 100.0))
def test_nondecreasing_in_every_count_and_in_the_risk(threshold, N, arm, more, x, dx):
    beta = threshold(len(N))
    larger = list(N)
    larger[arm % len(N)] += more
    value = beta.of_counts(N, x)
    assert beta.of_counts(larger, x) >= value  # exactly: a simulation relies on it
    assert beta.of_counts(N, x + dx) >= value
    assert beta.of_time(sum(larger), x) >= beta.of_time(sum(N), x)


@shipped
@given(N=counts, x=risks)
def test_the_form_in_t_is_an_upper_bound_reached_at_equal_counts(threshold, N, x):
    K = len(N)
    beta = threshold(K)
    assert beta.of_counts(N, x) <= beta.of_time(sum(N), x) * (1 + ROUNDING)
    assert beta.of_counts([N[0]] * K, x) == pytest.approx(float(beta.of_time(K * N[0], x)), rel=ROUNDING)


@shipped
def test_a_row_does_not_depend_on_the_others(threshold):
    rng = np.random.default_rng(0)
    N = rng.integers(1, 10**6, (97, 20)).astype(float)
    x = rng.uniform(0, 50, 97)
    beta = threshold(20)
    together, one_risk = beta.of_counts(N, x), beta.of_counts(N, 2.5)
    alone = np.array([float(beta.of_counts(N[r], x[r])) for r in range(97)])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(one_risk, [float(beta.of_counts(N[r], 2.5)) for r in range(97)])
    np.testing.assert_array_equal(beta.of_counts(np.asfortranarray(N)[5:60], x[5:60]), together[5:60])
    np.testing.assert_array_equal(beta.of_counts(N[::3], x[::3]), together[::3])
    strided = np.repeat(N, 3, axis=1)[:, ::3]
    np.testing.assert_array_equal(beta.of_counts(strided, x), together)
    grid = beta.of_counts(N[:90].reshape(9, 10, 20), x[:90].reshape(9, 10))
    np.testing.assert_array_equal(grid.ravel(), together[:90])
    # one number per run against several risks
    assert beta.of_counts(N[:, None, :], [1.0, 2.5]).shape == (97, 2)
    np.testing.assert_array_equal(beta.of_counts(N[:, None, :], [1.0, 2.5])[:, 1], one_risk)
    times = beta.of_time(N[:, 0], x)
    np.testing.assert_array_equal(times, [float(beta.of_time(N[r, 0], x[r])) for r in range(97)])


def test_sums_do_not_depend_on_the_layout():
    terms = np.log(np.random.default_rng(0).uniform(1, 9, (97, 20)))
    expected = [float(sum_over_arms(row)) for row in terms]
    np.testing.assert_array_equal(sum_over_arms(np.asfortranarray(terms)), expected)
    np.testing.assert_array_equal(sum_over_arms(terms), expected)


@shipped
def test_small_problems(threshold):
    for K in (1, 3):
        beta = threshold(K)
        assert np.isfinite(beta.of_time([1, 2, K], 0.0)).all()
        assert beta.of_counts(np.ones(K), 0.0) >= 0
        assert beta.of_counts(np.ones((2, K), dtype=np.int64), [1.0, 2.0]).shape == (2,)


def test_what_each_threshold_covers():
    query, free = BestArm(3), Unstructured(3)
    bernoulli, gaussian = Arms.of(Bernoulli(), 3), Arms([Gaussian(), Gaussian(variance=2), Gaussian()])
    mixed = Arms([Bernoulli(), Gaussian(), Bernoulli()])

    def proved(arms, query=query, structure=free):
        return {c for c in SHIPPED if c(3).label(arms, query, structure) == "proved"}

    universal = {KaufmannKoolen, Magureanu}
    assert proved(bernoulli) == universal | {BernoulliMixture, GarivierKaufmann}
    assert proved(bernoulli, structure=Box(3, 0.0, 1.0)) == universal | {BernoulliMixture, GarivierKaufmann}
    assert proved(bernoulli, structure=Box(3, 0.1, 1.0)) == universal | {BernoulliMixture}
    assert proved(bernoulli, Thresholding(3, threshold=0.5)) == universal | {BernoulliMixture}
    assert proved(gaussian) == universal | {GaussianMixture}
    assert proved(mixed) == proved(Arms.of(Poisson(), 3)) == universal
    assert not Stylised(3).covers(bernoulli, query, free)  # a heuristic is proved for nothing
    assert not GarivierKaufmann(3).covers(gaussian, query, free)


def test_the_plugins_offer_them():
    registry = Registry.from_modules({f"purex-bandits:{m.__name__}": m for m in MODULES})
    assert not registry.problems
    for threshold, module in zip(SHIPPED, MODULES, strict=True):
        name = module.__name__.removeprefix("purex_plugins.").replace("_", "-")
        assert type(build("threshold", name, registry, n_arms=4)) is threshold
        assert threshold.status == "heuristic" or threshold.scope


# ---- steps of the proofs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("lam", [0.55, 0.7, 0.9, 0.999])
def test_the_gaussian_mixture_dominates_what_it_is_used_for(lam):
    from scipy.special import expit, logsumexp, zeta

    i = np.arange(1, 60)
    log_prior = -2 * lam * np.log(i) - np.log(zeta(2 * lam))
    log_r = 4 * lam * (i - 1) + np.log(1 / lam - 1)
    g = 2 * lam - 2 * lam * np.log(4 * lam) + np.log(zeta(2 * lam)) - 0.5 * np.log(1 - lam)
    log_n, z = np.meshgrid(np.linspace(0, 60, 241), np.linspace(0, 2000, 101))  # z = S^2/2n = n d
    ratio = log_n[..., None] - log_r  # ln(n/r)
    log_terms = log_prior - 0.5 * np.logaddexp(0, ratio) + z[..., None] * expit(ratio)
    martingale = logsumexp(log_terms, axis=-1)
    slack = martingale - (lam * (z - 2 * np.log(4 + log_n)) - g)
    assert 0 <= slack.min() < 2.5  # a bound, and not a vacuous one


@pytest.mark.parametrize("family", [Bernoulli(), Gaussian(), Poisson(), Exponential()], ids=lambda f: f.kind)
@pytest.mark.parametrize("side", ["lower", "upper"])
def test_one_martingale_serves_a_slice_of_counts_and_one_sign(family, side):
    rng = np.random.default_rng(0)
    mu, x, level = 0.3, 12.0, rng.uniform(0, 12, 4000)
    eta = 1 / (x - 1)
    bottom = np.exp(rng.uniform(0, 12, 4000))
    top = bottom * (1 + eta)
    n = rng.uniform(bottom, top)
    z = _inverse_divergence(family, mu, level / top, side)  # the tilt of the slice
    # n d(mean, mu) >= level, for many with equality
    mean = _inverse_divergence(family, mu, level / n * rng.choice([1.0, 1.0, 3.0], 4000), side)
    good = np.isfinite(z) & np.isfinite(mean)
    assert good.sum() > 1000
    z, mean, n, level = z[good], mean[good], n[good], level[good]
    theta, theta_0 = family.natural(z), family.natural(mu)
    log_likelihood = n * (
        mean * (theta - theta_0) - (family.log_partition(theta) - family.log_partition(theta_0))
    )
    assert (log_likelihood >= level / (1 + eta) * (1 - 1e-6) - 1e-9).all()


def _inverse_divergence(family, mu, level, side):
    """The mean z on one side of mu with d(z, mu) = level; nan where there is none inside the domain."""
    low, high = family.domain
    end = (max(low, mu - 1e3) if side == "lower" else min(high, mu + 1e3)) + 0.0
    inside, outside = np.full_like(level, mu), np.full_like(level, end)
    for _ in range(100):
        middle = (inside + outside) / 2
        far = family.d(middle, mu) >= level
        inside, outside = np.where(far, inside, middle), np.where(far, middle, outside)
    reached = (family.d(outside, mu) >= level) & (outside != end)
    return np.where(reached, outside, np.nan)


# ---- simulations ------------------------------------------------------------------------------------------

DELTAS = (0.5, 0.1)


def at_most(hits, delta):
    """Whether a frequency is compatible with a probability of at most delta (see the top)."""
    k, n = int(hits.sum()), hits.size
    return k == 0 or beta_law.ppf(0.001, k, n - k + 1) <= delta


def crossings(family, mu, thresholds, adaptive, *, seed, runs=2000, horizon=2000):
    """Whether sum_k N_k d(muhat_k, mu_k) exceeds each threshold at some t <= horizon, (runs, deltas) each.

    Round robin, or an adversary that leaves alone the arms with large deviations: it samples the arm of the
    smallest N_k d(muhat_k, mu_k).
    """
    rng, K, rows = np.random.default_rng(seed), len(mu), np.arange(runs)
    mu, x = np.asarray(mu), -np.log(DELTAS)
    N, S, Z = np.zeros((3, runs, K))
    hit = [np.zeros((runs, len(DELTAS)), dtype=bool) for _ in thresholds]
    for t in range(1, horizon + 1):
        k = Z.argmin(axis=1) if adaptive and t > K else np.full(runs, (t - 1) % K)
        S[rows, k] += family.quantile(mu[k], rng.random(runs))
        N[rows, k] += 1
        n = N[rows, k]
        Z[rows, k] = n * family.d(S[rows, k] / n, mu[k])
        if t >= K:
            statistic = Z.sum(axis=1)[:, None]
            for h, beta in zip(hit, thresholds, strict=True):
                h |= statistic > beta.of_counts(N[:, None, :], x)
    return hit


@pytest.mark.parametrize("adaptive", [False, True], ids=["round-robin", "adversary"])
@pytest.mark.parametrize(
    ("family", "mu", "proved"),
    [
        (Bernoulli(), (0.5, 0.3, 0.5), (BernoulliMixture, KaufmannKoolen, Magureanu)),
        (Gaussian(), (0.0, 1.0, 2.0), (GaussianMixture, KaufmannKoolen, Magureanu)),
    ],
    ids=["bernoulli", "gaussian"],
)
def test_proved_thresholds_are_crossed_with_probability_at_most_delta(family, mu, proved, adaptive):
    *hits, control = crossings(family, mu, [c(3) for c in (*proved, Stylised)], adaptive, seed=1)
    for hit in hits:
        for j, delta in enumerate(DELTAS):
            assert at_most(hit[:, j], delta)
    # the heuristic is not: the simulation would see a threshold that is too low
    assert not at_most(control[:, 1], DELTAS[1])


def test_the_bernoulli_mixture_is_no_looser_than_it_says():
    (hit,) = crossings(Bernoulli(), (0.5,), [BernoulliMixture(1)], False, seed=2)
    assert at_most(hit[:, 0], 0.5)
    assert at_most(hit[:, 1], 0.1)
    assert hit[:, 0].mean() > 0.25  # 0.345: a threshold larger by ln 2 would be seen


def glr_of_the_truth(mu, K, horizon, *, seed, runs=2000):
    """How often sum_k N_k d(muhat_k, mu) exceeds `garivier-kaufmann` at delta = 0.1, round robin."""
    rng, beta = (
        np.random.default_rng(seed),
        GarivierKaufmann(K).of_time(np.arange(1, horizon + 1), np.log(10)),
    )
    S, Z, hit = np.zeros((K, runs)), np.zeros((K, runs)), np.zeros(runs, dtype=bool)
    total = np.zeros(runs)
    for t in range(1, horizon + 1):
        k, n = (t - 1) % K, (t - 1) // K + 1
        S[k] += rng.random(runs) < mu
        total -= Z[k]
        Z[k] = n * Bernoulli().d(S[k] / n, mu)
        total += Z[k]
        hit |= total > beta[t - 1]
    return hit


@pytest.mark.parametrize(("mu", "probability"), [(0.3, 0.66), (0.5, 0.80)])
def test_garivier_kaufmann_says_nothing_of_the_truth_of_all_arms(mu, probability):
    # K = 10 equal arms, looked at after every sample of a round robin, t <= 5000
    hit = glr_of_the_truth(mu, 10, 5000, seed=3)
    assert not at_most(hit, 0.1)
    # five standard errors: fails with probability 1e-6
    assert hit.mean() == pytest.approx(probability, abs=5 * 0.0107)


@pytest.mark.parametrize("adaptive", [False, True], ids=["round-robin", "adversary"])
def test_garivier_kaufmann_bounds_the_error_of_best_arm(adaptive):
    # the first two arms are equally good and the answer is the first: an error is to stop with another one
    K, runs, horizon, rng = 3, 2000, 2000, np.random.default_rng(4)
    d, rows, query = Bernoulli().d, np.arange(2000), BestArm(3)
    S, N, x = np.zeros((runs, K)), np.zeros((runs, K)), -np.log(DELTAS)
    error = np.zeros((runs, len(DELTAS)), dtype=bool)
    control = np.zeros(runs, dtype=bool)
    for t in range(1, horizon + 1):
        if adaptive and t > K:  # rather the runner-up: a lucky leader stays where it is
            second = np.argsort(S / N, axis=1)[:, -2]
            k = np.where(rng.random(runs) < 0.5, second, rng.integers(0, K, runs))
        else:
            k = np.full(runs, (t - 1) % K)
        S[rows, k] += rng.random(runs) < np.array([0.5, 0.5, 0.05])[k]
        N[rows, k] += 1
        if t < K:
            continue
        means = S / N
        a = query.answer(means)
        N_a, m_a = N[rows, a][:, None], means[rows, a][:, None]
        tied = (N_a * m_a + S) / (N_a + N)
        glr = N_a * d(m_a, tied) + N * d(means, tied)
        glr[rows, a] = np.inf
        Z = glr.min(axis=1)
        error |= (a != 0)[:, None] & (Z[:, None] > GarivierKaufmann(K).of_counts(N[:, None, :], x))
        control |= (a != 0) & (np.log(10) < Z)  # without 2t(K-1)
    for j, delta in enumerate(DELTAS):
        assert at_most(error[:, j], delta)
    assert not at_most(control, 0.1)
