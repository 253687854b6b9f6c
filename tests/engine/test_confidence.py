"""What confidence intervals are made of: the bonus f(n) and the variance of sub-Gaussian intervals."""

import math

import mpmath
import numpy as np
import pytest

from purex.engine.kernels.round import bonus
from purex.engine.setting import Setting, default_clip, sub_gaussian
from purex.families import Bernoulli, Exponential, Gamma, Gaussian, Poisson
from purex.plugins import build
from purex.problem import Problem
from purex.rules.bonus import Bonus
from purex.run_state import BODY, LAMBERT, LOGARITHM


@pytest.mark.parametrize("c", [1.0, 2.5, 7.0])
def test_the_bonus_is_its_formula(c):
    """ln n; c ln n + ln(c ln n) + 1/2, and the exact root that it is above, -W_{-1}(-e^{-x}), in mpmath."""
    for n in (2, 3, 10, 1000, 10**9):
        x = c * math.log(n)
        assert bonus(LOGARITHM, c, n) == pytest.approx(math.log(n), rel=1e-15)
        if x <= 1:
            assert (bonus(BODY, c, n), bonus(LAMBERT, c, n)) == (1.5, 1.0)
            continue
        body = x + math.log(x) + 0.5
        assert bonus(BODY, c, n) == pytest.approx(body, rel=1e-14)
        root = float(-mpmath.lambertw(-mpmath.exp(-mpmath.mpf(x)), -1).real)
        assert bonus(LAMBERT, c, n) == pytest.approx(root, rel=1e-11)
        assert root <= body


def test_the_factor_of_the_bonus():
    """(1 + a)(1 + b), which is 4 by default, reaches the kernels."""
    assert Bonus("lambert").factor == 4.0
    assert Bonus("body", a=0.5, b=2.0).factor == 4.5
    assert build("rule", "D-C(bonus='body', a=0.5, b=2.0)").bonus == Bonus("body", a=0.5, b=2.0)


def test_the_means_that_a_rule_sees():
    """Off the ends of the domain by 0.001 where rewards are discrete, by a hair where they are continuous."""
    assert default_clip(Bernoulli()) == (0.001, 0.999)
    assert default_clip(Poisson()) == (0.001, np.inf)
    assert default_clip(Gaussian()) == (-np.inf, np.inf)
    assert default_clip(Exponential()) == (1e-300, np.inf)
    assert default_clip(Gamma(3.0)) == (1e-300, np.inf)


def test_the_variance_of_sub_gaussian_intervals():
    """Hoeffding: 1/4 for rewards in [0, 1], whatever the box; else the largest variance on the box."""
    assert sub_gaussian(Bernoulli(), 0.001, 0.999) == 0.25
    assert sub_gaussian(Bernoulli(), 0.001, 0.1) == 0.25
    assert sub_gaussian(Gaussian(2.5), -np.inf, np.inf) == 2.5
    assert sub_gaussian(Poisson(), 0.5, 3.0) == pytest.approx(3.0)
    assert sub_gaussian(Exponential(), 0.5, 3.0) == pytest.approx(9.0)


@pytest.mark.parametrize(("family", "sigma2"), [("bernoulli", 0.25), ("gaussian(variance=0.3)", 0.3)])
def test_a_rule_with_sub_gaussian_intervals_sees_them(family, sigma2):
    problem = Problem.from_names(family, "best-arm", n_arms=3, box=(0.05, 0.95))
    rule, threshold = build("rule", "D-C(intervals='sub-gaussian')"), build("threshold", "stylised", n_arms=3)
    assert Setting(problem, rule, threshold).clipping.sigma2.tolist() == [sigma2] * 3
