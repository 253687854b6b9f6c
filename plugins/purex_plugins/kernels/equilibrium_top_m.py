r"""Top-M: the max-min game by an interior-point method, certified, compiled.

$D_{\mu,S} = \max_w \min_{a \in S, b \notin S} \min_m w_a d_a(\mu_a, m) + w_b d_b(\mu_b, m)$ for arms of one
kind that may differ in scale (the answer S is a bit mask). Every result carries its certificate: the
value is the cheapest tie at the allocation, and the gap is that to $\max_k E_q d(\mu_k, \lambda_k)$, which
no allocation exceeds (THEORY, S35).
"""

from __future__ import annotations

import math

import numpy as np

from purex.jit import guvectorize, njit
from purex_plugins.kernels.equilibrium_interior_point import (
    LAM,
    MEAN,
    RIGHT,
    WEIGHT,
    C,
    P,
    follow_path,
    scale,
)
from purex_plugins.kernels.equilibrium_pairs import WHISPER, costs_nothing, fill, is_out_of_reach, tie_terms

SOLVED, UNSOLVED = 0, 2  # status; the fall-back of best arm has number 1
CERTIFIED = 1e-8  # the largest gap of a solved row; a hundred thousand times the usual one

BURDEN = RIGHT  # a row of the table that the method no longer needs


@njit
def has(i, k):
    """Whether arm k belongs to the set of mask i."""
    return (i >> k) & 1 == 1


@njit
def frontier(i, mu):
    """The lowest mean inside the set and the highest outside, infinite where there is none."""
    low, high = math.inf, -math.inf
    for k in range(len(mu)):
        if has(i, k):
            low = min(low, mu[k])
        else:
            high = max(high, mu[k])
    return low, high


@njit
def share_among_tied(i, mu, one_kind, code, parameter, low, high, allocation):
    """Give equal shares to the arms that are tied with one across the frontier; returns their number."""
    tied = 0
    for k in range(len(mu)):
        x, y = (mu[k], high) if has(i, k) else (low, mu[k])
        allocation[k] = y >= x or (one_kind and costs_nothing(code, parameter, x, y))
        tied += allocation[k] > 0.0
    for k in range(len(mu)):
        allocation[k] /= max(tied, 1)
    return tied


@njit
def enlist(i, mu, scales, allocation, rows_high, R, arms):
    """Fill the table with the arms that are within reach, those of the rows first."""
    r, c = 0, R
    for k in range(len(mu)):
        if allocation[k] == 0.0:
            is_row = has(i, k) == rows_high
            at = r if is_row else c
            arms[MEAN, at], arms[C, at] = mu[k], 1 / scales[k]
            r, c = r + is_row, c + (not is_row)


@njit
def certify(code, parameter, rows_high, arms, pairs):
    """The cheapest tie at the weights 1/p, and the most that an arm costs under the mixture lam."""
    R, K = pairs.shape[1:]
    lower, upper, total = math.inf, 0.0, 0.0
    for k in range(K):
        arms[BURDEN, k] = 0.0
    for r in range(R):
        for c in range(R, K):
            high, low = (r, c) if rows_high else (c, r)
            X, lam = arms[P, high] / arms[P, low], pairs[LAM, r, c]
            a, b, _ = tie_terms(code, parameter, arms[MEAN, high], arms[MEAN, low], X)
            lower = min(lower, (a + X * b) / arms[P, high])
            arms[BURDEN, high] += lam * a / arms[C, high]
            arms[BURDEN, low] += lam * b / arms[C, low]
            total += lam
    for k in range(K):
        upper = max(upper, arms[BURDEN, k])
    return lower, upper / total


@njit(allocates=True)
def equilibrium_top_m_row(i, mu, codes, scales, parameters, allocation):
    """The max-min of one row: fills the allocation, returns value, gap and status."""
    K = len(mu)
    code, parameter = codes[0], parameters[0]
    low, high = frontier(i, mu)
    one_kind = K > 0  # no literal: numba would compile what takes it twice
    for k in range(K):
        one_kind &= codes[k] == code and parameters[k] == parameter
    if share_among_tied(i, mu, one_kind, code, parameter, low, high, allocation) > 0:
        return 0.0, 0.0, SOLVED
    if not one_kind:
        fill(allocation, math.nan)
        return math.nan, math.inf, UNSOLVED
    insiders, outsiders = 0, 0
    for k in range(K):
        x, y = (mu[k], high) if has(i, k) else (low, mu[k])
        allocation[k] = WHISPER if is_out_of_reach(code, parameter, x, y) else 0.0
        insiders += allocation[k] == 0.0 and has(i, k)
        outsiders += allocation[k] == 0.0 and not has(i, k)
    if insiders == 0 or outsiders == 0:
        fill(allocation, 1 / K)
        return math.inf, 0.0, SOLVED
    rows_high, R, within = insiders <= outsiders, min(insiders, outsiders), insiders + outsiders
    arms, pairs = np.empty((8, within)), np.empty((10, R, within))
    enlist(i, mu, scales, allocation, rows_high, R, arms)
    follow_path(code, parameter, rows_high, arms, pairs, np.empty((R, R)))
    total = scale(arms, 1.0)
    lower, upper = certify(code, parameter, rows_high, arms, pairs)
    r, c = 0, R
    for k in range(K):
        if allocation[k] == WHISPER:
            continue
        if has(i, k) == rows_high:
            allocation[k] = arms[WEIGHT, r] / total
            r += 1
        else:
            allocation[k] = arms[WEIGHT, c] / total
            c += 1
    gap = max(upper * total / lower - 1, 0.0)
    return lower / total, gap, SOLVED if gap <= CERTIFIED else UNSOLVED


@guvectorize(
    ["(i8, f8[:], i8[:], f8[:], f8[:], f8[:], f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k)->(),(k),(),()",
)
def equilibrium_top_m(i, mu, codes, scales, parameters, value, allocation, gap, status):
    """Max-min values, allocations and certificates of top-M, whole batch at once.

    If an arm outside has a mean not below that of one inside, the value is 0 and the weight is shared
    equally by all arms that have such a counterpart. Infinite costs are treated as in best arm.

    >>> mu, ones = np.array([0.3, 0.21, 0.2, 0.19, 0.18]), np.ones(5)
    >>> value, w, gap, status = equilibrium_top_m(0b00011, mu, np.full(5, 1), ones, ones)
    >>> print(f"{value:.6e}", w.round(4), bool(gap < 1e-12))
    6.959576e-05 [0.0025 0.4549 0.4525 0.0641 0.0261] True
    """
    value[0], gap[0], status[0] = equilibrium_top_m_row(i, mu, codes, scales, parameters, allocation)
