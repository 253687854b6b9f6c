"""The compiled scalar functions equal the numpy families."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from purex.families import Arms
from purex.families.arm import Arm
from purex.families.compiled import divergence, lower_bound, tied_mean, upper_bound, variance

EDGES = [0.0, 1e-300, 1e-12, 0.25, 0.5, 1 - 2**-40, 1.0]


def pairs(family, draw_means):
    rng = np.random.default_rng(11)
    mu = np.concatenate([draw_means(family, rng, 200), np.repeat(EDGES, len(EDGES))])
    lam = np.concatenate([draw_means(family, rng, 200), np.tile(EDGES, len(EDGES))])
    near = mu * (1 + 1e-5 * rng.standard_normal(mu.size))
    near = np.clip(near, *family.domain)
    return np.concatenate([mu, mu]), np.concatenate([lam, near])


def test_divergence_and_variance(family, draw_means):
    mu, lam = pairs(family, draw_means)
    code, parameter, scale = family.code, family.parameter, family.scale
    found = [scale * divergence(code, parameter, m, x) for m, x in zip(mu, lam, strict=True)]
    np.testing.assert_allclose(found, family.d(mu, lam), rtol=1e-13, atol=0)
    found = [variance(code, parameter, m) / scale for m in mu]
    np.testing.assert_allclose(found, family.variance(mu), rtol=1e-13, atol=0)


def test_bounds(family, draw_means):
    mu, _ = pairs(family, draw_means)
    rng = np.random.default_rng(12)
    level = rng.choice([0, 1e-20, 1e-6, 0.01, 0.5, 3.0, 50.0, 1600.0, np.inf], mu.size)
    for compiled, method in ((lower_bound, family.lower), (upper_bound, family.upper)):
        found = [
            compiled(family.code, family.parameter, m, x / family.scale)
            for m, x in zip(mu, level, strict=True)
        ]
        np.testing.assert_allclose(found, method(mu, level), rtol=1e-13, atol=0)


@pytest.mark.parametrize("bounds", [(), (0.2, 0.7)])
def test_tied_mean(bounds, request):
    families = request.getfixturevalue("all_families")
    rng = np.random.default_rng(13)
    for a, b in itertools.product(families, families):
        w_a, w_b = rng.choice([0.0, 1e-20, 0.1, 1.0, 7.0], (2, 30))
        mu_a, mu_b = rng.choice([0.0, 0.1, 0.5, 0.9, 1.0], (2, 30)) * rng.choice([1.0, 0.9], (2, 30))
        expected = Arms([a, b]).tied_mean(0, 1, w_a, mu_a, w_b, mu_b, *bounds)
        found = [
            tied_mean(Arm(a.code, a.scale, a.parameter, *x), Arm(b.code, b.scale, b.parameter, *y), *bounds)
            for x, y in zip(zip(w_a, mu_a, strict=True), zip(w_b, mu_b, strict=True), strict=True)
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=0, err_msg=f"{a} {b}")
