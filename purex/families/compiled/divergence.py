"""Divergences and variances as compiled scalar functions."""

from __future__ import annotations

import math

import numpy as np

from purex.families.compiled.arm_kinds import kind
from purex.families.special import HUGE, NEAR, SERIES
from purex.jit import njit

GAUSSIAN, BERNOULLI, POISSON, GAMMA, NEGATIVE_BINOMIAL = range(5)
S0, S1, S2, S3, S4, S5, S6, S7, S8, S9 = SERIES  # names, so that the loop is unrolled

TINY = 1 / HUGE
WIDE = 4.0  # the ratio up to which gains are made of `kl_of_normal` (docs/decisions/0045)
LN_2 = math.log(2)
DIGITS = 52  # of a float, behind the first: so many bits are behind its power of two
HALF = 1 << (DIGITS - 1)

Triple = tuple[float, float, float]


@njit(forceinline=True)
def series(z: float) -> float:
    """1/3 + z/5 + z^2/7 + ..., in pairs: Horner's rule waits for itself."""
    z2 = z * z
    z4 = z2 * z2
    middle = (S4 + S5 * z) + z2 * (S6 + S7 * z)
    return ((S0 + S1 * z) + z2 * (S2 + S3 * z)) + z4 * (middle + z4 * (S8 + S9 * z))


@njit(forceinline=True)
def kl(x: float, y: float, gap: float) -> float:
    """The term x log(x/y) - x + y, with gap = y - x (see `special.kl`)."""
    total = x + y
    if abs(gap) <= NEAR * total and total > 0:
        s = gap / total
        z = s * s
        return s * (gap - 2 * x * z * series(z))
    if x == 0:
        return y
    if y == 0 or y == math.inf:
        return math.inf
    ratio = y / x
    if 1 / HUGE < ratio < HUGE:
        return gap - x * math.log(ratio)
    return gap - x * (math.log(y) - math.log(x))


@njit(forceinline=True)
def kl_of_normal(x: float, y: float, gap: float) -> float:
    """The same as `kl`, but for last bits, for x and y in [`TINY`, `HUGE`], without branches or calls.

    So a loop over arms computes several at once. With e the whole number nearest to log2(y/x),
    s = (y - 2^e x)/(y + 2^e x) is at most 0.2 and log(y/x) = e log(2) + 2 artanh(s).
    """
    bits = np.float64(x).view(np.int64)
    e = (np.float64(y).view(np.int64) - bits + HALF) >> DIGITS  # logarithms are nearly linear in the bits
    is_near = abs(gap) <= NEAR * (x + y)
    scaled = x if is_near else np.int64(bits + (e << DIGITS)).view(np.float64)
    s = (gap if is_near else y - scaled) / (y + scaled)
    z = s * s
    start = 0.0 if is_near else gap - x * (e * LN_2)
    return start + s * ((gap if is_near else -2 * x) - 2 * x * z * series(z))


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


@njit(forceinline=True)
def are_within_reach(x: float, y: float) -> bool:
    """Whether both are normal numbers and neither is more than `WIDE` times the other."""
    return (x >= TINY) & (y >= TINY) & (x < WIDE * y) & (y < WIDE * x)


@njit
def divergence_of_end(code: int, parameter: float, end: float, lam: float) -> float:
    """The divergence d(end, lam) at scale 1, in the same bits as if several arms were computed at once."""
    if kind(code) == BERNOULLI and are_within_reach(end, lam) and are_within_reach(1 - end, 1 - lam):
        return kl_of_normal(end, lam, lam - end) + kl_of_normal(1 - end, 1 - lam, end - lam)
    return divergence(code, parameter, end, lam)


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
