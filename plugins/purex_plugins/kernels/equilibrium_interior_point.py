r"""An interior-point method for max-min games whose alternatives tie one arm of a side with one of another.

$\max_w \min_{r,c} f_{rc}(w)$ over pairs (r, c) of a row arm and a column arm, $f_{rc}$ the cost of their
tie. With $W_k = w_k s_k$ scaled so that the cheapest tie costs 1, and in $p_k = 1/W_k$, it reads

$$ \min_p \sum_k \frac{1}{s_k p_k} \quad\text{subject to}\quad G_{rc}(p) = 1/f_{rc} \le 1, $$

where $G = (p_r + p_c)/d(\mu_r, \mu_c)$ for Gaussian arms and nearly linear for all. In w the problem is
convex, so the only point that solves the optimality conditions, in any coordinates, is the optimum.

Rows are coupled with columns only: the Newton matrix is diagonal on either side, and eliminating the
columns leaves a system of the size of the rows. Multipliers of far arms are smaller than those of
near ones by many orders of magnitude, so the path is weighted: complementarity goes to
$\lambda_{rc} s_{rc} = \tau\omega_{rc}$, with $\omega_{rc}$ the largest $\lambda_{rc}$ that the
optimality conditions of the arms r and c allow.
"""

from __future__ import annotations

import math

from purex.families.compiled import divergence
from purex.jit import njit
from purex_plugins.kernels.equilibrium_pairs import middle_terms, tie_terms

MAX_STEPS = 40
LAST = 1e-14  # where the path ends: the certificate's gap is about this times the number of pairs
CLOSE = 1e-10  # relative residuals that are small enough: Newton's next step would square them
INSIDE = 0.9  # the largest constraint at the start
FRACTION = 0.995  # of the way to the nearest bound
PATIENCE = 0.1  # tau falls at most by this while an arm's condition is off by 100 %
MODEL = 16.0  # limits the model of a divergence (it may be infinite) to a multiple of a nearby one
HUGE = 1e200  # a pivot that rounding made negative: the step leaves that arm alone

MEAN, C, P, DIAGONAL, RESIDUAL, STEP, RIGHT = range(7)  # of an arm; C is 1/scale
G, G_R, G_C, MIXED, S, LAM, OMEGA, OFF, DS, DLAM = range(10)  # of a pair; S is the slack 1 - G


@njit
def evaluate(code, parameter, rows_high, unit, rows, cols, pairs):
    """G, its slopes and its mixed second derivative for each pair, and the weights omega of the path."""
    for r in range(rows.shape[1]):
        for c in range(cols.shape[1]):
            p_r, p_c = rows[P, r], cols[P, c]
            x, y, p = rows[MEAN, r], cols[MEAN, c], p_r
            X = p_r / p_c
            if not rows_high:
                x, y, p, X = y, x, p_c, p_c / p_r
            a, b, h = tie_terms(code, parameter, x, y, X)
            a, b, h = a / unit, b / unit, h / unit
            g = a + X * b
            G_high, G_low = a / g / g, b * X / g * X / g
            G_r, G_c = (G_high, G_low) if rows_high else (G_low, G_high)
            pairs[G, r, c], pairs[G_R, r, c], pairs[G_C, r, c] = p / g, G_r, G_c
            # G is homogeneous of degree 1: this entry of its Hessian gives the other two
            pairs[MIXED, r, c] = (X / g) * (X / g) / p * (2 * a * b / g - h * X)
            pairs[OMEGA, r, c] = min(rows[C, r] / (p_r * p_r * G_r), cols[C, c] / (p_c * p_c * G_c))


@njit
def scale(side, factor):
    """Multiply p of one side by a factor; returns the sum of C/p."""
    total = 0.0
    for k in range(side.shape[1]):
        side[P, k] *= factor
        total += side[C, k] / side[P, k]
    return total


@njit
def begin(code, parameter, rows_high, rows, cols, pairs):
    """A feasible start from the linear model p_high/d(high, low) + p_low/d(low, high) of G: its unit."""
    rows[P, :] = math.inf
    cols[P, :] = math.inf
    unit = math.inf  # the smallest p, so that neither p nor its powers over- or underflow
    for r in range(rows.shape[1]):
        for c in range(cols.shape[1]):
            x, y = (rows[MEAN, r], cols[MEAN, c]) if rows_high else (cols[MEAN, c], rows[MEAN, r])
            a, b = middle_terms(code, parameter, x, y)
            down = min(divergence(code, parameter, x, y), MODEL * (a + b))
            up = min(divergence(code, parameter, y, x), MODEL * (a + b))
            rows[P, r] = min(rows[P, r], down if rows_high else up)
            cols[P, c] = min(cols[P, c], up if rows_high else down)
            unit = min(unit, down, up)
    scale(rows, 1 / unit)
    scale(cols, 1 / unit)
    evaluate(code, parameter, rows_high, unit, rows, cols, pairs)
    largest = 0.0
    for r in range(rows.shape[1]):
        for c in range(cols.shape[1]):
            largest = max(largest, pairs[G, r, c])
    objective = scale(rows, INSIDE / largest) + scale(cols, INSIDE / largest)
    evaluate(code, parameter, rows_high, unit, rows, cols, pairs)
    total = 0.0
    for r in range(rows.shape[1]):
        for c in range(cols.shape[1]):
            pairs[S, r, c] = 1 - pairs[G, r, c]
            total += pairs[OMEGA, r, c] / pairs[S, r, c] * pairs[G, r, c]
    for r in range(rows.shape[1]):
        for c in range(cols.shape[1]):  # so that sum lam G is the objective, as it is at the optimum
            pairs[LAM, r, c] = objective / total * pairs[OMEGA, r, c] / pairs[S, r, c]
    return unit


@njit
def push(side):
    """The objective's part of the residuals and of the Newton matrix, for one side."""
    for k in range(side.shape[1]):
        slope = side[C, k] / (side[P, k] * side[P, k])
        side[RESIDUAL, k] = -slope
        side[DIAGONAL, k] = 2 * slope / side[P, k]


@njit
def discord(side):
    """The largest residual of one side, relative to the objective's slope."""
    largest = 0.0
    for k in range(side.shape[1]):
        largest = max(largest, abs(side[RESIDUAL, k]) * side[P, k] * side[P, k] / side[C, k])
    return largest


@njit
def linearise(rows, cols, pairs):
    """Residuals and Newton matrix: returns tau, and the largest relative residuals, dual and primal."""
    push(rows)
    push(cols)
    complementarity, total, primal = 0.0, 0.0, 0.0
    for r in range(rows.shape[1]):
        for c in range(cols.shape[1]):
            lam, slack, G_r, G_c = pairs[LAM, r, c], pairs[S, r, c], pairs[G_R, r, c], pairs[G_C, r, c]
            theta, mixed, ratio = lam / slack, lam * pairs[MIXED, r, c], rows[P, r] / cols[P, c]
            rows[RESIDUAL, r] += lam * G_r
            cols[RESIDUAL, c] += lam * G_c
            rows[DIAGONAL, r] += theta * G_r * G_r - mixed / ratio
            cols[DIAGONAL, c] += theta * G_c * G_c - mixed * ratio
            pairs[OFF, r, c] = theta * G_r * G_c + mixed
            complementarity += lam * slack
            total += pairs[OMEGA, r, c]
            primal = max(primal, abs(1 - pairs[G, r, c] - slack))
    return complementarity / total, max(discord(rows), discord(cols)), primal


@njit
def factor(rows, cols, pairs, L):
    """The Cholesky factor L of the matrix for the rows, columns eliminated."""
    for r in range(rows.shape[1]):
        for q in range(r + 1):
            entry = rows[DIAGONAL, r] if q == r else 0.0
            for c in range(cols.shape[1]):
                entry -= pairs[OFF, r, c] * pairs[OFF, q, c] / cols[DIAGONAL, c]
            for k in range(q):
                entry -= L[r, k] * L[q, k]
            if q < r:
                L[r, q] = entry / L[q, q]
            else:
                L[r, r] = math.sqrt(entry) if entry > 0 else HUGE


@njit
def direction(tau, second_order, rows, cols, pairs, L):
    """The Newton step towards complementarity tau omega, and how far it can be followed (p and s, lam)."""
    R, K = rows.shape[1], cols.shape[1]
    for r in range(R):
        rows[RIGHT, r] = -rows[RESIDUAL, r]
    for c in range(K):
        cols[RIGHT, c] = -cols[RESIDUAL, c]
    for r in range(R):
        for c in range(K):
            lam, slack = pairs[LAM, r, c], pairs[S, r, c]
            gap = tau * pairs[OMEGA, r, c] - lam * slack
            if second_order:  # Mehrotra's corrector: the product of the predictor's steps
                gap -= pairs[DS, r, c] * pairs[DLAM, r, c]
            pairs[DLAM, r, c] = gap / slack
            push = (
                gap - lam * (1 - pairs[G, r, c] - slack)
            ) / slack  # rounded as ds below, so that it cancels
            rows[RIGHT, r] -= pairs[G_R, r, c] * push
            cols[RIGHT, c] -= pairs[G_C, r, c] * push
    for r in range(R):
        x = rows[RIGHT, r]
        for c in range(K):
            x -= pairs[OFF, r, c] * (cols[RIGHT, c] / cols[DIAGONAL, c])
        for k in range(r):
            x -= L[r, k] * rows[STEP, k]
        rows[STEP, r] = x / L[r, r]
    primal, dual = 1.0, 1.0
    for r in range(R - 1, -1, -1):
        x = rows[STEP, r]
        for k in range(r + 1, R):
            x -= L[k, r] * rows[STEP, k]
        rows[STEP, r] = x / L[r, r]
        if rows[STEP, r] < 0:
            primal = min(primal, -rows[P, r] / rows[STEP, r])
    for c in range(K):
        x = cols[RIGHT, c]
        for r in range(R):
            x -= pairs[OFF, r, c] * rows[STEP, r]
        cols[STEP, c] = x / cols[DIAGONAL, c]
        if cols[STEP, c] < 0:
            primal = min(primal, -cols[P, c] / cols[STEP, c])
    for r in range(R):
        for c in range(K):
            ds = 1 - pairs[G, r, c] - pairs[S, r, c]
            ds -= pairs[G_R, r, c] * rows[STEP, r] + pairs[G_C, r, c] * cols[STEP, c]
            pairs[DS, r, c] = ds
            pairs[DLAM, r, c] -= pairs[LAM, r, c] * ds / pairs[S, r, c]
            if ds < 0:
                primal = min(primal, -pairs[S, r, c] / ds)
            if pairs[DLAM, r, c] < 0:
                dual = min(dual, -pairs[LAM, r, c] / pairs[DLAM, r, c])
    return primal, dual


@njit
def move(primal, dual, rows, cols, pairs):
    """Follow the steps this far."""
    for r in range(rows.shape[1]):
        rows[P, r] += primal * rows[STEP, r]
        for c in range(cols.shape[1]):
            pairs[S, r, c] += primal * pairs[DS, r, c]
            pairs[LAM, r, c] += dual * pairs[DLAM, r, c]
    for c in range(cols.shape[1]):
        cols[P, c] += primal * cols[STEP, c]


@njit
def follow_path(code, parameter, rows_high, rows, cols, pairs, L):
    """Fill p and lam with the solution; rows are the high arms of the pairs, or else the low ones.

    The caller judges the result by its certificate: rounding may stop the method early.
    """
    unit = begin(code, parameter, rows_high, rows, cols, pairs)
    for _ in range(MAX_STEPS):
        evaluate(code, parameter, rows_high, unit, rows, cols, pairs)
        tau, off_dual, off_primal = linearise(rows, cols, pairs)
        if tau <= 2 * LAST and off_dual <= CLOSE and off_primal <= CLOSE:
            break
        factor(rows, cols, pairs, L)
        primal, dual = direction(0.0, False, rows, cols, pairs, L)
        ahead, now = 0.0, 0.0
        for r in range(rows.shape[1]):
            for c in range(cols.shape[1]):
                now += pairs[LAM, r, c] * pairs[S, r, c]
                lam = pairs[LAM, r, c] + dual * pairs[DLAM, r, c]
                ahead += lam * (pairs[S, r, c] + primal * pairs[DS, r, c])
        target = max((ahead / now) ** 3, PATIENCE * min(off_dual, 1.0)) * tau
        primal, dual = direction(max(target, LAST), True, rows, cols, pairs, L)
        fraction = max(FRACTION, 1 - tau)  # almost all of the way when almost there
        move(min(1.0, fraction * primal), min(1.0, fraction * dual), rows, cols, pairs)
