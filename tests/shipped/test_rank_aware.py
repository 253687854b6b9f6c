"""Thresholds that pay for the arms that matter: values, what each question pays, linear means.

The simulated comparison fails with probability at most 0.001 on a fresh seed if the threshold is right.
"""

import mpmath
import numpy as np
import pytest

from purex.engine.setting import Setting
from purex.errors import InvalidInputError
from purex.families import Arms, Gaussian
from purex.families.prices import krichevsky_trofimov
from purex.model import Unstructured
from purex.plugins import build
from purex.problem import Problem
from purex.verify.claims.stopping import thresholds_of
from purex.verify.claims.supports import linear_distance
from purex.verify.exceedance import SAMPLING, clopper_pearson, sample_paths
from purex_plugins.auto import EitherOr
from purex_plugins.best_arm import BestArm
from purex_plugins.linear.threshold import LinearMixture
from purex_plugins.rank_aware import RankAware

# K, t, delta; then ln((K-1)/delta) + 2 r(n) and ln((K-1)/delta) + ln(1 + n) at n = t/K
VALUES = [
    (2, 1000, 0.1, 9.662423, 8.519191),
    (5, 1000, 0.1, 10.133177, 8.992184),
    (10, 100_000, 0.01, 17.157490, 16.012835),
    (50, 1000, 0.1, 10.347366, 9.238928),
    (1000, 100_000, 0.01, 17.264325, 16.127045),
]


def one(beta, N, i, x):
    """The threshold of one answer at counts N (K,)."""
    return float(beta.at(np.asarray(N, dtype=float)[None], np.array([i]), np.array([x]))[0])


@pytest.mark.parametrize(("K", "t", "delta", "coins", "normal"), VALUES)
def test_the_price_of_a_pair(K, t, delta, coins, normal):
    n, x = t / K, np.log(1 / delta)
    beta = Problem.from_names("bernoulli", "best-arm", n_arms=K).threshold("auto")
    assert one(beta, np.full(K, n), K // 2, x) == pytest.approx(coins, abs=5e-7)
    with mpmath.workdps(30):
        r = mpmath.log(mpmath.pi) / 2 + mpmath.loggamma(n + 1) - mpmath.loggamma(n + mpmath.mpf(1) / 2)
        exact = float(mpmath.log((K - 1) / mpmath.mpf(delta)) + 2 * r)
    assert one(beta, np.full(K, n), 0, x) == pytest.approx(exact, rel=1e-14)
    problem = Problem.from_names("gaussian", "best-arm", n_arms=K)
    beta = problem.threshold("rank-aware(precision=1)")
    assert np.log((K - 1) / delta) + np.log1p(n) == pytest.approx(normal, abs=5e-7)
    assert one(beta, np.full(K, n), 0, x) == pytest.approx((1 + 1 / n) * normal, abs=1e-6)
    exact = (1 + 4 / n) * (np.log((K - 1) / delta) + np.log1p(n / 4))
    assert one(problem.threshold("auto"), np.full(K, n), 0, x) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize(
    ("query", "i", "arms", "m"),
    [
        ("best-arm", 1, (1, 3), 3),  # the arms of the answer and of the rival that has most samples
        ("top-m(m=2)", 0b0011, (1, 3), 3),
        ("thresholding(threshold=0.5)", 0b0101, (3,), 4),
        ("minimum-threshold(threshold=0.5)", 0, (3,), 1),
        ("minimum-threshold(threshold=0.5)", 1, (0, 1, 2, 3), 1),
        ("closest-to(threshold=0.5)", 0, (0, 3), 3),
        ("epsilon-best-arm(epsilon=0.1)", 2, (2, 3), 3),
    ],
)
def test_what_each_question_pays(query, i, arms, m):
    N = np.array([10.0, 30.0, 20.0, 100.0])
    beta = Problem.from_names("bernoulli", query, n_arms=4).threshold("rank-aware")
    expected = np.log(m) + 2.0 + krichevsky_trofimov(N[list(arms)]).sum()
    assert one(beta, N, i, 2.0) == pytest.approx(expected, rel=1e-14)
    assert float(beta.least(2.0)) == pytest.approx(np.log(m) + 2.0)


def test_under_a_structure_all_arms_pay_once_or_those_of_a_support_without_it():
    problem = Problem.from_names("bernoulli", "best-arm", "monotone", n_arms=4)
    beta, N, x = problem.threshold("auto"), np.full((1, 4), 50.0), np.array([3.0])
    assert isinstance(beta, EitherOr)
    assert problem.label(beta) == "proved"
    price, i = float(krichevsky_trofimov(50)), np.array([2])
    assert beta.at(N, i, x)[0] == pytest.approx(3 + np.log(2) + 4 * price)
    assert beta.at_without_structure(N, i, x)[0] == pytest.approx(3 + np.log(2) + np.log(3) + 2 * price)
    alone = problem.threshold("rank-aware")
    assert alone.at(N, i, x)[0] == pytest.approx(3 + 4 * price)


def test_if_the_union_costs_more_than_all_arms_they_pay_at_once():
    """Sets that are complements of each other: their difference is all arms, and nothing is to be saved."""
    sets = [[0], [1, 2], [1], [0, 2]]
    problem = Problem.from_names("bernoulli", f"combinatorial(sets={sets})", n_arms=3)
    beta = problem.threshold("rank-aware")
    assert beta.supports is None
    assert float(beta.least(1.0)) == 1.0


def test_prices_can_be_chosen():
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=3)
    N = np.full((1, 3), 100.0)
    by_name = problem.threshold("rank-aware(price='kaufmann-koolen')")
    assert by_name.at(N, np.array([0]), 2.0)[0] > problem.threshold("rank-aware").at(N, np.array([0]), 2.0)[0]
    with pytest.raises(InvalidInputError, match="the price is one of"):
        RankAware(3, price="free")
    poisson = Problem.from_names("poisson", "best-arm", n_arms=3)
    with pytest.raises(InvalidInputError, match="no mixture price is known for poisson"):
        poisson.threshold("rank-aware(price='mixture')")


def test_installed_thresholds_are_bound_and_none_is_listed_twice():
    plain = dict(thresholds_of(Problem.from_names("bernoulli", "best-arm", n_arms=3), "proved"))
    assert "auto" not in plain
    assert plain["rank-aware"].supports.count == 2
    linear = Problem.from_names("gaussian", "best-arm", FEATURES, n_arms=5)
    assert {"auto", "rank-aware", "linear-mixture"} <= set(dict(thresholds_of(linear, "proved")))


# ---- linear means -----------------------------------------------------------------------------------------

X = np.array([[1, 0], [0, 1], [0.8, 0.6], [0.6, 0.8], [1, 0.1]])
FEATURES = f"linear(features={X.tolist()})"


@pytest.fixture(scope="module")
def linear():
    return Problem.from_names("gaussian", "best-arm", FEATURES, n_arms=5)


def test_linear_mixture_has_its_formula_in_any_basis(linear):
    N, x = np.array([3.0, 50.0, 7.0, 1.0, 20.0]), 3.0
    V, G = (X.T * N) @ X, X.T @ X / 5
    eigenvalues = np.linalg.eigvals(np.linalg.solve(G, V)).real
    expected = (1 + 4 / eigenvalues.min()) * (x + 0.5 * np.log1p(eigenvalues / 4).sum())
    assert linear.threshold("linear-mixture").of_counts(N, x) == pytest.approx(expected, rel=1e-12)
    other = (X @ np.array([[2.0, 1.0], [-1.0, 30.0]])).tolist()
    turned = Problem.from_names("gaussian", "best-arm", f"linear(features={other})", n_arms=5)
    assert turned.threshold("linear-mixture").of_counts(N, x) == pytest.approx(expected, rel=1e-9)


def test_linear_mixture_is_about_the_statistic_against_the_model_only(linear):
    beta, rule = linear.threshold("linear-mixture"), build("rule", "RR")
    assert Setting(linear, rule, beta).statistic == "model"
    labels = {s: Setting(linear, rule, beta, statistic=s).label for s in ("model", "raw", "projected")}
    assert labels == {"model": "proved", "raw": "heuristic", "projected": "heuristic"}
    assert Setting(linear, rule, linear.threshold("auto"), statistic="raw").label == "heuristic"
    free = Problem.from_names("gaussian", "best-arm", n_arms=5)
    assert free.label(LinearMixture(5)) == "heuristic"


def test_the_statistic_against_the_model_is_at_most_the_distance_of_the_parameters(linear):
    rng, theta = np.random.default_rng(0), np.array([0.5, 0.49])
    setting = Setting(linear, build("rule", "RR"), linear.threshold("linear-mixture"))
    tried = 0
    for data in sample_paths(linear, X @ theta, SAMPLING["in turn"], runs=20, horizon=40, rng=rng):
        distance = linear_distance(X, theta, data)
        for i in linear.query.answers():
            if not linear.query.is_correct((X @ theta)[None], np.array([i]))[0]:
                Z = setting.evidence(np.full(20, i), data.N, data.mean)[0]
                assert (distance * (1 + 1e-6) + 1e-9 >= Z).all()
                tried += 20
    assert tried > 1000


@pytest.mark.parametrize("sampling", SAMPLING)
def test_the_event_of_linear_mixture_is_rare(linear, sampling):
    rng, theta, runs = np.random.default_rng(1), np.array([0.5, 0.49]), 1000
    beta, hit = linear.threshold("linear-mixture"), np.zeros((1000, 2), dtype=bool)
    for data in sample_paths(linear, X @ theta, SAMPLING[sampling], runs=runs, horizon=150, rng=rng):
        distance = linear_distance(X, theta, data)
        for j, delta in enumerate((0.5, 0.1)):
            hit[:, j] |= distance > beta.of_counts(data.N, -np.log(delta))
    for j, delta in enumerate((0.5, 0.1)):
        assert clopper_pearson(int(hit[:, j].sum()), runs).lower <= delta
    assert hit[:, 0].mean() > 0.05  # a bound, and not a vacuous one


def test_until_it_knows_the_problem_it_pays_for_everything():
    arms, query, free = Arms.of(Gaussian(), 3), BestArm(3), Unstructured(3)
    general = RankAware(3)
    bound = general.for_problem(arms, query, free)
    assert general.supports is None
    N = np.full((1, 3), 100.0)
    assert general.at(N, np.array([0]), 2.0)[0] > bound.at(N, np.array([0]), 2.0)[0]
    assert (general.rises, bound.rises) == (True, False)
