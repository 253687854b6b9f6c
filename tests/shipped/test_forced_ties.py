"""Structures that force equalities: alternatives that used to vanish, and what is correct at a tie."""

import numpy as np
import pytest

from purex import simulate
from purex.convex.forced_ties import on_rows
from purex.families import Arms, Gaussian
from purex.model import Polyhedron, Query
from purex.problem import Problem
from purex_plugins.linear import Linear
from purex_plugins.unit_sum import UnitSum

BASELINE = "linear(features=[[0], [1]])"  # arm 0 has a known mean of 0


def test_a_baseline_at_the_threshold_is_not_below_it():
    """Models are (0, x): "below" is wrong where x >= 0, and (0, -0.3) is 10 * 0.3^2 / 2 away."""
    problem = Problem.from_names("gaussian", "minimum-threshold(threshold=0)", BASELINE, n_arms=2)
    below = problem.best_response(1, [10, 10], [0, -0.3])
    np.testing.assert_allclose(below.value, 0.45, rtol=1e-12)
    np.testing.assert_allclose(below.point, [[0, 0]], atol=1e-15)
    not_below = problem.best_response(0, [10, 10], [0, 0.3])
    np.testing.assert_allclose(not_below.value, 0.45, rtol=1e-12)


def test_a_baseline_below_or_above_the_threshold_leaves_one_answer():
    below = Problem.from_names("gaussian", "minimum-threshold(threshold=0.5)", BASELINE, n_arms=2)
    assert np.isinf(below.best_response(1, [1, 1], [0, 1]).value).all()
    above = Problem.from_names("gaussian", "thresholding(threshold=-0.5)", BASELINE, n_arms=2)
    np.testing.assert_allclose(above.best_response(3, [1, 1], [0, 1]).value, 1.5**2 / 2, rtol=1e-12)


def test_thresholding_counts_a_baseline_at_the_threshold_as_above():
    problem = Problem.from_names("gaussian", "thresholding(threshold=0)", BASELINE, n_arms=2)
    with_baseline, without = 0b11, 0b10
    np.testing.assert_allclose(problem.best_response(with_baseline, [1, 1], [0, 1]).value, 0.5, rtol=1e-12)
    # every model has the baseline above, so every model refutes an answer without it
    np.testing.assert_allclose(problem.best_response(without, [1, 1], [0, 1]).value, 0, atol=1e-15)


@pytest.mark.parametrize("i", [0, 1])
def test_arms_that_share_their_features_are_no_rivals(i):
    """Two copies of one arm: both are best if one is, and only arm 2 can refute them."""
    problem = Problem.from_names(
        "gaussian", "best-arm", "linear(features=[[1, 0], [1, 0], [0, 1]])", n_arms=3
    )
    found = problem.best_response(i, [1, 3, 4], [0.5, 0.5, 0])
    np.testing.assert_allclose(
        found.value, 4 * 4 / 8 * 0.5**2 / 2, rtol=1e-10
    )  # weights 4 and 4 meet half-way
    assert problem.query.is_correct(found.point, np.array([2])).all() or found.piece[0] == 1


def nash_by_brute_force(X, w, xi, i, steps):
    """The cheapest model X theta, theta on a grid, to which i is wrong; equal features give equal means."""
    theta = np.stack(np.meshgrid(*[steps] * X.shape[1], indexing="ij"), axis=-1).reshape(-1, X.shape[1])
    lam = sum(theta[:, j, None] * X[None, :, j] for j in range(X.shape[1]))
    table = lam.reshape(-1, 2, 2)
    saddle = (table >= table.max(axis=1, keepdims=True)) & (table <= table.min(axis=2, keepdims=True))
    saddle = saddle.reshape(-1, 4)
    wrong = saddle.any(axis=1) if i == -1 else ~saddle[:, i]
    return (w * (lam - xi) ** 2 / 2).sum(axis=1)[wrong].min()


def test_nash_under_shared_features_against_brute_force():
    """Arms 0 and 2 share a column and their features: (0, 0) is a saddle iff it is smallest in its row."""
    X = np.array([[1.0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]])
    problem = Problem.from_names(
        "gaussian", "nash(rows=2, columns=2)", f"linear(features={X.tolist()})", n_arms=4
    )
    rng, steps = np.random.default_rng(1), np.linspace(-1.5, 1.5, 61)
    for _ in range(40):
        theta, w = rng.choice(steps[15:46], 3), rng.exponential(size=4)
        xi = X @ theta
        i = int(problem.query.answer(xi[None])[0]) if rng.random() < 0.7 else -1
        value = float(problem.best_response(i, w, xi).value[0])
        brute = nash_by_brute_force(X, w, xi, i, steps)
        assert value <= brute * (1 + 1e-9) + 1e-12
        assert brute <= value + 2 * 0.05 * np.sqrt(2 * value * w.sum()) + 0.05**2 * w.sum(), (i, xi, w)


@pytest.mark.parametrize("threshold", ["gaussian-mixture", "kaufmann-koolen"])
def test_a_proved_threshold_keeps_its_risk_next_to_a_baseline(threshold):
    """It erred in 87 % of runs. At a risk of 0.05 more than 22 errors in 200 have probability below 1e-3."""
    problem = Problem.from_names("gaussian", "minimum-threshold(threshold=0)", BASELINE, n_arms=2)
    runs = simulate(problem, [0, 0.3], "RR", 0.05, runs=200, seed=3, threshold=threshold, max_rounds=20_000)
    assert runs.threshold_label == "proved"
    assert (~runs.correct).sum() <= 22


class Sum(Query):
    """Is the sum of all means at least 1? At exactly 1 it is."""

    def answer(self, mu):
        return (mu.sum(axis=1) >= 1).astype(np.int64)

    def alternatives(self, i):
        row = np.ones(self.n_arms)
        return [Polyhedron(row, 1.0) if i == 1 else Polyhedron(-row, -1.0)]

    def answers(self):
        return (0, 1)


def test_a_general_row_that_is_forced_is_solved_exactly():
    """With a known total of 1 the answer is yes, in every model: "no" is refuted, "yes" never."""
    problem = Problem(Arms.of(Gaussian(), 3), Sum(3), UnitSum(3))
    np.testing.assert_allclose(problem.best_response(0, np.ones(3), [0.2, 0.3, 0.5]).value, 0, atol=1e-15)
    assert np.isinf(problem.best_response(1, np.ones(3), [0.2, 0.3, 0.5]).value).all()


def test_means_on_rows_are_exact():
    row = np.array([1.0, 1.0, 0.0])
    mu = on_rows([(row, 0.2), (np.array([0.0, 1.0, -1.0]), 0.0)], np.array([0.1234567, 0.0765, 0.0765]))
    assert mu is not None
    assert mu[0] + mu[1] == 0.2
    assert mu[1] == mu[2]
    assert on_rows([(np.array([3.0, 0.0]), 1.0)], np.array([0.33, 0.1])) is None  # a third is no float


def test_a_tie_that_the_truth_has_is_no_error():
    """Monotone doses 0.3 and 0.3 below 0.5: both are nearest, and the second can be certified."""
    problem = Problem.from_names("bernoulli", "closest-to(threshold=0.5)", "monotone", n_arms=2)
    assert problem.query.is_correct(np.array([[0.3, 0.3]] * 2), np.array([0, 1])).all()
    assert problem.easiest_answer([0.3, 0.3]).tolist() == [1]
    assert problem.solve([0.3, 0.3]).value[0] > 0.05
    runs = simulate(problem, [0.3, 0.3], "D-C", 0.05, runs=100, seed=1)
    assert runs.correct.all()


@pytest.mark.parametrize(
    ("query", "mu", "correct"),
    [
        ("best-arm", [0.4, 0.6, 0.6], [1, 2]),
        ("top-m(m=2)", [0.6, 0.4, 0.4], [0b011, 0b101]),
        ("closest-to(threshold=0.5)", [0.4375, 0.5625, 0.2], [0, 1]),
        ("nash(rows=1, columns=3)", [0.4, 0.6, 0.4], [0, 2]),
        ("tree(children=[[0, 1], [2]])", [0.5, 0.7, 0.5], [0, 1]),
        ("combinatorial(sets=[[0, 1], [2]])", [0.1, 0.2, 0.30000000000000004], [0, 1]),
        ("epsilon-best-arm(epsilon=0.25)", [0.5, 0.25, 0.2], [0, 1]),
        ("beats-control(epsilon=0.25)", [0.25, 0.5, 0.6], [0b100]),
        ("ranking(m=2)", [0.4, 0.6, 0.4], [2, 3]),
        ("condorcet(items=3)", [0.5, 0.7, 0.4], [-1]),
        ("good-arm(threshold=0.5)", [0.5, 0.6, 0.4], [0, 1]),
        ("minimum-threshold(threshold=0.5)", [0.5, 0.6, 0.7], [0]),
        ("thresholding(threshold=0.5)", [0.5, 0.6, 0.4], [0b011]),
    ],
)
def test_which_answers_are_correct_at_a_tie(query, mu, correct):
    problem = Problem.from_names("bernoulli", query, n_arms=3)
    codes = np.array(list(problem.query.answers()))
    right = problem.query.is_correct(np.repeat([mu], len(codes), axis=0), codes)
    assert codes[right].tolist() == correct
    assert problem.query.answer(np.array([mu]))[0] in correct


def test_pieces_on_the_edge_of_the_models_stay_out():
    """In whichever unit, and however the query breaks ties."""
    for constant in (1e-12, 1.0, 1e12):
        problem = Problem.from_names("gaussian", f"thresholding(threshold={constant})", "monotone", n_arms=2)
        assert [number for number, _ in problem.game.pieces.solvers(0b10)] == [0, 1]
        problem = Problem(Arms.of(Gaussian(constant**2), 2), problem.query, Linear(2, [[1], [1]]))
        assert problem.game.pieces.solvers(0b10)  # refuted by every model: the arms are one
