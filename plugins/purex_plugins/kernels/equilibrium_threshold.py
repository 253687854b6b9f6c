r"""Minimum threshold and thresholding: their max-min games in closed form, compiled.

With $d_k = d(\mu_k, g)$ the price of taking arm k across the level g, a single arm that has to be moved
gives $D = 1/\sum_k 1/d_k$ and $w_k = D/d_k$; all arms that have to be moved together give
$D = \max_k d_k$ and $w = e_k$ (THEORY, S59 and section 5). Arms may be of different families.

A $\mu$ in the alternative has value 0. The allocation is then shared by the arms that put it there:
those not strictly on the side that the answer declares.
"""

from __future__ import annotations

import math

from purex.families.compiled import divergence
from purex.jit import guvectorize, njit
from purex_plugins.kernels.equilibrium_pairs import WHISPER

BELOW = 1  # the answer of minimum threshold
SOLVED = 0  # status, always: every row has a closed form


@njit(forceinline=True)
def price(k, mu, codes, scales, parameters, g):
    """The divergence d(mu_k, g), scale included."""
    return scales[k] * divergence(codes[k], parameters[k], mu[k], g)


@njit(forceinline=True)
def share_by_price(allocation):
    r"""Turn prices $d_k$ into $w \propto 1/d$, return $1/\sum_k 1/d_k$.

    Arms of price 0 share the weight, and the value is 0. An arm of infinite price gets a weight that
    is next to nothing: any makes it safe. If all prices are infinite, the shares are equal.

    >>> import numpy as np
    >>> w = np.array([1.0, 3.0, np.inf])
    >>> share_by_price(w), w.round(12)
    (0.75, array([0.75, 0.25, 0.  ]))
    """
    least = math.inf
    for k in range(len(allocation)):
        least = min(least, allocation[k])
    total = 0.0
    for k in range(len(allocation)):  # relative to the least: 1/d may overflow
        allocation[k] = 1.0 if allocation[k] == least else least / allocation[k]
        total += allocation[k]
    for k in range(len(allocation)):
        allocation[k] = max(allocation[k] / total, WHISPER) if least > 0 else allocation[k] / total
    return least / total if least < math.inf else math.inf


@njit(forceinline=True)
def one_arm_row(all_above, i, mu, codes, scales, parameters, g, allocation):
    """The game in which one arm crosses the level, from above or from the side that the mask i says."""
    for k in range(len(mu)):
        strictly = mu[k] > g if all_above or (i >> k) & 1 else mu[k] < g
        allocation[k] = price(k, mu, codes, scales, parameters, g) if strictly else 0.0
    return share_by_price(allocation)


@njit(forceinline=True)
def all_arms_row(mu, codes, scales, parameters, g, allocation):
    """The game in which all arms below the level must rise to it."""
    value, best = 0.0, -1
    for k in range(len(mu)):
        if mu[k] < g:
            d = price(k, mu, codes, scales, parameters, g)
            if best < 0 or d > value:
                value, best = d, k
    for k in range(len(mu)):
        allocation[k] = 1 / len(mu) if best < 0 else 1.0 * (k == best)
    return value


@guvectorize(
    ["(i8, f8[:], i8[:], f8[:], f8[:], f8, f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k),()->(),(k),()",
)
def equilibrium_minimum_threshold(i, mu, codes, scales, parameters, g, value, allocation, status):
    """Max-min values and allocations of minimum threshold, whole batch at once.

    Answer 1 (below) without an arm below g: value 0, equal shares of all arms.

    >>> import numpy as np
    >>> mu, ones = np.array([0.5, 0.6]), np.ones(2)
    >>> value, w, _ = equilibrium_minimum_threshold(1, mu, np.zeros(2, int), ones, ones, 0.6)
    >>> print(f"{value:.12f}", w)
    0.005000000000 [1. 0.]
    """
    if i == BELOW:
        value[0] = all_arms_row(mu, codes, scales, parameters, g, allocation)
    else:
        value[0] = one_arm_row(True, i, mu, codes, scales, parameters, g, allocation)
    status[0] = SOLVED


@guvectorize(
    ["(i8, f8[:], i8[:], f8[:], f8[:], f8, f8[:], f8[:], i8[:])"],
    "(),(k),(k),(k),(k),()->(),(k),()",
)
def equilibrium_thresholding(i, mu, codes, scales, parameters, g, value, allocation, status):
    """Max-min values and allocations of thresholding (i a bit mask), whole batch at once.

    >>> import numpy as np
    >>> mu, ones = np.array([1.0, -2.0]), np.ones(2)
    >>> value, w, _ = equilibrium_thresholding(0b01, mu, np.zeros(2, int), ones, ones, 0.0)
    >>> print(value, w)
    0.4 [0.8 0.2]
    """
    value[0] = one_arm_row(False, i, mu, codes, scales, parameters, g, allocation)
    status[0] = SOLVED
