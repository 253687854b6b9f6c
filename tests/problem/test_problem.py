"""`Problem`: answers, candidates, projections, best responses, and what it refuses."""

import pickle

import numpy as np
import pytest

import purex
from purex.errors import (
    AmbiguousOracleError,
    InvalidInputError,
    RefusedProblemError,
    UnknownNameError,
)
from purex.families import Arms, Bernoulli, Exponential, Gaussian, Poisson
from purex.model import Polyhedron, Query, RowQuery, Structure
from purex.plugins import OracleRecord
from purex.problem import Problem
from purex.problem.selection import select_oracle
from purex_plugins.best_arm import BestArm
from purex_plugins.box import Box
from purex_plugins.minimum_threshold import MinimumThreshold
from purex_plugins.thresholding import Thresholding
from purex_plugins.top_m import TopM


class Increasing(Structure):
    """Means that do not fall from arm to arm."""

    def cells(self):
        rows = np.eye(self.n_arms)[:-1] - np.eye(self.n_arms)[1:]
        return [Polyhedron(rows, np.zeros(len(rows)))]


class SumAtMostOne(Structure):
    """Stated in cvxpy only."""

    def cells(self):
        return [Polyhedron.everything(self.n_arms)]

    def constraints(self, cp, lam):
        return [cp.sum(lam) <= 1]


class SameSide(Structure):
    """All means at or below 1/2, or all at or above: two cells."""

    def cells(self):
        K = self.n_arms
        return [Polyhedron(np.eye(K), np.full(K, 0.5)), Polyhedron(-np.eye(K), np.full(K, -0.5))]


class AboveAverage(Query):
    """Is the mean of arm 0 above the average of the others?"""

    def __init__(self, n_arms):
        super().__init__(n_arms)
        self.row = np.full(n_arms, -1.0 / (n_arms - 1))
        self.row[0] = 1.0

    def answer(self, mu):
        return (np.einsum("rk,k->r", mu, self.row) > 0).astype(np.int64)

    def alternatives(self, i):
        return [Polyhedron(self.row if i else -self.row, 0.0)]


def test_gaussian_best_response_by_declaration_only_against_its_closed_form():
    """For a hyperplane a.lam = 0 the cost is (a.mu)^2 / (2 sum a_k^2 sigma_k^2 / w_k)."""
    rng = np.random.default_rng(0)
    arms = Arms([Gaussian(0.5), Gaussian(1.0), Gaussian(2.0), Gaussian(1.0)])
    problem = Problem(arms, AboveAverage(4))
    mu, w = rng.normal(size=(200, 4)), rng.exponential(size=(200, 4))
    response = problem.best_response(problem.answer(mu), w, mu)
    a, variance = problem.query.row, np.array([0.5, 1.0, 2.0, 1.0])
    expected = (mu @ a) ** 2 / (2 * np.sum(a**2 * variance / w, axis=1))
    np.testing.assert_allclose(response.value, expected, rtol=1e-10)
    np.testing.assert_allclose(response.point @ a, 0.0, atol=1e-12)


def test_bernoulli_best_response_by_declaration_only_against_its_multiplier():
    """Stationarity: w_k (lam_k - mu_k) = eta a_k lam_k (1 - lam_k) with one multiplier eta."""
    rng = np.random.default_rng(1)
    problem = Problem(Arms.of(Bernoulli(), 4), AboveAverage(4))
    mu, w = rng.uniform(0.1, 0.9, (200, 4)), rng.exponential(size=(200, 4)) + 0.05
    lam = problem.best_response(problem.answer(mu), w, mu).point
    eta = w * (lam - mu) / (problem.query.row * lam * (1 - lam))
    np.testing.assert_allclose(eta, eta[:, :1] + np.zeros(4), rtol=1e-6)
    np.testing.assert_allclose(lam @ problem.query.row, 0.0, atol=1e-12)


def test_a_query_written_for_one_row():
    class Leader(RowQuery):
        def answer_one(self, mu):
            return int(np.argmax(mu))

        def alternatives(self, i):
            return BestArm(self.n_arms).alternatives(i)

        def best_response_one(self, arms, i, w, xi, lower, upper):
            one = BestArm(self.n_arms).best_response(arms, np.array([i]), w[None], xi[None], lower, upper)
            return one.point[0], one.piece[0]

    rng = np.random.default_rng(2)
    arms = Arms.of(Bernoulli(), 4)
    mu, w = rng.uniform(0, 1, (50, 4)), rng.exponential(size=(50, 4))
    mine, shipped = Problem(arms, Leader(4)), Problem(arms, BestArm(4), oracle="closed-form")
    assert mine.oracle_name == "closed-form"
    i = mine.answer(mu)
    for x, y in zip(mine.best_response(i, w, mu), shipped.best_response(i, w, mu), strict=True):
        np.testing.assert_array_equal(x, y)


def test_candidate_without_structure_is_mu_itself():
    problem = Problem(Arms.of(Bernoulli(), 3), BestArm(3))
    mu = np.array([[0.2, 0.5, 0.4]])
    answer, point, empty = problem.candidate([[1, 1, 1]], mu, mu - 0.1, mu + 0.1)
    assert answer.tolist() == [1]
    np.testing.assert_array_equal(point, mu)
    assert not empty.any()


def test_candidate_in_a_structure_is_the_best_model_inside_the_confidence_box():
    problem = Problem(Arms.of(Gaussian(), 2), BestArm(2), Increasing(2))
    N, mu = [[1.0, 3.0]], [[1.0, 0.0]]
    wide = problem.candidate(N, mu, [[-5, -5]], [[5, 5]])
    np.testing.assert_allclose(wide.point, [[0.25, 0.25]])  # the weighted mean
    narrow = problem.candidate(N, mu, [[0.5, -5]], [[5, 5]])
    np.testing.assert_allclose(narrow.point, [[0.5, 0.5]])
    assert not wide.empty.any()
    assert not narrow.empty.any()


def test_candidate_of_an_empty_box_is_the_projection():
    """The confidence box lies outside M: line 4 optimises over nothing, and we take the projection."""
    problem = Problem(Arms.of(Gaussian(), 2), BestArm(2), Increasing(2))
    result = problem.candidate([[1.0, 3.0]], [[1.0, 0.0]], [[0.9, -0.1]], [[1.1, 0.1]])
    assert result.empty.tolist() == [True]
    np.testing.assert_allclose(result.point, [[0.25, 0.25]])
    unstructured = Problem(Arms.of(Gaussian(), 2), BestArm(2), box=(0.0, 1.0))
    result = unstructured.candidate([[1, 1]], [[3.0, 0.5]], [[2.0, 0.4]], [[4.0, 0.6]])
    assert result.empty.tolist() == [True]
    np.testing.assert_allclose(result.point, [[1.0, 0.5]])


def test_projection_on_a_union_of_cells():
    """Gaussian projection on all-above or all-below 1/2, by enumeration."""
    rng = np.random.default_rng(3)
    problem = Problem(Arms.of(Gaussian(), 3), BestArm(3), SameSide(3))
    mu, N = rng.uniform(0, 1, (100, 3)), rng.exponential(size=(100, 3))
    point = problem.project(N, mu)
    below, above = np.minimum(mu, 0.5), np.maximum(mu, 0.5)
    cost = [np.sum(N * (mu - x) ** 2, axis=1) for x in (below, above)]
    np.testing.assert_allclose(point, np.where((cost[0] <= cost[1])[:, None], below, above))
    assert problem.contains(point).all()
    assert not problem.contains(np.array([[0.2, 0.8, 0.5]])).any()


@pytest.mark.parametrize("structure", [None, Increasing(2)], ids=["box", "structure"])
def test_membership_forgives_rounding_and_nothing_more(structure):
    """A point outside by 1e-12 is a model, one outside by 1e-6 is none; at large means relatively."""
    for size in (1.0, 1e6):
        problem = Problem(Arms.of(Gaussian(), 2), BestArm(2), structure, box=(0.0, size))
        points = np.array([[0.5, 1.0], [0.5, 1 + 1e-12], [0.5, 1 + 1e-6], [-1e-6, 0.5]]) * size
        assert problem.contains(points).tolist() == [True, True, False, False]
    if structure is not None:
        points = size * np.array([[0.5, 0.5 - 1e-12], [0.5, 0.5 - 1e-6]])
        assert problem.contains(points).tolist() == [True, False]


def test_alternatives_are_pruned_to_models_whose_answer_differs():
    """Increasing means and best arm: arm 2 always leads (ties aside), so the problem is trivial."""
    arms = Arms.of(Gaussian(), 3)
    problem = Problem(arms, BestArm(3), Increasing(3))
    response = problem.best_response(2, np.ones(3), [0.0, 0.5, 1.0])
    assert np.isinf(response.value).all()
    assert response.piece.tolist() == [-1]
    # For answer 0 both rivals remain.
    assert [number for number, _ in problem.oracle.solvers(0)] == [0, 1]


def test_pieces_of_a_union_are_numbered_by_alternative_and_cell():
    problem = Problem(Arms.of(Gaussian(), 2), Thresholding(2, threshold=0.5), SameSide(2))
    assert [number for number, _ in problem.oracle.solvers(0)] == [1, 3]  # only the cell above
    assert [number for number, _ in problem.oracle.solvers(3)] == [0, 2]


def test_a_single_arm_has_no_rival():
    response = Problem(Arms.of(Bernoulli(), 1), BestArm(1)).best_response(0, [1.0], [0.3])
    assert np.isinf(response.value).all()
    assert response.piece.tolist() == [-1]


def test_a_structure_stated_in_cvxpy_only():
    """Half-space sum <= 1 for Gaussian arms: the same as a polyhedron."""

    class Linear(Structure):
        def cells(self):
            return [Polyhedron(np.ones(self.n_arms), 1.0)]

    rng = np.random.default_rng(4)
    arms = Arms.of(Gaussian(), 3)
    mu, w = rng.uniform(0, 1, (6, 3)), rng.uniform(0.5, 2, (6, 3))
    a, b = Problem(arms, BestArm(3), SumAtMostOne(3)), Problem(arms, BestArm(3), Linear(3))
    i = a.answer(mu)
    np.testing.assert_allclose(
        a.best_response(i, w, mu).value, b.best_response(i, w, mu).value, rtol=1e-6, atol=1e-10
    )
    np.testing.assert_allclose(a.project(w, mu), b.project(w, mu), atol=1e-6)
    boxed = [p.candidate(w, mu, mu - 0.4, mu + 0.4) for p in (a, b)]
    np.testing.assert_array_equal(boxed[0].empty, boxed[1].empty)
    np.testing.assert_allclose(boxed[0].point, boxed[1].point, atol=1e-5)


def test_box_and_structure_box_are_one_thing():
    arms = Arms.of(Bernoulli(), 3)
    a = Problem(arms, BestArm(3), box=(0.2, 0.8))
    b = Problem(arms, BestArm(3), Box(3, lower=0.2, upper=0.8))
    c = Problem(arms, BestArm(3), Box(3, lower=0.2, upper=0.8), oracle="generic")
    mu, w = np.array([[0.9, 0.1, 0.5]]), np.array([[1.0, 2.0, 3.0]])
    values = [p.best_response(0, w, mu).value[0] for p in (a, b, c)]
    assert values == pytest.approx([values[0]] * 3)
    assert a.project(w, mu).tolist() == [[0.8, 0.2, 0.5]]


def test_mixed_families_by_names():
    problem = Problem.from_names("bernoulli; exponential; gaussian(variance=0.25)", "best-arm", n_arms=3)
    response = problem.best_response(1, [1, 1, 1], [0.5, 0.9, 0.4])
    generic = Problem.from_names(
        "bernoulli; exponential; gaussian(variance=0.25)", "best-arm", n_arms=3, oracle="generic"
    ).best_response(1, [1, 1, 1], [0.5, 0.9, 0.4])
    assert response.value == pytest.approx(generic.value, rel=1e-12)


def test_problems_pickle():
    problem = Problem(Arms.of(Poisson(), 3), TopM(3, m=1), Increasing(3))
    copy = pickle.loads(pickle.dumps(problem))
    mu = [[0.2, 0.4, 0.3]]
    assert copy.best_response(1, np.ones(3), mu).value == problem.best_response(1, np.ones(3), mu).value


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.best_response(0, [1, 1], [0.1, 0.2, 0.3]), "3 arms need 3 weights"),
        (lambda p: p.best_response(0, [1, 1, 1], [0.1, 0.2]), "3 arms need 3 means"),
        (lambda p: p.best_response(0, [1, 1, 1], [0.1, 0.2, 1.3]), "arm 2"),
        (lambda p: p.best_response(0, [1, 1, 1], [0.1, 0.2, np.nan]), "arm 2"),
        (lambda p: p.best_response(0, [1, -1, 1], [0.1, 0.2, 0.3]), "weight of arm 1"),
        (lambda p: p.best_response(0, [1, np.nan, 1], [0.1, 0.2, 0.3]), "weight of arm 1"),
        (lambda p: p.best_response(0, np.ones((2, 3)), np.full((3, 3), 0.5)), "rows of weights"),
        (lambda p: Problem(p.arms, BestArm(4)), "about 4 arms"),
        (lambda p: Problem(p.arms, BestArm(3), box=(0.5, 0.4)), "lower < upper"),
        (lambda p: Problem(p.arms, BestArm(3), box=(-1, 2)), "lower < upper"),
        (lambda p: Problem(p.arms, BestArm(3), Box(3, lower=-1, upper=2)), "leaves the means"),
        (lambda p: Problem(p.arms, MinimumThreshold(3, threshold=1.0)), "strictly between 0 and 1"),
        (lambda p: Problem(p.arms, Thresholding(3, threshold=0.1), box=(0.2, 0.8)), "strictly"),
        (lambda p: Problem(p.arms, BestArm(3), oracle="magic"), "not 'magic'"),
        (lambda p: TopM(3, m=3), "from 1 to 2"),
        (lambda p: TopM(3, m=0), "from 1 to 2"),
        (lambda p: TopM(3, m=1.5), "whole number"),
        (lambda p: TopM(4097, m=2), "at most 4096 arms"),
        (lambda p: Thresholding(3, threshold=np.nan), "finite threshold"),
        (lambda p: MinimumThreshold(3, threshold="x"), "finite threshold"),
        (lambda p: BestArm(0), "at least one arm"),
        (lambda p: Polyhedron([[1, 2]], [1, 2]), "one right-hand side per row"),
        (lambda p: Polyhedron([[1, np.inf]], [1]), "finite"),
        (lambda p: Polyhedron(), "one number of arms"),
        (lambda p: Problem.from_names("bernoulli; poisson", "best-arm", n_arms=3), "2 families"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(call, message):
    problem = Problem(Arms.of(Bernoulli(), 3), BestArm(3))
    with pytest.raises(InvalidInputError, match=message):
        call(problem)


def test_unknown_names_suggest_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'best-arm'"):
        Problem.from_names("bernoulli", "best-amr", n_arms=3)


def test_no_exact_oracle_is_a_refusal():
    with pytest.raises(RefusedProblemError, match="convex"):
        Problem(Arms.of(Exponential(), 3), AboveAverage(3)).best_response(1, np.ones(3), [0.9, 0.2, 0.1])
    with pytest.raises(RefusedProblemError, match="no closed form"):
        Problem(Arms.of(Gaussian(), 3), AboveAverage(3), oracle="closed-form")
    with pytest.raises(RefusedProblemError, match="no registered oracle"):
        Problem(Arms.of(Gaussian(), 3), AboveAverage(3), oracle="special")


class TestSelection:
    """Special oracles are chosen by what they demand, never by the order of registration."""

    @staticmethod
    def record(name, **demands):
        return f"x:{name}", OracleRecord(name=name, factory=lambda *a: name, summary="", **demands)

    def pick(self, *records, structure=None, family=None):
        arms = Arms.of(family or Bernoulli(), 3)
        structure = structure or Box(3, lower=0.1, upper=0.9)
        return select_oracle(BestArm(3), structure, arms, 0.1, 0.9, "auto", records)[0]

    def test_the_most_demanding_wins(self):
        general = self.record("general", query=BestArm)
        special = self.record("special", query=BestArm, kinds=frozenset({"bernoulli"}))
        assert self.pick(general, special) == self.pick(special, general) == "x:special"

    def test_what_does_not_fit_is_passed_over(self):
        other = self.record("other", query=TopM)
        kinds = self.record("kinds", query=BestArm, kinds=frozenset({"gaussian"}))
        assert self.pick(other, kinds) == "closed-form"
        bounds = self.record("bounds", query=BestArm, bounds_only=True)
        assert self.pick(bounds, structure=Increasing(3)) == "generic"

    def test_a_subclass_is_another_question(self):
        class Mine(BestArm):
            pass

        problem = Problem(Arms.of(Bernoulli(), 3), Mine(3))
        assert problem.oracle_name == "closed-form"

    def test_two_that_fit_equally_are_an_error_that_names_both(self):
        with pytest.raises(AmbiguousOracleError, match="x:one and x:two"):
            self.pick(self.record("two", query=BestArm), self.record("one", query=BestArm))


def test_public_names_are_there():
    for name in purex.__all__:
        assert getattr(purex, name) is not None
