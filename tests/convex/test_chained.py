"""All pieces of chains in one kernel, against the pieces one by one, bit for bit, and against programs."""

from itertools import pairwise

import numpy as np
import pytest

from purex import Polyhedron, Query
from purex.convex import GenericOracle
from purex.convex.chained import ChainedStack
from purex.families import Arms, Bernoulli, Exponential, Gaussian, Poisson
from purex.model import Cheapest, Unstructured

K = 5
FAMILIES = (Gaussian(0.7), Bernoulli(), Poisson(), Exponential())


class Chains(Query):
    """Nobody's question: alternatives of one chain, of two, with bounds inside and outside of them."""

    def answer(self, mu):
        return np.zeros(len(mu), dtype=np.int64)

    def alternatives(self, i):
        def order(*arms):
            piece = Polyhedron.everything(K)
            for low, high in pairwise(arms):
                piece = piece & Polyhedron.order(K, low=low, high=high)
            return piece

        return [
            order(0, 1),
            order(2, 0, 4) & Polyhedron.at_least(K, 0, 0.4),
            order(0, 3) & order(4, 2),
            order(3, 1) & Polyhedron.at_least(K, 3, 0.8) & Polyhedron.at_most(K, 1, 0.2),  # there is no point
            order(4, 3) & Polyhedron.at_most(K, 0, 0.5),
            order(1, 0),
        ]


def draw(rng, size):
    """Means with ties, exact and of a millionth; weights of which some are zero, others far smaller."""
    xi = rng.uniform(0.05, 0.95, (size, K))
    xi[::3] = rng.integers(1, 5, xi[::3].shape) / 5
    xi[1::5] = 0.5 + 1e-6 * rng.integers(-3, 4, xi[1::5].shape)
    w = rng.exponential(size=(size, K))
    w[rng.random(w.shape) < 0.15] = 0.0
    w[rng.random(w.shape) < 0.1] *= 1e-20
    return w, xi


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("box", [(-np.inf, np.inf), (0.1, 0.9)], ids=["free", "box"])
def test_all_at_once_is_one_by_one(family, box):
    oracle = GenericOracle(Chains(K), Unstructured(K), Arms.of(family, K), *box)
    solvers = oracle.solvers(0)
    assert ChainedStack.of([solver for _, solver in solvers]) is not None
    w, xi = draw(np.random.default_rng(7), 600)
    best = Cheapest(xi)
    for number, solver in solvers:
        point, feasible = solver.minimise(w, xi)
        best.offer(number, oracle.arms.cost(w, xi, point), point, feasible=feasible)
    found = oracle(np.zeros(len(w), dtype=np.int64), w, xi)
    for one, other in zip(found, best.response(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_against_quadratic_programs(family):
    parts = Chains(K), Unstructured(K), Arms.of(family, K), -np.inf, np.inf
    w, xi = draw(np.random.default_rng(8), 200)
    i = np.zeros(len(w), dtype=np.int64)
    found, other = (GenericOracle(*parts, method)(i, w, xi) for method in ("auto", "qp"))
    np.testing.assert_allclose(found.value, other.value, rtol=1e-9, atol=1e-13 * w.max())


def test_a_row_does_not_depend_on_its_batch():
    oracle = GenericOracle(Chains(K), Unstructured(K), Arms.of(Bernoulli(), K), -np.inf, np.inf)
    w, xi = draw(np.random.default_rng(9), 30)
    i = np.zeros(len(w), dtype=np.int64)
    whole = oracle(i, w, xi)
    for r in range(len(w)):
        for one, other in zip(oracle(i[:1], w[r : r + 1], xi[r : r + 1]), whole, strict=True):
            np.testing.assert_array_equal(one[0], other[r])


def test_without_any_point_there_is_no_response():
    class Nothing(Chains):
        def alternatives(self, i):
            return super().alternatives(i)[3:4]

    oracle = GenericOracle(Nothing(K), Unstructured(K), Arms.of(Gaussian(), K), -np.inf, np.inf)
    xi = np.full((2, K), 0.5)
    found = oracle(np.zeros(2, dtype=np.int64), np.ones((2, K)), xi)
    assert (found.value == np.inf).all()
    assert (found.piece == -1).all()
    np.testing.assert_array_equal(found.point, xi)


def test_chains_of_several_families_go_one_by_one():
    arms = Arms([Gaussian(), Bernoulli(), Bernoulli(), Bernoulli(), Bernoulli()])
    oracle = GenericOracle(Chains(K), Unstructured(K), arms, 0.0, 1.0, "newton")
    assert ChainedStack.of([solver for _, solver in oracle.solvers(0)]) is None
