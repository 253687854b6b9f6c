r"""Gaussian arms with a given sum of means in closed form, compiled. Importing this imports numba.

The number of `given` is the sum. $(\Sigma a)_k = (a_k - \bar a)/c_k$, with the mean of a in the weights 1/c.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from purex.arrays import FloatArray
from purex.jit import njit
from purex_plugins.subspace_kernels import OFF, choose, cost_in, settle_fit, weigh


class Room(NamedTuple):
    r"""What a row is solved with: c and the fit; of each piece, $a^\top \Sigma a$ and $\bar a$."""

    c: FloatArray
    fit: FloatArray
    sizes: FloatArray
    averages: FloatArray


def room(given, n_pieces):
    """What rows are solved with, for so many pieces."""
    K, P = len(given.codes), n_pieces
    return Room(np.empty(K), np.empty(K), np.empty(P), np.empty(P))


@njit
def respond_rows(w, xi, given, pieces, solver, value, point, piece):
    """Best responses to weights w and means xi (R, K), into the last three; nan where it does not apply."""
    for r in range(len(w)):
        value[r], piece[r] = best_response(w[r], xi[r], given, pieces, solver, point[r])


@njit(inline="always")
def best_response(w, xi, given, pieces, solver, point):
    """Fill point, return value and piece."""
    c, fit, sizes, averages = solver
    a, K, total = pieces.normals, len(w), given.numbers[0]
    if not weigh(w, xi, given, c, point):
        return math.nan, -1
    S, excess = 0.0, -total
    for k in range(K):
        S += 1.0 / c[k]
        excess += xi[k]
    for k in range(K):
        fit[k] = xi[k] - excess / S / c[k]
    base, stays = settle_fit(c, xi, fit)
    for p in range(len(sizes)):
        averages[p] = sizes[p] = 0.0
        for k in range(K):
            averages[p] += a[p, k] / c[k] / S
        for k in range(K):
            sizes[p] += (a[p, k] - averages[p]) ** 2 / c[k]
    p, way = choose(fit, base, stays, pieces, sizes)
    if p < 0:
        return math.nan, -1
    for k in range(K):
        point[k] = fit[k]
        if way > 0.0:
            point[k] -= way * (a[p, k] - averages[p]) / c[k]
    rest, terms = -total, abs(total)
    for k in range(K):
        rest += point[k]
        terms += abs(point[k])
    if abs(rest) > OFF * terms:
        return math.nan, -1
    return cost_in(p, c, xi, given, pieces, point), p
