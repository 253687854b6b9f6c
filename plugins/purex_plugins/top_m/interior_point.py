r"""An interior-point method for max-min games whose alternatives tie one arm of a side with one of another.

$\max_w \min_{r,c} f_{rc}(w)$ over pairs (r, c) of a row arm and a column arm, $f_{rc}$ the cost of their
tie, is $\min_w \sum_k w_k$ subject to $f_{rc}(w) \ge 1$, but for a factor. It is convex in w, so in all
coordinates the only solution of the optimality conditions is the optimum. Those that serve Newton's
method are logarithms, $x_k = -\log(w_k s_k)$:

$$ \min_x \sum_k \frac{e^{-x_k}}{s_k} \quad\text{subject to}\quad \ell_{rc} = -\log f_{rc} \le 0. $$

$\ell$ has the gradient (a/g, Xb/g) in (x_high, x_low) (see `purex_plugins.pair_kernels`), which sums to 1,
and the Hessian $\kappa$ times ((1, -1), (-1, 1)). Rows are coupled with columns only: the Newton matrix is
diagonal on either side, and eliminating the columns leaves a system of the size of the rows.

Multipliers of far arms are smaller than those of near ones by many orders of magnitude, so the path
is weighted: complementarity goes to $\lambda_{rc} s_{rc} = \tau\omega_{rc}$, with $\omega_{rc}$ the
largest $\lambda_{rc}$ that the optimality conditions of the arms r and c allow.
"""

from __future__ import annotations

import math

from purex.families.compiled import divergence
from purex.jit import njit
from purex_plugins.pair_kernels import middle_terms, tie_terms

MAX_STEPS = 60
LAST = 1e-14  # where the path ends: the certificate's gap is about this times the number of pairs
CLOSE = 1e-10  # relative residuals that are small enough: Newton's next step would square them
INSIDE = 0.9  # the largest 1/f at the start
FRACTION = 0.995  # of the way to the nearest bound
STRIDE = 3.0  # the longest step of a logarithm
MODEL = 16.0  # limits the model of a divergence (it may be infinite) to a multiple of a nearby one
HUGE = 1e200  # a pivot that rounding made negative: the step leaves that arm alone

MEAN, C, P, WEIGHT, DIAGONAL, RESIDUAL, RIGHT, STEP = range(8)  # of an arm: C is 1/s, P e^x, WEIGHT C/P
ELL, E_R, E_C, KAPPA, S, LAM, OMEGA, OFF, DS, DLAM = range(10)  # of a pair: E the gradient, S the slack


@njit
def evaluate(code, parameter, rows_high, arms, pairs):
    """The constraints of all pairs, their gradients and curvatures, and the weights omega of the path."""
    R, K = pairs.shape[1:]
    for r in range(R):
        for c in range(R, K):
            x, y, p, X = arms[MEAN, r], arms[MEAN, c], arms[P, r], arms[P, r] / arms[P, c]
            if not rows_high:
                x, y, p, X = y, x, arms[P, c], arms[P, c] / arms[P, r]
            a, b, h = tie_terms(code, parameter, x, y, X)
            g = a + X * b
            E_high, E_low = a / g, X * b / g
            E_r, E_c = (E_high, E_low) if rows_high else (E_low, E_high)
            pairs[ELL, r, c], pairs[E_R, r, c], pairs[E_C, r, c] = math.log(p / g), E_r, E_c
            pairs[KAPPA, r, c] = max(X * (h * X / g) - E_high * E_low, 0.0)
            pairs[OMEGA, r, c] = min(arms[WEIGHT, r] / E_r, arms[WEIGHT, c] / E_c)


@njit
def scale(arms, factor):
    """Multiply P by a factor; returns the sum of the weights."""
    total = 0.0
    for k in range(arms.shape[1]):
        arms[P, k] *= factor
        arms[WEIGHT, k] = arms[C, k] / arms[P, k]
        total += arms[WEIGHT, k]
    return total


@njit
def begin(code, parameter, rows_high, arms, pairs):
    """A feasible start, from the model 1/f = P_high/d(high, low) + P_low/d(low, high).

    It is exact for Gaussian arms; each arm gets what the best of its pairs would give it alone.
    """
    R, K = pairs.shape[1:]
    for k in range(arms.shape[1]):
        arms[P, k] = math.inf
    for r in range(R):
        for c in range(R, K):
            x, y = (arms[MEAN, r], arms[MEAN, c]) if rows_high else (arms[MEAN, c], arms[MEAN, r])
            a, b = middle_terms(code, parameter, x, y)
            d_r = min(divergence(code, parameter, x, y), MODEL * (a + b))
            d_c = min(divergence(code, parameter, y, x), MODEL * (a + b))
            if not rows_high:
                d_r, d_c = d_c, d_r
            share = 1 / (1 + math.sqrt(arms[C, c] / arms[C, r] * (d_r / d_c)))
            arms[P, r] = min(arms[P, r], share * d_r)
            arms[P, c] = min(arms[P, c], (1 - share) * d_c)
    scale(arms, 1.0)
    evaluate(code, parameter, rows_high, arms, pairs)
    largest = -math.inf
    for r in range(R):
        for c in range(R, K):
            largest = max(largest, pairs[ELL, r, c])
    shift = math.log(INSIDE) - largest
    objective = scale(arms, math.exp(shift))
    total = 0.0
    for r in range(R):
        for c in range(R, K):
            pairs[S, r, c] = -(pairs[ELL, r, c] + shift)
            pairs[LAM, r, c] = pairs[OMEGA, r, c] / pairs[S, r, c]
            total += pairs[LAM, r, c]
    for r in range(R):
        for c in range(R, K):  # at the optimum they sum up to the objective
            pairs[LAM, r, c] *= objective / total


@njit
def linearise(arms, pairs):
    """Residuals and Newton matrix: returns tau, and the largest residuals, dual (relative) and primal."""
    R, K = pairs.shape[1:]
    for k in range(arms.shape[1]):
        arms[RESIDUAL, k], arms[DIAGONAL, k] = -arms[WEIGHT, k], arms[WEIGHT, k]
    complementarity, total, primal, dual = 0.0, 0.0, 0.0, 0.0
    for r in range(R):
        for c in range(R, K):
            lam, slack, E_r, E_c = pairs[LAM, r, c], pairs[S, r, c], pairs[E_R, r, c], pairs[E_C, r, c]
            theta, bend = lam / slack, lam * pairs[KAPPA, r, c]
            arms[RESIDUAL, r] += lam * E_r
            arms[RESIDUAL, c] += lam * E_c
            arms[DIAGONAL, r] += theta * E_r * E_r + bend
            arms[DIAGONAL, c] += theta * E_c * E_c + bend
            pairs[OFF, r, c] = theta * E_r * E_c - bend
            complementarity += lam * slack
            total += pairs[OMEGA, r, c]
            primal = max(primal, abs(pairs[ELL, r, c] + slack))
    for k in range(arms.shape[1]):
        dual = max(dual, abs(arms[RESIDUAL, k]) / arms[WEIGHT, k])
    return complementarity / total, dual, primal


@njit
def factor(arms, pairs, cholesky):
    """The Cholesky factor of the matrix for the rows, columns eliminated."""
    R, K = pairs.shape[1:]
    for r in range(R):
        for q in range(r + 1):
            entry = arms[DIAGONAL, r] if q == r else 0.0
            for c in range(R, K):
                entry -= pairs[OFF, r, c] * pairs[OFF, q, c] / arms[DIAGONAL, c]
            for k in range(q):
                entry -= cholesky[r, k] * cholesky[q, k]
            if q < r:
                cholesky[r, q] = entry / cholesky[q, q]
            else:
                cholesky[r, r] = math.sqrt(entry) if entry > 0 else HUGE


@njit
def direction(tau, arms, pairs, cholesky):
    """The Newton step towards complementarity tau omega, and how far it can be followed: x and s, lam.

    Of second order if tau > 0, from the step that went before with tau = 0.
    """
    R, K = pairs.shape[1:]
    second_order = tau > 0.0
    for k in range(arms.shape[1]):
        arms[RIGHT, k] = -arms[RESIDUAL, k]
    for r in range(R):
        for c in range(R, K):
            lam, slack = pairs[LAM, r, c], pairs[S, r, c]
            gap = tau * pairs[OMEGA, r, c] - lam * slack
            if second_order:  # Mehrotra's corrector: the product of the predictor's steps
                gap -= pairs[DS, r, c] * pairs[DLAM, r, c]
            pairs[DLAM, r, c] = gap / slack
            push = (gap + lam * (pairs[ELL, r, c] + slack)) / slack
            arms[RIGHT, r] -= pairs[E_R, r, c] * push
            arms[RIGHT, c] -= pairs[E_C, r, c] * push
    for r in range(R):
        x = arms[RIGHT, r]
        for c in range(R, K):
            x -= pairs[OFF, r, c] * (arms[RIGHT, c] / arms[DIAGONAL, c])
        for k in range(r):
            x -= cholesky[r, k] * arms[STEP, k]
        arms[STEP, r] = x / cholesky[r, r]
    for r in range(R - 1, -1, -1):
        x = arms[STEP, r]
        for k in range(r + 1, R):
            x -= cholesky[k, r] * arms[STEP, k]
        arms[STEP, r] = x / cholesky[r, r]
    for c in range(R, K):
        x = arms[RIGHT, c]
        for r in range(R):
            x -= pairs[OFF, r, c] * arms[STEP, r]
        arms[STEP, c] = x / arms[DIAGONAL, c]
    primal, dual = 1.0, 1.0
    for k in range(arms.shape[1]):
        primal = min(primal, STRIDE / abs(arms[STEP, k]))
    for r in range(R):
        for c in range(R, K):
            ds = -(pairs[ELL, r, c] + pairs[S, r, c])
            ds -= pairs[E_R, r, c] * arms[STEP, r] + pairs[E_C, r, c] * arms[STEP, c]
            pairs[DS, r, c] = ds
            pairs[DLAM, r, c] -= pairs[LAM, r, c] * ds / pairs[S, r, c]
            if ds < 0:
                primal = min(primal, -pairs[S, r, c] / ds)
            if pairs[DLAM, r, c] < 0:
                dual = min(dual, -pairs[LAM, r, c] / pairs[DLAM, r, c])
    return primal, dual


@njit
def follow_path(code, parameter, rows_high, arms, pairs, cholesky):
    """Fill P, WEIGHT and LAM with the solution; rows are the high arms of the pairs, or else the low ones.

    The caller judges the result by its certificate: rounding may stop the method early.
    """
    R, K = pairs.shape[1:]
    begin(code, parameter, rows_high, arms, pairs)
    for _ in range(MAX_STEPS):
        evaluate(code, parameter, rows_high, arms, pairs)
        tau, off_dual, off_primal = linearise(arms, pairs)
        if tau <= 2 * LAST and off_dual <= CLOSE and off_primal <= CLOSE:
            break
        factor(arms, pairs, cholesky)
        primal, dual = direction(0.0, arms, pairs, cholesky)
        ahead, now = 0.0, 0.0
        for r in range(R):
            for c in range(R, K):
                now += pairs[LAM, r, c] * pairs[S, r, c]
                lam = pairs[LAM, r, c] + dual * pairs[DLAM, r, c]
                ahead += lam * (pairs[S, r, c] + primal * pairs[DS, r, c])
        # tau waits while an arm's condition is off by 100 %: ahead of p, lam would be lost
        target = max((ahead / now) ** 3, min(off_dual, 1.0)) * tau
        primal, dual = direction(max(target, LAST), arms, pairs, cholesky)
        fraction = max(FRACTION, 1 - tau)  # almost all of the way when almost there
        primal, dual = min(1.0, fraction * primal), min(1.0, fraction * dual)
        for k in range(arms.shape[1]):
            arms[P, k] *= math.exp(primal * arms[STEP, k])
            arms[WEIGHT, k] = arms[C, k] / arms[P, k]
        for r in range(R):
            for c in range(R, K):
                pairs[S, r, c] += primal * pairs[DS, r, c]
                pairs[LAM, r, c] += dual * pairs[DLAM, r, c]
