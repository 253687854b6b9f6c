"""All pieces that are chains of orders in one call: the best responses of declared queries, compiled."""

from __future__ import annotations

import numpy as np

from purex.convex.arguments import ChainedPieces, Families
from purex.convex.kernels.isotonic import FIT_SIZE, increasing_fit
from purex.families.compiled.divergence import divergence
from purex.jit import njit


@njit
def chained_piece(p, w, xi, families, pieces, room, point):
    r"""The cheapest point of piece p, $\min_\lambda \sum_k w_k s_k d(\xi_k, \lambda_k)$; fills point.

    Arms in no chain are brought into their bounds. `room` has FIT_SIZE + 3 numbers for each arm.
    """
    K = len(w)
    for k in range(K):
        point[k] = min(max(xi[k], pieces.lower[p, k]), pieces.upper[p, k])
    c, mu, fit, scratch = room[:K], room[K : 2 * K], room[2 * K : 3 * K], room[3 * K :]
    begin = 0
    for end in pieces.ends[p]:
        n = end - begin
        if n <= 0:
            break
        for j in range(n):
            k = pieces.chained[p, begin + j]
            c[j], mu[j] = w[k] * families.scales[k], xi[k]
        floor, ceiling = pieces.floor[p, begin:end], pieces.ceiling[p, begin:end]
        increasing_fit(n, c, mu, floor, ceiling, fit, scratch)
        for j in range(n):
            point[pieces.chained[p, begin + j]] = fit[j]
        begin = end
    cost = 0.0
    for k in range(K):
        if w[k] > 0.0 and xi[k] != point[k]:
            code, parameter = families.codes[k], families.parameters[k]
            cost += w[k] * families.scales[k] * divergence(code, parameter, xi[k], point[k])
    return cost


@njit(allocates=True)
def nearest_chained(w, xi, arms, chained, point, piece):
    """The nearest of all pieces for each row; fills the last two.

    Exact ties go to the first piece, but where xi itself is a candidate, the response is xi.
    """
    families, pieces = Families(*arms), ChainedPieces(*chained)
    P, K = pieces.lower.shape
    room, trial = np.empty((FIT_SIZE + 3) * K), np.empty(K)
    for r in range(len(w)):
        value, best, stays = np.inf, -1, False
        for p in range(P):
            cost = chained_piece(p, w[r], xi[r], families, pieces, room, trial)
            here = True
            for k in range(K):
                here &= trial[k] == xi[r, k]
            if cost < value or best < 0 or (here and not stays and cost <= value):
                value, best, stays = cost, p, here
                for k in range(K):
                    point[r, k] = trial[k]
        piece[r] = best
