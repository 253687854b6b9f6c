"""Confidence bounds as compiled scalar functions."""

from __future__ import annotations

import math

from purex.families.compiled.arm_kinds import kind
from purex.families.compiled.divergence import BERNOULLI, GAMMA, GAUSSIAN, POISSON, kl_of_normal
from purex.families.special import HALLEY_STEPS, LIMIT, SMALL
from purex.jit import njit

NEAR_ROOT = 2.0  # where the series of the root is off by 1e-4 at most, relatively
SHORT = 3.0  # the square of the q up to which `shrink` is exact to rounding
C2, C3, C4, C5, C6, C7, C8 = 1 / 6, 1 / 36, 1 / 540, 1 / 4320, 1 / 34020, 1 / 5443200, 1 / 408240
FOURTH = 1 / 24
FAINT = 1e-100  # a variance whose square might be rounded to 0


@njit(forceinline=True)
def root_series(a: float, b: float, q: float) -> float:
    r"""The first eight terms of the root v, for k = b/a with a + b = 1, in powers of $q = \sqrt{2c(1+k)}$.

    From $v' = p (1 + k x)/x$, $x' = p (1 - x)(1 + k x)/x$ with $x = 1 - e^{-v}$, $p = aq$ and the
    derivatives in p, which follow from the equation.
    """
    V, z = a * b, q * q
    A, B = 1 - V, (b - a) * (1 + a) * (1 + b)
    even = 1 + z * (A * C3 + z * (A * A * C5 - z * (139 * A * A * A - 432 * V * V) * C7))
    odd = (1 + b) * C2 + z * B * (z * A * (C6 + z * A * C8) - C4)
    return a * q * (even + q * odd)


@njit
def excess_root(c: float) -> float:
    """The root y >= 0 of e^y - 1 - y = c (see `special.excess_root`)."""
    c = min(c, LIMIT)
    p = math.sqrt(2 * c)
    if p < SMALL:
        return p - p * p / 6
    y = -root_series(1.0, 0.0, -p) if p <= NEAR_ROOT else math.log1p(p + c)
    for _ in range(HALLEY_STEPS):
        slope = math.expm1(y)
        newton = (slope - y - c) / slope
        y -= newton / (1 - 0.5 * newton * (1 + slope) / slope)
        if abs(newton) <= SMALL * min(y, 1.0):  # the error is of third order in the step
            break
    return y


@njit
def bend_root(k: float, c: float) -> float:
    """The root v >= 0 of v - log(1 + k (1 - e^-v))/k = c (see `special.bend_root`)."""
    k, c = min(max(k, 1 / LIMIT), LIMIT), min(c, LIMIT)
    p = math.sqrt(2 * c / (1 + k))
    v = p + (1 + 2 * k) * p * p / 6
    if (1 + 2 * k) * p < SMALL:
        return v
    if (1 + k) * p <= NEAR_ROOT:
        v = root_series(1 / (1 + k), k / (1 + k), (1 + k) * p)
    else:  # v - c = log(1 + kx)/k: its first two terms in p, and its limit for large v
        v = c + min(p / (1 + (2 + k) * p * C2), math.log1p(k) / k)
    for _ in range(HALLEY_STEPS):
        x = -math.expm1(-v)
        kx = k * x
        newton = (v - math.log1p(kx) / k - c) * (1 + kx) / (x * (1 + k))
        v -= newton / (1 - 0.5 * newton * (1 - x) / (x * (1 + kx)))
        if abs(newton) <= SMALL * v:
            break
    return v


@njit(forceinline=True)
def shrink(b: float, a: float, level: float) -> tuple[float, float]:
    r"""The gap b - x and the x < b where $b \log(b/x) + a \log(a/(1-x))$ is level, for a + b = 1.

    For $q^2 = 2\,\mathrm{level}/(ab) \le$ `SHORT`: eight terms of the gap's series in q (see `root_series`,
    with $x = 1 - e^{-v}$ there), then one step of fifth order in $v = \log(b/x)$, of which every derivative
    is rational. There is neither a branch nor a call; beyond `SHORT` the result is of no use.
    """
    V = a * b
    z = 2 * level / V
    q = math.sqrt(z)
    c6 = (V * (237 + V * (4695 - 56201 * V)) - 139) * C7
    even = 1 + z * ((1 - 13 * V) * C3 + z * ((1 - V * (26 - 313 * V)) * C5 + z * c6))
    c5, c7 = (1 + V * (10 + 241 * V)) * C6, (1 - V * (3 + V * (15 + 361 * V))) * C8
    odd = 2 * (C2 + z * (z * (c5 + z * c7) - (1 + 23 * V) * C4))
    gap = V * q * (even + q * (b - a) * odd)
    x, n = b - gap, a + gap
    residual = kl_of_normal(b, x, -gap) + kl_of_normal(a, n, gap) - level
    inverse = 1 / (n * gap)
    newton = residual * n * n * inverse
    # with f the divergence in v: p is newton f2/(2 f1), p r = -newton^2 f3/(6 f1), and so on
    p, s = 0.5 * x * a * inverse * newton, gap * inverse * newton
    r = 2 * C2 * (1 + x) * s
    v = newton * (1 + p * (1 + (2 * p + r) + (5 * p * (p + r) + 0.5 * C2 * (1 + x * (4 + x)) * s * s)))
    step = x * v * (1 + v * (0.5 + v * (C2 + v * FOURTH)))
    return gap - step, x + step


@njit
def lower_bound(code: int, parameter: float, mu: float, level: float) -> float:
    """The lower end of {xi : d(mu, xi) <= level} at scale 1: give level = f/(N scale).

    >>> print(f"{lower_bound(POISSON, 0.0, math.e, 1.0):.12f}")
    1.000000000000
    """
    family = kind(code)
    if family == GAUSSIAN:
        return mu - math.sqrt(2 * level)
    if level == 0 or mu == 0:
        return mu
    if family == BERNOULLI:
        V = mu * (1 - mu)
        if 2 * level <= SHORT * V and V > FAINT:
            return shrink(mu, 1 - mu, level)[1]
        return mu * math.exp(-bend_root(mu / (1 - mu), level / mu))
    if family == POISSON:
        return mu * math.exp(-bend_root(0.0, level / mu))
    if family == GAMMA:
        return mu / (1 + (level + excess_root(level)))
    v = bend_root(mu / parameter, level / mu)
    return mu * math.exp(-v) / (1 - mu / parameter * math.expm1(-v))


@njit
def upper_bound(code: int, parameter: float, mu: float, level: float) -> float:
    """The upper end of {xi : d(mu, xi) <= level} at scale 1: give level = f/(N scale).

    >>> upper_bound(GAUSSIAN, 0.0, 1.0, 2.0)
    3.0
    """
    family = kind(code)
    if family == GAUSSIAN:
        return mu + math.sqrt(2 * level)
    if level == 0:
        return mu
    if family == BERNOULLI:
        if mu == 1:
            return mu
        V = mu * (1 - mu)
        if 2 * level <= SHORT * V and V > FAINT:
            return mu + shrink(1 - mu, mu, level)[0]
        v = bend_root((1 - mu) / mu, level / (1 - mu))
        return mu - (1 - mu) * math.expm1(-v) if v < 1 else 1 - (1 - mu) * math.exp(-v)
    if family == POISSON:
        return level if mu == 0 else mu + (level + mu * excess_root(level / mu))
    if family == GAMMA:
        return mu if mu == 0 else mu * math.exp(bend_root(0.0, level))
    return mu + (mu + parameter) * math.expm1(bend_root(parameter / mu, level / parameter))
