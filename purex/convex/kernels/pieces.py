"""All pieces of an alternative in one call: the best responses on general rows, compiled.

Functions and no gufuncs: numba would put these, the longest kernels, through LLVM once more. From Python they
take the fields of `Families` and `Pieces` as plain tuples: numba needs 1.5 us to recognise the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.convex.arguments import (
    INFEASIBLE,
    LOG,
    LOST,
    MEAN,
    NEWTON_IN_LOGS,
    QUADRATIC,
    SOLVED,
    Costs,
    Domains,
    Families,
    Feasible,
    Pieces,
)
from purex.convex.kernels.active_set import Space, project_row, space_for
from purex.convex.kernels.newton import VECTORS, minimise_row
from purex.families.compiled.divergence import divergence
from purex.families.compiled.arm_kinds import only_gaussian
from purex.jit import njit


class Memory(NamedTuple):
    """What pieces of up to m rows and K tied arms are solved in: `memory_for` makes it."""

    codes: IntArray  # (K,): the families of the tied arms
    tied: FloatArray  # (8, K): the other numbers of the tied arms
    vectors: FloatArray  # for Newton's method
    space: Space  # for the active-set method


class Tied(NamedTuple):
    """The problem of the tied arms alone."""

    costs: Costs
    domains: Domains
    feasible: Feasible
    best: FloatArray  # where their cheapest point goes


@njit(allocates=True, inline="always")
def memory_for(pieces):
    """The memory for these pieces."""
    _, m, K = pieces.A.shape
    return Memory(np.empty(K, np.int64), np.empty((8, K)), np.empty((VECTORS, K)), space_for(m, K))


@njit
def is_at(x, y):
    """Whether two points are the same: $x = y$ in every entry."""
    same = True
    for k in range(len(x)):
        same &= x[k] == y[k]
    return same


@njit(inline="always")
def tied_arms(p, w, xi, families, pieces, memory):
    r"""The costs $w_k s_k d(\xi_k, \lambda_k)$ of the tied arms of piece p, and what is feasible for them."""
    m, n = pieces.n_rows[p], pieces.n_tied[p]
    codes, numbers = memory.codes[:n], memory.tied
    c, mu, parameters = numbers[0, :n], numbers[1, :n], numbers[2, :n]
    starts, ends = numbers[3, :n], numbers[4, :n]
    lower, upper, best = numbers[5, :n], numbers[6, :n], numbers[7, :n]
    for j in range(n):
        k = pieces.tied[p, j]
        c[j], mu[j] = w[k] * families.scales[k], xi[k]
        codes[j], parameters[j] = families.codes[k], families.parameters[k]
        starts[j], ends[j] = families.starts[k], families.ends[k]
        lower[j], upper[j] = pieces.lower[p, k], pieces.upper[p, k]
    A, b, equality = pieces.A[p, :m, :n], pieces.b[p, :m], pieces.equality[p, :m]
    return Tied(
        costs=Costs(c, mu, codes, parameters),
        domains=Domains(starts, ends),
        feasible=Feasible(A, b, equality, lower, upper),
        best=best,
    )


@njit
def piece_row(p, w, xi, families, pieces, memory, point):
    r"""The cheapest point of piece p, $\min_\lambda \sum_k w_k s_k d(\xi_k, \lambda_k)$; fills point.

    Arms that are not tied are brought into their bounds. Returns the cost and a status.
    """
    K, n = len(w), pieces.n_tied[p]
    for k in range(K):
        if pieces.lower[p, k] > pieces.upper[p, k]:
            return np.inf, INFEASIBLE
        point[k] = min(max(xi[k], pieces.lower[p, k]), pieces.upper[p, k])
    if n > 0:
        costs, domains, feasible, best = tied_arms(p, w, xi, families, pieces, memory)
        how = pieces.how[p]
        if only_gaussian() or how == QUADRATIC:
            _, status = project_row(costs.c, costs.mu, feasible, 0, memory.space, best)
        else:
            system = LOG if how == NEWTON_IN_LOGS else MEAN
            status = minimise_row(costs, domains, feasible, system, best, memory.vectors, memory.space)
        if status != SOLVED:
            return np.inf, status
        for j in range(n):
            point[pieces.tied[p, j]] = best[j]
    cost = 0.0
    for k in range(K):
        if w[k] > 0.0:
            code, parameter = families.codes[k], families.parameters[k]
            cost += w[k] * families.scales[k] * divergence(code, parameter, xi[k], point[k])
    return cost, SOLVED


@njit(allocates=True)
def nearest_piece(w, xi, arms, stack, value, point, piece, status):
    r"""The best response of each row, $\min_p \min_{\lambda \in p} \sum_k w_k s_k d(\xi_k, \lambda_k)$.

    Fills the last four. Exact ties go to the first piece, but where xi itself is a candidate, the response is
    xi.
    """
    families, pieces = Families(*arms), Pieces(*stack)
    memory = memory_for(pieces)
    P, _, K = pieces.A.shape
    trial = np.empty(K)
    for r in range(len(w)):
        value[r], piece[r], status[r] = np.inf, -1, SOLVED
        for k in range(K):
            point[r, k] = xi[r, k]
        stays = False
        for p in range(P):
            cost, found = piece_row(p, w[r], xi[r], families, pieces, memory, trial)
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
def every_piece(w, xi, arms, stack, points, status):
    r"""The cheapest point of every piece, $\arg\min_{\lambda \in p} \sum_k w_k s_k d(\xi_k, \lambda_k)$.

    Fills points and status for each piece and row; where there is none, the point is xi.
    """
    families, pieces = Families(*arms), Pieces(*stack)
    memory = memory_for(pieces)
    P, _, K = pieces.A.shape
    trial = np.empty(K)
    for r in range(len(w)):
        for p in range(P):
            _, status[p, r] = piece_row(p, w[r], xi[r], families, pieces, memory, trial)
            for k in range(K):
                points[p, r, k] = trial[k] if status[p, r] == SOLVED else xi[r, k]
