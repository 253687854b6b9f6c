r"""Gaussian arms under linear means in closed form, compiled: $\lambda = X\theta$.

The numbers of `given` are X, row by row, of full rank. Weighted least squares: the covariance of the fit is
$\Sigma = X (X^\top C X)^{-1} X^\top$. Importing this imports numba.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from purex.arrays import FloatArray
from purex.jit import njit
from purex_plugins.subspace_kernels import choose, cost_in, settle_fit, weigh

SINGULAR = 1e-9  # a fit of which some direction gets less than this share of the information is left out


class LeastSquares(NamedTuple):
    r"""What a row is solved with: c, the fit and its parameters, Cholesky's factor; of each piece, its parts.

    `half[p]` is $L^{-1} X^\top a$ of piece p, and `sizes[p]` its square, $a^\top \Sigma a$.
    """

    X: FloatArray
    c: FloatArray
    fit: FloatArray
    theta: FloatArray
    L: FloatArray
    half: FloatArray
    sizes: FloatArray


def room(given, n_pieces):
    """What rows are solved with, for the features of `given` and so many pieces."""
    K, P = len(given.codes), n_pieces
    X = given.numbers.reshape((K, -1))
    d = X.shape[1]
    return LeastSquares(
        X, np.empty(K), np.empty(K), np.empty(d), np.empty((d, d)), np.empty((P, d)), np.empty(P)
    )


@njit
def respond_rows(w, xi, given, pieces, solver, value, point, piece):
    """Best responses to weights w and means xi (R, K), into the last three; nan where it does not apply."""
    for r in range(len(w)):
        value[r], piece[r] = best_response(w[r], xi[r], given, pieces, solver, point[r])


@njit(inline="always")
def best_response(w, xi, given, pieces, solver, point):
    """Fill point, return value and piece."""
    X, c, fit, theta, L, half, sizes = solver
    K, d = X.shape
    if not (weigh(w, xi, given, c, point) and factorise(c, X, L)):
        return math.nan, -1
    for k in range(K):
        fit[k] = 0.0
    for _ in range(2):  # once more for what rounding left of the residual
        improve(xi, solver)
    base, stays = settle_fit(c, xi, fit)
    for p in range(len(sizes)):
        sizes[p] = 0.0
        for i in range(d):
            total = 0.0
            for k in range(K):
                total += X[k, i] * pieces.normals[p, k]
            for s in range(i):
                total -= L[i, s] * half[p, s]
            half[p, i] = total / L[i, i]
            sizes[p] += half[p, i] * half[p, i]
    p, way = choose(fit, base, stays, pieces, sizes)
    if p < 0:
        return math.nan, -1
    for i in range(d):
        theta[i] = half[p, i]
    back_substitute(L, theta)
    for k in range(K):
        point[k] = fit[k]
        for i in range(d if way > 0.0 else 0):
            point[k] -= way * X[k, i] * theta[i]
    return cost_in(p, c, xi, given, pieces, point), p


@njit
def factorise(c, X, L):
    """Cholesky's factor of X'CX, into L; returns whether each direction gets a share of the information."""
    K, d = X.shape
    trace = 0.0
    for k in range(K):
        for i in range(d):
            trace += c[k] * X[k, i] * X[k, i]
    for i in range(d):
        for j in range(i + 1):
            total = 0.0
            for k in range(K):
                total += c[k] * X[k, i] * X[k, j]
            for s in range(j):
                total -= L[i, s] * L[j, s]
            if i > j:
                L[i, j] = total / L[j, j]
            elif total <= SINGULAR * trace:
                return False
            else:
                L[i, i] = math.sqrt(total)
    return True


@njit
def improve(xi, solver):
    """Add to the fit that of the residual."""
    X, c, fit, theta, L, _, _ = solver
    K, d = X.shape
    for i in range(d):
        total = 0.0
        for k in range(K):
            total += X[k, i] * c[k] * (xi[k] - fit[k])
        for s in range(i):
            total -= L[i, s] * theta[s]
        theta[i] = total / L[i, i]
    back_substitute(L, theta)
    for k in range(K):
        for i in range(d):
            fit[k] += X[k, i] * theta[i]


@njit
def back_substitute(L, theta):
    """Solve L' x = theta in place."""
    d = len(theta)
    for i in range(d - 1, -1, -1):
        for s in range(i + 1, d):
            theta[i] -= L[s, i] * theta[s]
        theta[i] /= L[i, i]
