"""The terms of divergences that are computed several at once: in many digits, and equal to the others."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from purex.families.compiled.divergence import (
    BERNOULLI,
    HUGE,
    LN_2,
    NEAR,
    TINY,
    WIDE,
    are_within_reach,
    divergence,
    divergence_of_end,
    kl,
    kl_of_normal,
)


def pairs(number=4000):
    """x and y, from equal to the last bits to the ends of the range, with an exact gap y - x."""
    rng = np.random.default_rng(11)
    while number:
        x = float(rng.random() if rng.random() < 0.5 else 10.0 ** rng.uniform(-280, 280))
        y = x * float(np.exp(rng.normal() * 10.0 ** rng.uniform(-12, 2)))
        if min(x, y) >= TINY and max(x, y) <= HUGE and mpmath.mpf(y) - mpmath.mpf(x) == y - x:
            number -= 1
            yield x, y


def test_a_term_in_many_digits():
    with mpmath.workdps(60):
        for x, y in pairs():
            a, b = mpmath.mpf(x), mpmath.mpf(y)
            exact = a * mpmath.log(a / b) - a + b
            for term in (kl, kl_of_normal):
                assert abs(term(x, y, y - x) - exact) <= 2.5e-15 * exact, (x, y)


def test_ends_are_as_far_as_divergences_say():
    """To a few last bits, at the border of the series and of the ratio too, and at the ends of the domain."""
    border = [(1 + NEAR) / (1 - NEAR), 2**0.5, 2.0, WIDE]
    means = [0.0, TINY, 1e-9, 0.001, 0.01, 0.2, 0.5, 0.5001, 0.8, 0.99, 0.999, 1.0]
    pairs = [(x, y) for x in means for y in means]
    pairs += [(x, x * z * (1 + n * 2.0**-52)) for x in (0.01, 0.1, 0.2) for z in border for n in range(-4, 5)]
    near = 0
    for x, y in pairs:
        exact = divergence(BERNOULLI, 0.0, x, y)
        found = divergence_of_end(BERNOULLI, 0.0, x, y)
        assert found == exact or abs(found - exact) <= 5e-15 * exact, (x, y)
        near += are_within_reach(x, y) and are_within_reach(1 - x, 1 - y)
    assert near > 100


@pytest.mark.parametrize("scale", [2.0**-600, 2.0**-30, 2.0**600])
def test_a_term_does_not_depend_on_the_unit(scale):
    for x, y in [(0.3, 0.21), (0.3, 0.9), (0.7, 0.700001), (1.0, 64.0)]:
        assert kl_of_normal(scale * x, scale * y, scale * (y - x)) == scale * kl_of_normal(x, y, y - x)
    assert float(mpmath.log(2)) == LN_2
