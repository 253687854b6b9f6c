r"""Top-M: the saddle point of the max-min game by an interior-point method, certified, compiled.

$D_{\mu,S} = \max_w \min_{a \in S, b \notin S} \min_m w_a d_a(\mu_a, m) + w_b d_b(\mu_b, m)$ for arms of one
kind that may differ in scale. Every result carries its certificate: the
value is the cheapest tie at the allocation, and the gap is that to $\max_k E_q d(\mu_k, \lambda_k)$, which
no allocation exceeds (claim S35).
"""

from __future__ import annotations

import math

from purex.jit import njit
from purex_plugins.arm_sets import MOST_ARMS
from purex_plugins.pair_kernels import costs_nothing, fill, is_out_of_reach, tie_terms
from purex_plugins.set_kernels import add_arm, has, next_largest
from purex_plugins.top_m.interior_point import LAM, MEAN, RIGHT, WEIGHT, C, P, follow_path, scale
from purex_plugins.transport import WHISPER

CERTIFIED = 1e-8  # the largest gap of a solved row; a hundred thousand times the usual one

BURDEN = RIGHT  # a row of the table that the method no longer needs


@njit
def answer(mu, given):
    """The code of the m arms with the largest means; ties to the lowest indices."""
    code, last = 0, -1
    for _ in range(int(given.numbers[0])):
        last = next_largest(last, mu)
        code = add_arm(code, last, len(mu))
    return code


@njit
def read_members(i, mu, given, members):
    """Fill members with 1 for the arms of the set i and 0 for the others; returns whether that was possible.

    A fingerprint is compared with that of the set at mu. Where it is another one, mu is an alternative.
    """
    K, code, last = len(mu), 0, -1
    for k in range(K):
        members[k] = K <= MOST_ARMS and has(i, k)
    if K <= MOST_ARMS:
        return True
    for _ in range(int(given.numbers[0])):
        last = next_largest(last, mu)
        members[last] = 1.0
        code = add_arm(code, last, K)
    return code == i


@njit
def frontier(members, mu):
    """The lowest mean inside the set and the highest outside, infinite where there is none."""
    low, high = math.inf, -math.inf
    for k in range(len(mu)):
        if members[k] > 0.0:
            low = min(low, mu[k])
        else:
            high = max(high, mu[k])
    return low, high


@njit
def share_among_tied(members, mu, one_kind, code, parameter, low, high, allocation):
    """Give equal shares to the arms that are tied with one across the frontier; returns their number."""
    tied = 0
    for k in range(len(mu)):
        x, y = (mu[k], high) if members[k] > 0.0 else (low, mu[k])
        allocation[k] = y >= x or (one_kind and costs_nothing(code, parameter, x, y))
        tied += allocation[k] > 0.0
    for k in range(len(mu)):
        allocation[k] /= max(tied, 1)
    return tied


@njit
def enlist(members, mu, scales, allocation, rows_high, R, arms):
    """Fill the table with the arms that are within reach, those of the rows first."""
    r, c = 0, R
    for k in range(len(mu)):
        if allocation[k] == 0.0:
            is_row = (members[k] > 0.0) == rows_high
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


def scratch_size(n_arms):
    """The numbers that `max_min` needs to work with, for as many arms inside as outside."""
    R = n_arms // 2
    return 9 * n_arms + 10 * R * n_arms + R * R


@njit
def max_min(i, mu, given, allocation, scratch):
    """Fill the allocation, return value and gap; the value is nan where the gap is too large.

    If an arm outside has a mean not below that of one inside, the value is 0 and the weight is shared
    equally by all arms that have such a counterpart. Infinite costs are treated as in best arm, and arms of
    different kinds are not solved here (all nan).

    >>> import numpy as np
    >>> from purex.families import Arms, Bernoulli
    >>> from purex.model import Given
    >>> given, w = Given.of(Arms.of(Bernoulli(), 5), 0.0, 1.0), np.empty(5)
    >>> mu = np.array([0.3, 0.21, 0.2, 0.19, 0.18])
    >>> value, gap = max_min(0b00011, mu, given, w, np.empty(scratch_size(5)))
    >>> print(f"{value:.6e}", w.round(4), gap < 1e-12)
    6.959576e-05 [0.0025 0.4549 0.4525 0.0641 0.0261] True
    """
    K, code, parameter = len(mu), given.codes[0], given.parameters[0]
    members, work = scratch[:K], scratch[K:]
    if not read_members(i, mu, given, members):
        fill(allocation, 1 / K)
        return 0.0, 0.0
    low, high = frontier(members, mu)
    one_kind = K > 0  # no literal: numba would compile what takes it twice
    for k in range(K):
        one_kind &= given.codes[k] == code and given.parameters[k] == parameter
    if share_among_tied(members, mu, one_kind, code, parameter, low, high, allocation) > 0:
        return 0.0, 0.0
    if not one_kind:
        fill(allocation, math.nan)
        return math.nan, math.inf
    insiders, outsiders = 0, 0
    for k in range(K):
        x, y = (mu[k], high) if members[k] > 0.0 else (low, mu[k])
        allocation[k] = WHISPER if is_out_of_reach(code, parameter, x, y) else 0.0
        insiders += allocation[k] == 0.0 and members[k] > 0.0
        outsiders += allocation[k] == 0.0 and members[k] == 0.0
    if insiders == 0 or outsiders == 0:
        fill(allocation, 1 / K)
        return math.inf, 0.0
    rows_high, R, within = insiders <= outsiders, min(insiders, outsiders), insiders + outsiders
    first, second = 8 * within, 8 * within + 10 * R * within
    arms, pairs = work[:first].reshape(8, within), work[first:second].reshape(10, R, within)
    enlist(members, mu, given.scales, allocation, rows_high, R, arms)
    follow_path(code, parameter, rows_high, arms, pairs, work[second : second + R * R].reshape(R, R))
    total = scale(arms, 1.0)
    lower, upper = certify(code, parameter, rows_high, arms, pairs)
    r, c = 0, R
    for k in range(K):
        if allocation[k] == WHISPER:
            continue
        if (members[k] > 0.0) == rows_high:
            allocation[k] = arms[WEIGHT, r] / total
            r += 1
        else:
            allocation[k] = arms[WEIGHT, c] / total
            c += 1
    gap = max(upper * total / lower - 1, 0.0)
    return lower / total if gap <= CERTIFIED else math.nan, gap
