r"""Special functions the divergences are made of, free of cancellation.

Every built-in divergence is a sum of terms $x \log(x/y) - x + y \ge 0$, each accurate on its own;
every confidence bound is the root of one of two scalar equations. Callers silence numpy's warnings.
"""

from __future__ import annotations

import numpy as np

from purex.arrays import FloatArray

NEAR = 0.2  # |s| below which the series is used: beyond it x log(x/y) - x + y loses 4 bits at most
SERIES = tuple(1.0 / (2 * k + 3) for k in range(10))  # what is left out is below 2**-53
HUGE = 1e290  # a ratio beyond 1/HUGE or HUGE may be rounded to 0 or inf: take the logarithms apart
LIMIT = 1e200  # stands for infinity where a product with it must stay finite
HALLEY_STEPS = 3  # enough from the starts below for every argument (see tests/families)
SMALL = 1e-5  # where the two-term expansion of a root is exact to rounding


def _series(z: FloatArray, z2: FloatArray) -> FloatArray:
    """1/3 + z/5 + z^2/7 + ..., in the order of the compiled version: the same to the last bit."""
    s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 = SERIES
    z4 = z2 * z2
    middle = (s4 + s5 * z) + z2 * (s6 + s7 * z)
    return ((s0 + s1 * z) + z2 * (s2 + s3 * z)) + z4 * (middle + z4 * (s8 + s9 * z))


def kl(x: FloatArray, y: FloatArray, gap: FloatArray) -> FloatArray:
    r"""The generalised relative entropy $x \log(x/y) - x + y$ of $x, y \ge 0$, with gap $= y - x$.

    Near equality, with $s = \mathrm{gap}/(x+y)$ and $\log(y/x) = 2\,\mathrm{artanh}\,s$, it is
    $s\,(\mathrm{gap} - 2 x s^2 (1/3 + s^2/5 + s^4/7 + \dots))$. The caller gives the gap because
    $(1 - \lambda) - (1 - \mu)$ would lose digits that $\mu - \lambda$ still has.

    >>> x, y = np.array([0.5, 0.0]), np.array([0.5 + 2**-30, 2.0])
    >>> with np.errstate(all="ignore"): kl(x, y, y - x)
    array([8.67361737e-19, 2.00000000e+00])
    """
    total, ratio = x + y, y / x
    s = gap / total
    z = s * s
    near = s * (gap - 2 * x * z * _series(z, z * z))
    value = np.where(np.abs(s) <= NEAR, near, gap - x * np.log(ratio))
    odd = ~((ratio > 1 / HUGE) & (ratio < HUGE))  # also true of nan
    if odd.any():
        value = np.where(odd, gap - x * (np.log(y) - np.log(x)), value)
        value = np.where(odd & ((y == 0) | np.isinf(y)), np.inf, value)
        value = np.where(odd & (x == 0), y, value)
    return value


def excess_root(c: FloatArray) -> FloatArray:
    r"""The root $y \ge 0$ of $e^y - 1 - y = c$, for $c \ge 0$ (infinity counts as 1e200).

    Halley's iteration from $\log(1 + \sqrt{2c} + c)$, which lies above the root
    (Chatzigeorgiou's bound on Lambert's $W_{-1}$).

    >>> print(excess_root(np.array([np.e - 2, 1e100])))
    [  1.        230.2585093]
    """
    c = np.minimum(c, LIMIT)
    p = np.sqrt(2 * c)
    y = np.log1p(p + c)
    for _ in range(HALLEY_STEPS):
        slope = np.expm1(y)
        newton = (slope - y - c) / slope
        y = y - newton / (1 - 0.5 * newton * (1 + slope) / slope)
    return np.where(p < SMALL, p - p * p / 6, y)


def bend_root(k: FloatArray, c: FloatArray) -> FloatArray:
    r"""The root $v \ge 0$ of $v - \log(1 + k (1 - e^{-v}))/k = c$, for $k, c \ge 0$ (or infinite).

    With $k = b/a$ and $c = \ell/b$ this is where $b v - a \log(1 + (b/a)(1 - e^{-v}))$ reaches
    $\ell$. Both bounds of the Bernoulli and of the negative binomial family have that form, and
    $k = 0$ leaves $e^{-v} - 1 + v = c$: Poisson below, Gamma above.

    >>> print(bend_root(np.array([0.0, 1.0, np.inf]), np.array([1 / np.e, 0.5, 2.0])))
    [1.         0.98690459 2.        ]
    """
    k, c = np.clip(k, 1 / LIMIT, LIMIT), np.minimum(c, LIMIT)
    p = np.sqrt(2 * c / (1 + k))
    small = p + (1 + 2 * k) * p * p / 6
    v = np.maximum(small, c)
    for _ in range(HALLEY_STEPS):
        x = -np.expm1(-v)
        kx = k * x
        newton = (v - np.log1p(kx) / k - c) * (1 + kx) / (x * (1 + k))
        v = v - newton / (1 - 0.5 * newton * (1 - x) / (x * (1 + kx)))
    return np.where((1 + 2 * k) * p < SMALL, small, v)
