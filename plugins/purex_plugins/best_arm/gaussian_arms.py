r"""Best arm: the max-min game of Gaussian arms of one variance, compiled.

With $e_j$ the square of the least gap over that of rival j, the optimum is $X_j = e_j/(\zeta - e_j)$
where $\sum_j X_j^2 = 1$ (`purex_plugins.best_arm.saddle_point` has the equations).
"""

from __future__ import annotations

import math

from purex.families.compiled.arm_kinds import kind
from purex.families.compiled.divergence import GAUSSIAN
from purex.jit import njit

MAX_STEPS = 12  # two are usual
CLOSE_CUBED = 1e-5  # a relative step: what remains is below its cube
TINY, HUGE = 1e-140, 1e140  # gaps whose squares are numbers


@njit(forceinline=True)
def is_gaussian(i, mu, codes, scales):
    """Whether arms are Gaussian, of one variance, and arm i leads by gaps whose squares are numbers."""
    easy = len(mu) > 1
    for j in range(len(mu)):
        gap = mu[i] - mu[j]
        easy &= kind(codes[j]) == GAUSSIAN and scales[j] == scales[i]
        easy &= TINY < gap < HUGE or j == i
    return easy


@njit
def solve_gaussian(i, mu, allocation):
    r"""Fill the allocation, return the value at scale 1, of arms for which `is_gaussian` holds.

    Steps of third order for $F = \sum_j X_j^2$ to the power -1/2, which is concave in $\zeta$, from the left:
    the root of its tangent at infinity, or 2, which is the root without the other rivals.
    """
    K, x, least = len(mu), mu[i], math.inf
    for j in range(K):
        gap = x - mu[j]
        if j != i and gap < least:
            least = gap
    A, B = 0.0, 0.0
    for j in range(K):
        share = least / (x - mu[j]) if j != i else 0.0
        e = share * share
        allocation[j] = e
        A += e * e
        B += e * e * e
    zeta = max(2.0, math.sqrt(A) + B / A)
    for _ in range(MAX_STEPS):
        F, G, H = 0.0, 0.0, 0.0
        for j in range(K):
            inverse = 1 / (zeta - allocation[j])
            X = allocation[j] * inverse
            X2 = X * X
            F += X2
            G += X2 * inverse
            H += X2 * inverse * inverse
        step = halley(F, G, H)
        zeta += step
        if abs(step) <= CLOSE_CUBED * zeta:
            break
    total = 1.0
    for j in range(K):
        allocation[j] /= zeta - allocation[j]
        total += allocation[j]
    allocation[i] = 1.0
    share = 1 / total
    for j in range(K):
        allocation[j] *= share
    return 0.5 * least * least / (zeta * total)


@njit(inline="always")
def halley(F, G, H):
    r"""A step of third order towards $F^{-1/2} = 1$ for a sum F of $c/(z - \sigma)^2$.

    Halley's, for $F' = -2G$ and $F'' = 6H$, with $\sqrt F - 1$ replaced by $(F - 1)/(1 + (1 + F)/2)$: it is
    smaller, and to second order the same, and no square root has to be waited for.
    """
    f = F - 1
    return f * F * G / ((2 + 0.5 * f) * (G * G) + 1.5 * f * (G * G - F * H))
