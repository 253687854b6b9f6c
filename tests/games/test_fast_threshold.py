"""The compiled max-min games of minimum threshold and thresholding against numpy and brute force."""

import numpy as np
import pytest
from closed_form_mixtures import minimum_threshold_mixture, thresholding_mixture
from kernel_rows import game

from purex.families import Arms, Bernoulli, Exponential, Gaussian, Geometric, Poisson
from purex.problem import Problem
from purex_plugins import minimum_threshold, thresholding
from purex_plugins.minimum_threshold import MinimumThreshold
from purex_plugins.thresholding import Thresholding

BELOW, NOT_BELOW = 1, 0
MIXED = Arms([Gaussian(2.0), Bernoulli(), Poisson(), Exponential(), Geometric()])
KERNELS = {
    "minimum-threshold": minimum_threshold.query_kernels(),
    "thresholding": thresholding.query_kernels(),
}


def solve(query, arms, mu, i, g):
    kernels = KERNELS[query]
    value, w, gap = game(kernels.max_min, kernels.scratch_size, arms, i, mu, g)
    assert np.all(gap == 0)
    assert not np.isnan(value).any()
    return value, w


def mixture(query, arms, mu, i, g):
    return (minimum_threshold_mixture if query == "minimum-threshold" else thresholding_mixture)(
        arms, mu, i, g
    )


def reference(arms, mu, i, g, query):
    """One row, from the formulas: the most expensive arm, or 1/d normalised."""
    d = arms.d(mu, np.full(len(mu), g))
    if query == "minimum-threshold" and i == BELOW:
        d = np.where(mu < g, d, 0)
        return d.max(), np.eye(len(mu))[d.argmax()] if d.any() else np.full(len(mu), 1 / len(mu))
    above = np.array([i >> k & 1 for k in range(len(mu))]) if query == "thresholding" else np.ones(len(mu))
    strictly = np.where(above == 1, mu > g, mu < g)
    if not strictly.all():
        return 0.0, ~strictly / (~strictly).sum()
    return 1 / (1 / d).sum(), 1 / d / (1 / d).sum()


@pytest.mark.parametrize("query", KERNELS)
@pytest.mark.parametrize("arms", [MIXED, Arms.of(Gaussian(), 5)], ids=["mixed", "gaussian"])
def test_formulas(query, arms):
    rng = np.random.default_rng(0)
    for low, high in ((0.0, 1.0), (0.5, 1.0), (0.0, 0.5), (0.4999, 0.5001)):
        mu = rng.uniform(low, high, (100, 5))
        mu[rng.random(mu.shape) < 0.05] = 0.5  # exactly at the level
        answers = (mu >= 0.5) @ (1 << np.arange(5)) if query == "thresholding" else 1 * (mu.min(axis=1) < 0.5)
        answers = np.where(rng.random(100) < 0.2, 1 - answers % 2, answers)  # and answers that are wrong
        values, w = solve(query, arms, mu, answers, 0.5)
        for row in range(100):
            value, allocation = reference(arms, mu[row], int(answers[row]), 0.5, query)
            np.testing.assert_allclose(values[row], value, rtol=1e-14)
            np.testing.assert_allclose(w[row], allocation, rtol=1e-13, atol=1e-290)


@pytest.mark.parametrize("query", KERNELS)
def test_both_sides_of_the_certificate(query):
    """Below: the numpy closed form at the allocation. Above: the mixture. No other allocation does better."""
    rng = np.random.default_rng(1)
    mu = rng.uniform(0.02, 0.98, (100, 5))
    mu[:30] = 0.5 + 0.5 * mu[:30]
    question = MinimumThreshold(5, 0.5) if query == "minimum-threshold" else Thresholding(5, 0.5)
    problem = Problem(MIXED, question, oracle="closed-form")
    i = question.answer(mu)
    values, w = solve(query, MIXED, mu, i, 0.5)
    np.testing.assert_allclose(problem.best_response(i, w, mu).value, values, rtol=1e-13)
    for row in range(100):
        q, points, pieces = mixture(query, MIXED, mu[row], int(i[row]), 0.5)
        upper = (q[:, None] * MIXED.d(mu[row], points)).sum(axis=0).max()
        np.testing.assert_allclose(upper, values[row], rtol=1e-13)
        assert np.isclose(q.sum(), 1, rtol=1e-14)
        alternatives = question.alternatives(int(i[row]))
        assert all(alternatives[p].contains(x[None]).all() for p, x in zip(pieces, points, strict=True))
    others = rng.dirichlet(np.ones(5), 100)
    assert (problem.best_response(i, others, mu).value <= values * (1 + 1e-13)).all()


@pytest.mark.parametrize(
    ("query", "mu", "i", "shares"),
    [
        ("minimum-threshold", [0.5, 0.7], BELOW, [0.5, 0.5]),  # no arm is below
        ("minimum-threshold", [0.5, 0.7], NOT_BELOW, [1, 0]),  # at the level counts as not above
        ("minimum-threshold", [0.5, 0.2, 0.7], NOT_BELOW, [0.5, 0.5, 0]),
        ("thresholding", [0.5, 0.7], 0b11, [1, 0]),
        ("thresholding", [0.5, 0.7], 0b10, [1, 0]),
        ("thresholding", [0.4, 0.7, 0.9], 0b101, [0.5, 0.5, 0]),
    ],
)
def test_a_model_in_the_alternative_has_value_zero(query, mu, i, shares):
    arms = Arms.of(Bernoulli(), len(mu))
    value, w = solve(query, arms, mu, i, 0.5)
    assert value == 0
    assert w.tolist() == shares
    q, points, _ = mixture(query, arms, np.array(mu), i, 0.5)
    assert q.tolist() == [1]
    assert points.tolist() == [mu]


def test_the_first_of_tied_arms():
    _, w = solve("minimum-threshold", Arms.of(Gaussian(), 3), [0.7, 0.2, 0.2], BELOW, 0.5)
    assert w.tolist() == [0, 1, 0]


def test_infinite_divergences():
    """A Gamma arm of mean 0 is infinitely far from any level: next to no weight makes it safe."""
    arms = Arms.of(Exponential(), 3)
    value, w = solve("minimum-threshold", arms, [1.0, 0.0, 0.2], BELOW, 0.5)
    assert (value, w.tolist()) == (np.inf, [0, 1, 0])
    mu = np.array([1.0, 0.0, 0.2])
    value, w = solve("thresholding", arms, mu, 0b001, 0.5)
    alone, w_alone = solve("thresholding", Arms.of(Exponential(), 2), mu[[0, 2]], 0b01, 0.5)
    assert value == alone
    assert w[[0, 2]].tolist() == w_alone.tolist()
    assert 0 < w[1] < 1e-200
    problem = Problem(arms, Thresholding(3, 0.5), oracle="closed-form")
    np.testing.assert_allclose(
        problem.best_response(np.array([1]), w[None], mu[None]).value, value, rtol=1e-14
    )
    assert len(thresholding_mixture(arms, mu, 0b001, 0.5)[0]) == 2
    value, w = solve("thresholding", arms, [0.0, 0.0, 0.0], 0, 0.5)
    assert value == np.inf
    np.testing.assert_allclose(w, 1 / 3)
    value, w = solve("minimum-threshold", Arms.of(Gaussian(), 2), [np.inf, 1.0], NOT_BELOW, 0.0)
    assert value == 0.5
    np.testing.assert_allclose(w, [0, 1], atol=1e-200)


def test_divergences_that_underflow():
    value, w = solve("thresholding", Arms.of(Gaussian(), 2), [1e-170, 1.0], 0b11, 0.0)
    assert (value, w.tolist()) == (0, [1, 0])
    value, w = solve("thresholding", Arms.of(Gaussian(), 2), [1e-154, 1e-154], 0b11, 0.0)
    assert value > 0  # though 1/d overflows
    assert w.tolist() == [0.5, 0.5]
