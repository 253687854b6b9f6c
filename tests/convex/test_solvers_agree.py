"""The solvers against each other and against cvxpy, on random pieces."""

import numpy as np
import pytest

from purex.convex import Piece, PieceSolver
from purex.families import Arms, Bernoulli, Exponential, Gamma, Gaussian, Geometric, Poisson
from purex.model import Polyhedron

FAMILIES = [Gaussian(0.5), Bernoulli(), Poisson(), Exponential(), Gamma(2.5), Geometric()]


def instances(rng, R, K, low=0.02, high=0.98):
    mu = rng.uniform(low, high, (R, K))
    mu[::5] = mu[::5, :1] + 1e-6 * rng.integers(-3, 4, (len(mu[::5]), K))
    w = rng.exponential(size=(R, K)) * 10.0 ** rng.integers(-5, 1, (R, K))
    w[rng.random(w.shape) < 0.2] = 0
    w[0] = 0
    return w, np.clip(mu, low, high)


def random_orders(rng, K, tree):
    rows = []
    for k in range(1, K):
        if rng.random() < 0.7:
            row = np.zeros(K)
            row[rng.integers(0, k) if tree else k - 1], row[k] = 1, -1
            rows.append(row)
    return np.array(rows).reshape(-1, K)


def agree(x, y, w, rtol):
    assert np.all(np.abs(x - y) <= rtol * np.maximum(x, y) + 1e-12 * w.max(axis=1)), np.max(
        np.abs(x - y) / np.maximum(np.maximum(x, y), 1e-300)
    )


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
@pytest.mark.parametrize("seed", range(4))
def test_chains_pav_against_the_quadratic_program_and_newton(family, seed):
    rng = np.random.default_rng(seed)
    K = int(rng.integers(2, 9))
    arms = Arms.of(family, K)
    rows = random_orders(rng, K, tree=False)
    level, k = rng.uniform(0.2, 0.8), int(rng.integers(K))
    bound = Polyhedron.at_least(K, k, level)
    piece = Piece.of(
        arms, [Polyhedron(rows, np.zeros(len(rows))), bound] if len(rows) else [bound], 0.01, 0.99
    )
    w, mu = instances(rng, 60, K)
    values = {}
    for method in ("pav", "qp", "newton"):
        point, feasible = PieceSolver(piece, method).minimise(w, mu)
        assert feasible.all()
        assert (point[:, k] >= level).all()
        assert np.all(np.einsum("mk,rk->rm", rows, point) <= 1e-9)
        values[method] = arms.cost(w, mu, point)
    agree(values["pav"], values["qp"], w, 1e-7)
    agree(values["pav"], values["newton"], w, 1e-7)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
def test_tree_orders_have_one_minimiser_for_every_divergence(family):
    """Robertson, Wright & Dykstra, theorem 1.5.1: the quadratic program against Newton and cvxpy."""
    rng = np.random.default_rng(7)
    K = 6
    arms = Arms.of(family, K)
    rows = random_orders(rng, K, tree=True)
    piece = Piece.of(arms, [Polyhedron(rows, np.zeros(len(rows)))], -np.inf, np.inf)
    assert piece.chains is None
    w, mu = instances(rng, 40, K)
    w = np.maximum(w, 1e-3)  # cvxpy resolves no smaller weights
    value = {}
    for method in ("qp", "newton", "cvxpy"):
        point, feasible = PieceSolver(piece, method).minimise(w, mu)
        assert feasible.all()
        value[method] = arms.cost(w, mu, point)
    agree(value["qp"], value["newton"], w, 1e-7)
    large = value["qp"] > 1e-6
    assert large.sum() > 10
    np.testing.assert_allclose(value["qp"][large], value["cvxpy"][large], rtol=2e-5)


@pytest.mark.parametrize("family", [Gaussian(2.0), Bernoulli(), Poisson()], ids=lambda f: f.name)
@pytest.mark.parametrize("seed", range(6))
def test_general_rows_against_cvxpy(family, seed):
    rng = np.random.default_rng(seed)
    K, m = int(rng.integers(2, 9)), int(rng.integers(1, 4))
    arms = Arms.of(family, K)
    A = rng.normal(size=(m, K))
    b = A @ rng.uniform(0.3, 0.7, K) - 0.1 * rng.random(m)
    eq = seed % 2 == 1 and m > 1
    poly = Polyhedron(A[1:], b[1:], A[:1], b[:1]) if eq else Polyhedron(A, b)
    piece = Piece.of(arms, [poly], 0.01, 0.99)
    w, mu = instances(rng, 30, K)
    mu[::7, 0] = max(0.0, family.domain[0])
    fast = PieceSolver(piece)
    assert fast.method == ("qp" if family.kind == "gaussian" else "newton")
    point, feasible = fast.minimise(w, mu)
    other, also = PieceSolver(piece, "cvxpy").minimise(w, mu)
    assert (feasible == also).all()
    assert np.all(poly.violation(point[feasible]) <= 1e-9)
    value, referee = arms.cost(w, mu, point)[feasible], arms.cost(w, mu, other)[feasible]
    top = w.max(axis=1)[feasible]
    # An interior-point solver cannot beat an exact one by more than it violates the constraints.
    assert np.all(value <= referee * (1 + 1e-6) + 1e-9 * top)
    large = value > 1e-4 * top
    np.testing.assert_allclose(value[large], referee[large], rtol=1e-4)


def test_gaussian_and_newton_agree_where_both_are_exact():
    rng = np.random.default_rng(3)
    arms = Arms([Gaussian(v) for v in (0.5, 1.0, 2.0, 4.0)])
    A = rng.normal(size=(3, 4))
    piece = Piece.of(arms, [Polyhedron(A, A @ np.full(4, 0.5) - 0.2)], -np.inf, np.inf)
    w, mu = instances(rng, 200, 4)
    values = [arms.cost(w, mu, PieceSolver(piece, m).minimise(w, mu)[0]) for m in ("qp", "newton")]
    agree(*values, w, 1e-9)


@pytest.mark.parametrize("family", [Bernoulli(), Poisson(), Exponential()], ids=lambda f: f.name)
def test_log_coordinates_against_cvxpy(family):
    """A rank-one 2 x 2 table: log lam_00 + log lam_11 = log lam_01 + log lam_10."""
    rng = np.random.default_rng(5)
    arms = Arms.of(family, 4)
    affine = Polyhedron(A_eq=[[1, -1, -1, 1]], b_eq=[0], coordinates="log")
    piece = Piece.of(arms, [affine, Polyhedron.order(4, low=0, high=2)], -np.inf, np.inf)
    w, mu = rng.uniform(0.5, 2, (20, 4)), rng.uniform(0.1, 0.9, (20, 4))
    point, feasible = PieceSolver(piece).minimise(w, mu)
    other, _ = PieceSolver(piece, "cvxpy").minimise(w, mu)
    assert feasible.all()
    np.testing.assert_allclose(point[:, 0] * point[:, 3], point[:, 1] * point[:, 2], rtol=1e-7)
    np.testing.assert_allclose(arms.cost(w, mu, point), arms.cost(w, mu, other), rtol=1e-6)


def test_natural_coordinates_against_cvxpy():
    rng = np.random.default_rng(6)
    arms = Arms.of(Bernoulli(), 3)
    sum_zero = Polyhedron([[1, 1, 1]], [0], coordinates="natural")
    piece = Piece.of(arms, [sum_zero], -np.inf, np.inf)
    w, mu = rng.uniform(0.5, 2, (20, 3)), rng.uniform(0.4, 0.95, (20, 3))
    point, _ = PieceSolver(piece).minimise(w, mu)
    other, _ = PieceSolver(piece, "cvxpy").minimise(w, mu)
    assert np.all(arms.natural(point).sum(axis=1) <= 1e-7)
    np.testing.assert_allclose(arms.cost(w, mu, point), arms.cost(w, mu, other), rtol=1e-6, atol=1e-12)


def test_tied_arms_of_different_families_are_searched_globally():
    """An example with two minima: the local minimum is 3.588, the global one 2.857."""
    arms = Arms([Exponential(), Gaussian()])
    piece = Piece.of(arms, [Polyhedron.order(2, low=1, high=0)], -np.inf, np.inf)
    w, mu = np.array([[1.0, 0.3]]), np.array([[0.1, 5.0]])
    point, _ = PieceSolver(piece).minimise(w, mu)
    assert point[0, 0] == point[0, 1]
    assert arms.cost(w, mu, point)[0] == pytest.approx(2.857, abs=1e-3)


def test_confidence_boxes_restrict_each_row():
    arms = Arms.of(Bernoulli(), 3)
    chain = Polyhedron([[1, -1, 0], [0, 1, -1]], [0, 0])
    general = Polyhedron([[1, 1, 1]], [1.2])
    rng = np.random.default_rng(1)
    w, mu = rng.uniform(0.5, 2, (30, 3)), rng.uniform(0.1, 0.9, (30, 3))
    low, high = np.maximum(mu - 0.2, 0.0), np.minimum(mu + 0.3, 1.0)
    for poly in (chain, general):
        piece = Piece.of(arms, [poly], -np.inf, np.inf)
        results = {m: PieceSolver(piece, m).minimise(w, mu, low, high) for m in ("auto", "newton", "cvxpy")}
        (x, found), (y, also), (z, too) = results.values()
        assert 0 < found.sum() < 30
        assert (found == also).all()
        assert (found == too).all()
        cost = [arms.cost(w, mu, p)[found] for p in (x, y, z)]
        assert np.all((low - 1e-12 <= x)[found] & (x <= high + 1e-12)[found])
        np.testing.assert_allclose(cost[0], cost[1], rtol=1e-7)
        np.testing.assert_allclose(cost[0], cost[2], rtol=1e-5, atol=1e-8)
