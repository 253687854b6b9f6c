"""The functions that the statements are made of, in mpmath: what several tests of formulas share."""

import pytest
from mpmath import mp, mpf

CLOSE = {"rel": 1e-12, "abs": 0.0}


def close(found, expected):
    assert float(found) == pytest.approx(float(expected), **CLOSE)


def wbar(x):
    """The root z >= 1 of z - ln z = x, and 1 below x = 1."""
    x = mpf(x)
    return -mp.lambertw(-mp.exp(-x), -1).real if x > 1 else mpf(1)


def f_of(n, a=1, b=1):
    return wbar((1 + mpf(a)) * (1 + mpf(b)) * mp.log(n))


def S1(K, n):
    return mpf(K) ** 2 + 2 * mp.sqrt(2 * mpf(K) * n)


def S2(K, n):
    return mpf(K) ** 2 + 2 * mpf(K) * mp.log(mpf(n) / K)


def hedge(scales, K):
    """The lemma on AdaHedge: sqrt(sum b^2 ln K) + max b (4/3 ln K + 2)."""
    b = [mpf(float(x)) for x in scales]
    return mp.sqrt(sum(x**2 for x in b) * mp.log(K)) + max(b) * (mpf(4) / 3 * mp.log(K) + 2)


# Divergences and natural parameters, written out.
PSI = {
    "gaussian": (lambda x, y: (x - y) ** 2 / 2, lambda x: x, lambda x: mpf(1)),
    "bernoulli": (
        lambda x, y: x * mp.log(x / y) + (1 - x) * mp.log((1 - x) / (1 - y)),
        lambda x: mp.log(x / (1 - x)),
        lambda x: x * (1 - x),
    ),
    "poisson": (lambda x, y: x * mp.log(x / y) - x + y, mp.log, lambda x: x),
    "exponential": (lambda x, y: x / y - 1 - mp.log(x / y), lambda x: -1 / x, lambda x: x**2),
}
BOXED = {
    "B5": ("bernoulli", "0.05", "0.95", "0.5"), "G4": ("gaussian", "0", "2", "1"),
    "P3": ("poisson", "0.2", "5", "5"), "E3": ("exponential", "0.2", "5", "5"),
    "MT": ("gaussian", "-1", "2", "1"),
}  # fmt: skip


def boxed(name):
    """L, D and sigma^2 of an instance; the variance is largest at the last number of BOXED."""
    family, low, high, widest = BOXED[name]
    d, natural, variance = PSI[family]
    low, high = mpf(low), mpf(high)
    return natural(high) - natural(low), max(d(low, high), d(high, low)), variance(mpf(widest))
