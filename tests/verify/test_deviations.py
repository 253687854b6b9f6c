"""The levels of the theory against mpmath, exact probabilities against enumeration."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from purex.families import Bernoulli, Exponential, Gaussian, Poisson
from purex.verify.deviations import bonus, crossing_probability, event_bound, event_level, lambert
from purex.verify.divergence import chernoff, expected_divergence


@pytest.mark.parametrize("x", [1.0, 1.0 + 1e-9, 1.5, 3.0, 40.0, 700.0, 1e5])
def test_lambert_agrees_with_mpmath(x):
    with mpmath.workdps(60):
        if x > 600:  # e^-x is no number that lambertw likes
            exact = mpmath.findroot(lambda z: z - mpmath.log(z) - x, x + math.log(x) + 0.4)
        else:
            exact = -mpmath.lambertw(-mpmath.exp(-mpmath.mpf(x)), -1).real
    assert float(lambert(x)) == pytest.approx(float(exact), rel=1e-12)


@given(x=st.floats(1.0, 1e8))
def test_lambert_inverts(x):
    z = float(lambert(x))
    assert z >= 1
    assert z - math.log(z) == pytest.approx(x, rel=1e-12)


def test_bonus_and_level_meet_at_t_b():
    t = np.array([10.0, 1e4, 1e12])
    for a, b in ((1.0, 1.0), (0.01, 0.3), (3.0, 2.0)):
        np.testing.assert_allclose(bonus(t ** (1 / (1 + b)), a, b), event_level(t, a), rtol=1e-12)


@pytest.mark.parametrize(
    ("mu", "t", "alpha"), [(0.5, 3, 0.05), (0.3, 8, 1.2), (0.1, 10, 2.5), (0.5, 10, 4.0)]
)
def test_crossing_probability_agrees_with_enumeration(mu, t, alpha):
    d, total = Bernoulli().d, 0.0
    for path in itertools.product((0, 1), repeat=t):
        sums = np.cumsum(path)
        s = np.arange(1, t + 1)
        if (s * d(sums / s, mu) >= alpha).any():
            total += mu ** sum(path) * (1 - mu) ** (t - sum(path))
    assert crossing_probability(mu, t, alpha) == pytest.approx(total, rel=1e-12, abs=1e-15)


def test_crossing_probability_takes_a_level_for_each_time():
    levels = np.array([np.inf, np.inf, 0.5])  # only the third time counts
    d = float(3 * Bernoulli().d(1.0, 0.5)), float(3 * Bernoulli().d(2 / 3, 0.5))
    assert d[0] >= 0.5 > d[1]
    assert crossing_probability(0.5, 3, levels) == pytest.approx(0.25)


def test_the_known_ratios_for_one_bernoulli_arm():
    # exact probability over bound, a = 1: from 0.014 to 0.14 for t from 3 to 1000, says an earlier study
    def ratio(t):
        return crossing_probability(0.5, t, float(event_level(t))) / float(event_bound(t, 1))

    assert [round(ratio(t), 3) for t in (10, 100, 1000)] == [0.016, 0.015, 0.015]
    assert ratio(3) == 0  # three equal flips are not enough to cross the level


@given(x=st.floats(0.01, 0.99), y=st.floats(0.01, 0.99))
def test_chernoff_is_a_minimum(x, y):
    for family in (Bernoulli(), Gaussian(), Poisson(), Exponential()):
        grid = np.linspace(min(x, y), max(x, y), 2001)
        least = (family.d(grid, x) + family.d(grid, y)).min()
        ch = float(chernoff(family, x, y))
        assert ch <= least + 1e-12
        assert least <= ch + 1e-3 * (ch + (x - y) ** 2)
        assert ch == pytest.approx(float(chernoff(family, y, x)), rel=1e-9, abs=1e-15)


def test_expected_divergence_is_a_weighted_sum():
    value = expected_divergence(Bernoulli(), [0.2, 0.4], [0.3, 0.6], [0.25, 0.75])
    expected = [0.25 * float(Bernoulli().d(x, 0.3)) + 0.75 * float(Bernoulli().d(x, 0.6)) for x in (0.2, 0.4)]
    np.testing.assert_allclose(value, expected, rtol=1e-14)
