"""How polyhedra become pieces: what is a bound, an order, a general row, and what is refused."""

import numpy as np
import pytest

from purex.convex import Piece, PieceSolver, PieceStack
from purex.errors import RefusedProblemError
from purex.families import Arms, Bernoulli, Exponential, Gaussian
from purex.model import Polyhedron


def test_rows_are_sorted_by_kind():
    arms = Arms.of(Bernoulli(), 4)
    poly = Polyhedron([[2, 0, 0, 0], [0, 1, -1, 0], [1, 1, 1, 1]], [1, 0, 2])
    piece = Piece.of(arms, [poly], 0.1, 0.9)
    assert piece.upper.tolist() == [0.5, 0.9, 0.9, 0.9]
    assert piece.orders == ((1, 2),)
    assert piece.A.tolist() == [[1, 1, 1, 1]]
    assert not piece.is_order


def test_bounds_and_orders_mean_the_same_in_every_coordinates():
    arms = Arms.of(Bernoulli(), 3)
    natural = Polyhedron([[1, 0, 0], [0, 1, -1]], [0.0, 0.0], coordinates="natural")
    log = Polyhedron([[1, 0, 0], [0, 1, -1]], [np.log(0.5), 0.0], coordinates="log")
    for poly in (natural, log):
        piece = Piece.of(arms, [poly], -np.inf, np.inf)
        assert piece.upper[0] == pytest.approx(0.5)
        assert piece.orders == ((1, 2),)
        assert piece.is_order


def test_natural_parameters_of_different_kinds_are_not_ordered_by_their_means():
    arms = Arms([Bernoulli(), Gaussian()])
    piece = Piece.of(arms, [Polyhedron([[1, -1]], [0], coordinates="natural")], -np.inf, np.inf)
    assert not piece.is_order


def test_order_between_gaussians_of_different_variance_in_natural_coordinates():
    arms = Arms([Gaussian(2.0), Gaussian(0.5)])
    # lam_0 <= lam_1 reads 2 theta_0 <= 0.5 theta_1
    piece = Piece.of(arms, [Polyhedron([[2, -0.5]], [0], coordinates="natural")], -np.inf, np.inf)
    assert piece.orders == ((0, 1),)


def test_chains_and_what_is_not_one():
    arms = Arms.of(Gaussian(), 4)
    chain = Polyhedron([[0, 1, -1, 0], [1, -1, 0, 0]], [0, 0])
    assert Piece.of(arms, [chain], -np.inf, np.inf).chains == ((0, 1, 2),)
    star = Polyhedron([[1, -1, 0, 0], [1, 0, -1, 0]], [0, 0])
    assert Piece.of(arms, [star], -np.inf, np.inf).chains is None
    cycle = Polyhedron([[1, -1, 0, 0], [-1, 1, 0, 0]], [0, 0])
    assert Piece.of(arms, [cycle], -np.inf, np.inf).chains is None


def test_mixed_coordinates_are_refused():
    arms = Arms.of(Bernoulli(), 3)
    mean = Polyhedron([[1, 1, 1]], [1])
    log = Polyhedron([[1, 1, -1]], [0], coordinates="log")
    with pytest.raises(RefusedProblemError, match="coordinates"):
        Piece.of(arms, [mean, log], -np.inf, np.inf)


def test_a_problem_that_is_not_convex_is_refused_with_a_sentence():
    piece = Piece.of(Arms.of(Exponential(), 2), [Polyhedron([[1, 1]], [1])], -np.inf, np.inf)
    for method in ("auto", "newton", "cvxpy"):
        with pytest.raises(RefusedProblemError, match="convex"):
            PieceSolver(piece, method)


@pytest.mark.parametrize("method", ["pav", "qp"])
def test_a_method_that_would_not_be_exact_is_refused(method):
    piece = Piece.of(Arms.of(Bernoulli(), 2), [Polyhedron([[1, 1]], [1])], -np.inf, np.inf)
    with pytest.raises(RefusedProblemError, match=method):
        PieceSolver(piece, method)


def test_infeasible_pieces_say_so():
    arms = Arms.of(Gaussian(), 2)
    w, mu = np.ones((1, 2)), np.zeros((1, 2))
    contradictory = Polyhedron([[1, 1], [-1, -1]], [0, -1])
    for method in ("qp", "newton", "cvxpy"):
        solver = PieceSolver(Piece.of(arms, [contradictory], -np.inf, np.inf), method)
        assert not solver.minimise(w, mu)[1].any()
    squeezed = Polyhedron([[1, 0], [-1, 0]], [0, -1])
    assert not PieceSolver(Piece.of(arms, [squeezed], -np.inf, np.inf)).minimise(w, mu)[1].any()
    below = Polyhedron([[1, -1], [-1, 0], [0, 1]], [0, -2, 1])  # 2 <= lam_0 <= lam_1 <= 1
    assert not PieceSolver(Piece.of(arms, [below], -np.inf, np.inf), "pav").minimise(w, mu)[1].any()


@pytest.mark.parametrize("method", ["qp", "newton"])
def test_a_stack_takes_pieces_without_tied_arms(method):
    """Bounds alone beside an equation: both in one call, each as by its own solver."""
    arms = Arms.of(Bernoulli(), 3)
    polyhedra = [Polyhedron.at_least(3, 1, 0.8), Polyhedron.order(3, low=0, high=1)]
    solvers = [PieceSolver(Piece.of(arms, [p], -np.inf, np.inf), method) for p in polyhedra]
    stack = PieceStack.of(solvers)
    assert stack is not None
    w, mu = np.array([[1.0, 2.0, 3.0]]), np.array([[0.6, 0.3, 0.5]])
    points, reached = stack.every(w, mu)
    assert reached.all()
    for solver, point in zip(solvers, points, strict=True):
        np.testing.assert_allclose(point, solver.minimise(w, mu)[0], rtol=1e-9)
    found = stack.nearest(w, mu)
    assert found.piece.tolist() == [1]
    np.testing.assert_allclose(found.value, arms.cost(w, mu, points[1]), rtol=1e-12)
