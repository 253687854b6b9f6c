"""Divergences and variances as compiled scalar functions."""

from __future__ import annotations

import math

from purex.families.compiled.arm_kinds import kind
from purex.families.special import HUGE, NEAR, SERIES
from purex.jit import njit

GAUSSIAN, BERNOULLI, POISSON, GAMMA, NEGATIVE_BINOMIAL = range(5)
S0, S1, S2, S3, S4, S5, S6, S7, S8, S9 = SERIES  # names, so that the loop is unrolled

Triple = tuple[float, float, float]


@njit(forceinline=True)
def kl(x: float, y: float, gap: float) -> float:
    """The term x log(x/y) - x + y, with gap = y - x (see `special.kl`)."""
    total = x + y
    if abs(gap) <= NEAR * total and total > 0:
        s = gap / total
        z = s * s
        z2 = z * z
        z4 = z2 * z2
        middle = (S4 + S5 * z) + z2 * (S6 + S7 * z)  # in pairs: Horner's rule waits for itself
        series = ((S0 + S1 * z) + z2 * (S2 + S3 * z)) + z4 * (middle + z4 * (S8 + S9 * z))
        return s * (gap - 2 * x * z * series)
    if x == 0:
        return y
    if y == 0 or y == math.inf:
        return math.inf
    ratio = y / x
    if 1 / HUGE < ratio < HUGE:
        return gap - x * math.log(ratio)
    return gap - x * (math.log(y) - math.log(x))


@njit
def divergence(code: int, parameter: float, mu: float, lam: float) -> float:
    """The divergence d(mu, lam) at scale 1.

    >>> print(f"{divergence(BERNOULLI, 0.0, 0.5, 0.25):.12f}")
    0.143841036226
    """
    family, gap = kind(code), lam - mu
    if family == BERNOULLI:
        return kl(mu, lam, gap) + kl(1 - mu, 1 - lam, -gap)
    if mu == lam:
        return 0.0
    if family == GAUSSIAN:
        return 0.5 * gap * gap
    if family == POISSON:
        return kl(mu, lam, gap)
    if lam == math.inf:
        return math.inf
    if family == GAMMA:
        return kl(lam, mu, -gap) / lam
    share = parameter / (lam + parameter)
    inner = lam * ((mu + parameter) / (lam + parameter))
    return share * kl(lam + parameter, mu + parameter, -gap) + kl(mu, inner, share * gap)


@njit
def variance(code: int, parameter: float, mu: float) -> float:
    """The variance V(mu) at scale 1.

    >>> variance(NEGATIVE_BINOMIAL, 2.0, 4.0)
    12.0
    """
    v0, v1, v2 = variance_coefficients(code, 1.0, parameter)
    return v0 + mu * (v1 + v2 * mu)


@njit
def variance_coefficients(code: int, scale: float, parameter: float) -> Triple:
    """(v0, v1, v2) of the variance v0 + v1 mu + v2 mu^2, scale included."""
    family = kind(code)
    if family == GAUSSIAN:
        return 1 / scale, 0.0, 0.0
    if family == BERNOULLI:
        return 0.0, 1.0, -1.0
    if family == POISSON:
        return 0.0, 1.0, 0.0
    if family == GAMMA:
        return 0.0, 0.0, 1 / scale
    return 0.0, 1.0, 1 / parameter
