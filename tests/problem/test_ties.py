"""Pieces that hold nothing but ties are nobody's alternative; those with a little more are kept.

By the answers of the problem alone: a question that only ties could change has infinite value.
"""

import numpy as np
import pytest

from purex.families import Arms, Bernoulli, Gaussian
from purex.model import Polyhedron, Query, Structure
from purex.problem import Problem


class Declared(Query):
    """Is the answer 1? Its alternatives are given; nobody asks for those of another answer here."""

    def __init__(self, n_arms, *pieces):
        super().__init__(n_arms)
        self.pieces = pieces

    def answer(self, mu):
        inside = np.zeros(len(mu), dtype=bool)
        for piece in self.pieces:
            inside |= (np.einsum("mk,rk->rm", piece.A, mu) < piece.b).all(axis=1)
        return np.where(inside, 0, 1)

    def alternatives(self, i):
        return list(self.pieces) if i == 1 else []


class Cell(Structure):
    """One cell."""

    def __init__(self, cell):
        super().__init__(cell.n_arms)
        self.cell = cell

    def cells(self):
        return [self.cell]


class AtMost(Structure):
    """The mean of arm 0 is at most a level: stated in cvxpy."""

    def __init__(self, n_arms, level):
        super().__init__(n_arms)
        self.level = level

    def cells(self):
        return [Polyhedron.everything(self.n_arms)]

    def constraints(self, cp, lam):
        return [lam[0] <= self.level]


def is_trivial(problem, mu):
    """Whether nothing could change answer 1."""
    response = problem.best_response(1, np.ones(problem.n_arms), mu)
    trivial = bool(np.isinf(response.value[0]))
    assert (response.piece[0] < 0) == trivial
    return trivial


ABOVE = Polyhedron.at_least(2, 0, 0.5)
DIFFERENCE = np.array([2.0, -1.0])  # a general row: 2 lam_0 - lam_1
THIRDS = np.array([1 / 3, -1 / 3])


@pytest.mark.parametrize("family", [Gaussian(), Bernoulli()], ids=lambda family: family.name)
@pytest.mark.parametrize("extra", [0.0, 1e-4], ids=["a tie", "more"])
def test_a_level_at_the_end_of_the_box(family, extra):
    """Is arm 0 above 1/2, when no mean may be? In a box that ends there the question is no question."""
    problem = Problem(Arms.of(family, 2), Declared(2, ABOVE), box=(0.1, 0.5 + extra))
    assert is_trivial(problem, [0.4, 0.3]) == (extra == 0.0)
    if extra:
        value = problem.best_response(1, np.ones(2), [0.4, 0.3]).value[0]
        assert value == pytest.approx(float(family.d(0.4, 0.5)), rel=1e-9)


@pytest.mark.parametrize("extra", [0.0, 1e-4], ids=["a tie", "more"])
def test_an_order_squeezed_between_bounds(extra):
    """lam_0 <= lam_1 where lam_0 >= 1/2 and lam_1 <= 1/2 (+ extra): all three are the query's own."""
    rows = np.array([[1.0, -1.0], [-1.0, 0.0], [0.0, 1.0]])
    problem = Problem(Arms.of(Gaussian(), 2), Declared(2, Polyhedron(rows, [0.0, -0.5, 0.5 + extra])))
    assert is_trivial(problem, [0.9, 0.2]) == (extra == 0.0)


def test_orders_in_a_circle_are_a_tie():
    both = Polyhedron(np.array([[1.0, -1.0], [-1.0, 1.0]]), [0.0, 0.0])
    assert is_trivial(Problem(Arms.of(Gaussian(), 2), Declared(2, both)), [0.9, 0.2])
    three = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0], [-1.0, 0.0, 1.0]])
    mu = [0.9, 0.2, 0.4]
    circle = Declared(3, Polyhedron(three, np.zeros(3)))
    assert is_trivial(Problem(Arms.of(Gaussian(), 3), circle), mu)
    chain = Declared(3, Polyhedron(three[:2], np.zeros(2)))
    assert not is_trivial(Problem(Arms.of(Gaussian(), 3), chain), mu)


@pytest.mark.parametrize("row", [DIFFERENCE, THIRDS, 1e3 * DIFFERENCE], ids=["2 and -1", "thirds", "large"])
@pytest.mark.parametrize("family", [Gaussian(), Bernoulli()], ids=lambda family: family.name)
@pytest.mark.parametrize("extra", [0.0, 0.01], ids=["a tie", "more"])
def test_a_general_row_against_its_own_opposite(row, family, extra):
    """M lies where a . lam <= 0 (+ extra), the alternative where a . lam >= 0."""
    size = np.abs(row).max()
    cell, piece = Polyhedron(row, extra * size), Polyhedron(-row, 0.0)
    problem = Problem(Arms.of(family, 2), Declared(2, piece), Cell(cell))
    assert is_trivial(problem, [0.2, 0.7]) == (extra == 0.0)


@pytest.mark.parametrize("extra", [0.0, 0.01], ids=["a tie", "more"])
def test_a_structure_stated_in_cvxpy(extra):
    problem = Problem(Arms.of(Gaussian(), 2), Declared(2, ABOVE), AtMost(2, 0.5 + extra))
    assert is_trivial(problem, [0.4, 0.3]) == (extra == 0.0)


def test_pieces_that_differ_in_their_levels_only_are_two():
    """Arm 0 up to 0.7, or down to 0.1; up to 0.5 comes last and is the nearest."""
    levels = Polyhedron.at_least(2, 0, 0.7), Polyhedron.at_most(2, 0, 0.1), Polyhedron.at_least(2, 0, 0.5)
    problem = Problem(Arms.of(Gaussian(), 2), Declared(2, *levels), oracle="generic")
    response = problem.best_response(1, np.ones(2), [0.4, 0.3])
    assert response.piece[0] == 2
    assert response.value[0] == pytest.approx(0.005, rel=1e-12)


@pytest.mark.parametrize("mu", [[0.2, 0.7], [0.7, 0.2]], ids=["rising", "falling"])
def test_a_structure_of_equal_means_ties_from_either_side(mu):
    """M is the diagonal: the projection is the weighted mean, wherever mu lies."""
    problem = Problem(
        Arms.of(Gaussian(), 2), Declared(2, ABOVE), Cell(Polyhedron(A_eq=[[1.0, -1.0]], b_eq=[0.0]))
    )
    mean = (mu[0] + 3 * mu[1]) / 4
    np.testing.assert_allclose(problem.project([1.0, 3.0], mu), [[mean, mean]], rtol=1e-12)


def test_of_two_pieces_the_tie_is_left_out():
    """A tie at distance 0.1 is dropped, so the nearest alternative is the other piece, at distance 0.2."""
    far = Polyhedron.at_most(2, 1, 0.1)
    problem = Problem(Arms.of(Gaussian(), 2), Declared(2, ABOVE, far), box=(0.0, 0.5))
    response = problem.best_response(1, np.ones(2), [0.4, 0.3])
    assert response.piece[0] == 1
    assert response.value[0] == pytest.approx(0.02, rel=1e-12)
    assert problem.equilibrium([0.4, 0.3], 1).value[0] == pytest.approx(0.02, rel=1e-9)
