"""Closed forms, compiled or not, against the generic solvers and cvxpy on random instances."""

import numpy as np
import pytest
from instances import FAMILIES, QUERIES, draw

from purex.families import Arms
from purex.problem import Problem

CASES = [(q, f) for q in QUERIES for f in FAMILIES]


def agree(x, y, w, rtol, floor=1e-28):
    """Equal up to rtol, or to the square of a rounding error of the means; infinite together."""
    finite = np.isfinite(x)
    assert (finite == np.isfinite(y)).all()
    x, y, top = x[finite], y[finite], w.max(axis=1)[finite]
    off = np.abs(x - y) > rtol * np.maximum(x, y) + floor * top
    assert not off.any(), (x[off][:3], y[off][:3])


def problems(query, family, K, rng):
    arms = Arms.of(FAMILIES[family], K)
    question = QUERIES[query](K, rng)
    return lambda level: Problem(arms, question, oracle=level)


def compare_levels(query, family, total, arms_from=2, arms_to=20):
    rng = np.random.default_rng([*query.encode(), *family.encode()])
    counts = range(arms_from, arms_to + 1)
    for K in counts:
        size = -(-total // len(counts))
        at = problems(query, family, K, rng)
        w, xi = draw(rng, FAMILIES[family], K, size)
        i = at("special").answer(xi)
        compiled = at("special").oracle(i, w, xi)
        numpy = at("closed-form").oracle(i, w, xi)
        fast = at("generic").oracle(i, w, xi)
        agree(compiled.value, numpy.value, w, 1e-12)
        same = compiled.piece == numpy.piece  # two pieces may tie up to the last bit of a logarithm
        assert same.mean() > 0.98
        np.testing.assert_allclose(compiled.point[same], numpy.point[same], rtol=1e-12)
        agree(compiled.value, fast.value, w, 1e-7)


@pytest.mark.parametrize(("query", "family"), CASES)
def test_compiled_numpy_and_generic_agree(query, family):
    compare_levels(query, family, 200)


@pytest.mark.parametrize("query", QUERIES)
def test_they_agree_in_a_box_that_means_leave(query):
    """Each mean outside has to come back, and is paid for; the three of them, on instances of six arms."""
    rng, box = np.random.default_rng([*query.encode()]), (0.3, 0.7)
    arms, question = Arms.of(FAMILIES["bernoulli"], 6), QUERIES[query](6, rng)
    compiled, numpy, generic = (
        Problem(arms, question, box=box, oracle=level) for level in ("special", "closed-form", "generic")
    )
    w, xi = draw(rng, FAMILIES["bernoulli"], 6, 150)
    i = compiled.answer(np.clip(xi, *box))
    x, y, z = (problem.oracle(i, w, xi) for problem in (compiled, numpy, generic))
    outside = ((xi < box[0]) | (xi > box[1])).any(axis=1)
    assert 0.3 < outside.mean() <= 1
    agree(x.value, y.value, w, 1e-12)
    agree(x.value, z.value, w, 1e-7)
    assert ((box[0] <= x.point) & (x.point <= box[1])).all()
    paid = arms.cost(w, xi, np.clip(xi, *box))  # for nothing but coming back
    assert (x.value >= paid * (1 - 1e-12)).all()


@pytest.mark.full
@pytest.mark.parametrize(("query", "family"), CASES)
def test_compiled_numpy_and_generic_agree_on_ten_thousand(query, family):
    compare_levels(query, family, 10_000)


@pytest.mark.parametrize(("query", "family"), CASES)
def test_quadratic_program_agrees(query, family):
    """DAQP for the same pieces; weights down to 1e-8 of the largest."""
    rng = np.random.default_rng(3)
    for K in (2, 5):
        at = problems(query, family, K, rng)
        w, xi = draw(rng, FAMILIES[family], K, 60)
        i = at("special").answer(xi)
        x, y = at("special").oracle(i, w, xi).value, at("qp").oracle(i, w, xi).value
        agree(x, y, w, 1e-7, floor=1e-13)


def compare_with_cvxpy(query, family, size):
    rng = np.random.default_rng(4)
    compared = 0
    for K in (2, 4):
        at = problems(query, family, K, rng)
        w, xi = draw(rng, FAMILIES[family], K, size)
        i = at("special").answer(xi)
        x = at("special").oracle(i, w, xi).value
        large = np.flatnonzero((x > 1e-6) & np.isfinite(x))
        y = at("cvxpy").oracle(i[large], w[large], xi[large]).value
        # An interior-point solver's accuracy: 1e-10 of the largest weight is a common error, 1e-9 is allowed.
        agree(y, x[large], w[large], 1e-6, floor=1e-9)
        compared += len(large)
    assert compared > size / 4


@pytest.mark.parametrize(("query", "family"), CASES)
def test_cvxpy_agrees(query, family):
    compare_with_cvxpy(query, family, 12)


@pytest.mark.full
@pytest.mark.parametrize(("query", "family"), CASES)
def test_cvxpy_agrees_on_more(query, family):
    compare_with_cvxpy(query, family, 150)


@pytest.mark.parametrize("query", QUERIES)
def test_many_arms(query):
    """K = 50 (and the compiled path at 62, the most that bit masks hold)."""
    rng = np.random.default_rng(5)
    for K in (50, 62):
        at = problems(query, "bernoulli", K, rng)
        w, xi = draw(rng, FAMILIES["bernoulli"], K, 8)
        i = at("special").answer(xi)
        x, y = at("special").oracle(i, w, xi).value, at("closed-form").oracle(i, w, xi).value
        agree(x, y, w, 1e-12)


@pytest.mark.parametrize("query", ["best-arm", "minimum-threshold"])
def test_a_thousand_arms(query):
    rng = np.random.default_rng(6)
    at = problems(query, "bernoulli", 1000, rng)
    w, xi = draw(rng, FAMILIES["bernoulli"], 1000, 4)
    i = at("special").answer(xi)
    x, y = at("special").oracle(i, w, xi).value, at("closed-form").oracle(i, w, xi).value
    agree(x, y, w, 1e-12)
