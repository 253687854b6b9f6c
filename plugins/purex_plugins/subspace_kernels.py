r"""Gaussian arms in an affine subspace, alternatives of one half-space each: closed forms, compiled.

One weighted projection $\bar\lambda$ of xi on the subspace serves all pieces $\{a^\top \lambda \le b\}$; then
$\lambda = \bar\lambda - \frac{(a^\top \bar\lambda - b)^+}{a^\top \Sigma a} \Sigma a$ costs
$\frac{((a^\top \bar\lambda - b)^+)^2}{2 a^\top \Sigma a}$ more, where Sigma is the covariance of the fit.
Here is what all subspaces share; importing this imports numba.
"""

from __future__ import annotations

import math

from purex.jit import njit

SPREAD = 1e-10  # a weight below this fraction of the largest is left to the generic oracle
ROUNDING = 1e-14  # a point this close to the subspace, relative to its size, lies in it
OFF = 1e-12  # and one farther off than this, or beyond its half-space, is left to the generic oracle


@njit
def weigh(w, xi, given, c, point):
    """Weights times scales, into c, and xi into point; whether no weight is zero or negligible."""
    least, most = math.inf, 0.0
    for k in range(len(w)):
        point[k], c[k] = xi[k], w[k] * given.scales[k]
        least, most = min(least, c[k]), max(most, c[k])
    return least > SPREAD * most


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


@njit
def choose(fit, base, stays, pieces, sizes):
    """The cheapest piece given a' Sigma a of each (sizes), and how far to go along Sigma a for it."""
    piece, least, way = -1, math.inf, 0.0
    a, b = pieces.normals, pieces.levels
    for p in range(len(b)):
        over, terms = -b[p], abs(b[p])
        for k in range(len(fit)):
            over += a[p, k] * fit[k]
            terms += abs(a[p, k] * fit[k])
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
def cost_in(p, c, xi, given, pieces, point):
    """The cost of the point; nan where it leaves the bounds or is not in the half-space of piece p."""
    a, b = pieces.normals[p], pieces.levels[p]
    total, inside, over, terms = 0.0, True, -b, abs(b)
    for k in range(len(c)):
        total += 0.5 * c[k] * (point[k] - xi[k]) ** 2
        inside &= given.lower <= point[k] <= given.upper
        over += a[k] * point[k]
        terms += abs(a[k] * point[k])
    return total if inside and over <= OFF * terms else math.nan
