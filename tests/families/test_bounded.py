"""Rewards on an interval: against the Bernoulli family, mpmath, scipy.stats and cvxpy; in any unit."""

from __future__ import annotations

import pickle

import cvxpy as cp
import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln

from purex import Explorer, Problem, simulate
from purex.engine.setting import can_draw_compiled, default_clip
from purex.errors import InvalidInputError
from purex.families import Arms, Bernoulli, Bounded, Gaussian, SubGaussian
from purex.plugins import build
from purex.testing import check_family
from purex_plugins.bernoulli_mixture import BernoulliMixture
from purex_plugins.best_arm import BestArm
from purex_plugins.garivier_kaufmann import GarivierKaufmann
from purex_plugins.gaussian_mixture import GaussianMixture

INTERVALS = [(0, 1), (-1, 3), (0, 1e9), (0, 1e-9), (-1, 0), (0.1, 0.7), (100, 101)]
ELSEWHERE = INTERVALS[1:]

every_interval = pytest.mark.parametrize("ends", INTERVALS, ids=str)
elsewhere = pytest.mark.parametrize("ends", ELSEWHERE, ids=str)


def means(ends, size=60, seed=3):
    """Means of all distances from both ends, the ends among them."""
    low, high = map(float, ends)
    rng = np.random.default_rng(seed)
    share = 0.5 * 10 ** rng.uniform(-10, 0, size)
    inside = np.where(rng.random(size) < 0.5, low + (high - low) * share, high - (high - low) * share)
    return np.concatenate([[low, high], np.clip(inside, low, high)])


def rescaled(ends, x):
    """(x - l)/(u - l) in mpmath, of the float x and of the interval as the family keeps it."""
    low, high = (mpmath.mpf(float(end)) for end in ends)
    return (mpmath.mpf(float(x)) - low) / (high - low)


def exact_d(ends, mu, lam):
    p, q = rescaled(ends, mu), rescaled(ends, lam)
    if p == q:
        return mpmath.mpf(0)
    if (q == 0 and p > 0) or (q == 1 and p < 1):
        return mpmath.inf
    first = p * mpmath.log(p / q) if p else 0
    return first + ((1 - p) * mpmath.log((1 - p) / (1 - q)) if p < 1 else 0)


@every_interval
def test_divergences_natural_parameters_and_entropies_have_all_their_digits(ends):
    family, mu = Bounded(*ends), means(ends)
    lam = mu[np.random.default_rng(4).permutation(len(mu))]
    with mpmath.workdps(60):
        exact = [exact_d(ends, x, y) for x, y in zip(mu, lam, strict=True)]
        np.testing.assert_allclose(family.d(mu, lam), [float(x) for x in exact], rtol=2e-14)
        p = [rescaled(ends, x) for x in mu[2:]]
        width = mpmath.mpf(float(ends[1])) - mpmath.mpf(float(ends[0]))
        natural = [float(mpmath.log(x / (1 - x)) / width) for x in p]
        entropy = [float(x * mpmath.log(x) + (1 - x) * mpmath.log(1 - x)) for x in p]
        variance = [float(width**2 * x * (1 - x)) for x in p]
    np.testing.assert_allclose(family.natural(mu[2:]), natural, rtol=1e-13)
    np.testing.assert_allclose(family.entropy(mu[2:]), entropy, rtol=1e-13)
    np.testing.assert_allclose(family.variance(mu[2:]), variance, rtol=1e-14)
    assert family.entropy(ends).tolist() == [0, 0]
    assert family.natural(ends).tolist() == [-np.inf, np.inf]
    assert family.mean([-np.inf, np.inf]).tolist() == [float(end) for end in ends]


@every_interval
@pytest.mark.parametrize("level", [1e-12, 1e-3, 0.3, 5.0])
def test_confidence_bounds_solve_their_equation(ends, level):
    """To the spacing of floats, by the sign of the exact divergence one step inside and outside."""
    family, mu = Bounded(*ends), means(ends)
    for side, bound in ((-1, family.lower), (1, family.upper)):
        xi = bound(mu, level)
        assert (side * (xi - mu) >= 0).all()
        assert ((xi >= ends[0]) & (xi <= ends[1])).all()
        step = 8 * np.spacing(np.maximum(np.abs(xi), 4e-16 * family.unit)) + 1e-14 * np.abs(xi - mu)
        with mpmath.workdps(60):
            for m, x, h in zip(mu, xi, step, strict=True):
                beyond = min(max(x + side * h, float(ends[0])), float(ends[1]))
                before = x - side * h
                assert beyond in ends or exact_d(ends, m, beyond) >= level * (1 - 1e-13)
                assert side * (before - m) <= 0 or exact_d(ends, m, before) <= level * (1 + 1e-13)


def test_on_the_unit_interval_it_is_the_bernoulli_family():
    bounded, bernoulli = Bounded(), Bernoulli()
    mu, lam = means((0, 1)), means((0, 1), seed=9)
    for name in ("d", "slope", "curvature", "lower", "upper"):
        assert np.array_equal(getattr(bounded, name)(mu, lam), getattr(bernoulli, name)(mu, lam)), name
    for name in ("natural", "variance"):
        assert np.array_equal(getattr(bounded, name)(mu), getattr(bernoulli, name)(mu)), name
    assert (bounded.kind, bounded.code) == (bernoulli.kind, bernoulli.code)
    assert bounded.constants(0.1, 0.8) == bernoulli.constants(0.1, 0.8)
    assert default_clip(bounded) == default_clip(bernoulli)
    assert bounded != bernoulli
    assert not bounded.is_exact


@elsewhere
def test_rates_are_those_of_the_bernoulli_family_in_another_unit(ends):
    family, width = Bounded(*ends), float(ends[1]) - float(ends[0])
    p, q = np.random.default_rng(5).uniform(0.05, 0.95, (2, 50))
    mu, lam = ends[0] + width * p, ends[0] + width * q
    p, q = (mu - ends[0]) / width, (lam - ends[0]) / width
    np.testing.assert_allclose(family.slope(mu, lam) * width, Bernoulli().slope(p, q), rtol=1e-12)
    np.testing.assert_allclose(family.curvature(mu, lam) * width**2, Bernoulli().curvature(p, q), rtol=1e-12)
    np.testing.assert_allclose(family.variance_slope(mu) / width, 1 - 2 * p, rtol=1e-12, atol=1e-13)
    L, D, sigma2 = family.constants(ends[0] + 0.125 * width, ends[0] + 0.75 * width)
    expected = Bernoulli().constants(0.125, 0.75)
    np.testing.assert_allclose([L * width, D, sigma2 / width**2], expected, rtol=1e-12)
    assert family.variance_proxy == pytest.approx(width**2 / 4, rel=1e-15)
    v = family.variance_coefficients
    if v is not None:
        np.testing.assert_allclose(v[0] + v[1] * mu + v[2] * mu**2, family.variance(mu), rtol=1e-10)


@every_interval
def test_the_laws_of_families(ends):
    report = check_family(Bounded(*ends, concentration=3.0), size=30)
    assert report.passed, report.failures
    assert not report.counts.get("skipped")


@every_interval
@pytest.mark.parametrize("concentration", [0.5, 10.0, 300.0])
def test_simulated_rewards_are_beta(ends, concentration):
    family, (low, width) = Bounded(*ends, concentration=concentration), (ends[0], float(ends[1]) - ends[0])
    u = np.linspace(0.001, 0.999, 41)
    for p in (0.02, 0.4, 0.97):
        mu = low + width * p
        share = (mu - low) / width
        law = stats.beta(concentration * share, concentration * (1 - share), loc=low, scale=width)
        x = family.quantile(mu, u)
        np.testing.assert_allclose(x, law.ppf(u), rtol=1e-9, atol=1e-12 * width)
        assert law.mean() == pytest.approx(mu, rel=1e-12, abs=1e-12 * width)
        assert law.var() == pytest.approx(float(family.variance(mu)) / (1 + concentration), rel=1e-9)
        assert family.supports(x).all()
    assert family.quantile(np.array(ends, dtype=float), 0.3).tolist() == [float(end) for end in ends]


def test_rewards_are_those_of_the_interval():
    family = Bounded(lower=-1, upper=3)
    assert family.supports([-1, 3, 0.123, -1.001, 3.5, np.nan]).tolist() == [True] * 3 + [False] * 3
    assert not can_draw_compiled(Arms.of(Bounded(), 2))
    assert can_draw_compiled(Arms.of(SubGaussian(2.0), 2))
    assert can_draw_compiled(Arms.of(Bernoulli(), 2))


def test_averages_that_rounding_takes_out_of_the_interval_count_as_its_end():
    family = Bounded(lower=0.1, upper=0.7)
    below, above = np.nextafter(0.1, 0), np.nextafter(0.7, 1)
    for mu, end in ((below, 0.1), (above, 0.7)):
        assert family.d(mu, 0.4) == family.d(end, 0.4)
        assert family.lower(mu, 0.2) == family.lower(end, 0.2)
        assert family.upper(mu, 0.2) == family.upper(end, 0.2)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"lower": 1, "upper": 1}, "lower < upper, not lower=1 and upper=1"),
        ({"lower": 2}, "lower < upper"),
        ({"upper": np.inf}, "two finite numbers"),
        ({"lower": "a"}, "two finite numbers"),
        ({"upper": 1e200}, "another unit"),
        ({"upper": 1e-200}, "another unit"),
        ({"lower": 1e12, "upper": 1e12 + 1}, "subtract its lower end"),
        ({"concentration": 0}, "concentration must be a positive"),
    ],
)
def test_what_is_no_interval_is_refused(arguments, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        Bounded(**arguments)


def test_names_build_the_same_family():
    for family in (
        Bounded(),
        Bounded(concentration=2),
        Bounded(-1, 3),
        Bounded(0, 1e-9, 0.5),
        SubGaussian(),
        SubGaussian(variance=0.25),
    ):
        assert build("family", family.name) == family
        assert pickle.loads(pickle.dumps(family)) == family
        assert len({family, build("family", family.name)}) == 1
    assert Bounded(-0.0, 1) == Bounded()
    assert SubGaussian(2.0) != Gaussian(2.0)


# The problems of bounded arms are those of Bernoulli arms in another unit.


@elsewhere
def test_games_do_not_depend_on_the_unit(ends):
    p = np.array([0.3, 0.21, 0.2])
    width = float(ends[1]) - float(ends[0])
    bernoulli = Problem.from_names("bernoulli", "best-arm", n_arms=3).solve(p)
    bounded = Problem(Arms.of(Bounded(*ends), 3), BestArm(3)).solve(ends[0] + width * p)
    np.testing.assert_allclose(bounded.value, bernoulli.value, rtol=1e-9)
    np.testing.assert_allclose(bounded.allocation, bernoulli.allocation, atol=1e-6)


@pytest.mark.parametrize("query", ["best-arm", "top-m(m=2)", "thresholding(threshold=0.5)"])
@pytest.mark.parametrize("level", ["closed-form", "generic", "cvxpy"])
def test_oracles_agree_with_the_compiled_one_of_bernoulli_arms(query, level):
    rng = np.random.default_rng(6)
    w, mu = rng.exponential(size=(12, 4)), rng.uniform(0.05, 0.95, (12, 4))
    expected = Problem.from_names("bernoulli", query, n_arms=4)
    query = query.replace("0.5", "1.0")  # (1.0 + 1)/4 is 0.5
    found = Problem.from_names("bounded(lower=-1, upper=3)", query, n_arms=4, oracle=level)
    i = expected.query.answer(mu)
    rtol = 1e-6 if level == "cvxpy" else 1e-9
    np.testing.assert_allclose(
        found.best_response(i, w, 4 * mu - 1).value, expected.best_response(i, w, mu).value, rtol=rtol
    )


@pytest.mark.parametrize("ends", [(-1, 3), (0, 1e9), (0, 1e-9), (0.5, 2)], ids=str)
def test_convex_terms_add_up_to_the_divergence(ends):
    family, width = Bounded(*ends), float(ends[1]) - float(ends[0])
    rng = np.random.default_rng(14)
    w, mu = rng.random(8), ends[0] + width * rng.uniform(0.05, 0.95, 8)
    points = ends[0] + width * rng.uniform(0.05, 0.95, (2, 8))
    where = {"mean": lambda x: x, "natural": family.natural}
    if family.convex_in_log:
        where["log"] = np.log
    else:
        assert family.convex_terms("log") is None
    for coordinates, place in where.items():
        values = []
        for lam in points:
            x = cp.Variable(8)
            x.value = place(lam)
            total = -w * family.d(mu, lam)
            for term in family.convex_terms(coordinates):
                expression, coefficient = term.expression(cp, x), term.coefficient(w, mu)
                assert expression.is_convex()
                assert expression.is_affine() or (coefficient >= 0).all()
                total = total + coefficient * expression.value
            values.append(total)
        np.testing.assert_allclose(values[0], values[1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("ends", [(-1, 3), (0, 1e-9), (100, 101)], ids=str)
def test_common_means_with_arms_of_another_family(ends):
    """The cheapest common mean of a bounded and a Gaussian arm, against a fine grid."""
    width = float(ends[1]) - float(ends[0])
    arms = Arms([Bounded(*ends), Gaussian(variance=0.3 * width**2)])
    rng = np.random.default_rng(8)
    grid = ends[0] + width * np.linspace(1e-6, 1 - 1e-6, 200_001)
    for _ in range(10):
        w, mu = rng.exponential(size=2), ends[0] + width * rng.uniform(0.02, 0.98, 2)
        m = arms.tied_mean(0, 1, w[0], mu[0], w[1], mu[1])
        costs = w[0] * arms.families[0].d(mu[0], grid) + w[1] * arms.families[1].d(mu[1], grid)
        assert arms.cost(w, mu, [m, m]) <= costs.min() * (1 + 1e-9)


# What the proofs need.


def test_thresholds_for_bernoulli_arms_cover_bounded_rewards():
    query, free = BestArm(2), build("structure", "unstructured", n_arms=2)
    for families in ([Bounded()] * 2, [Bounded(-1, 3)] * 2, [Bounded(), Bernoulli()]):
        arms = Arms(families)
        assert BernoulliMixture(2).covers(arms, query, free)
        assert GarivierKaufmann(2).covers(arms, query, free)
        assert not GaussianMixture(2).covers(arms, query, free)
    assert GaussianMixture(2).covers(Arms.of(SubGaussian(2.0), 2), query, free)
    assert not BernoulliMixture(2).covers(Arms([Bounded(), Gaussian()]), query, free)
    box = build("structure", "box(lower=0, upper=1)", n_arms=2)
    assert not GarivierKaufmann(2).covers(Arms.of(Bounded(-1, 3), 2), query, box)


@pytest.mark.parametrize("n", [1, 2, 7, 100, 10_000])
def test_the_price_of_a_mixture_holds_at_sums_that_are_no_whole_numbers(n):
    """n d(s/n, mu) exceeds the logarithm of the ratio by at most ln(n)/2 + ln 2, and most at the ends."""
    s, mu = np.linspace(0, n, 1001), 0.3
    mixture = gammaln(s + 0.5) + gammaln(n - s + 0.5) - gammaln(n + 1) - np.log(np.pi)
    ratio = mixture - s * np.log(mu) - (n - s) * np.log1p(-mu)
    excess = n * Bounded().d(s / n, mu) - ratio
    assert excess.max() <= 0.5 * np.log(n) + np.log(2) + 1e-9
    assert excess.max() == pytest.approx(max(excess[0], excess[-1]), abs=1e-9)


# Simulations and experiments.


def stopping_times(family, means, runs=60, **settings):
    problem = Problem(Arms.of(family, len(means)), BestArm(len(means)))
    return simulate(problem, means, "D-C", [0.1], runs=runs, seed=2, **settings)


def test_runs_do_not_depend_on_the_unit():
    p = np.array([0.5, 0.3, 0.25])
    unit = stopping_times(Bounded(), p)
    small, large = (stopping_times(Bounded(0, 2.0**e), 2.0**e * p) for e in (-30, 30))
    assert unit.path == "lock-step"
    assert np.array_equal(small.tau, large.tau)
    # kernels for [0, 1], numpy for the others: rounding may turn a choice here and there
    assert (unit.tau == large.tau).mean() > 0.9
    assert unit.summary(0).error_rate < 0.1


def test_runs_with_rewards_of_small_variance_are_more_alike():
    p = [0.5, 0.3]
    beta, coins = (stopping_times(Bounded(concentration=c), p, runs=200).tau for c in (1000.0, 1e-6))
    assert beta.std() < 0.3 * coins.std()


@pytest.mark.parametrize("rule", ["LUCB", "KL-LUCB", "EB-TCI", "O-C", "T-C", "FWS"])
def test_rules_run_on_any_interval(rule):
    problem = Problem(Arms.of(Bounded(-1, 3), 2), BestArm(2))
    result = simulate(problem, [1.5, 0.0], rule, [0.1], runs=5, seed=1)
    assert result.summary(0).uncertified == 0


def test_thompson_sampling_takes_rewards_between_0_and_1():
    problem = Problem(Arms.of(Bounded(), 2), BestArm(2))
    assert simulate(problem, [0.7, 0.2], "TTTS", [0.1], runs=5, seed=1).summary(0).uncertified == 0


def test_an_experiment_refuses_rewards_outside_the_interval():
    explorer = Explorer.from_names("bounded(lower=-1, upper=3)", "best-arm", "D-C", 0.1, n_arms=2)
    arm = explorer.ask()
    with pytest.raises(InvalidInputError, match=r"3\.5 is not a possible reward of arm 0 \(bounded\("):
        explorer.tell(arm, 3.5)
    explorer.tell(arm, -0.25)


@pytest.mark.parametrize("reward", [0.1, 0.7, 0.3])
def test_an_experiment_of_rewards_at_an_end_can_be_restored(reward):
    """Sums of rewards at 0.1 or 0.7 are rounded, and may leave the interval's multiple."""
    explorer = Explorer.from_names("bounded(lower=0.1, upper=0.7)", "best-arm", "D-C", 0.1, n_arms=2)
    for _ in range(57):
        arm = explorer.ask()
        explorer.tell(arm, reward)
    other = Explorer.from_names("bounded(lower=0.1, upper=0.7)", "best-arm", "D-C", 0.1, n_arms=2)
    other.restore(explorer.state())
    assert other.ask() == explorer.ask()
