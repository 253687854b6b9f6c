"""Polyhedra: what lies inside, and by how much a point is outside."""

import numpy as np
import pytest

from purex.errors import InvalidInputError
from purex.model import Polyhedron

TRIANGLE = Polyhedron(np.array([[-1.0, 0.0], [0.0, -1.0], [1.0, 2.0]]), [0.0, 0.0, 2.0])
LINE = Polyhedron(A_eq=np.array([[1.0, -2.0]]), b_eq=[0.5])


def test_inequalities():
    points = np.array([[0.5, 0.5], [0.0, 1.0], [0.5, 1.0], [-0.25, 0.0], [3.0, -1.0]])
    assert TRIANGLE.violation(points).tolist() == [0.0, 0.0, 0.5, 0.25, 1.0]
    assert TRIANGLE.contains(points).tolist() == [True, True, False, False, False]
    assert TRIANGLE.contains(points, 0.5).tolist() == [True, True, True, True, False]


def test_an_equality_is_broken_from_either_side():
    points = np.array([[0.5, 0.0], [1.5, 0.5], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    assert LINE.violation(points).tolist() == [0.0, 0.0, 0.5, 0.5, 2.5]
    assert LINE.contains(points, 1e-9).tolist() == [True, True, False, False, False]


def test_half_spaces_by_name():
    points = np.array([[0.1, 0.9, 0.2], [0.3, 0.9, 0.2], [0.2, 0.0, 0.2]])
    assert Polyhedron.order(3, low=0, high=2).contains(points).tolist() == [True, False, True]
    assert Polyhedron.at_most(3, 1, 0.5).violation(points).tolist() == [0.4, 0.4, 0.0]
    assert Polyhedron.at_least(3, 0, 0.25).contains(points).tolist() == [False, True, False]
    assert Polyhedron.everything(3).contains(points).all()


def test_an_intersection_has_the_constraints_of_both():
    both = TRIANGLE & LINE
    assert both.contains([[0.5, 0.0], [0.0, 0.0], [1.5, 0.5], [0.9, 0.2]], 1e-12).tolist() == [
        True, False, False, True,
    ]  # fmt: skip
    with pytest.raises(InvalidInputError, match="coordinates"):
        _ = TRIANGLE & Polyhedron(np.ones((1, 2)), [0.0], coordinates="log")


def test_a_row_does_not_depend_on_the_others():
    rng = np.random.default_rng(0)
    piece = Polyhedron(rng.normal(size=(4, 7)), rng.normal(size=4), rng.normal(size=(2, 7)), np.zeros(2))
    points = rng.normal(size=(33, 7))
    whole = piece.violation(points)
    assert [float(piece.violation(point)) for point in points] == whole.tolist()
