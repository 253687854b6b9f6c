"""Divergences as sums of cvxpy expressions, up to a constant."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

WHERE = {
    "mean": lambda family, lam: lam,
    "natural": lambda family, lam: family.base_natural(lam),
    "log": lambda family, lam: np.log(lam),
}


def convex_coordinates(family):
    yield "natural"
    if family.convex_in_mean:
        yield "mean"
    if family.convex_in_log:
        yield "log"


def test_terms_add_up_to_the_divergence(family):
    rng = np.random.default_rng(14)
    w, mu = rng.random(8), rng.uniform(0.05, 0.95, 8)
    points = rng.uniform(0.05, 0.95, (2, 8))
    for coordinates in convex_coordinates(family):
        values = []
        for lam in points:
            x = cp.Variable(8)
            x.value = WHERE[coordinates](family, lam)
            total = np.zeros(8)
            for term in family.convex_terms(coordinates):
                expression = term.expression(cp, x)
                coefficient = term.coefficient(w, mu)
                assert expression.is_convex()
                assert expression.is_affine() or (coefficient >= 0).all()
                total = total + coefficient * expression.value
            values.append(total - w * family.d(mu, lam) / family.scale)
        np.testing.assert_allclose(values[0], values[1], rtol=0, atol=1e-12)


def test_no_terms_where_the_divergence_is_not_convex(family):
    for coordinates in {"mean", "natural", "log"} - set(convex_coordinates(family)):
        assert family.convex_terms(coordinates) is None


@pytest.mark.parametrize("coordinates", ["mean", "log"])
def test_the_flags_are_true(family, coordinates):
    """Second differences on a grid, in the mean and in its logarithm."""
    convex = family.convex_in_mean if coordinates == "mean" else family.convex_in_log
    top = 0.999 if family.kind == "bernoulli" else 60.0
    x = np.linspace(0.001, top, 4001) if coordinates == "mean" else np.linspace(-7, np.log(top), 4001)
    lam = x if coordinates == "mean" else np.exp(x)
    d = family.d(np.array([[0.1], [0.5], [0.9]]), lam)
    second = np.diff(d, 2, axis=1)
    assert (second >= -1e-13 * (1 + np.abs(d[:, 1:-1]))).all() == convex
