r"""Quantiles of count laws so wide that their distribution functions lose digits, by expansions.

Searching for the count at which the distribution function reaches u needs that function to many digits.
scipy's incomplete gamma function has them in the upper tail only up to parameters of some million, and beyond
$2^{53}$ not every count is a floating-point number. The expansions here become better as the mean grows.
"""

from __future__ import annotations

import numpy as np

from purex.arrays import FloatArray

LARGE = 1e6  # means from which the expansion has more digits than scipy's incomplete gamma function
WHOLE = 2.0**53  # means from which on counts are not all floating-point numbers
MANY = 3e5  # sizes from which the expansion has more digits than scipy's Gamma quantile
CLOSE = 1e-8  # r/mu below which (r/mu)^2/12, what the Gamma law leaves out, is lost in rounding


def poisson_quantile(mu: FloatArray, u: FloatArray) -> FloatArray:
    r"""The smallest count k with P(X <= k) >= u, for means over a million.

    The expansion of Giles (2016), Algorithm 955: approximation of the inverse Poisson cumulative
    distribution function, equation (8), in powers of $\mu^{-1/2}$ at the normal quantile z.

    >>> print(poisson_quantile(np.array([1e6, 1e17]), np.array([0.5, 0.5])))
    [1.e+06 1.e+17]
    """
    from scipy.special import ndtri  # here: importing scipy.special takes 0.3 s

    z = ndtri(u)
    root = np.sqrt(mu)
    small = (1 / 3 + z**2 / 6) - (z / 36 + z**3 / 72) / root
    small = small + (-8 / 405 + 7 * z**2 / 810 + z**4 / 270) / mu
    return _whole(mu + (root * z + small), u)


def negative_binomial_quantile(size: float, mu: FloatArray, u: FloatArray) -> FloatArray:
    r"""The smallest count k with P(X <= k) >= u, to rounding, for means over $2^{53}$.

    With $y = \log(1 + r/\mu)$ and $T = k + (r+1)/2$, $P(X \le k)$ is the integral of
    $t^{r-1} e^{-Tt} (\sinh(t/2) / (t/2))^{r-1}$ over [0, y] (up to its norm): a Gamma law where $r/\mu$ is
    so small that the last factor is 1. Other sizes are so large that the law is normal up to the terms of
    Cornish and Fisher.

    >>> print(negative_binomial_quantile(1.0, np.array([1e17]), np.array([0.5])))
    [6.93147181e+16]
    """
    from scipy.special import gammainccinv, gammaincinv, ndtri

    gamma = np.where(u < 0.5, gammaincinv(size, u), gammainccinv(size, 1 - u))
    few = np.ceil(gamma / np.log1p(size / mu) - (size + 1) / 2)
    z, over = ndtri(u), mu / size
    deviation = np.sqrt(mu) * np.sqrt(1 + over)
    skewness = (1 + 2 * over) / deviation
    many = mu + deviation * _cornish_fisher(z, skewness, 1 / size)
    return _whole(np.where((size < MANY) & (size < CLOSE * mu), few, many), u)


def _cornish_fisher(z: FloatArray, skewness: FloatArray, inverse_size: float) -> FloatArray:
    r"""The standardised quantile at the normal quantile z, to the order of the fifth cumulant.

    Cumulants of an exponential family are $\kappa_{n+1} = V \, d\kappa_n/d\mu$; here $V'' = 2/r$ is constant.
    """
    g1 = skewness
    g2 = g1**2 + 2 * inverse_size
    g3 = g1 * (g1**2 + 8 * inverse_size)
    second = g2 * (z**3 - 3 * z) / 24 - g1**2 * (2 * z**3 - 5 * z) / 36
    third = g3 * (z**4 - 6 * z**2 + 3) / 120 - g1 * g2 * (z**4 - 5 * z**2 + 2) / 24
    third = third + g1**3 * (12 * z**4 - 53 * z**2 + 17) / 324
    return z + g1 * (z**2 - 1) / 6 + second + third


def _whole(x: FloatArray, u: FloatArray) -> FloatArray:
    """The count below x, at least 0; the ends of the law at u = 0 and u = 1."""
    return np.where(u <= 0, 0.0, np.where(u >= 1, np.inf, np.maximum(np.floor(x), 0.0)))
