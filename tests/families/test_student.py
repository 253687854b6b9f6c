"""Normal arms of unknown variance: divergences and the cheapest common mean, by mpmath and by brute force."""

import mpmath
import numpy as np
import pytest

from purex.errors import InvalidInputError
from purex.families import Arms, Student
from purex.families.seen_arms import SeenArms
from purex.families.student_ties import common_mean


def cost(w, mu, deviation, x):
    u = (np.asarray(x) - mu) / deviation
    return w * 0.5 * np.log1p(u * u)


def random_pairs(size, seed=0):
    rng = np.random.default_rng(seed)
    w = tuple(10 ** rng.uniform(-5, 4, size) for _ in range(2))
    low = rng.normal(size=size)
    high = low + 10 ** rng.uniform(-5, 3, size)
    return w, (low, high), tuple(10 ** rng.uniform(-3, 3, size) for _ in range(2))


def free(size):
    return np.full(size, -np.inf), np.full(size, np.inf)


def test_the_divergence_is_that_of_mpmath_far_and_near():
    for deviation in (1e-3, 1.0, 1e4):
        for gap in (1e-12, 1e-3, 1.0, 1e7, 1e12, 1e100):
            u = mpmath.mpf(gap) / mpmath.mpf(deviation)
            exact = float(mpmath.log1p(u * u) / 2)
            assert float(Student(deviation).d(0.0, gap)) == pytest.approx(exact, rel=1e-14)


def test_the_divergence_is_the_least_over_all_variances():
    """KL(N(mu, s^2), N(lam, v)) = ln(v/s^2)/2 + (s^2 + (mu-lam)^2)/(2v) - 1/2, on a grid of v."""
    s, mu, lam = 1.7, 0.4, 3.1
    v = np.exp(np.linspace(-3, 6, 200_001))
    kl = 0.5 * np.log(v / s**2) + (s**2 + (mu - lam) ** 2) / (2 * v) - 0.5
    assert float(Student(s).d(mu, lam)) == pytest.approx(kl.min(), rel=1e-8)


def test_the_common_mean_is_the_cheapest_of_a_dense_grid():
    size = 2000
    w, mu, deviation = random_pairs(size)
    x = common_mean(w, mu, deviation, *free(size))
    found = cost(w[0], mu[0], deviation[0], x) + cost(w[1], mu[1], deviation[1], x)
    near = 10 ** np.linspace(-12, -3, 300)
    best = np.full(size, np.inf)
    for share in np.concatenate([np.linspace(0, 1, 2001), near, 1 - near]):
        y = mu[0] + share * (mu[1] - mu[0])
        best = np.minimum(best, cost(w[0], mu[0], deviation[0], y) + cost(w[1], mu[1], deviation[1], y))
    assert (found <= best * (1 + 1e-12)).all()
    assert ((mu[0] <= x) & (x <= mu[1])).all()


def test_the_common_mean_is_a_root_of_the_cubic_in_fifty_digits():
    size = 60
    w, mu, deviation = random_pairs(size, seed=1)
    x = common_mean(w, mu, deviation, *free(size))
    with mpmath.workdps(50):
        for r in range(size):
            (w1, w2), (m1, m2), (s1, s2) = (
                [mpmath.mpf(float(p[r])) for p in pair] for pair in (w, mu, deviation)
            )
            gap = m2 - m1
            A, B = (s1 / gap) ** 2, (s2 / gap) ** 2
            cubic = [w1 + w2, -2 * w1 - w2, w1 * (B + 1) + w2 * A, -w2 * A]
            roots = [mpmath.re(z) for z in mpmath.polyroots(cubic, maxsteps=500, extraprec=500)]

            def total(z, w1=w1, w2=w2, A=A, B=B):
                return w1 * mpmath.log1p(z * z / A) / 2 + w2 * mpmath.log1p((1 - z) ** 2 / B) / 2

            best = min(total(z) for z in roots if 0 <= z <= 1)
            assert float(total((mpmath.mpf(float(x[r])) - m1) / gap)) == pytest.approx(float(best), rel=1e-9)


def test_of_two_local_minima_the_lower_one_is_taken():
    one = np.ones(2)
    w = np.array([1.0, 1.1]), np.array([1.1, 1.0])
    x = common_mean(w, (0 * one, 100 * one), (one, one), *free(2))
    assert x[0] > 99
    assert x[1] < 1


def test_units_do_not_matter_to_the_last_bit():
    w, mu, deviation = random_pairs(200, seed=2)
    x = common_mean(w, mu, deviation, *free(200))
    for unit in (2.0**40, 2.0**-40):
        scaled = common_mean(w, tuple(unit * m for m in mu), tuple(unit * s for s in deviation), *free(200))
        assert (scaled == unit * x).all()


def test_weights_of_zero_leave_the_other_arm_where_it_is():
    one = np.ones(1)
    for w, expected in (((0 * one, one), 2.0), ((one, 0 * one), 1.0), ((0 * one, 0 * one), 1.0)):
        assert common_mean(w, (one, 2 * one), (one, one), *free(1))[0] == expected


def test_bounds_are_where_the_divergence_is_the_level():
    family, mu = Student(0.3), np.linspace(-2, 5, 7)
    for level in (1e-9, 0.1, 3.0):
        for end in (family.lower(mu, level), family.upper(mu, level)):
            assert family.d(mu, end) == pytest.approx(np.full(7, level), rel=1e-6)


def test_seen_arms_use_the_deviations_of_their_rows():
    deviations = np.array([[1.0, 2.0], [0.5, 4.0]])
    seen = SeenArms([Student()] * 2, deviations)
    mu, lam = np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([[1.0, 0.0], [2.5, -1.0]])
    for r in range(2):
        own = Arms([Student(s) for s in deviations[r]])
        assert (seen.d(mu, lam)[r] == own.d(mu[r], lam[r])).all()
        assert (seen.upper(mu, 0.7)[r] == own.upper(mu[r], 0.7)).all()
        assert seen.cost(np.ones((2, 2)), mu, lam)[r] == own.cost(np.ones(2), mu[r], lam[r])


@pytest.mark.parametrize("deviation", [0, -1, float("nan"), "wide", 1e200, 1e-200])
def test_a_deviation_that_is_none_is_refused(deviation):
    with pytest.raises(InvalidInputError, match="deviation"):
        Student(deviation)
