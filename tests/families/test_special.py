"""The two scalar equations, over all magnitudes of their parameters."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from purex.families.compiled import bounds as compiled
from purex.families.special import bend_root, excess_root, kl

ROOTS = {
    "numpy": (excess_root, bend_root),
    "compiled": (np.vectorize(compiled.excess_root), np.vectorize(compiled.bend_root)),
}


def quiet(function, *arguments):
    with np.errstate(all="ignore"):
        return function(*arguments)


@pytest.mark.parametrize("version", ROOTS)
def test_three_halley_steps_reach_the_root_everywhere(version):
    """The residual over the slope, in 60 digits, on a grid of 1e-30 <= c <= 1e30."""
    c = 10.0 ** np.concatenate([np.arange(-30, 30.5, 0.5), np.arange(-2, 2, 0.1)])
    y = quiet(ROOTS[version][0], c)
    with mpmath.workdps(60):
        for value, target in zip(y, c, strict=True):
            value, target = mpmath.mpf(value), mpmath.mpf(target)
            error = (mpmath.expm1(value) - value - target) / mpmath.expm1(value)
            assert abs(error) < 2e-15 * value + 1e-16, target


@pytest.mark.parametrize("version", ROOTS)
@pytest.mark.parametrize("k", [0.0, *10.0 ** np.arange(-12, 13, 1.5), 1e100, np.inf])
def test_the_bend_is_solved_everywhere(k, version):
    c = 10.0 ** np.concatenate(
        [np.arange(-30, 30.5, 1.25), np.arange(-2, 3, 0.2) - np.log10(np.clip(k, 1, 1e100))]
    )
    v = quiet(ROOTS[version][1], np.full_like(c, k), c)
    with mpmath.workdps(120):
        K = mpmath.mpf(min(max(k, 1e-200), 1e200))
        for value, target in zip(v, c, strict=True):
            V, C = mpmath.mpf(value), mpmath.mpf(target)
            x = -mpmath.expm1(-V)
            residual = V - mpmath.log1p(K * x) / K - C
            error = residual * (1 + K * x) / ((1 + K) * x)
            # what a confidence bound feels: v itself, and k v where that is smaller than 1
            assert abs(error) < 2e-15 * V + 1e-15 / (1 + K), (k, target)


def test_zero_and_infinity():
    assert quiet(excess_root, np.array([0.0]))[0] == 0
    assert quiet(bend_root, np.array([0.0, 1.0, np.inf]), np.zeros(3)).tolist() == [0, 0, 0]
    assert np.isfinite(quiet(bend_root, np.array([0.0, np.inf]), np.full(2, np.inf))).all()


def test_kl_is_the_generalised_relative_entropy():
    from scipy.special import kl_div

    rng = np.random.default_rng(0)
    x, y = rng.exponential(2, 1000), rng.exponential(2, 1000)
    np.testing.assert_allclose(quiet(kl, x, y, y - x), kl_div(x, y), rtol=1e-10, atol=1e-16)
