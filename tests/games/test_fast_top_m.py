"""The compiled max-min of top-M against best arm, cutting planes and certificates made elsewhere."""

import numpy as np
import pytest
from scipy.optimize import linprog

from purex.families import Arms, Bernoulli, Exponential, Gaussian
from purex.problem import Problem
from purex_plugins import best_arm, top_m
from purex_plugins.top_m import TopM
from tests.games.closed_form_mixtures import top_m_mixture
from tests.games.exact_games import FAMILIES, draw_means
from tests.games.kernel_rows import game


def solve(arms, mu, i):
    """Values, allocations and gaps; what is not certified is nan."""
    kernels = top_m.query_kernels()
    return game(kernels.max_min, kernels.scratch_size, arms, i, mu)


def solve_best_arm(arms, mu, i):
    kernels = best_arm.query_kernels()
    return game(kernels.max_min, kernels.scratch_size, arms, i, mu)


def relative_gap(mu, m):
    """How far the m-th and the next mean are apart: rounded points cost so many digits."""
    ordered = -np.sort(-mu, axis=1)
    return (ordered[:, m - 1] - ordered[:, m]) / np.abs(ordered).max(axis=1)


@pytest.mark.parametrize("family", FAMILIES)
def test_one_of_many_is_best_arm(family):
    rng = np.random.default_rng(0)
    for K in (2, 5, 20):
        arms, mu = Arms.of(FAMILIES[family], K), draw_means(rng, FAMILIES[family], K, 60)
        best = mu.argmax(axis=1)
        value, w, gap = solve(arms, mu, 1 << best)
        assert not np.isnan(value).any()
        assert (gap < 1e-12).all()
        expected, allocation, _ = solve_best_arm(arms, mu, best)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        np.testing.assert_allclose(w, allocation, rtol=1e-10, atol=0)


@pytest.mark.parametrize("family", [Bernoulli(), Gaussian(0.5)])
def test_all_but_one_is_best_arm_in_the_mirror(family):
    """Bernoulli means 1 - mu, Gaussian means -mu."""
    rng = np.random.default_rng(1)
    arms, mu = Arms.of(family, 6), rng.integers(1, 1000, (100, 6)) / 1024
    mirrored = 1 - mu if family.kind == "bernoulli" else -mu
    worst = mu.argmin(axis=1)
    value, w, _ = solve(arms, mu, 0b111111 - (1 << worst))
    expected, allocation, _ = solve_best_arm(arms, mirrored, worst)
    assert not np.isnan(value).any()
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(w, allocation, rtol=1e-10)


@pytest.mark.parametrize("family", FAMILIES)
def test_both_sides_of_the_certificate(family):
    """Below: the numpy closed form at the allocation. Above: the mixture, of at most K points."""
    rng = np.random.default_rng(2)
    for K, m, size in ((3, 1, 30), (5, 2, 60), (8, 5, 30), (12, 6, 10)):
        question, arms = TopM(K, m), Arms.of(FAMILIES[family], K)
        mu = draw_means(rng, FAMILIES[family], K, size)
        i = question.answer(mu)
        values, w, gap = solve(arms, mu, i)
        assert not np.isnan(values).any()
        assert (gap < 1e-9).all()
        allowed = 1e-9 + 1e-14 / np.maximum(relative_gap(mu, m), 1e-16)
        lower = Problem(arms, question, oracle="closed-form").best_response(i, w, mu).value
        assert (np.abs(lower - values) <= allowed * values).all()
        for row in range(size):
            q, points, pieces = top_m_mixture(arms, mu[row], int(i[row]), w[row])
            assert len(q) <= K
            assert (q > 0).all()
            np.testing.assert_allclose(q.sum(), 1, rtol=1e-14)
            upper = (q[:, None] * arms.d(mu[row], points)).sum(axis=0).max()
            np.testing.assert_allclose(upper, values[row], rtol=allowed[row], atol=1e-290)
            alternatives = question.alternatives(int(i[row]))
            assert all(alternatives[p].contains(x[None]).all() for p, x in zip(pieces, points, strict=True))


def cutting_planes(arms, question, mu, i):
    """Kelley's method: a lower and an upper bound on the value, from best responses alone."""
    K, cuts = len(mu), []
    respond = Problem(arms, question, oracle="closed-form").best_response
    w, best, upper = np.full(K, 1 / K), 0.0, np.inf
    for _ in range(150):
        for a, b in question.pairs(i):  # a cut for every pair
            m = arms.tied_mean(a, b, w[a], mu[a], w[b], mu[b])
            point = mu.copy()
            point[[a, b]] = m
            cuts.append(arms.d(mu, point))
        best = max(best, float(respond(np.array([i]), w[None], mu[None]).value[0]))
        rows = np.array(cuts) / best
        result = linprog(
            np.r_[np.zeros(K), -1],
            A_ub=np.c_[-rows, np.ones(len(rows))],
            b_ub=np.zeros(len(rows)),
            A_eq=[np.r_[np.ones(K), 0]],
            b_eq=[1],
            bounds=[(0, None)] * K + [(None, None)],
        )
        w, upper = np.maximum(result.x[:K], 0), -result.fun * best
        if upper <= best * (1 + 1e-6):
            break
    return best, upper


@pytest.mark.parametrize("family", FAMILIES)
def test_cutting_planes_agree(family):
    rng = np.random.default_rng(3)
    for K, m in ((4, 2), (6, 2), (6, 4)):
        question, arms = TopM(K, m), Arms.of(FAMILIES[family], K)
        mu = rng.permutation(np.linspace(0.15, 0.85, K) + rng.uniform(-0.05, 0.05, K))
        i = int(question.answer(mu[None])[0])
        lower, upper = cutting_planes(arms, question, mu, i)
        assert upper < lower * (1 + 2e-6)
        assert lower * (1 - 1e-9) <= solve(arms, mu, i)[0] <= upper * (1 + 1e-6)


def test_symmetric_games_in_closed_form():
    """M equal arms above K - M equal ones, Gaussian: each side's weight by its size."""
    for K, m in ((4, 2), (6, 3), (5, 2), (62, 31)):
        arms, mu = Arms.of(Gaussian(), K), np.r_[np.full(m, 0.5), np.full(K - m, 0.2)]
        value, w, _ = solve(arms, mu, (1 << m) - 1)
        high, low = 1 / (m + np.sqrt(m * (K - m))), 1 / (K - m + np.sqrt(m * (K - m)))
        assert not np.isnan(value)
        np.testing.assert_allclose(w, np.r_[np.full(m, high), np.full(K - m, low)], rtol=1e-9)
        np.testing.assert_allclose(value, 0.3**2 / 2 / (1 / high + 1 / low), rtol=1e-11)


def test_variances_that_differ():
    rng = np.random.default_rng(4)
    arms = Arms([Gaussian(float(v)) for v in 10 ** rng.uniform(-2, 2, 8)])
    mu = rng.normal(size=(50, 8))
    question = TopM(8, 3)
    i = question.answer(mu)
    values, w, gap = solve(arms, mu, i)
    assert not np.isnan(values).any()
    assert (gap < 1e-9).all()
    lower = Problem(arms, question, oracle="closed-form").best_response(i, w, mu).value
    np.testing.assert_allclose(lower, values, rtol=1e-9)
    for row in range(50):
        q, points, _ = top_m_mixture(arms, mu[row], int(i[row]), w[row])
        upper = (q[:, None] * arms.d(mu[row], points)).sum(axis=0).max()
        np.testing.assert_allclose(upper, values[row], rtol=1e-8)


def test_sixty_two_arms():
    rng = np.random.default_rng(5)
    mu = np.r_[[np.linspace(0.1, 0.9, 62)], rng.uniform(size=(2, 62))]
    question, arms = TopM(62, 20), Arms.of(Bernoulli(), 62)
    i = question.answer(mu)
    values, w, gap = solve(arms, mu, i)
    assert not np.isnan(values).any()
    lower = Problem(arms, question, oracle="closed-form").best_response(i, w, mu).value
    np.testing.assert_allclose(lower, values, rtol=1e-9)
    assert (gap < 1e-9).all()


@pytest.mark.parametrize(
    ("mu", "i", "shares"),
    [
        ([0.5, 0.4, 0.4, 0.1], 0b0011, [0, 0.5, 0.5, 0]),
        ([0.5, 0.4, 0.4, 0.4], 0b0011, [0, 1 / 3, 1 / 3, 1 / 3]),
        ([0.5, 0.5, 0.5, 0.5], 0b0101, [0.25, 0.25, 0.25, 0.25]),
        ([0.9, 0.1, 0.5, 0.3], 0b0011, [0, 1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_a_set_that_is_not_strictly_best_has_value_zero(mu, i, shares):
    for family in FAMILIES.values():
        arms = Arms.of(family, 4)
        value, w, gap = solve(arms, mu, i)
        assert (value, gap) == (0, 0)
        np.testing.assert_allclose(w, shares)
        q, points, _ = top_m_mixture(arms, np.array(mu), i, w)
        assert q.tolist() == [1]
        assert points.tolist() == [mu]


def test_gamma_arms_of_mean_zero_cannot_be_tied():
    arms, mu = Arms.of(Exponential(), 4), np.array([2.0, 0.0, 1.0, 3.0])
    value, w, _ = solve(arms, mu, 0b1001)
    alone, w_alone, _ = solve(Arms.of(Exponential(), 3), mu[[0, 2, 3]], 0b101)
    assert value == alone
    assert w[[0, 2, 3]].tolist() == w_alone.tolist()
    assert 0 < w[1] < 1e-200
    response = Problem(arms, TopM(4, 2), oracle="closed-form").best_response(np.array([9]), w[None], mu[None])
    np.testing.assert_allclose(response.value, value, rtol=1e-11)
    q, points, _ = top_m_mixture(arms, mu, 0b1001, w)
    np.testing.assert_allclose((q[:, None] * arms.d(mu, points)).sum(axis=0).max(), value, rtol=1e-9)
    value, w, gap = solve(arms, [2.0, 0.0, 0.0, 3.0], 0b1001)
    assert (value, gap) == (np.inf, 0)
    np.testing.assert_allclose(w, 0.25)


def test_arms_of_different_kinds_are_left_to_others():
    value, w, gap = solve(Arms([Bernoulli(), Gaussian(), Bernoulli()]), [0.5, 0.2, 0.1], 0b001)
    assert np.isnan(value)
    assert np.isnan(w).all()
    assert gap == np.inf
