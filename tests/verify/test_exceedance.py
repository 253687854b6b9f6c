"""The fast simulation of what thresholds bound, against exact probabilities and the thresholds' own tests.

Statistical comparisons use fixed seeds; each would fail with probability at most 1e-4 on a fresh one.
"""

import numpy as np
import pytest
from scipy.stats import beta as beta_law
from scipy.stats import binom

from purex.engine.setting import Setting
from purex.families.prices import krichevsky_trofimov_at
from purex.model import Deviations
from purex.plugins import build
from purex.problem import Problem
from purex.verify.deviations import crossing_probability
from purex.verify.exceedance import (
    SAMPLING,
    Exceedances,
    clopper_pearson,
    exceedances,
    from_powers,
    sample_paths,
    support_exceedances,
    wrong_statistic,
)

RUNS, HORIZON = 4000, 60


@pytest.fixture(scope="module")
def coin():
    return Problem.from_names("bernoulli", "thresholding(threshold=0.4)", n_arms=1)


@pytest.mark.parametrize("delta", [0.5, 0.1])
def test_the_frequency_is_the_exact_probability_for_one_coin(coin, delta):
    beta = build("threshold", "bernoulli-mixture", n_arms=1)
    (hit,) = exceedances(
        coin,
        np.array([0.5]),
        [beta],
        [delta],
        "in turn",
        runs=RUNS,
        horizon=HORIZON,
        rng=np.random.default_rng(0),
    )
    levels = beta.of_counts(np.arange(1, HORIZON + 1)[:, None], -np.log(delta))
    exact = crossing_probability(0.5, HORIZON, np.nextafter(levels, np.inf))
    assert exact <= delta
    k = int(hit.sum())
    assert binom.cdf(k, RUNS, exact) > 1e-4
    assert binom.sf(k - 1, RUNS, exact) > 1e-4


@pytest.mark.parametrize("sampling", SAMPLING)
def test_paths_are_consistent(sampling):
    problem, mu = Problem.from_names("bernoulli", "best-arm", n_arms=3), np.array([0.5, 0.3, 0.2])
    for data in sample_paths(
        problem, mu, SAMPLING[sampling], runs=20, horizon=40, rng=np.random.default_rng(1)
    ):
        assert (data.N.sum(axis=1) == data.t).all()
        assert (data.N >= 1).all()
        np.testing.assert_allclose(data.Z, data.N * problem.arms.d(data.mean, mu), rtol=1e-12)
        np.testing.assert_allclose(data.N * data.mean, np.round(data.N * data.mean), atol=1e-9)
    assert data.t == 40


def test_wrong_answers_have_their_statistic_and_right_ones_none():
    problem, mu = Problem.from_names("bernoulli", "best-arm", n_arms=3), np.array([0.5, 0.4, 0.2])
    setting = Setting(problem, build("rule", "RR"), problem.threshold("rank-aware"))
    for data in sample_paths(
        problem, mu, SAMPLING["runner-up"], runs=50, horizon=30, rng=np.random.default_rng(2)
    ):
        given, found = wrong_statistic(setting, mu, data)
        answer = data.mean.argmax(axis=1)
        assert (given == answer).all()
        assert (found[answer == 0] == 0).all()
        for r in np.flatnonzero(answer != 0)[:5]:
            expected = problem.best_response(int(answer[r]), data.N[r], data.mean[r]).value[0]
            assert found[r] == pytest.approx(expected)


LINEAR = "linear(features=[[1, 0], [1, 1]])"


@pytest.mark.parametrize(
    ("family", "structure", "name"),
    [
        ("bernoulli", None, "kaufmann-koolen"),
        ("bernoulli", None, "rank-aware"),
        ("gaussian", None, "rank-aware"),
        ("gaussian", LINEAR, "linear-mixture"),
        ("gaussian", LINEAR, "auto"),
    ],
)
def test_barriers_change_nothing(family, structure, name):
    problem = Problem.from_names(family, "best-arm", structure, n_arms=2)
    beta = problem.threshold(name)
    rng = np.random.default_rng(3)
    seen, naive = Exceedances(beta, (0.5, 0.1), 200), np.zeros((200, 2), dtype=bool)
    N = np.ones((200, 2))
    for _ in range(100):
        N[np.arange(200), rng.integers(0, 2, 200)] += 1
        statistic, i = (
            rng.exponential(8.0 if name == "kaufmann-koolen" else 1.2, 200),
            rng.integers(0, 2, 200),
        )
        mean = rng.uniform(0, 1, N.shape)
        seen.see(N, i, statistic, mean)
        for j, x in enumerate(-np.log((0.5, 0.1))):
            naive[:, j] |= statistic > beta.at_data(N, i, np.full(200, x), mean)
    assert (seen.hit == naive).all()
    assert 0 < naive.mean() < 1


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (10, 10), (70, 2000)])
def test_clopper_pearson_limits_are_exact(k, n):
    frequency, lower, upper = clopper_pearson(k, n, risk=0.001)
    assert frequency == k / n
    if k:
        assert binom.sf(k - 1, n, lower) == pytest.approx(0.001, rel=1e-6)
        assert lower == pytest.approx(beta_law.ppf(0.001, k, n - k + 1))
    if k < n:
        assert binom.cdf(k, n, upper) == pytest.approx(0.001, rel=1e-6)


def test_thresholds_say_which_event_their_proof_bounds():
    events = {
        name: build("threshold", name, n_arms=3).event
        for name in (
            "garivier-kaufmann",
            "kaufmann-koolen",
            "bernoulli-mixture",
            "gaussian-mixture",
            "magureanu",
        )
    }
    assert events.pop("garivier-kaufmann") == "wrong answer"
    assert set(events.values()) == {"truth"}
    for name in ("rank-aware", "linear-mixture", "auto"):
        assert build("threshold", name, n_arms=3).event == "wrong answer"


def test_the_event_of_supports_is_that_of_the_sums():
    """The pairs that wrong answers are blamed on, one run at a time; and rewards that are no coin flips."""
    problem, mu = Problem.from_names("bernoulli", "best-arm", n_arms=3), np.array([0.5, 0.7, 0.2])
    deviations, x = Deviations(problem.arms), np.array([-0.5, -0.3])
    options = {"runs": 40, "horizon": 60}
    # at levels below 0: rewards that vary less than coin flips hardly ever exceed the others
    hit = support_exceedances(
        problem, mu, deviations, None, x, "in turn", rng=np.random.default_rng(4),
        draw=from_powers(mu), **options,
    )  # fmt: skip
    expected = np.zeros((40, 2), dtype=bool)
    rng = np.random.default_rng(4)
    for data in sample_paths(problem, mu, SAMPLING["in turn"], rng=rng, draw=from_powers(mu), **options):
        assert ((data.mean > 0) & (data.mean < 1)).all()
        for pair in ([0, 1], [0, 2]):  # arm 1 is better than arm 0, and this than arm 2
            price = krichevsky_trofimov_at(data.N[:, pair], data.mean[:, pair]).sum(axis=1)
            expected |= data.Z[:, pair].sum(axis=1)[:, None] > x + price[:, None]
    assert (hit == expected).all()
    assert 0 < hit.mean() < 1
    assert np.abs(data.mean.mean(axis=0) - mu).max() < 0.05  # five standard errors
