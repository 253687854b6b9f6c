"""Problems with arms of unknown variance: best responses and games by brute force, and what is refused."""

import itertools

import numpy as np
import pytest

import purex
from purex.errors import RefusedProblemError
from purex.families import Arms, Student
from purex.problem import Problem

QUERIES = ["best-arm", "top-m(m=2)", "thresholding(threshold=0.3)", "minimum-threshold(threshold=0.3)"]
GRID = 401


class Ahead(purex.Query):
    """Is twice the mean of arm 0 more than 0.4 above that of arm 1? One row with coefficients."""

    def answer(self, mu):
        return (2 * mu[:, 0] - mu[:, 1] > 0.4).astype(np.int64)

    def alternatives(self, i):
        row = np.zeros(self.n_arms)
        row[:2] = 2.0, -1.0
        return [purex.Polyhedron(row if i == 1 else -row, 0.4 if i == 1 else -0.4)]


def brute_force(problem, i, w, xi, deviations):
    """The least cost over a grid of models with another answer, between the smallest and largest mean."""
    ends = min(xi.min(), 0.3), max(xi.max(), 0.3)
    axis = np.unique(np.concatenate([np.linspace(*ends, GRID), xi, [0.3]]))
    if problem.n_arms == 2:
        lam = np.array(list(itertools.product(axis, axis)))
    else:
        lam = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    inside = np.zeros(len(lam), dtype=bool)
    for piece in problem.query.alternatives(i):
        inside |= piece.contains(lam, 1e-12)
    u = (lam[inside] - xi) / deviations
    return float((w * 0.5 * np.log1p(u * u)).sum(axis=1).min())


@pytest.mark.parametrize("query", QUERIES)
def test_best_responses_are_those_of_brute_force(query, monkeypatch):
    monkeypatch.setattr("tests.problem.test_unknown_variance.GRID", 61)
    problem = Problem.from_names("student", query, n_arms=3)
    rng = np.random.default_rng(0)
    R = 6
    w, xi, s = rng.uniform(0, 5, (R, 3)), rng.uniform(0, 1, (R, 3)), 10 ** rng.uniform(-1.5, 0.5, (R, 3))
    w[0, 1] = 0.0
    i = problem.answer(xi)
    found = problem.seeing(s).oracle(i, w, xi)
    for r in range(R):
        assert problem.seeing(s).arms.cost(w, xi, found.point)[r] == found.value[r]
        pieces = problem.query.alternatives(int(i[r]))
        assert pieces[found.piece[r]].contains(found.point[r], 1e-9)
        near = brute_force(problem, int(i[r]), w[r], xi[r], s[r])
        assert found.value[r] <= near * (1 + 1e-9)
        assert found.value[r] >= 0.8 * near - 1e-9  # the grid is coarse


def test_a_row_with_coefficients_is_solved_as_well():
    problem = Problem(Arms.of(Student(), 2), Ahead(2))
    rng = np.random.default_rng(1)
    for _ in range(10):
        xi, w, s = rng.uniform(0, 1, 2), rng.uniform(0.1, 5, 2), rng.uniform(0.05, 1, 2)
        i = problem.answer(xi)
        found = problem.seeing(s[None]).oracle(i, w[None], xi[None])
        x = np.linspace(-3, 3, 200_001)  # arm 0; arm 1 on the line 2 x - 0.4, if the alternative is ahead
        cost = w[0] * np.log1p(((x - xi[0]) / s[0]) ** 2) + w[1] * np.log1p(
            ((2 * x - 0.4 - xi[1]) / s[1]) ** 2
        )
        assert found.value[0] == pytest.approx(cost.min() / 2, rel=1e-6)


def test_a_model_of_the_alternative_answers_with_itself():
    problem = Problem.from_names("student", "best-arm", n_arms=3)
    xi = np.array([[0.1, 0.5, 0.5]])
    found = problem.best_response(0, [[1, 1, 1]], xi)
    assert found.value[0] == 0
    assert (found.point == xi).all()


def test_a_row_depends_on_that_row_only():
    problem = Problem.from_names("student", "best-arm", n_arms=3)
    rng = np.random.default_rng(2)
    w, xi, s = rng.uniform(0, 5, (30, 3)), rng.uniform(0, 1, (30, 3)), rng.uniform(0.1, 2, (30, 3))
    i = problem.answer(xi)
    whole = problem.seeing(s).oracle(i, w, xi)
    for r in range(30):
        alone = problem.seeing(s[r : r + 1]).oracle(i[r : r + 1], w[r : r + 1], xi[r : r + 1])
        assert alone.value[0] == whole.value[r]
        assert (alone.point[0] == whole.point[r]).all()


def test_in_a_box_no_model_leaves_it():
    problem = Problem.from_names("student", "best-arm", n_arms=2, box=(0.0, 0.4))
    found = problem.best_response(0, [[1, 2]], [[0.9, 0.1]])
    x = np.linspace(0, 0.4, 400_001)
    cost = 0.5 * np.log1p((x - 0.9) ** 2) + np.log1p((x - 0.1) ** 2)
    assert found.value[0] == pytest.approx(cost.min(), rel=1e-9)
    assert ((found.point >= 0) & (found.point <= 0.4)).all()


def test_the_game_of_two_arms_is_that_of_a_search_over_allocations():
    problem = Problem(Arms([Student(1.0), Student(3.0)]), purex.Problem.from_names(
        "student", "best-arm", n_arms=2).query)  # fmt: skip
    mu = np.array([[2.0, 0.5]])
    shares = np.linspace(0, 1, 20_001)
    w = np.stack([shares, 1 - shares], axis=1)
    values = problem.best_response(0, w, np.repeat(mu, len(w), axis=0)).value
    found = problem.solve(mu[0])
    assert found.value[0] == pytest.approx(values.max(), rel=1e-6)
    assert found.gap[0] < 1e-6


def test_small_gaps_are_as_hard_as_with_known_variances_and_large_ones_harder():
    known, unknown = (Problem.from_names(f, "best-arm", n_arms=3) for f in ("gaussian", "student"))
    for gap, low, high in ((1e-3, 1 - 1e-5, 1.0), (3.0, 0.2, 0.8)):
        mu = [gap, 0.0, 0.0]
        assert low <= unknown.solve(mu).value[0] / known.solve(mu).value[0] <= high


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"query": "closest-to(threshold=0.5)"}, "bounds of single arms or one inequality between two"),
        (
            {"query": "nash(rows=2, columns=2)", "n_arms": 4},
            "bounds of single arms or one inequality between two",
        ),
        ({"structure": "monotone"}, "not convex, and all arms would have to move together"),
        ({"oracle": "generic"}, "have a single oracle"),
        ({"family": "student; student; gaussian"}, "are not mixed with gaussian arms"),
    ],
)
def test_what_cannot_be_solved_is_refused_when_the_problem_is_built(arguments, sentence):
    given = {"family": "student", "query": "best-arm", "n_arms": 3} | arguments
    with pytest.raises(RefusedProblemError, match=sentence):
        Problem.from_names(**given)
