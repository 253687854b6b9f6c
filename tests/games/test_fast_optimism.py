"""The compiled max-max-min games against a random search of the box, and their corner cases."""

import numpy as np
import pytest

from purex.families import Arms, Bernoulli, Exponential, Gaussian, Poisson
from purex_plugins import best_arm, minimum_threshold, thresholding
from purex_plugins.best_arm.optimism import is_dominated
from tests.games.exact_games import FAMILIES
from tests.games.kernel_rows import game as max_min_game
from tests.games.kernel_rows import optimistic_game

LEVEL = 0.5
GAMES = {
    "best-arm": (best_arm.query_kernels(), ()),
    "minimum-threshold": (minimum_threshold.query_kernels(), (LEVEL,)),
    "thresholding": (thresholding.query_kernels(), (LEVEL,)),
}


def optimistic(game, arms, lower, upper):
    kernels, numbers = GAMES[game]
    return optimistic_game(kernels, arms, lower, upper, *numbers)


def equilibrium(game, arms, i, mu):
    kernels, numbers = GAMES[game]
    value, w, gap = max_min_game(kernels.max_min, kernels.scratch_size, arms, i, mu, *numbers)
    assert np.all(gap == 0)
    return value, w


def true_answer(game, mu):
    if game == "best-arm":
        return mu.argmax(axis=1)
    if game == "minimum-threshold":
        return 1 * (mu.min(axis=1) < LEVEL)
    return (mu >= LEVEL) @ (1 << np.arange(mu.shape[1]))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("family", FAMILIES)
def test_no_point_of_the_box_is_better(game, family):
    rng = np.random.default_rng(0)
    arms = Arms.of(FAMILIES[family], 4)
    for size in (0.02, 0.2, 0.6):
        lower = np.maximum(rng.uniform(0.1, 0.9, (40, 4)) - size * rng.random((40, 4)), 0)
        upper = np.minimum(lower + 2 * size * rng.random((40, 4)), 1)
        answers, values, points, allocations = optimistic(game, arms, lower, upper)
        assert not np.isnan(values).any()
        assert ((points >= lower) & (points <= upper)).all()
        np.testing.assert_array_equal(true_answer(game, points)[values > 0], answers[values > 0])
        again, w = equilibrium(game, arms, answers, points)
        np.testing.assert_array_equal(again, values)
        np.testing.assert_array_equal(w, allocations)
        for _ in range(60):  # inside, at corners, and corners of some arms only
            share = rng.random((40, 4))
            share = np.where(rng.random((40, 4)) < rng.random(), share.round(), share)
            mu = lower + share * (upper - lower)
            found = equilibrium(game, arms, true_answer(game, mu), mu)[0]
            assert (found <= values * (1 + 1e-12)).all()


def test_a_single_point_is_its_own_optimum():
    rng = np.random.default_rng(1)
    mu = rng.uniform(size=(50, 4))
    for game in GAMES:
        arms = Arms.of(Bernoulli(), 4)
        answers, values, points, w = optimistic(game, arms, mu, mu)
        np.testing.assert_array_equal(answers, true_answer(game, mu))
        np.testing.assert_array_equal(points, mu)
        expected, allocation = equilibrium(game, arms, answers, mu)
        np.testing.assert_array_equal(values, expected)
        np.testing.assert_array_equal(w, allocation)


def test_best_arm_takes_the_first_of_twins():
    """Arms 1 and 3 are twins; rounding, which depends on the order of the rivals, must not choose."""
    rng = np.random.default_rng(2)
    lower = rng.uniform(0, 0.4, (200, 5))
    upper = lower + rng.uniform(0.1, 0.5, (200, 5))
    lower[:, 3], upper[:, 3] = lower[:, 1], upper[:, 1]
    assert not (optimistic("best-arm", Arms.of(Bernoulli(), 5), lower, upper)[0] == 3).any()


@pytest.mark.parametrize("family", FAMILIES)
def test_best_arm_equals_all_candidates_in_turn(family):
    """Candidates that are left out change nothing: neither the first of ties nor the last bit."""
    rng = np.random.default_rng(3)
    arms, dropped = Arms.of(FAMILIES[family], 4), 0
    for kind in range(300):
        lower = rng.uniform(0.1, 0.5, 4) if kind % 3 else rng.integers(1, 4, 4) / 8
        upper = lower + (rng.uniform(0.01, 0.4, 4) if kind % 2 else 0.25)
        if kind % 5 == 0:
            upper = upper * (1 + 1e-14 * rng.integers(-3, 4, 4))  # ties, but not to the last bit
        best, value = -1, 0.0
        for i in range(4):
            corner = np.where(np.arange(4) == i, upper, lower)
            found, w = equilibrium("best-arm", arms, i, corner)
            if value * (1 + 1e-12) < found:
                best, value, allocation = i, found, w
        answer, found, _, w = optimistic("best-arm", arms, lower, upper)
        assert (answer, found) == (best, value)
        np.testing.assert_array_equal(w, allocation)
        dropped += sum(is_dominated(i, lower, upper) for i in range(4))
    assert dropped > 300


def test_best_arm_when_all_boxes_are_one_point():
    answer, value, point, w = optimistic(
        "best-arm", Arms.of(Bernoulli(), 3), [0.2, 0.5, 0.5], [0.2, 0.5, 0.5]
    )
    assert (answer, value) == (1, 0)
    assert point.tolist() == [0.2, 0.5, 0.5]
    assert w.tolist() == [0, 0.5, 0.5]


def test_best_arm_with_a_candidate_at_the_edge():
    """Bounds of Bernoulli means reach 0 and 1."""
    answer, value, point, _ = optimistic("best-arm", Arms.of(Bernoulli(), 2), [0.0, 1e-300], [1.0, 1.0])
    assert answer == 0
    np.testing.assert_allclose(value, np.log(2), rtol=1e-14)
    assert point.tolist() == [1.0, 1e-300]
    answer, value, _, w = optimistic("best-arm", Arms.of(Exponential(), 2), [1.0, 0.0], [2.0, 3.0])
    assert (answer, value) == (0, np.inf)
    np.testing.assert_allclose(w, 0.5)
    answer, value, _, _ = optimistic("best-arm", Arms.of(Poisson(), 2), [0.0, 0.0], [0.0, 2.0])
    assert answer == 1
    assert 0 < value < np.inf


def test_best_arm_of_different_kinds_is_left_to_others():
    _, value, _, w = optimistic("best-arm", Arms([Bernoulli(), Gaussian()]), [0.1, 0.2], [0.5, 0.6])
    assert np.isnan(value)
    assert np.isnan(w).all()


def test_minimum_threshold_drops_not_below_if_an_upper_end_is_below():
    arms = Arms.of(Gaussian(), 2)
    answer, value, point, w = optimistic("minimum-threshold", arms, [0.49, 0.0], [9.0, 0.4])
    assert answer == 1
    np.testing.assert_allclose(value, 0.125)
    assert point.tolist() == [0.49, 0.0]
    assert w.tolist() == [0, 1]


def test_minimum_threshold_when_nothing_is_off_the_level():
    answer, value, point, w = optimistic("minimum-threshold", Arms.of(Gaussian(), 2), [0.5, 0.5], [0.5, 0.7])
    assert (answer, value) == (0, 0)
    assert point.tolist() == [0.5, 0.7]
    assert w.tolist() == [1, 0]


def test_thresholding_when_an_arm_is_at_the_level():
    answer, value, point, w = optimistic("thresholding", Arms.of(Gaussian(), 2), [0.5, 0.1], [0.5, 0.2])
    assert (answer, value) == (0b01, 0)
    assert point.tolist() == [0.5, 0.1]
    assert w.tolist() == [1, 0]


def test_infinite_divergences():
    arms = Arms.of(Exponential(), 2)
    answer, value, point, w = optimistic("minimum-threshold", arms, [0.0, 0.6], [1.0, 2.0])
    assert (answer, value) == (1, np.inf)
    assert w.tolist() == [1, 0]
    answer, value, point, w = optimistic("thresholding", arms, [0.0, 0.6], [1.0, 2.0])
    assert answer == 0b10
    assert point.tolist() == [0.0, 2.0]
    np.testing.assert_allclose(value, float(arms.families[1].d(2.0, LEVEL)), rtol=1e-15)
    np.testing.assert_allclose(w, [0, 1], atol=1e-200)
