"""The generic max-min oracle: reference numbers, closed forms, and certificates recomputed by hand."""

import numpy as np
import pytest

from purex.families import Arms, Bernoulli, Exponential, Gaussian, Poisson
from purex.games import Equilibrium, Mixture, certificate, cutting_planes, solve_game
from purex.games.support import reduced
from purex.model import Polyhedron, Query, Structure
from purex.problem import Problem
from purex_plugins.best_arm import BestArm
from purex_plugins.minimum_threshold import MinimumThreshold
from purex_plugins.thresholding import Thresholding
from purex_plugins.top_m import TopM
from tests.games.reference_games import B4, B5, G4

GAP = 1e-6
FAMILIES = [Gaussian(0.5), Bernoulli(), Poisson(), Exponential()]
QUERIES = {
    "best-arm": BestArm,
    "minimum-threshold": lambda K: MinimumThreshold(K, threshold=0.5),
    "thresholding": lambda K: Thresholding(K, threshold=0.5),
    "top-m": lambda K: TopM(K, m=K // 2),
}


class AboveAverage(Query):
    """Is the mean of arm 0 above the average of the others? Declared, nothing more."""

    def __init__(self, n_arms):
        super().__init__(n_arms)
        self.row = np.full(n_arms, -1.0 / (n_arms - 1))
        self.row[0] = 1.0

    def answer(self, mu):
        return (np.einsum("rk,k->r", mu, self.row) > 0).astype(np.int64)

    def alternatives(self, i):
        return [Polyhedron(self.row if i else -self.row, 0.0)]


class Increasing(Structure):
    """Means that do not fall from arm to arm."""

    def cells(self):
        rows = np.eye(self.n_arms)[:-1] - np.eye(self.n_arms)[1:]
        return [Polyhedron(rows, np.zeros(len(rows)))]


class Unimodal(Structure):
    """Means that rise up to some arm and fall from there: one cell for each mode."""

    def cells(self):
        rows = np.eye(self.n_arms)[:-1] - np.eye(self.n_arms)[1:]
        signs = np.where(np.arange(self.n_arms - 1) < np.arange(self.n_arms)[:, None], 1.0, -1.0)
        return [Polyhedron(sign[:, None] * rows, np.zeros(len(rows))) for sign in signs]


def solved(arms, query, mu, structure=None, gap=GAP, referee="closed-form", box=None, rtol=1e-12, **options):
    """Solve, and check both sides of the certificate with nothing of the solver's own."""
    mu = np.asarray(mu, dtype=float)
    problem = Problem(arms, query, structure, box=box, oracle="generic")
    i = int(problem.answer(mu)[0])
    result = solve_game(problem.oracle.solvers(i), arms, mu, **options)
    value, w, q = result.value[0], result.allocation[0], result.mixture[0]
    K = arms.n_arms
    assert w.shape == (K,)
    assert (w >= 0).all()
    assert w.sum() == pytest.approx(1.0, abs=1e-12)
    assert 1 <= len(q.weights) <= K
    assert (q.weights > 0).all()
    assert q.weights.sum() == pytest.approx(1.0, abs=1e-12)
    # Lower side: another oracle (in numpy, or cvxpy) against the allocation.
    other = Problem(arms, query, structure, box=box, oracle=referee).best_response(i, w, mu)
    assert other.value[0] == pytest.approx(value, rel=rtol)
    # Upper side: the points lie in the pieces they name and in the structure, and the sum is done by hand.
    cells = problem.structure.cells()
    for point, piece in zip(q.points, q.pieces, strict=True):
        assert query.alternatives(i)[piece // len(cells)].contains(point, 1e-9)
        assert cells[piece % len(cells)].contains(point, 1e-9)
    earned = [
        sum(p * float(family.d(mu[k], point[k])) for p, point in zip(q.weights, q.points, strict=True))
        for k, family in enumerate(arms.families)
    ]
    assert abs(1 - value / max(earned)) <= gap
    assert result.gap[0] == pytest.approx(abs(1 - value / max(earned)), abs=1e-14)
    return result


@pytest.mark.parametrize(("family", "mu", "value", "w", "q", "m"), [B5, B4, G4], ids=["B5", "B4", "G4"])
def test_reference_numbers_of_best_arm(family, mu, value, w, q, m):
    K = len(mu)
    result = solved(Arms.of(family, K), BestArm(K), mu, gap=1e-11)
    assert result.value[0] == pytest.approx(value, rel=1e-11)
    np.testing.assert_allclose(result.allocation[0], w, rtol=1e-9)
    mixture = result.mixture[0]
    order = np.argsort(mixture.pieces)
    np.testing.assert_array_equal(mixture.pieces[order], np.arange(K - 1))
    np.testing.assert_allclose(mixture.weights[order], q, rtol=1e-9)
    for rival, point in enumerate(mixture.points[order], start=1):
        np.testing.assert_allclose(point[[0, rival]], m[rival - 1], rtol=1e-10)
    assert result.iterations[0] <= 15


@pytest.mark.parametrize("mu", [[0.5, 0.6], np.linspace(-1, 1, 10), [0.5, 0.1, 0.59]])
def test_a_sparse_allocation_is_found_exactly(mu):
    """Some mean lies below the threshold: w* = e_k for the lowest one, D = max_k d(mu_k, gamma)."""
    threshold = 0.0 if len(mu) == 10 else 0.6
    result = solved(Arms.of(Gaussian(1.0), len(mu)), MinimumThreshold(len(mu), threshold=threshold), mu)
    lowest = int(np.argmin(mu))
    assert result.allocation[0].tolist() == [float(k == lowest) for k in range(len(mu))]
    assert result.value[0] == pytest.approx((mu[lowest] - threshold) ** 2 / 2, rel=1e-14)
    assert len(result.mixture[0].weights) == 1


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
@pytest.mark.parametrize("query", QUERIES)
def test_random_instances(family, query):
    rng = np.random.default_rng(11)
    for K in (2, 3, 5, 8):
        for _ in range(3):
            result = solved(Arms.of(family, K), QUERIES[query](K), rng.uniform(0.05, 0.95, K), gap=1e-9)
            assert result.iterations[0] <= 30


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
def test_closed_forms_of_the_threshold_queries(family):
    """D = 1 / sum_k 1/d(mu_k, gamma) with w proportional to 1/d; all above for minimum-threshold."""
    rng = np.random.default_rng(12)
    for K in (2, 6):
        mu = rng.uniform(0.52, 0.95, K)
        for query in (MinimumThreshold(K, threshold=0.5), Thresholding(K, threshold=0.5)):
            result = solved(Arms.of(family, K), query, mu, gap=1e-12)
            d = family.d(mu, 0.5)
            assert result.value[0] == pytest.approx(1 / np.sum(1 / d), rel=1e-12)
            np.testing.assert_allclose(result.allocation[0], 1 / d / np.sum(1 / d), rtol=1e-11)
            mu = rng.uniform(0.05, 0.95, K)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
@pytest.mark.parametrize("distance", [1e-4, 1e-5])
@pytest.mark.parametrize("K", [2, 5, 20])
def test_near_ties_of_the_two_best_arms(family, distance, K):
    """Weights then differ by a factor of 1e8; cutting planes alone stall at about 1e-6."""
    rng = np.random.default_rng(13)
    mu = np.concatenate([[0.6, 0.6 - distance], rng.uniform(0.05, 0.55, K - 2)])
    result = solved(Arms.of(family, K), BestArm(K), mu, gap=1e-9, rtol=1e-9)
    assert result.allocation[0, :2].sum() > 0.99
    # By homogeneity of the leading order, the pair alone costs (distance)^2 / (8 V) up to O(distance).
    pair = distance**2 / 8 / float(family.variance(0.6))
    assert result.value[0] == pytest.approx(pair, rel=10 * distance)


@pytest.mark.parametrize("distance", [1e-4, 1e-5])
def test_near_ties_of_top_m_and_of_a_declared_query(distance):
    mu = np.array([0.9, 0.6, 0.6 - distance, 0.3, 0.2, 0.1])
    solved(Arms.of(Bernoulli(), 6), TopM(6, m=2), mu, gap=1e-9, rtol=1e-9)
    mu[0] = mu[1:].mean() + distance
    solved(Arms.of(Bernoulli(), 6), AboveAverage(6), mu, referee="generic")


@pytest.mark.parametrize("distance", [1e-7, 1e-9])
def test_gaps_of_means_near_rounding_are_solved_or_reported(distance):
    """Here d itself has only 1e-9 to 1e-7 of relative accuracy."""
    mu = np.array([0.6, 0.6 - distance, 0.3, 0.2])
    solved(Arms.of(Gaussian(1.0), 4), BestArm(4), mu, gap=GAP, rtol=GAP)


@pytest.mark.parametrize("K", [20, 50])
def test_many_arms(K):
    rng = np.random.default_rng(14)
    result = solved(Arms.of(Bernoulli(), K), BestArm(K), rng.uniform(0.05, 0.95, K), gap=1e-10)
    assert result.iterations[0] <= 30
    result = solved(Arms.of(Gaussian(1.0), K), TopM(K, m=3), rng.uniform(0.05, 0.95, K), gap=1e-10)
    assert result.iterations[0] <= 40


@pytest.mark.parametrize("K", [2, 5, 50])
def test_a_declared_query_against_its_closed_form(K):
    """Gaussian, a.lam = 0: w_k proportional to |a_k| sigma_k, D = (a.mu)^2 / (2 (sum_k |a_k| sigma_k)^2)."""
    rng = np.random.default_rng(15)
    for _ in range(3):
        sigma = rng.uniform(0.3, 3.0, K)
        mu = rng.normal(size=K)
        query = AboveAverage(K)
        result = solved(Arms([Gaussian(s**2) for s in sigma]), query, mu, referee="generic", gap=1e-10)
        size = np.abs(query.row) * sigma
        assert result.value[0] == pytest.approx((query.row @ mu) ** 2 / 2 / size.sum() ** 2, rel=1e-10)
        np.testing.assert_allclose(result.allocation[0], size / size.sum(), rtol=1e-7)


@pytest.mark.parametrize("family", [Bernoulli(), Poisson()], ids=lambda f: f.name)
def test_a_declared_query_against_cvxpy(family):
    """The best response is Newton's then, and the lower side is cvxpy's."""
    mu = np.random.default_rng(16).uniform(0.1, 0.9, 4)
    solved(Arms.of(family, 4), AboveAverage(4), mu, referee="cvxpy", rtol=1e-6)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
def test_thresholding_of_increasing_means(family):
    """Only the last arm below and the first above the threshold matter: w* is sparse, D = 1 / sum 1/d."""
    rng = np.random.default_rng(17)
    for K in (3, 6):
        mu = np.sort(np.concatenate([[0.3, 0.7], rng.uniform(0.05, 0.95, K - 2)]))
        result = solved(
            Arms.of(family, K), Thresholding(K, threshold=0.5), mu, Increasing(K), referee="generic"
        )
        b = int(np.searchsorted(mu, 0.5)) - 1
        d = family.d(mu[b : b + 2], 0.5)
        assert result.value[0] == pytest.approx(1 / np.sum(1 / d), rel=1e-11)
        w = np.zeros(K)
        w[b : b + 2] = 1 / d / np.sum(1 / d)
        np.testing.assert_allclose(result.allocation[0], w, atol=1e-10)


def test_best_arm_of_unimodal_means_needs_the_neighbours_only():
    """S36 and section 5: the optimal fit pools the mode with a neighbour; cvxpy is the other oracle."""
    mu = np.array([0.2, 0.5, 0.8, 0.6, 0.3])
    result = solved(
        Arms.of(Gaussian(1.0), 5), BestArm(5), mu, Unimodal(5), referee="cvxpy", rtol=1e-6, gap=1e-9
    )
    assert result.allocation[0, [0, 4]].max() < 1e-9


def test_arms_of_different_families():
    rng = np.random.default_rng(18)
    for _ in range(4):
        families = [Gaussian(0.25), Bernoulli(), Exponential(), Poisson(), Gaussian(2.0)]
        solved(Arms(families), BestArm(5), rng.uniform(0.05, 0.95, 5), rtol=1e-9)


def test_a_piece_with_two_minima_may_need_two_points():
    """Tied arms of different families: f_p has a kink where the global minimiser jumps."""
    arms = Arms([Gaussian(20.29), Exponential()])
    result = solved(arms, BestArm(2), [9.784, 0.59], rtol=1e-9)
    assert result.mixture[0].pieces.tolist() == [0, 0]
    lam = np.linspace(0.59, 9.784, 200_001)[:, None]
    d = arms.d(np.array([9.784, 0.59]), np.hstack([lam, lam]))
    brute = max((d @ [w, 1 - w]).min() for w in result.allocation[0, 0] + np.linspace(-0.01, 0.01, 21))
    assert result.value[0] == pytest.approx(brute, rel=1e-6)


@pytest.mark.parametrize("family", [Bernoulli(), Poisson()], ids=lambda f: f.name)
def test_means_at_the_edge_of_the_domain(family):
    solved(Arms.of(family, 3), BestArm(3), [1.0, 0.5, 0.0], gap=1e-9)
    solved(Arms.of(family, 3), TopM(3, m=2), [1.0, 0.5, 0.0], gap=1e-9)


def test_a_box_that_leaves_means_outside():
    solved(Arms.of(Bernoulli(), 3), BestArm(3), [0.99, 0.5, 0.01], box=(0.2, 0.8), gap=1e-9)
    result = solved(Arms.of(Bernoulli(), 3), BestArm(3), [0.99, 0.98, 0.01], box=(0.2, 0.8))
    assert result.allocation[0].tolist() == [1, 0, 0]


def test_an_unreachable_piece_leaves_a_supremum():
    """d(0, lam) is infinite for exponential arms: arm 2 is no rival as long as it has any weight."""
    arms = Arms.of(Exponential(), 3)
    result = solved(arms, BestArm(3), [1.0, 0.5, 0.0])
    alone = solved(Arms.of(Exponential(), 2), BestArm(2), [1.0, 0.5])
    assert result.value[0] == pytest.approx(alone.value[0], rel=1e-10)
    assert 0 < result.allocation[0, 2] < 1e-11
    problem = Problem(Arms.of(Exponential(), 2), BestArm(2), oracle="generic")
    nobody = solve_game(problem.oracle.solvers(0), problem.arms, np.array([1.0, 0.0]))
    assert np.isinf(nobody.value[0])
    assert nobody.allocation[0].tolist() == [0.5, 0.5]


def test_no_alternative_at_all():
    problem = Problem(Arms.of(Gaussian(1.0), 3), BestArm(3), Increasing(3))
    result = solve_game(problem.oracle.solvers(2), problem.arms, np.array([0.1, 0.2, 0.3]))
    assert np.isinf(result.value[0])
    assert result.gap[0] == 0
    np.testing.assert_array_equal(result.allocation[0], np.full(3, 1 / 3))
    assert len(result.mixture[0].weights) == 0


@pytest.mark.parametrize("mu", [[0.5, 0.5, 0.2], [0.4, 0.5, 0.2], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
def test_mu_in_the_closure_of_its_alternative(mu):
    """A tie, or an answer that is not that of mu: value 0, and the mixture is mu itself."""
    problem = Problem(Arms.of(Bernoulli(), 3), BestArm(3), oracle="generic")
    result = solve_game(problem.oracle.solvers(0), problem.arms, np.array(mu))
    assert result.value[0] == 0
    assert result.gap[0] == 0
    np.testing.assert_array_equal(result.allocation[0], np.full(3, 1 / 3))
    np.testing.assert_array_equal(result.mixture[0].points, [mu])
    lower, upper = certificate(
        problem.oracle.solvers(0), problem.arms, np.array(mu), result.allocation[0], result.mixture[0]
    )
    assert lower == upper == 0


def test_a_tie_up_to_rounding_is_a_tie():
    """The average of 0.1, 0.2, 0.3 is 0.2; in floating point the query's row misses it by 1e-17."""
    mu, query = np.array([0.2, 0.1, 0.2, 0.3]), AboveAverage(4)
    assert query.row @ mu != 0
    problem = Problem(Arms.of(Gaussian(1.0), 4), query)
    result = solve_game(problem.oracle.solvers(int(query.answer(mu[None])[0])), problem.arms, mu)
    assert result.value[0] == result.gap[0] == 0


@pytest.mark.parametrize("mu", [B5[1], [0.9, 0.6, 0.4, 0.3, 0.2], [0.6, 0.5999, 0.4, 0.3, 0.2]])
def test_cutting_planes_alone_arrive_in_tens_of_iterations(mu, monkeypatch):
    """Also where weights of 1e-7 matter: tolerances are in units of the value."""
    monkeypatch.setattr(cutting_planes, "polish", lambda *_: (None, 0))
    result = solved(Arms.of(Bernoulli(), 5), BestArm(5), mu, rtol=1e-9)
    assert 5 <= result.iterations[0] <= 20


def test_the_gap_it_reached_is_reported():
    arms, mu = Arms.of(Bernoulli(), 5), np.array(B5[1])
    short = solved(arms, BestArm(5), mu, gap=1.0, max_iterations=1)
    assert 0.05 < short.gap[0] < 0.9
    assert short.value[0] < B5[2] < short.value[0] / (1 - short.gap[0])


def test_weak_duality_of_any_strategies():
    """certificate(): lower <= D_mu <= upper, whatever w and q are."""
    rng = np.random.default_rng(19)
    problem = Problem(Arms.of(Bernoulli(), 5), BestArm(5), oracle="generic")
    solvers, mu = problem.oracle.solvers(0), np.array(B5[1])
    for _ in range(20):
        w, q = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(4))
        points = np.array([s.minimise(rng.dirichlet(np.ones(5))[None], mu[None])[0][0] for _, s in solvers])
        lower, upper = certificate(solvers, problem.arms, mu, w, Mixture(q, points, np.arange(4)))
        assert lower < B5[2] < upper


def test_mixtures_are_reduced_to_as_many_points_as_arms():
    rng = np.random.default_rng(20)
    for _ in range(20):
        M, K = int(rng.integers(5, 40)), int(rng.integers(2, 5))
        G = rng.exponential(size=(M, K)) * 10.0 ** rng.integers(-3, 4, K)
        q = rng.dirichlet(np.ones(M)) * 10.0 ** rng.integers(-18, 1, M)
        q = q / q.sum()
        fewer = reduced(q, G)
        assert (fewer > 0).sum() <= K
        assert (fewer >= 0).all()
        assert fewer.sum() == pytest.approx(1.0, abs=1e-12)
        assert (fewer @ G).max() <= (q @ G).max() * (1 + 1e-12)


def test_rows_are_stacked():
    arms = Arms.of(Bernoulli(), 4)
    one, two = (solved(arms, BestArm(4), mu) for mu in (B4[1], [0.9, 0.5, 0.4, 0.1]))
    both = Equilibrium.stack([one, two])
    assert both.allocation.shape == (2, 4)
    assert both.value.tolist() == [one.value[0], two.value[0]]
    assert both.mixture == (one.mixture[0], two.mixture[0])
    assert both.gap.shape == both.iterations.shape == (2,)
