"""General rows with means on the edges of their domain, where curvatures are limits: against cvxpy."""

import numpy as np
import pytest

from purex.convex.piece import Piece
from purex.convex.solver import PieceSolver
from purex.families import Arms, Bernoulli, Poisson
from purex.model import Polyhedron


@pytest.mark.parametrize("family", [Bernoulli(), Poisson()], ids=lambda f: f.name)
def test_means_on_the_edge(family):
    """Few pulls of Bernoulli arms give means of 0 and 1: a chain, and a sum that must fall."""
    rng = np.random.default_rng(7)
    K = 10
    arms = Arms.of(family, K)
    rows = np.zeros((K, K))
    for k in range(K - 1):
        rows[k, k], rows[k, k + 1] = 1.0, -1.0
    rows[K - 1, [4, 5]] = 1.0
    piece = Piece.of(arms, [Polyhedron(rows, np.r_[np.zeros(K - 1), 0.6])], -np.inf, np.inf)
    mu = np.array([0, 0, 0, 0, 0.25, 0.5, 0.5, 0.5, 1, 0.5])
    mu = np.vstack([mu, rng.choice([0.0, 0.25, 0.5, 1.0], size=(25, K))])
    w = rng.integers(1, 6, size=mu.shape).astype(float)
    fast, found = PieceSolver(piece).minimise(w, mu)
    slow, _ = PieceSolver(piece, "cvxpy").minimise(w, mu)
    assert found.all()
    best = arms.cost(w, mu, slow)
    assert arms.cost(w, mu, fast) == pytest.approx(best, rel=1e-6, abs=1e-8)
