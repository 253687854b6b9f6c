r"""Taking arms across a level, compiled: what minimum threshold and thresholding share.

The first of the query's numbers is the level g. With $d_k = d(\mu_k, g)$ the price of taking arm k across it,
a single arm that has to be moved gives $D = 1/\sum_k 1/d_k$ and $w_k = D/d_k$ (claim S59). Arms may be of
different families. Importing this imports numba.
"""

from __future__ import annotations

import math

from purex.families.compiled import divergence
from purex.families.compiled.arm_kinds import is_inside
from purex.jit import njit
from purex_plugins.arm_sets import MOST_ARMS
from purex_plugins.set_kernels import has
from purex_plugins.transport import WHISPER, clip, move_arm

ABOVE, BELOW, AS_ANSWERED = 1, -1, 0  # where the answer says that the arms are: all of them, or each


@njit(forceinline=True)
def is_high(side, i, k, mu, g):
    """Whether the answer i says that arm k is at or above g.

    Where each arm is by itself, a mask says so by its bit; a fingerprint has to be that of the means.
    """
    if side == AS_ANSWERED:
        return mu[k] >= g if len(mu) > MOST_ARMS else has(i, k)
    return side == ABOVE


@njit(forceinline=True)
def cross_one(side, i, w, xi, given, point):
    """The cheapest arm to take across the level, from above or from the side that the answer i says.

    Fills point, returns value and piece.
    """
    lower, upper, g = given.lower, given.upper, given.numbers[0]
    inside = is_inside(xi, lower, upper)
    for k in range(len(xi)):
        point[k] = clip(xi[k], lower, upper)
    value, piece, moved = math.inf, -1, 0.0
    for k in range(len(xi)):
        lam = min(point[k], g) if is_high(side, i, k, xi, g) else max(point[k], g)
        if inside and lam == xi[k]:  # xi is an alternative
            return 0.0, k
        cost = move_arm(k, w, xi, given, lam)
        if not inside:
            for j in range(len(xi)):
                if j != k:
                    cost += move_arm(j, w, xi, given, point[j])
        if cost < value or piece < 0:
            value, piece, moved = cost, k, lam
    point[piece] = moved
    return value, piece


@njit(forceinline=True)
def price(k, mu, given):
    """The divergence of arm k from its mean to the level, scale included."""
    return given.scales[k] * divergence(given.codes[k], given.parameters[k], mu[k], given.numbers[0])


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
def one_arm_game(side, i, mu, given, allocation):
    r"""The max-min in which one arm crosses the level, from above or from the side that the answer i says.

    Fills the allocation, returns the value. A $\mu$ in the alternative has value 0; the weight is then shared
    by the arms that put it there: those not strictly on the side that the answer declares.
    """
    g = given.numbers[0]
    for k in range(len(mu)):
        strictly = mu[k] > g if is_high(side, i, k, mu, g) else mu[k] < g
        allocation[k] = price(k, mu, given) if strictly else 0.0
    return share_by_price(allocation)
