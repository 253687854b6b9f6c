r"""Gaussian arms in an affine subspace, alternatives of one half-space each: closed forms, compiled.

One weighted projection $\bar\lambda$ of xi on the subspace serves all pieces $\{a^\top \lambda \le b\}$; then
$\lambda = \bar\lambda - \frac{(a^\top \bar\lambda - b)^+}{a^\top \Sigma a} \Sigma a$ costs
$\frac{((a^\top \bar\lambda - b)^+)^2}{2 a^\top \Sigma a}$ more, where Sigma is the covariance of the fit.
"""

from __future__ import annotations

import math

import numpy as np

from purex.jit import guvectorize, njit

SOLVED, UNSOLVED = 0, 2
SPREAD = 1e-10  # a weight below this fraction of the largest is left to the generic oracle, and so is
SINGULAR = 1e-9  # a fit of which some direction gets less than this share of the information
ROUNDING = 1e-14  # a point this close to the subspace, relative to its size, lies in it
OFF = 1e-12  # and one farther off than this, or beyond its half-space, is left to the generic oracle


@njit
def choose(fit, base, a_rows, b_rows, sizes, stays):
    """The cheapest piece given a' Sigma a of each (sizes), and how far to go along Sigma a for it."""
    piece, least, way = -1, math.inf, 0.0
    for p in range(len(b_rows)):
        over, terms = -b_rows[p], abs(b_rows[p])
        for k in range(len(fit)):
            over += a_rows[p, k] * fit[k]
            terms += abs(a_rows[p, k] * fit[k])
        if stays and over <= 0.0:  # xi is an alternative
            return p, 0.0
        if over <= 0.0 or (not stays and over <= ROUNDING * terms):
            cost, over = base, 0.0
        elif sizes[p] <= 0.0:
            continue
        else:
            cost = base + 0.5 * over * over / sizes[p]
        if cost < least:
            piece, least, way = p, cost, over / sizes[p] if over > 0.0 else 0.0
    return piece, way


@njit
def finish(c, xi, a, b, lower, upper, point, value):
    """The cost of the point, and whether it keeps the bounds and is in its half-space."""
    total, inside, over, terms = 0.0, True, -b, abs(b)
    for k in range(len(c)):
        total += 0.5 * c[k] * (point[k] - xi[k]) ** 2
        inside &= lower <= point[k] <= upper
        over += a[k] * point[k]
        terms += abs(a[k] * point[k])
    value[0] = total
    return SOLVED if inside and over <= OFF * terms else UNSOLVED


@njit
def are_even(w, scales):
    """Whether no weight (times the scale of its arm) is zero or negligible."""
    least, most = math.inf, 0.0
    for k in range(len(w)):
        c = w[k] * scales[k]
        least, most = min(least, c), max(most, c)
    return least > SPREAD * most


@guvectorize(
    [
        "(f8[:], f8[:], f8[:], f8[:,:], f8[:,:], f8[:], f8, f8, f8[:], f8[:], i8[:], i8[:])",
    ],
    "(k),(k),(k),(k,d),(p,k),(p),(),()->(),(k),(),()",
)
def in_span(w, xi, scales, X, a_rows, b_rows, lower, upper, value, point, piece, status):
    r"""$\lambda = X\theta$, X of full rank: weighted least squares, $\Sigma = X (X^\top C X)^{-1} X^\top$."""
    K, d = X.shape
    P = len(b_rows)
    value[0], piece[0], status[0] = math.inf, -1, UNSOLVED
    for k in range(K):
        point[k] = xi[k]
    if not are_even(w, scales):
        return
    c, fit, L = np.empty(K), np.empty(K), np.zeros((d, d))
    theta, half, sizes = np.empty(d), np.empty((P, d)), np.empty(P)
    trace = 0.0
    for k in range(K):
        c[k] = w[k] * scales[k]
        for i in range(d):
            trace += c[k] * X[k, i] * X[k, i]
    for i in range(d):  # Cholesky's factor of X'CX
        for j in range(i + 1):
            total = 0.0
            for k in range(K):
                total += c[k] * X[k, i] * X[k, j]
            for s in range(j):
                total -= L[i, s] * L[j, s]
            if i > j:
                L[i, j] = total / L[j, j]
            elif total <= SINGULAR * trace:
                return
            else:
                L[i, i] = math.sqrt(total)
    for k in range(K):
        fit[k] = 0.0
    for _ in range(2):  # once more for what rounding left of the residual
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
    base, stays = settle_fit(c, xi, fit)
    for p in range(P):
        sizes[p] = 0.0
        for i in range(d):
            total = 0.0
            for k in range(K):
                total += X[k, i] * a_rows[p, k]
            for s in range(i):
                total -= L[i, s] * half[p, s]
            half[p, i] = total / L[i, i]
            sizes[p] += half[p, i] * half[p, i]
    p, way = choose(fit, base, a_rows, b_rows, sizes, stays)
    if p < 0:
        return
    for i in range(d):
        theta[i] = half[p, i]
    back_substitute(L, theta)
    for k in range(K):
        point[k] = fit[k]
        for i in range(d if way > 0.0 else 0):
            point[k] -= way * X[k, i] * theta[i]
    piece[0], status[0] = p, finish(c, xi, a_rows[p], b_rows[p], lower, upper, point, value)


@njit
def back_substitute(L, theta):
    """Solve L' x = theta in place."""
    d = len(theta)
    for i in range(d - 1, -1, -1):
        for s in range(i + 1, d):
            theta[i] -= L[s, i] * theta[s]
        theta[i] /= L[i, i]


@njit
def settle_fit(c, xi, fit):
    """The cost of the fit, and whether xi lies in the subspace; then the fit is xi itself."""
    off, base = False, 0.0
    for k in range(len(c)):
        off |= abs(fit[k] - xi[k]) > ROUNDING * (abs(xi[k]) + abs(fit[k]))
    for k in range(len(c)):
        if not off:
            fit[k] = xi[k]
        base += 0.5 * c[k] * (fit[k] - xi[k]) ** 2
    return base, not off


@guvectorize(
    [
        "(f8[:], f8[:], f8[:], f8, f8[:,:], f8[:], f8, f8, f8[:], f8[:], i8[:], i8[:])",
    ],
    "(k),(k),(k),(),(p,k),(p),(),()->(),(k),(),()",
)
def of_total(w, xi, scales, total, a_rows, b_rows, lower, upper, value, point, piece, status):
    r"""$\sum_k \lambda_k$ = total: $(\Sigma a)_k = (a_k - \bar a)/c_k$, the mean of a in the weights 1/c."""
    K, P = len(w), len(b_rows)
    value[0], piece[0], status[0] = math.inf, -1, UNSOLVED
    for k in range(K):
        point[k] = xi[k]
    if not are_even(w, scales):
        return
    c, fit, sizes, means = np.empty(K), np.empty(K), np.empty(P), np.empty(P)
    S, excess = 0.0, -total
    for k in range(K):
        c[k] = w[k] * scales[k]
        S += 1.0 / c[k]
        excess += xi[k]
    for k in range(K):
        fit[k] = xi[k] - excess / S / c[k]
    base, stays = settle_fit(c, xi, fit)
    for p in range(P):
        means[p] = sizes[p] = 0.0
        for k in range(K):
            means[p] += a_rows[p, k] / c[k] / S
        for k in range(K):
            sizes[p] += (a_rows[p, k] - means[p]) ** 2 / c[k]
    p, way = choose(fit, base, a_rows, b_rows, sizes, stays)
    if p < 0:
        return
    for k in range(K):
        point[k] = fit[k]
        if way > 0.0:
            point[k] -= way * (a_rows[p, k] - means[p]) / c[k]
    rest, terms = -total, abs(total)
    for k in range(K):
        rest += point[k]
        terms += abs(point[k])
    if abs(rest) > OFF * terms:
        return
    piece[0], status[0] = p, finish(c, xi, a_rows[p], b_rows[p], lower, upper, point, value)
