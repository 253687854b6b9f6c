r"""Small matrix games, a whole batch at once: the simplex method on tableaus in lock-step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purex.arrays import BoolArray, FloatArray
from purex.errors import OracleFailureError

ROUNDING = 1e-11  # a reduced cost or a pivot below this is 0; payoffs are scaled to [1, 2]
PIVOTS_PER_LINE = 20  # with Bland's rule a handful is usual; beyond, rounding has made a cycle: HiGHS


def solve_matrix_games(payoffs: FloatArray, active: BoolArray) -> FloatArray:
    r"""The maximisers z (R, K) of $\min_{j\ \mathrm{active}} \sum_k z_k A_{jk}$ over the simplex.

    `payoffs` are (R, M, K), `active` (R, M); each row needs an active j, and its result is a function of that
    row alone, bit for bit. The opponent's program $\max \sum_j y_j$ over $\sum_j y_j A_{jk} \le 1$,
    $y \ge 0$ (payoffs made positive) starts feasible, and z are its shadow prices, normalised.

    >>> solve_matrix_games(np.array([[[2.0, 0.0], [0.0, 1.0]]]), np.array([[True, True]])).round(6)
    array([[0.333333, 0.666667]])
    """
    R, M, K = payoffs.shape
    on = active[:, :, None]
    low = np.min(np.where(on, payoffs, np.inf), axis=(1, 2))[:, None, None]
    high = np.max(np.where(on, payoffs, -np.inf), axis=(1, 2))[:, None, None]
    spread = np.where(high > low, high - low, 1.0)
    scaled = np.where(on, (payoffs - low) / spread + 1.0, 0.0)
    # Columns: K slacks, M strategies (one that is not active is a column of zeros), the right-hand side.
    T = np.zeros((R, K + 1, K + M + 1))
    T[:, :K, :K] = np.eye(K)
    T[:, :K, K:-1] = scaled.transpose(0, 2, 1)
    T[:, K, K:-1] = np.where(active, -1.0, 0.0)
    T[:, :K, -1] = 1.0
    basis = np.tile(np.arange(K), (R, 1))
    rows = np.arange(R)
    for _ in range(PIVOTS_PER_LINE * (K + M)):
        entering = T[rows, K, :-1] < -ROUNDING
        rows, entering = rows[entering.any(axis=1)], entering[entering.any(axis=1)]
        if len(rows) == 0:
            break
        _pivot(T, basis, rows, np.argmax(entering, axis=1))
    prices = np.maximum(T[:, K, :K], 0.0)
    for r in rows:
        prices[r] = _by_highs(scaled[r][active[r]])
    total = np.zeros(R)
    for k in range(K):
        total += prices[:, k]
    return np.asarray(prices / total[:, None])


def _pivot(
    T: FloatArray, basis: NDArray[np.int64], rows: NDArray[np.int64], column: NDArray[np.int64]
) -> None:
    """One pivot of Bland's rule: the lowest column that improves, and of the tightest lines the lowest."""
    at = np.arange(len(rows))
    tableau = T[rows]
    entries = tableau[at, :-1, column]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(entries > ROUNDING, tableau[:, :-1, -1] / entries, np.inf)
    tightest = ratio <= ratio.min(axis=1, keepdims=True)
    line = np.argmin(np.where(tightest, basis[rows], np.iinfo(np.int64).max), axis=1)
    pivot = tableau[at, line] / tableau[at, line, column][:, None]
    tableau -= tableau[at, :, column][:, :, None] * pivot[:, None, :]
    tableau[at, line] = pivot
    T[rows] = tableau
    basis[rows, line] = column


def _by_highs(A: FloatArray) -> FloatArray:
    """The same prices for one game A (M, K) of positive payoffs, by HiGHS."""
    from scipy.optimize import linprog

    M, K = A.shape
    result = linprog(np.ones(K), A_ub=-A, b_ub=-np.ones(M), method="highs")
    if result.x is None:
        raise OracleFailureError(f"HiGHS did not solve a game of {M} by {K} payoffs: {result.message}")
    return np.asarray(np.maximum(result.x, 0.0))
