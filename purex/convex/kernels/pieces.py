"""All pieces of an alternative in one call: the best responses on general rows, compiled.

Functions and no gufuncs: numba would put these, the longest kernels, through LLVM once more. So the caller
hands over arrays of one kind only, contiguous and writable.
"""

from __future__ import annotations

import numpy as np

from purex.convex.kernels.active_set import LOST, SOLVED, project_row
from purex.convex.kernels.newton import minimise_row
from purex.families.compiled.divergence import BERNOULLI, GAUSSIAN, divergence
from purex.families.compiled.known import kind
from purex.jit import njit

QUADRATIC, NEWTON_IN_MEANS, NEWTON_IN_LOGS = range(3)  # how a piece is solved


@njit
def is_at(x, y):
    """Whether two points are the same."""
    same = True
    for k in range(len(x)):
        same &= x[k] == y[k]
    return same


@njit
def piece_row(
    w, xi, scales, codes, parameters, starts, ends, A, b, equality, lower, upper, how, n_rows, tied, n_tied,
    point, active, state, table, V, R, work, arms,
):  # fmt: skip
    """The cheapest point of one piece: fills point, returns its cost and a status.

    The columns of A are those of the tied arms tied[:n_tied]; the others are brought into their bounds.
    """
    K = len(w)
    low, high, c, mu, parameter, start, end, best = (
        work[12], work[13], work[14], work[15], work[16], work[17], work[18], work[19],
    )  # fmt: skip
    for k in range(K):
        if lower[k] > upper[k]:
            return np.inf, LOST + 1
        point[k] = min(max(xi[k], lower[k]), upper[k])
    m, n, status = n_rows, n_tied, SOLVED
    if n > 0:
        for j in range(n):
            k = tied[j]
            low[j], high[j], c[j], mu[j] = lower[k], upper[k], w[k] * scales[k], xi[k]
            arms[j], parameter[j], start[j], end[j] = codes[k], parameters[k], starts[k], ends[k]
        # Asked of `kind`, so that for Gaussian arms alone Newton's method is never compiled.
        family = kind(GAUSSIAN if how == QUADRATIC else BERNOULLI)
        if family == GAUSSIAN:
            _, status = project_row(
                c[:n], mu[:n], A[:m, :n], b[:m], equality[:m], low[:n], high[:n], best[:n], 0,
                active, state, table, V, R,
            )  # fmt: skip
        else:
            status = minimise_row(
                c[:n], mu[:n], A[:m, :n], b[:m], equality[:m], low[:n], high[:n],
                arms[:n], parameter[:n], start[:n], end[:n], how - NEWTON_IN_MEANS,
                best[:n], active, state, table, V, R, work,
            )  # fmt: skip
        if status != SOLVED:
            return np.inf, status
        for j in range(n):
            point[tied[j]] = best[j]
    cost = 0.0
    for k in range(K):
        if w[k] > 0.0:
            cost += w[k] * scales[k] * divergence(codes[k], parameters[k], xi[k], point[k])
    return cost, SOLVED


@njit(allocates=True)
def scratch(A):
    """What `piece_row` needs for pieces A (P, m, K)."""
    _, m, K = A.shape
    active, state = np.empty(K + 1, np.int64), np.empty(m + 3 * K, np.int64)
    table, V, R = np.empty((8, m + K + 1)), np.empty((K, K)), np.empty((K, K))
    return active, state, table, V, R, np.empty((20, K)), np.empty(K, np.int64)


@njit(allocates=True)
def nearest_piece(
    w, xi, scales, codes, parameters, starts, ends, A, b, equality, lower, upper, how, n_rows, tied, n_tied,
    value, point, piece, status,
):  # fmt: skip
    """The best response of each row: the cheapest of all pieces; fills the last four.

    Exact ties go to the first, but where xi itself is a candidate, the response is xi.
    """
    active, state, table, V, R, work, arms = scratch(A)
    K = A.shape[2]
    trial = np.empty(K)
    for r in range(len(w)):
        value[r], piece[r], status[r] = np.inf, -1, SOLVED
        for k in range(K):
            point[r, k] = xi[r, k]
        stays = False
        for p in range(len(A)):
            cost, found = piece_row(
                w[r], xi[r], scales, codes, parameters, starts, ends,
                A[p], b[p], equality[p], lower[p], upper[p], how[p], n_rows[p], tied[p], n_tied[p],
                trial, active, state, table, V, R, work, arms,
            )  # fmt: skip
            if found == LOST:
                status[r] = LOST
                break
            if found != SOLVED:
                continue
            here = is_at(trial, xi[r])
            if cost < value[r] or piece[r] < 0 or (here and not stays and cost <= value[r]):
                value[r], piece[r], stays = cost, p, here
                for k in range(K):
                    point[r, k] = trial[k]


@njit(allocates=True)
def every_piece(
    w, xi, scales, codes, parameters, starts, ends, A, b, equality, lower, upper, how, n_rows, tied, n_tied,
    points, status,
):  # fmt: skip
    """The cheapest point of every piece, and whether it has one (status 0), for each row; fills both."""
    active, state, table, V, R, work, arms = scratch(A)
    K = A.shape[2]
    trial = np.empty(K)
    for r in range(len(w)):
        for p in range(len(A)):
            _, status[p, r] = piece_row(
                w[r], xi[r], scales, codes, parameters, starts, ends,
                A[p], b[p], equality[p], lower[p], upper[p], how[p], n_rows[p], tied[p], n_tied[p],
                trial, active, state, table, V, R, work, arms,
            )  # fmt: skip
            for k in range(K):
                points[p, r, k] = trial[k] if status[p, r] == SOLVED else xi[r, k]
