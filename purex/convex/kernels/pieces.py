"""All pieces of an alternative in one call: the best responses on general rows, compiled."""

from __future__ import annotations

import numpy as np

from purex.convex.kernels.active_set import LOST, SOLVED, project_row
from purex.convex.kernels.newton import minimise_row
from purex.families.compiled.divergence import BERNOULLI, GAUSSIAN, divergence
from purex.families.compiled.known import kind
from purex.jit import guvectorize, njit

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


@guvectorize(
    [
        "(f8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8[:], f8[:,:,:], f8[:,:], b1[:,:], f8[:,:], f8[:,:],"
        " i8[:], i8[:], i8[:,:], i8[:], f8[:], f8[:], i8[:], i8[:])"
    ],
    "(k),(k),(k),(k),(k),(k),(k),(p,m,k),(p,m),(p,m),(p,k),(p,k),(p),(p),(p,k),(p)->(),(k),(),()",
)
def nearest_piece(
    w, xi, scales, codes, parameters, starts, ends, A, b, equality, lower, upper, how, n_rows, tied, n_tied,
    value, point, piece, status,
):  # fmt: skip
    """The best response: the cheapest of all pieces.

    Exact ties go to the first, but where xi itself is a candidate, the response is xi.
    """
    P, m, K = A.shape
    active, state = np.empty(K + 1, np.int64), np.empty(m + 3 * K, np.int64)
    table, V, R = np.empty((8, m + K + 1)), np.empty((K, K)), np.empty((K, K))
    work, arms, trial = np.empty((20, K)), np.empty(K, np.int64), np.empty(K)
    value[0], piece[0], status[0] = np.inf, -1, SOLVED
    for k in range(K):
        point[k] = xi[k]
    stays = False
    for p in range(P):
        cost, found = piece_row(
            w, xi, scales, codes, parameters, starts, ends,
            A[p], b[p], equality[p], lower[p], upper[p], how[p], n_rows[p], tied[p], n_tied[p],
            trial, active, state, table, V, R, work, arms,
        )  # fmt: skip
        if found == LOST:
            status[0] = LOST
            return
        if found != SOLVED:
            continue
        here = is_at(trial, xi)
        if cost < value[0] or piece[0] < 0 or (here and not stays and cost <= value[0]):
            value[0], piece[0], stays = cost, p, here
            for k in range(K):
                point[k] = trial[k]


@guvectorize(
    [
        "(f8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8[:], f8[:,:,:], f8[:,:], b1[:,:], f8[:,:], f8[:,:],"
        " i8[:], i8[:], i8[:,:], i8[:], f8[:,:], i8[:])"
    ],
    "(k),(k),(k),(k),(k),(k),(k),(p,m,k),(p,m),(p,m),(p,k),(p,k),(p),(p),(p,k),(p)->(p,k),(p)",
)
def every_piece(
    w, xi, scales, codes, parameters, starts, ends, A, b, equality, lower, upper, how, n_rows, tied, n_tied,
    points, status,
):  # fmt: skip
    """The cheapest point of every piece, and whether it has one (status 0)."""
    P, m, K = A.shape
    active, state = np.empty(K + 1, np.int64), np.empty(m + 3 * K, np.int64)
    table, V, R = np.empty((8, m + K + 1)), np.empty((K, K)), np.empty((K, K))
    work, arms, trial = np.empty((20, K)), np.empty(K, np.int64), np.empty(K)
    for p in range(P):
        _, status[p] = piece_row(
            w, xi, scales, codes, parameters, starts, ends,
            A[p], b[p], equality[p], lower[p], upper[p], how[p], n_rows[p], tied[p], n_tied[p],
            trial, active, state, table, V, R, work, arms,
        )  # fmt: skip
        for k in range(K):
            points[p, k] = trial[k] if status[p] == SOLVED else xi[k]
