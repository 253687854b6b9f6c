"""Matrix games whose simplex method is cut short are solved by HiGHS, as well as the others."""

import numpy as np
import pytest
from scipy.optimize import linprog

from purex.games import matrix_game


def value(A):
    """The value of a game, by a linear program of its own."""
    M, K = A.shape
    found = linprog(
        np.append(np.zeros(K), -1.0), A_ub=np.column_stack([-A, np.ones(M)]), b_ub=np.zeros(M),
        A_eq=[np.append(np.ones(K), 0.0)], b_eq=[1.0], bounds=[(0, None)] * K + [(None, None)],
    )  # fmt: skip
    return -found.fun


@pytest.mark.parametrize("pivots", [20, 0], ids=["simplex", "HiGHS"])
def test_both_ways_find_a_maximiser(pivots, monkeypatch):
    monkeypatch.setattr(matrix_game, "PIVOTS_PER_LINE", pivots)
    rng = np.random.default_rng(2)
    payoffs, active = rng.normal(size=(12, 4, 3)), rng.random((12, 4)) < 0.7
    active[:, 0] = True
    z = matrix_game.solve_matrix_games(payoffs, active)
    assert (z >= 0).all()
    np.testing.assert_allclose(z.sum(axis=1), 1.0, rtol=1e-12)
    for A, on, w in zip(payoffs, active, z, strict=True):
        assert (A[on] @ w).min() == pytest.approx(value(A[on]), rel=1e-9, abs=1e-9 * np.abs(A).max())
