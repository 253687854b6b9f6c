"""Weights of any size: best responses are homogeneous in them, and exact however much they differ."""

from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest

from purex.errors import RefusedProblemError
from purex.families import Arms, Bernoulli, Gaussian, Poisson
from purex.families.arm import Arm
from purex.families.compiled import tied_mean
from purex.model import in_their_unit
from purex.problem import Problem

SUMS = "combinatorial(sets=[[0,1],[1,2],[2,3]])"
PROBLEMS = [  # each with another way to its best responses
    ("bernoulli", "best-arm", None),
    ("gaussian(variance=0.25); gaussian; gaussian(variance=4); gaussian", "top-m(m=2)", None),
    ("bernoulli; gaussian; poisson; exponential", "best-arm", None),
    ("bernoulli", "closest-to(threshold=0.45)", None),
    ("poisson", "epsilon-best-arm(epsilon=0.1)", None),
    ("poisson", "beats-control(epsilon=0.1)", None),
    ("bernoulli", "tree(children=[[0,1],[2,3]])", None),
    ("bernoulli", SUMS, None),
    ("bernoulli", "thresholding(threshold=0.45)", "monotone"),
    ("bernoulli", "closest-to(threshold=0.45)", "monotone"),
    ("bernoulli", "best-arm", "unimodal"),
    ("bernoulli", "best-arm", "lipschitz(constant=0.4,points=[0,1,2,3])"),
    ("bernoulli", "best-arm", "lipschitz(constant=0.5,points=[[0,0],[0,1],[1,0],[1,1]])"),
    ("gaussian", "best-arm", "unit-sum(total=1.6)"),
    ("bernoulli", "best-arm", "unit-sum(total=1.6)"),
    ("bernoulli", "best-arm", "rank-one(rows=2,columns=2)"),
    ("gaussian", "best-arm", "linear(features=[[1,0],[0,1],[0.5,0.5],[0.8,0.6]])"),
]


def problems(family, query, structure):
    """The problem with each oracle that it has."""
    for level in ("auto", "closed-form", "generic"):
        with suppress(RefusedProblemError):  # there may be no closed form
            yield Problem.from_names(family, query, structure, n_arms=4, oracle=level)


def draw(problem, size, seed=1):
    """Answers, weights and means; half of the means are models."""
    rng = np.random.default_rng(seed)
    xi = rng.uniform(0.1, 0.9, (size, 4))
    xi[::2] = problem.project(np.ones((len(xi[::2]), 4)), xi[::2])
    return problem.answer(xi), rng.exponential(size=(size, 4)), xi


@pytest.mark.parametrize("parts", PROBLEMS, ids=str)
@pytest.mark.parametrize("k", [-1060, 1020])
def test_values_are_homogeneous(parts, k):
    for problem in problems(*parts):
        i, w, xi = draw(problem, 12)
        w = np.ldexp(np.round(w * 256), -9)  # few digits, which also subnormal numbers have
        once, scaled = problem.best_response(i, w, xi), problem.best_response(i, np.ldexp(w, k), xi)
        with np.errstate(over="ignore"):
            expected = np.ldexp(once.value, k)
        np.testing.assert_array_equal(scaled.value, expected)
        np.testing.assert_array_equal(scaled.point, once.point)
        np.testing.assert_array_equal(problem.project(np.ldexp(w, k), xi), problem.project(w, xi))


@pytest.mark.parametrize("level", ["auto", "closed-form", "generic"])
@pytest.mark.parametrize("ratio", [1e20, 1e32, 1e40, 1e300])
def test_a_gaussian_tie_is_exact(level, ratio):
    """Counted from the smaller mean, a heavy arm paid for rounding: 0.31 instead of 0.22 at 1e32."""
    problem = Problem.from_names("gaussian", "best-arm", n_arms=2, oracle=level)
    mu = -np.sort(-np.random.default_rng(2).normal(size=(300, 2)), axis=1)
    for w in ([ratio, 1.0], [1.0, ratio]):
        a, b = (Fraction(v) for v in w)
        gaps = [Fraction(x) - Fraction(y) for x, y in mu]
        expected = [float(a * b / (a + b) * gap**2 / 2) for gap in gaps]
        value = problem.best_response(0, np.tile(w, (300, 1)), mu).value
        np.testing.assert_allclose(value, expected, rtol=1e-11)


@pytest.mark.parametrize("parts", PROBLEMS, ids=str)
def test_a_heavy_arm_is_one_that_stays(parts):
    """A weight of 1e40 is as good as one of 1e11, where nothing special is done, unless that arm moves."""
    for problem in problems(*parts):
        i, w, xi = draw(problem, 60, seed=4)
        top = np.arange(60) % 4
        values = []
        for weight in (1e11, 2e11, 1e40):
            w[np.arange(60), top] = weight
            values.append(problem.best_response(i, w, xi).value)
        stays = (values[0] > 0) & (values[1] < values[0] * (1 + 1e-9))
        assert stays.sum() >= 10
        np.testing.assert_allclose(values[2][stays], values[0][stays], rtol=1e-8)


@pytest.mark.parametrize("parts", PROBLEMS, ids=str)
def test_oracles_agree_on_weights_of_all_sizes(parts):
    asked = list(problems(*parts))
    i, w, xi = draw(asked[0], 40, seed=5)
    w *= 10.0 ** np.random.default_rng(6).integers(-40, 41, w.shape)
    values = np.array([problem.best_response(i, w, xi).value for problem in asked])
    np.testing.assert_allclose(values, np.broadcast_to(values.min(axis=0), values.shape), rtol=1e-7)


def test_light_arms_are_told_from_each_other():
    """Below 1e-40 of the largest weight all were taken for the same: the sum was traded one to one."""
    problem = Problem.from_names("gaussian", "best-arm", "unit-sum", n_arms=3, oracle="generic")
    w, mu = np.array([1e70, 1e10, 1.0]), np.array([0.5, 0.3, 0.1])
    point = problem.project(w, mu)[0]
    shift = (1 - mu.sum()) / (1 / w).sum()  # by hand: mu + shift/w
    np.testing.assert_allclose(point - mu, shift / w, rtol=1e-9, atol=1e-16)


def test_the_compiled_tie_stays_at_the_heavy_arm():
    for code, family in ((0, Gaussian()), (1, Bernoulli()), (2, Poisson())):
        x, y = 2 / 3, 1 / 13
        assert y + (x - y) < x
        for a, b in ((1e40, 1.0), (1.0, 1e40)):
            heavy = x if a > b else y
            assert tied_mean(Arm(code, 1.0, 0.0, a, x), Arm(code, 1.0, 0.0, b, y)) == heavy
            assert Arms.of(family, 2).tied_mean(0, 1, a, x, b, y) == heavy


def test_the_unit_of_weights():
    w = np.array([[1e308, 1e-300], [3.0, 0.0], [0.0, 0.0], [5e-324, 0.0]])
    scaled, exponent = in_their_unit(w)
    np.testing.assert_array_equal(np.ldexp(scaled, exponent[:, None]), w)
    np.testing.assert_array_equal(scaled[1:3], w[1:3])
    assert (exponent % 2 == 0).all()
    assert 0.1 < scaled[3, 0] < 10
    assert scaled[0, 1] > 0
