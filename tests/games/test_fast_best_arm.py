"""The compiled max-min of best arm against 50 digits and the numpy closed form."""

import numpy as np
import pytest

from purex.families import Arms, Bernoulli, Exponential, Gamma, Gaussian, Poisson
from purex.problem import Problem
from purex_plugins.best_arm import BestArm
from purex_plugins.best_arm.four_rivals import table_size
from purex_plugins.best_arm.nested_roots import solve_nested
from purex_plugins.best_arm.saddle_point import NESTED, NEWTON, UNSOLVED, saddle_point
from tests.games.closed_form_mixtures import best_arm_mixture
from tests.games.exact_games import FAMILIES, check_best_arm, draw_means, exact_best_arm
from tests.games.kernel_rows import best_arm_game, game


def solve(arms, mu, i=None):
    i = np.argmax(mu, axis=-1) if i is None else i
    return game(best_arm_game, table_size, arms, i, mu)


@pytest.mark.parametrize("family", FAMILIES)
def test_fifty_digits(family):
    rng = np.random.default_rng([*family.encode()])
    for K, size in ((2, 15), (5, 15), (50, 5)):
        arms = Arms.of(FAMILIES[family], K)
        mu = draw_means(rng, FAMILIES[family], K, size)
        values, allocations, statuses = solve(arms, mu)
        assert (statuses == NEWTON).all()
        for x, value, w in zip(mu, values, allocations, strict=True):
            if value > 0:
                check_best_arm(arms, x, int(x.argmax()), value, w)


def test_variances_that_differ_in_fifty_digits():
    rng = np.random.default_rng(1)
    for K in (2, 5, 20):
        arms = Arms([Gaussian(float(v)) for v in 10 ** rng.uniform(-4, 4, K)])
        for mu in (rng.normal(size=K), 1e-8 * rng.normal(size=K), 10 ** rng.uniform(-6, 6, K)):
            value, w, status = solve(arms, mu)
            assert status == NEWTON
            check_best_arm(arms, mu, int(mu.argmax()), value, w)


def test_shapes_that_differ_in_fifty_digits():
    arms = Arms([Gamma(0.5), Gamma(3.0), Exponential(), Gamma(20.0)])
    mu = np.array([1.0, 2.5, 2.0, 1e-6])
    value, w, _ = solve(arms, mu)
    check_best_arm(arms, mu, 1, value, w)


@pytest.mark.parametrize("spread", [1.0, 1e-8])
def test_a_thousand_arms_in_fifty_digits(spread):
    rng = np.random.default_rng(2)
    arms, mu = Arms.of(Bernoulli(), 1000), 0.5 + spread * rng.uniform(-0.49, 0.4, 1000)
    value, w, status = solve(arms, mu)
    assert status == NEWTON
    check_best_arm(arms, mu, int(mu.argmax()), value, w)


def test_far_arms_in_fifty_digits():
    """Ratios of weights down to 1e-12 and below."""
    for family, mu in (
        (Gaussian(), [0.0, -1e-6, -1.0, -1e8]),
        (Bernoulli(), [0.5, 0.5 - 1e-7, 1e-300, 0.0]),
        (Poisson(), [1e6, 1e6 - 1e-3, 1e-9, 0.0]),
        (Exponential(), [1.0, 1 - 1e-9, 1e-30, 1e-300]),
    ):
        arms, mu = Arms.of(family, 4), np.array(mu)
        value, w, status = solve(arms, mu)
        assert status == NEWTON
        assert w.min() < 1e-12
        check_best_arm(arms, mu, 0, value, w)


def check_loosely(arms, mu, i, value, w):
    """The value to 14 digits, and the weights to 6: variances 1e20 apart leave no more of w_j/w_i."""
    exact_value, exact_w = exact_best_arm(arms.families, mu, i, w)
    np.testing.assert_allclose(value, float(exact_value), rtol=1e-14)
    np.testing.assert_allclose(w, [float(x) for x in exact_w], rtol=1e-6, atol=0)


def test_variances_far_apart_in_fifty_digits():
    arms, mu = Arms([Gaussian(1.0), Gaussian(1e-9), Gaussian(1e11)]), np.array([-0.9, -0.47, -0.2])
    value, w, status = solve(arms, mu)
    assert status == NEWTON
    check_loosely(arms, mu, 2, value, w)


def test_the_fall_back_in_fifty_digits():
    """Variances 1e16 apart: the steps do not settle."""
    variances = [
        350.580080135519,
        26936.6030952616,
        8521.974285294727,
        3.382748708205919e-11,
        576042.8995226241,
    ]
    means = [
        -1.6584346739664923e-05, -0.0015289352861986435, 0.0007267947546622034, 8.254261016785404e-05,
        -0.0013975633139691043,
    ]  # fmt: skip
    arms, mu = Arms([Gaussian(v) for v in variances]), np.array(means)
    value, w, status = solve(arms, mu)
    assert status == NESTED
    check_loosely(arms, mu, 2, value, w)


def test_a_mean_at_the_edge_needs_no_fall_back():
    """There the expansions bend much, and are not to be believed far from the tie."""
    arms, mu = Arms.of(Bernoulli(), 4), np.array([0.237, 0.318, 1.0, 0.356])
    value, w, status = solve(arms, mu)
    assert status == NEWTON
    check_best_arm(arms, mu, 2, value, w)


def test_means_next_to_one_in_fifty_digits():
    """1 - m must be known to all digits, which m is not."""
    arms = Arms.of(Bernoulli(), 3)
    for mu in ([1.0, 1 - 2**-40, 0.5], [1.0, 1 - 2**-53, 1 - 2**-52], [1 - 2**-50, 1 - 2**-30, 0.0]):
        value, w, status = solve(arms, mu)
        assert status == NEWTON
        check_best_arm(arms, mu, 0, value, w)


@pytest.mark.parametrize("family", FAMILIES)
def test_nested_agrees_with_newton(family):
    """The fall-back, on its own and from a bad start, on every family."""
    rng = np.random.default_rng(4)
    arms = Arms.of(FAMILIES[family], 5)
    for x in draw_means(rng, FAMILIES[family], 5, 20):
        value, w, _ = solve(arms, x)
        if value > 0:
            i = int(x.argmax())
            rivals, p = np.delete(x, i), np.ones(4)
            z = solve_nested(arms.codes[i], arms.parameters[i], x[i], rivals, np.ones(4), 1e3 / value, p)
            np.testing.assert_allclose(1 / p, np.delete(w, i) / w[i], rtol=1e-11)
            np.testing.assert_allclose(arms.scales[i] / (1 + (1 / p).sum()) / z, value, rtol=1e-12)


def test_the_edges_of_bernoulli():
    """With means 1 and 0 the two-arm game is symmetric: D = log 2; the usual bracket is infinite there."""
    value, w, _ = solve(Arms.of(Bernoulli(), 2), [1.0, 0.0])
    np.testing.assert_allclose(value, np.log(2), rtol=1e-15)
    np.testing.assert_allclose(w, 0.5, rtol=1e-15)
    many, w, _ = solve(Arms.of(Bernoulli(), 4), [1.0, 0.0, 0.0, 0.0])
    assert 0 < many < value
    np.testing.assert_allclose(w[1:], w[1], rtol=1e-15)
    near, _, _ = solve(Arms.of(Bernoulli(), 2), [1.0, 1e-300])
    np.testing.assert_allclose(near, value, rtol=1e-14)


def test_two_gaussians_of_different_variances():
    """D = gap^2 / (2 (sigma_1 + sigma_2)^2) and w proportional to sigma."""
    sigma, mu = np.array([3.0, 0.5]), np.array([1.0, -0.25])
    value, w, _ = solve(Arms([Gaussian(float(s**2)) for s in sigma]), mu)
    np.testing.assert_allclose(value, 1.25**2 / 2 / sigma.sum() ** 2, rtol=1e-15)
    np.testing.assert_allclose(w, sigma / sigma.sum(), rtol=1e-15)


@pytest.mark.parametrize(
    ("mu", "i", "shares"),
    [
        ([0.5, 0.5, 0.2], 0, [0.5, 0.5, 0]),
        ([0.5, 0.5, 0.5], 1, [1 / 3, 1 / 3, 1 / 3]),
        ([0.5, 0.7, 0.2, 0.5], 0, [1 / 3, 1 / 3, 0, 1 / 3]),
        ([0.5, 0.7, 0.2, 0.5], 2, [0.25, 0.25, 0.25, 0.25]),
        ([0.0, 0.0], 1, [0.5, 0.5]),
    ],
)
def test_an_arm_that_is_not_strictly_best_has_value_zero(mu, i, shares):
    for family in FAMILIES.values():
        arms = Arms.of(family, len(mu))
        value, w, status = solve(arms, mu, i)
        assert (value, status) == (0, NEWTON)
        np.testing.assert_allclose(w, shares)
        weights, points, pieces = best_arm_mixture(arms, np.array(mu), i, w)
        assert (weights == 1).all()
        assert (points == mu).all()
        assert all(mu[j + (j >= i)] >= mu[i] for j in pieces)


def test_gaps_that_underflow_are_ties():
    value, w, _ = solve(Arms.of(Gaussian(), 3), [1e-170, 0.0, -1.0])
    assert value == 0
    np.testing.assert_array_equal(w, [0.5, 0.5, 0])


def test_one_arm_has_no_rival():
    value, w, status = solve(Arms.of(Bernoulli(), 1), [0.3])
    assert (value, w[0], status) == (np.inf, 1, NEWTON)


def test_a_gamma_arm_of_mean_zero_cannot_be_tied():
    """It counts for nothing; its weight is tiny but positive, so the best response proves the value."""
    arms = Arms.of(Exponential(), 3)
    value, w, status = solve(arms, [2.0, 0.0, 1.0])
    alone, w_alone, _ = solve(Arms.of(Exponential(), 2), [2.0, 1.0])
    assert (value, status) == (alone, NEWTON)
    np.testing.assert_array_equal(w[[0, 2]], w_alone)
    assert 0 < w[1] < 1e-200
    problem = Problem(arms, BestArm(3), oracle="closed-form")
    response = problem.best_response(np.array([0]), w[None], np.array([[2.0, 0.0, 1.0]]))
    np.testing.assert_allclose(response.value, value, rtol=1e-12)
    value, w, _ = solve(arms, [2.0, 0.0, 0.0])
    assert value == np.inf
    np.testing.assert_allclose(w, 1 / 3)


def test_arms_of_different_kinds_are_left_to_others():
    value, w, status = solve(Arms([Bernoulli(), Gaussian(), Bernoulli()]), [0.5, 0.2, 0.1])
    assert status == UNSOLVED
    assert np.isnan(value)
    assert np.isnan(w).all()
    value, w, status = solve(Arms([Bernoulli(), Gaussian()]), [0.5, 3.0], 0)  # but ties are ties
    assert (value, status) == (0, NEWTON)
    np.testing.assert_array_equal(w, [0.5, 0.5])


@pytest.mark.parametrize("family", FAMILIES)
def test_both_sides_of_the_certificate(family):
    """Below: the numpy closed form at the allocation. Above: the mixture. No other allocation does better."""
    rng = np.random.default_rng(5)
    arms = Arms.of(FAMILIES[family], 5)
    mu = draw_means(rng, FAMILIES[family], 5, 60)
    i = mu.argmax(axis=1)
    values, w, _ = solve(arms, mu, i)
    respond = Problem(arms, BestArm(5), oracle="closed-form").best_response
    ordered = np.sort(mu, axis=1)
    gap = (ordered[:, -1] - ordered[:, -2]) / ordered[:, -1]
    allowed = 1e-11 + 1e-14 / np.maximum(gap, 1e-16)  # the points are rounded
    lower = respond(i, w, mu).value
    assert (np.abs(lower - values) <= allowed * values).all()
    for row in np.flatnonzero(values > 0):
        q, points, _ = best_arm_mixture(arms, mu[row], int(i[row]), w[row])
        assert len(q) < 5
        upper = (q[:, None] * arms.d(mu[row], points)).sum(axis=0).max()
        np.testing.assert_allclose(upper, values[row], rtol=allowed[row])
    others = w * np.exp(0.1 * rng.normal(size=w.shape))
    assert (respond(i, others / others.sum(axis=1, keepdims=True), mu).value <= values * (1 + allowed)).all()


def test_rows_do_not_know_each_other():
    rng = np.random.default_rng(6)
    arms, mu = Arms.of(Bernoulli(), 7), rng.uniform(size=(50, 7))
    values, w, _ = solve(arms, mu)
    for row in range(50):
        value, alone, _ = solve(arms, mu[row].copy())
        assert value == values[row]
        assert (alone == w[row]).all()


@pytest.mark.parametrize("spread", [0.05, 0.3, 0.6, 0.8, 1.0])
def test_rivals_on_both_sides_of_the_series_in_fifty_digits(spread):
    """Four rivals at once by series, and those for which it does not reach one by one; blocks not full."""
    rng = np.random.default_rng(7)
    for K in (2, 4, 5, 6, 9, 10):
        arms = Arms.of(Bernoulli(), K)
        for best in (0.03, 0.5, 0.97):
            mu = np.append(best * (1 - spread * rng.random(K - 1)), best)
            value, w, status = solve(arms, mu)
            assert status == NEWTON
            check_best_arm(arms, mu, K - 1, value, w)


def test_gaussian_arms_of_one_variance_in_fifty_digits():
    """The short way, over all magnitudes, with equal rivals and with far ones; and where it ends."""
    rng = np.random.default_rng(8)
    for scale in (1e-139, 1e-100, 1e-9, 1.0, 1e100, 1e139):
        for K in (2, 3, 4, 12, 100):
            arms = Arms.of(Gaussian(2.0), K)
            for gaps in (np.ones(K - 1), rng.uniform(1, 2, K - 1), 10 ** rng.uniform(0, 8, K - 1)):
                mu = np.append(-scale * gaps, 0.0)
                value, w, status = solve(arms, mu)
                assert status == NEWTON
                check_best_arm(arms, mu, K - 1, value, w)


def test_scratch_space_is_not_read():
    """The result is the same whatever the table held before."""
    mu, arms = np.array([0.3, 0.21, 0.01, 0.19, 0.18, 0.1]), Arms.of(Bernoulli(), 6)
    value, w, _ = solve(arms, mu)
    for rubbish in (np.nan, 0.0, 1e300):
        table, again = np.full(table_size(6), rubbish), np.empty(6)
        found = saddle_point(0, mu, arms.codes, arms.scales, arms.parameters, again, table)
        assert found == (value, NEWTON)
        np.testing.assert_array_equal(again, w)
