r"""What an arm pays for a proof: how far $n\,d(\hat\mu, \mu)$ may exceed the logarithm of a test martingale.

A nonnegative supermartingale L of mean at most 1, a mixture of likelihood ratios against the true mean,
bounds $n\,d(\hat\mu, \mu)$ by $\ln L$ plus a price that depends on the number n of rewards alone.
docs/thresholds.md has the proofs.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray

HALF_LOG_2 = 0.5 * math.log(2)
HALF_LOG_PI = 0.5 * math.log(math.pi)
SHIFT = 16  # below this the series is moved up by the recursion of the gamma function


def krichevsky_trofimov(n: ArrayLike) -> FloatArray:
    r"""$r(n) = \tfrac12\ln\pi + \ln\Gamma(n+1) - \ln\Gamma(n+\tfrac12)$, for rewards in [0, 1] of any sum.

    By Stirling's series for the quotient, whose first term left out is below $10^{-15}$ from n = 16 on: the
    difference of two log-gammas would lose all digits at large n.

    >>> print(*(f"{x:.12f}" for x in krichevsky_trofimov([1, 10, 1000])))
    0.693147180560 1.736152296596 4.026367582411
    """
    counts = np.asarray(n, dtype=np.float64, order="C")
    few = counts < SHIFT
    z = np.where(few, counts + SHIFT, counts)
    q = 1 / (z * z)
    series = (1 / 8 - q * (1 / 192 - q * (1 / 640 - q * (17 / 14336 - q * (31 / 18432))))) / z
    price = 0.5 * np.log(z) + series + HALF_LOG_PI
    if few.any():  # r(n) is r(n + SHIFT) less the logarithms of 1 + 1/(2n + 1), 1 + 1/(2n + 3), ...
        low, product = np.where(few, counts, 0.0), np.ones_like(counts)
        for j in range(1, SHIFT + 1):
            product = product * (1 + 0.5 / (low + (j - 0.5)))
        price = price - np.where(few, np.log(product), 0.0)
    return np.asarray(price)


def krichevsky_trofimov_at(n: ArrayLike, share: ArrayLike) -> FloatArray:
    r"""The same at the sum s, which is n times the `share`.

    $r(n, s) = s\ln\tfrac sn + (n-s)\ln\tfrac{n-s}n - \ln\tfrac{B(s + 1/2, n - s + 1/2)}\pi$ is r(n) at s = 0
    and s = n, least at s = n/2, and about $\tfrac12\ln\tfrac{\pi n}2$ in between. With e of
    `gamma_remainder` it is $r(n) + e(0) + e(n) - e(s) - e(n - s)$.

    >>> print(*(f"{x:.9f}" for x in krichevsky_trofimov_at(1000, [0.0, 0.02, 0.5])))
    4.026367582 3.681877872 3.679918992
    """
    counts = np.asarray(n, dtype=np.float64, order="C")
    p = np.asarray(share, dtype=np.float64, order="C")
    inside = gamma_remainder(counts * p) + gamma_remainder(counts * (1 - p))
    return np.asarray(krichevsky_trofimov(counts) - (inside + HALF_LOG_2 - gamma_remainder(counts)))


def gamma_remainder(s: ArrayLike) -> FloatArray:
    r"""$e(s) = \ln\Gamma(s + \tfrac12) - s\ln s + s - \tfrac12\ln 2\pi$, from $-\tfrac12\ln 2$ at 0 up to 0.

    By Stirling's series about the half, as for `krichevsky_trofimov`.

    >>> print(f"{gamma_remainder(0.0):.12f} {gamma_remainder(2.0):.12f} {gamma_remainder(1e6):.6e}")
    -0.346573590280 -0.020550023852 -4.166667e-08
    """
    numbers = np.asarray(s, dtype=np.float64, order="C")
    few = numbers < SHIFT
    y = np.where(few, numbers + SHIFT, numbers)
    q = 1 / (y * y)
    series = (1 / 24 - q * (7 / 2880 - q * (31 / 40320 - q * (127 / 215040 - q * (511 / 608256))))) / y
    value = -series
    if few.any():  # ln Gamma(s + 1/2) = ln Gamma(s + SHIFT + 1/2) - ln (s + 1/2)(s + 3/2)...
        low = np.where(few, numbers, 0.0)
        rising = low + 0.5
        for j in range(1, SHIFT):
            rising = rising * (low + (j + 0.5))
        own = low * np.log(np.where(low > 0, low, 1.0)) - low
        value = np.where(few, (y * np.log(y) - y - own) + value - np.log(rising), value)
    return np.asarray(value)


def normal_mixture(n: ArrayLike, precision: float) -> FloatArray:
    r"""$\tfrac12\ln(1 + n/\rho)$, for Gaussian and sub-Gaussian rewards, with a prior of precision $\rho$.

    The precision is that of so many rewards, and the bound is one of $\tfrac{n}{n+\rho}\,n\,d(\hat\mu, \mu)$.

    >>> print(f"{normal_mixture(500, 1.0):.6f}")
    3.108303
    """
    return np.asarray(0.5 * np.log1p(np.asarray(n, dtype=np.float64, order="C") / precision))


def stirling_excess(z: ArrayLike) -> FloatArray:
    r"""$g(z) = z\ln z - z - \ln\Gamma(z)$, about $\tfrac12\ln(z/2\pi)$, by Stirling's series.

    >>> print(f"{stirling_excess(1.0):.12f} {stirling_excess(1e12):.12f}")
    -1.000000000000 12.896572024760
    """
    numbers = np.asarray(z, dtype=np.float64, order="C")
    few = numbers < SHIFT
    y = np.where(few, numbers + SHIFT, numbers)
    q = 1 / (y * y)
    series = (1 / 12 - q * (1 / 360 - q * (1 / 1260 - q * (1 / 1680 - q * (1 / 1188))))) / y
    value = 0.5 * np.log(y / (2 * math.pi)) - series
    if few.any():  # ln Gamma(z) = ln Gamma(z + SHIFT) - ln z(z + 1)...
        rising = np.zeros_like(numbers)
        for j in range(SHIFT):
            rising = rising + np.log(numbers + j)
        lifted = numbers * np.log(numbers) - numbers - (y * np.log(y) - y) + value + rising
        value = np.where(few, lifted, value)
    return np.asarray(value)


def gamma_mixture(n: ArrayLike, shape: float) -> FloatArray:
    r"""$g(n\alpha) - g(\alpha)$ with g of `stirling_excess`, for gamma rewards of shape $\alpha$.

    The mixture is that of all scales, given the first reward X, so that no unit is chosen: it bounds
    $n\,d(\hat\mu, \mu) - d(X, \mu)$.
    """
    n = np.asarray(n, dtype=np.float64)
    return np.asarray(stirling_excess(shape * n) - stirling_excess(shape))


def gamma_cumulant(lam: float, shape: float) -> float:
    r"""$\ln E\,e^{\lambda d(X, \mu)}$ for a gamma reward X of shape $\alpha$, whatever its mean.

    $\alpha\lambda(\ln\alpha - 1) + \ln\Gamma(\alpha\bar\lambda) - \alpha\bar\lambda\ln\bar\lambda -
    \ln\Gamma(\alpha)$, where $\bar\lambda = 1 - \lambda$.
    """
    rest = 1.0 - lam
    value = shape * lam * (math.log(shape) - 1) + math.lgamma(shape * rest) - math.lgamma(shape)
    return value - shape * rest * math.log(rest)
