"""Compiled rewards are those of the families' quantiles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from purex.families import Bernoulli, Exponential, Gamma, Gaussian, Geometric, NegativeBinomial, Poisson
from purex.families.compiled.rewards import can_draw, normal_quantile, reward


def test_the_normal_quantile_to_1e_15():
    u = np.concatenate(
        [np.random.default_rng(0).random(2000), 10.0 ** -np.arange(1, 300), [0.5, 0.075, 0.925]]
    )
    assert np.allclose([normal_quantile(x) for x in u], ndtri(u), rtol=2e-15, atol=1e-16)


@pytest.mark.parametrize(
    ("family", "means"),
    [
        (Gaussian(), [-3.0, 0.5]),
        (Gaussian(variance=4), [1.0]),
        (Bernoulli(), [0.0, 0.3, 1.0]),
        (Exponential(), [0.2, 7.0]),
        (Geometric(), [0.0, 0.4, 30.0]),
    ],
    ids=str,
)
def test_rewards_are_quantiles(family, means):
    assert can_draw(family.code, family.scale, family.parameter)
    u = np.random.default_rng(1).random(3000)
    for mu in means:
        drawn = [reward(family.code, family.scale, mu, x) for x in u]
        assert np.allclose(drawn, family.quantile(mu, u), rtol=1e-12, atol=1e-14)


def test_other_families_are_not_drawn_here():
    for family in (Poisson(), Gamma(shape=2), NegativeBinomial(size=3)):
        assert not can_draw(family.code, family.scale, family.parameter)
