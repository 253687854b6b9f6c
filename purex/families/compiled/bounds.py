"""Confidence bounds as compiled scalar functions."""

from __future__ import annotations

import math

from purex.families.compiled.divergence import BERNOULLI, GAMMA, GAUSSIAN, POISSON
from purex.families.special import HALLEY_STEPS, LIMIT, SMALL
from purex.jit import njit


@njit
def excess_root(c: float) -> float:
    """The root y >= 0 of e^y - 1 - y = c (see `special.excess_root`)."""
    c = min(c, LIMIT)
    p = math.sqrt(2 * c)
    if p < SMALL:
        return p - p * p / 6
    y = math.log1p(p + c)
    for _ in range(HALLEY_STEPS):
        slope = math.expm1(y)
        newton = (slope - y - c) / slope
        y -= newton / (1 - 0.5 * newton * (1 + slope) / slope)
        if abs(newton) <= SMALL * y:  # the error is of third order in the step
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
    v = max(v, c)
    for _ in range(HALLEY_STEPS):
        x = -math.expm1(-v)
        kx = k * x
        newton = (v - math.log1p(kx) / k - c) * (1 + kx) / (x * (1 + k))
        v -= newton / (1 - 0.5 * newton * (1 - x) / (x * (1 + kx)))
        if abs(newton) <= SMALL * v:
            break
    return v


@njit
def lower_bound(code: int, parameter: float, mu: float, level: float) -> float:
    """The lower end of {xi : d(mu, xi) <= level} at scale 1: give level = f/(N scale).

    >>> print(f"{lower_bound(POISSON, 0.0, math.e, 1.0):.12f}")
    1.000000000000
    """
    if code == GAUSSIAN:
        return mu - math.sqrt(2 * level)
    if level == 0 or mu == 0:
        return mu
    if code == BERNOULLI:
        return mu * math.exp(-bend_root(mu / (1 - mu), level / mu))
    if code == POISSON:
        return mu * math.exp(-bend_root(0.0, level / mu))
    if code == GAMMA:
        return mu / (1 + (level + excess_root(level)))
    v = bend_root(mu / parameter, level / mu)
    return mu * math.exp(-v) / (1 - mu / parameter * math.expm1(-v))


@njit
def upper_bound(code: int, parameter: float, mu: float, level: float) -> float:
    """The upper end of {xi : d(mu, xi) <= level} at scale 1: give level = f/(N scale).

    >>> upper_bound(GAUSSIAN, 0.0, 1.0, 2.0)
    3.0
    """
    if code == GAUSSIAN:
        return mu + math.sqrt(2 * level)
    if level == 0:
        return mu
    if code == BERNOULLI:
        if mu == 1:
            return mu
        v = bend_root((1 - mu) / mu, level / (1 - mu))
        return mu - (1 - mu) * math.expm1(-v) if v < 1 else 1 - (1 - mu) * math.exp(-v)
    if code == POISSON:
        return level if mu == 0 else mu + (level + mu * excess_root(level / mu))
    if code == GAMMA:
        return mu if mu == 0 else mu * math.exp(bend_root(0.0, level))
    return mu + (mu + parameter) * math.expm1(bend_root(parameter / mu, level / parameter))
