"""`Problem.max_min`, `equilibrium`, `optimistic`: fast against generic, certificates, reference numbers."""

import numpy as np
import pytest

from purex.errors import InvalidInputError, RefusedProblemError
from purex.families import Arms, Bernoulli, Exponential, Gaussian
from purex.model import Polyhedron, Query, Structure
from purex.problem import Problem
from purex_plugins.best_arm import BestArm
from purex_plugins.minimum_threshold import MinimumThreshold
from purex_plugins.thresholding import Thresholding
from purex_plugins.top_m import TopM
from tests.games.reference_games import B4, B5, G4
from tests.shipped.instances import FAMILIES, QUERIES

CASES = [(q, f) for q in QUERIES for f in FAMILIES]


def recompute(problem, i, mu, solution, r=0):
    """Both sides of the certificate, from the definition: brute force over pieces, and a plain sum."""
    w, mixture = solution.allocation[r], solution.mixture[r]
    lower = min(
        problem.arms.cost(w[None], mu[None], solver.minimise(w[None], mu[None])[0])[0]
        for _, solver in Problem(
            problem.arms, problem.query, problem.structure, oracle="generic"
        ).oracle.solvers(int(i))
    )
    assert mixture.weights.sum() == pytest.approx(1.0)
    assert (mixture.weights >= 0).all()
    assert len(mixture.weights) <= len(mu)
    assert w.sum() == pytest.approx(1.0)
    assert (w >= 0).all()
    for point in mixture.points:  # every point is an alternative (up to rounding)
        gap = problem.best_response(int(i), np.ones(len(mu)), point).value[0]
        assert gap <= 1e-9
    upper = max(
        sum(q * problem.arms.families[k].d(mu[k], point[k]) for q, point in zip(*mixture[:2], strict=True))
        for k in range(len(mu))
    )
    return lower, upper


@pytest.mark.parametrize("instance", [B5, B4, G4], ids=["B5", "B4", "G4"])
def test_best_arm_reference_numbers(instance):
    family, means, value, allocation, q, m = instance
    problem = Problem(Arms.of(family, len(means)), BestArm(len(means)))
    fast = problem.max_min(0, means)
    np.testing.assert_allclose(fast.value, value, rtol=1e-10)
    np.testing.assert_allclose(fast.allocation[0], allocation, rtol=1e-10)
    solution = problem.equilibrium(means)
    np.testing.assert_allclose(solution.value, value, rtol=1e-10)
    mixture = solution.mixture[0]
    order = np.argsort(mixture.pieces)
    np.testing.assert_allclose(mixture.weights[order], q, rtol=1e-10)
    np.testing.assert_allclose(mixture.points[order, 0], m, rtol=1e-10)
    generic = Problem(problem.arms, problem.query, oracle="generic").equilibrium(means)
    np.testing.assert_allclose(generic.value, value, rtol=1e-6)
    np.testing.assert_allclose(generic.allocation[0], allocation, atol=1e-4)


def test_minimum_threshold_reference_numbers():
    sparse = Problem(Arms.of(Gaussian(), 10), MinimumThreshold(10, threshold=0.0))
    solution = sparse.equilibrium(np.linspace(-1, 1, 10))
    assert solution.value[0] == pytest.approx(0.5, rel=1e-12)
    np.testing.assert_array_equal(solution.allocation[0], np.eye(10)[0])
    dense = Problem(Arms.of(Gaussian(), 5), MinimumThreshold(5, threshold=0.0))
    solution = dense.equilibrium(np.linspace(0.5, 1, 5))
    np.testing.assert_allclose(
        solution.allocation[0].round(4), [0.3758, 0.2405, 0.1670, 0.1227, 0.0940], atol=1e-12
    )
    assert solution.value[0] == pytest.approx(0.0469753, rel=2e-6)
    on_level = Problem(Arms.of(Gaussian(), 2), MinimumThreshold(2, threshold=0.6))
    solution = on_level.equilibrium([0.5, 0.6])
    assert solution.value[0] == pytest.approx(0.005, rel=1e-12)
    np.testing.assert_array_equal(solution.allocation[0], [1.0, 0.0])


def random_means(rng, family, K, query):
    """Means with a unique answer; some with 1e-4 between the two closest, some near the threshold."""
    mu = rng.uniform(0.05, 0.95, K)
    if rng.random() < 0.3:
        order = np.argsort(-mu)
        cut = getattr(query, "m", 1)
        mu[order[cut]] = mu[order[cut - 1]] - 1e-4
    return mu


def compare_fast_and_generic(name, family, total):
    rng = np.random.default_rng([*name.encode(), *family.encode()])
    for n in range(total):
        K = int(rng.integers(2, 8))
        query = QUERIES[name](K, rng)
        arms = Arms.of(FAMILIES[family], K)
        mu = random_means(rng, family, K, query)
        i = query.answer(mu[None])
        fast, generic = Problem(arms, query), Problem(arms, query, oracle="generic")
        a, b = fast.max_min(i, mu), generic.equilibrium(mu, i)
        assert b.gap[0] <= 1e-6
        np.testing.assert_allclose(a.value, b.value, rtol=1e-6)
        np.testing.assert_allclose(a.allocation, b.allocation, atol=1e-4)
        if n >= 100 and n % 10:
            continue  # recomputing takes longer than solving
        lower, upper = recompute(generic, i[0], mu, b)
        assert lower == pytest.approx(b.value[0], rel=1e-9)
        assert lower <= upper * (1 + 1e-9)
        assert 1 - lower / upper <= 1.01e-6


@pytest.mark.parametrize(("query", "family"), CASES)
def test_fast_and_generic_agree(query, family):
    compare_fast_and_generic(query, family, 100)


@pytest.mark.full
@pytest.mark.parametrize(("query", "family"), CASES)
def test_fast_and_generic_agree_on_two_thousand(query, family):
    compare_fast_and_generic(query, family, 2000)


def test_ties_give_value_zero_and_a_documented_allocation():
    problem = Problem(Arms.of(Bernoulli(), 3), BestArm(3))
    fast = problem.max_min(0, [0.5, 0.5, 0.3])
    assert fast.value[0] == 0.0
    np.testing.assert_array_equal(fast.allocation[0], [0.5, 0.5, 0.0])
    solution = problem.equilibrium([0.5, 0.5, 0.3])
    assert solution.value[0] == 0.0
    assert solution.gap[0] == 0.0


def test_means_outside_the_box_go_to_the_generic_solver():
    problem = Problem(Arms.of(Bernoulli(), 3), BestArm(3), box=(0.2, 0.8))
    inside, outside = [0.7, 0.5, 0.3], [0.9, 0.5, 0.1]
    np.testing.assert_allclose(
        problem.max_min(0, inside).value,
        Problem(problem.arms, problem.query, box=(0.2, 0.8), oracle="generic").max_min(0, inside).value,
        rtol=1e-6,
    )
    value, allocation, gap = problem.max_min(0, outside)
    assert gap[0] <= 1e-6
    assert value[0] == pytest.approx(problem.best_response(0, allocation, outside).value[0], rel=1e-9)


class Increasing(Structure):
    def cells(self):
        rows = np.eye(self.n_arms)[:-1] - np.eye(self.n_arms)[1:]
        return [Polyhedron(rows, np.zeros(len(rows)))]


def test_structure_makes_the_question_easier():
    arms, query = Arms.of(Bernoulli(), 5), Thresholding(5, threshold=0.5)
    mu = [0.2, 0.35, 0.45, 0.6, 0.8]
    plain, monotone = Problem(arms, query), Problem(arms, query, Increasing(5))
    a, b = plain.equilibrium(mu), monotone.equilibrium(mu)
    assert b.gap[0] <= 1e-6
    assert b.value[0] > 1.1 * a.value[0]
    lower, upper = recompute(monotone, query.answer(np.array([mu]))[0], np.array(mu), b)
    assert 1 - lower / upper <= 1.01e-6


class TestOptimism:
    """Max-max-min over a confidence box."""

    @pytest.mark.parametrize("query", [BestArm(3), MinimumThreshold(3, threshold=0.5)], ids=["bai", "mt"])
    @pytest.mark.parametrize("family", [Gaussian(), Bernoulli(), Exponential()], ids=lambda f: f.name)
    def test_fast_and_generic_agree_and_no_point_of_the_box_is_better(self, query, family):
        rng = np.random.default_rng(0)
        arms = Arms.of(family, 3)
        fast, generic = Problem(arms, query), Problem(arms, query, oracle="generic")
        for _ in range(6):
            lower = rng.uniform(0.1, 0.6, 3)
            upper = lower + rng.uniform(0.02, 0.3, 3)
            a, b = fast.optimistic(lower, upper), generic.optimistic(lower, upper)
            assert a.value[0] == pytest.approx(b.value[0], rel=1e-6)
            assert a.answer[0] == b.answer[0]
            xi = rng.uniform(lower, upper, (200, 3))
            others = fast.max_min(query.answer(xi), xi).value
            assert a.value[0] >= others.max() * (1 - 1e-9)
            assert (a.point >= lower - 1e-12).all()
            assert (a.point <= upper + 1e-12).all()

    def test_top_m_through_the_corners(self):
        problem = Problem(Arms.of(Bernoulli(), 4), TopM(4, m=2))
        rng = np.random.default_rng(1)
        lower = rng.uniform(0.1, 0.6, 4)
        upper = lower + 0.2
        best = problem.optimistic(lower, upper)
        xi = rng.uniform(lower, upper, (300, 4))
        assert best.value[0] >= problem.max_min(problem.query.answer(xi), xi).value.max() * (1 - 1e-9)

    def test_refusals(self):
        class Average(Query):
            """Arm 0 against the average of the others, from both sides of a band: no corner."""

            def answers(self):
                return (0, 1)

            def answer(self, mu):
                return (np.abs(mu[:, 0] - mu[:, 1]) > 0.1).astype(np.int64)

            def alternatives(self, i):
                row = np.array([[1.0, -1.0]])
                if i:
                    return [Polyhedron(np.vstack([row, -row]), [0.1, 0.1])]
                return [Polyhedron(-row, -0.1), Polyhedron(row, -0.1)]

        arms = Arms.of(Gaussian(), 2)
        box = np.array([[0.0, 0.0]]), np.array([[1.0, 1.0]])
        with pytest.raises(RefusedProblemError, match="one direction"):
            Problem(arms, Average(2)).optimistic(*box)
        with pytest.raises(RefusedProblemError, match="structure"):
            Problem(arms, BestArm(2), Increasing(2)).optimistic(*box)
        with pytest.raises(RefusedProblemError, match="all answers"):
            Problem(Arms.of(Gaussian(), 30), TopM(30, m=15)).optimistic(np.zeros((1, 30)), np.ones((1, 30)))


def test_solve_refuses_what_has_no_solution():
    problem = Problem(Arms.of(Bernoulli(), 3), BestArm(3), box=(0.2, 0.8))
    with pytest.raises(InvalidInputError, match="value of the game is 0"):
        problem.solve([0.5, 0.5, 0.3])
    with pytest.raises(InvalidInputError, match="not a possible model"):
        problem.solve([0.9, 0.5, 0.3])
    with pytest.raises(InvalidInputError, match="nothing to explore"):
        Problem(Arms.of(Bernoulli(), 1), BestArm(1)).solve([0.5])
