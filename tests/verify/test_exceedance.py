"""The fast simulation of what thresholds bound, against exact probabilities and the thresholds' own tests.

Statistical comparisons use fixed seeds; each would fail with probability at most 1e-4 on a fresh one.
"""

import numpy as np
import pytest
from scipy.stats import beta as beta_law
from scipy.stats import binom

from purex.plugins import build
from purex.problem import Problem
from purex.verify.deviations import crossing_probability
from purex.verify.exceedance import (
    SAMPLING,
    Exceedances,
    clopper_pearson,
    exceedances,
    sample_paths,
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
    for data in sample_paths(
        problem, mu, SAMPLING["runner-up"], runs=50, horizon=30, rng=np.random.default_rng(2)
    ):
        found = wrong_statistic(problem, mu, data)
        answer = data.mean.argmax(axis=1)
        assert (found[answer == 0] == 0).all()
        for r in np.flatnonzero(answer != 0)[:5]:
            expected = problem.best_response(int(answer[r]), data.N[r], data.mean[r]).value[0]
            assert found[r] == pytest.approx(expected)


def test_barriers_change_nothing():
    beta = build("threshold", "kaufmann-koolen", n_arms=2)
    rng = np.random.default_rng(3)
    seen, naive = Exceedances(beta, (0.5, 0.1), 200), np.zeros((200, 2), dtype=bool)
    N = np.ones((200, 2))
    for _ in range(100):
        N[np.arange(200), rng.integers(0, 2, 200)] += 1
        statistic = rng.exponential(8.0, 200)
        seen.see(N, statistic)
        naive |= statistic[:, None] > beta.of_counts(N[:, None], -np.log((0.5, 0.1)))
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
