r"""Best arm: the max-min game in a few Newton steps, compiled.

$D_{\mu,i} = \max_w \min_{j \ne i} \min_m w_i d_i(\mu_i, m) + w_j d_j(\mu_j, m)$ for arms of one kind that
may differ in scale (section 4 of the paper; Garivier & Kaufmann 2016, theorem 5). With $X_j =
w_j s_j/(w_i s_i)$, $a_j = d(\mu_i, m_j)$ and $b_j = d(\mu_j, m_j)$ at scale 1, the optimum solves

$$ a_j + X_j b_j = y \text{ for all } j, \qquad \sum_j \frac{s_i a_j}{s_j b_j} = 1, \qquad D = w_i s_i y. $$

In $z = 1/y$ and $p_j = 1/X_j$, with the last equation to the power -1/2, this is linear for two Gaussian
arms and nearly so always: Newton's method needs two to four steps, each O(K).
"""

from __future__ import annotations

import math

import numpy as np

from purex.jit import guvectorize, njit
from purex_plugins.kernels.equilibrium_nested import solve_nested
from purex_plugins.kernels.equilibrium_pairs import (
    NOTHING,
    WHISPER,
    fill,
    is_out_of_reach,
    middle_terms,
    tie_terms,
)

NEWTON, NESTED, UNSOLVED = range(3)  # status: solved; solved by the fall-back; left to other methods

MAX_STEPS = 12  # three are usual, eight the most that was seen
START_STEPS = 2  # for the Gaussian solution: for other arms the model is off by more than they leave
CLOSE = 3e-7  # a relative step: the error that remains is of the order of its square
SHRINK = 0.1  # at most by so much may a step reduce z or p: beyond, they might be negative

MEAN, RATIO, P, ALPHA, RHO = range(5)  # rows of the table of rivals
COST, SLOPE = ALPHA, RHO  # which the start leaves to Newton's method


@njit
def list_rivals(i, mu, codes, scales, parameters, allocation, table):
    """Sort the other arms: tied with i (weight 1), infinitely far (a whisper), or rivals for the table.

    For a rival it notes a model of a and b where both arms weigh the same. Returns the number of
    rivals, the number of tied arms, and whether all arms are of one kind.
    """
    rivals, tied, one_kind = 0, 0, True
    for j in range(len(mu)):
        allocation[j] = 0.0
        if j == i:
            continue
        alike = codes[j] == codes[i] and parameters[j] == parameters[i]
        one_kind &= alike
        a, b = middle_terms(codes[i], parameters[i], mu[i], mu[j])
        if mu[j] >= mu[i] or (alike and a + b < NOTHING):
            allocation[j] = 1.0
            tied += 1
        elif is_out_of_reach(codes[i], parameters[i], mu[i], mu[j]):
            allocation[j] = WHISPER
        elif alike:
            table[MEAN, rivals] = mu[j]
            table[RATIO, rivals] = scales[i] / scales[j]
            table[RHO, rivals] = a / b
            table[ALPHA, rivals] = (a + b) * (1 + a / b)
            rivals += 1
    return rivals, tied, one_kind


@njit
def start(table):
    r"""Fill the table's p and return z where $p_j = \alpha_j z - \rho_j$ and $\sum_j c_j\rho_j/p_j^2 = 1$.

    That is the exact solution for Gaussian arms, and for others a model that fits where X = 1. The sum
    to the power -1/2 is concave in z: from the left Newton's steps stay on the left.
    """
    z = 0.0
    for j in range(table.shape[1]):
        z = max(z, (math.sqrt(table[RATIO, j] * table[RHO, j]) + table[RHO, j]) / table[ALPHA, j])
    for _ in range(START_STEPS):
        S, T = 0.0, 0.0
        for j in range(table.shape[1]):
            X = 1 / (table[ALPHA, j] * z - table[RHO, j])
            term = table[RATIO, j] * table[RHO, j] * X * X
            S += term
            T += term * X * table[ALPHA, j]
        z += (S * math.sqrt(S) - S) / T
    for j in range(table.shape[1]):
        table[P, j] = table[ALPHA, j] * z - table[RHO, j]
    return z


@njit
def improve(code, parameter, x, z, table):
    """One Newton step for z and the table's p: the new z, and the largest relative change."""
    S, T, U = 0.0, 0.0, 0.0
    for j in range(table.shape[1]):
        p = table[P, j]
        X = 1 / p
        a, b, h = tie_terms(code, parameter, x, table[MEAN, j], X)
        r = a / b
        g = a + X * b
        cost = 1 / g
        S += table[RATIO, j] * r
        t = table[RATIO, j] * h * (r + X) ** 3
        T += t
        U += t * cost
        table[COST, j] = cost
        table[SLOPE, j] = (r * p + 1) * p * g  # dp/dz where the tie costs 1/z
    new = max((2 * (S * math.sqrt(S) - S) + U) / T, SHRINK * z)
    change = abs(new - z) / z
    for j in range(table.shape[1]):
        p = table[P, j]
        step = max((new - table[COST, j]) * table[SLOPE, j], (SHRINK - 1) * p)
        table[P, j] = p + step
        change = max(change, abs(step) / p)
    return new, change


@njit
def equilibrium_best_arm_row(i, mu, codes, scales, parameters, allocation):
    """The max-min of one row: fills the allocation, returns value and status."""
    K = len(mu)
    table = np.empty((5, max(K - 1, 1)))
    rivals, tied, one_kind = list_rivals(i, mu, codes, scales, parameters, allocation, table)
    if tied > 0:
        for j in range(K):
            allocation[j] = 1 / (tied + 1) if j == i or allocation[j] == 1.0 else 0.0
        return 0.0, NEWTON
    if not one_kind:
        fill(allocation, math.nan)
        return math.nan, UNSOLVED
    if rivals == 0:
        fill(allocation, 1 / K)
        return math.inf, NEWTON
    table = table[:, :rivals]
    first = start(table)
    z, status = first, NESTED
    for _ in range(MAX_STEPS):
        z, change = improve(codes[i], parameters[i], mu[i], z, table)
        if not 0 < z < math.inf:
            break
        if change <= CLOSE:
            status = NEWTON
            break
    if status == NESTED:
        fill(table[P], 1.0)
        z = solve_nested(codes[i], parameters[i], mu[i], table[MEAN], table[RATIO], first, table[P])
        z, change = improve(codes[i], parameters[i], mu[i], z, table)
        if not change <= CLOSE:
            fill(allocation, math.nan)
            return math.nan, UNSOLVED
    total = 1.0
    for j in range(rivals):
        total += table[RATIO, j] / table[P, j]
    rival = 0
    for j in range(K):
        if j == i:
            allocation[j] = 1 / total
        elif allocation[j] == 0.0:
            allocation[j] = table[RATIO, rival] / table[P, rival] / total
            rival += 1
    return scales[i] / total / z, status


@guvectorize(
    ["(i8, f8[:], i8[:], f8[:], f8[:], f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k)->(),(k),()",
)
def equilibrium_best_arm(i, mu, codes, scales, parameters, value, allocation, status):
    """Max-min values and allocations of best arm, whole batch at once.

    If some other arm's mean is at least that of i, the value is 0 and i shares the weight equally with
    all such arms. A rival that cannot be tied at finite cost (a Gamma arm of mean 0) gets a weight that
    is next to nothing, for any makes it safe; if all are like that, or i is alone, the value is
    infinite and the shares are equal. Not solved here (status 2, all nan) are arms of different kinds,
    and of variances of which one is 1e20 times another: the costs of ties would be equal to all digits.

    >>> mu, ones = np.array([0.3, 0.21, 0.2, 0.19, 0.18]), np.ones(5)
    >>> value, w, status = equilibrium_best_arm(0, mu, np.full(5, 1), ones, ones)
    >>> print(f"{value:.12f}", w.round(4))
    0.003061454607 [0.3359 0.2515 0.1766 0.1324 0.1036]
    """
    value[0], status[0] = equilibrium_best_arm_row(i, mu, codes, scales, parameters, allocation)
