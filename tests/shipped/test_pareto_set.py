"""The closed form of Pareto sets, in numpy and compiled: by hand, against the generic solvers and cvxpy."""

import itertools

import numpy as np
import pytest

from purex.errors import RefusedProblemError
from purex.families import Arms, Bernoulli, Exponential, Gaussian, Poisson
from purex.problem import Problem
from purex_plugins.pareto_set import ParetoSet
from tests.shipped.referee import check_against_cvxpy
from tests.shipped.test_compiled_queries import agree

SIZES = [
    (1, 2),
    (2, 2),
    (3, 2),
    (5, 2),
    (9, 2),
    (2, 3),
    (4, 3),
    (6, 3),
    (2, 4),
    (3, 5),
]  # options, objectives


def of(options, objectives, family="gaussian", level="auto", box=None):
    arms = family if isinstance(family, Arms) else Arms.of(family, options * objectives)
    return Problem(arms, ParetoSet(arms.n_arms, objectives), box=box, oracle=level)


def instances(rng, options, objectives, size):
    """Means in many orders: at random, in steps with ties, 1e-6 apart, fronts above others."""
    K = options * objectives
    xi = rng.uniform(0.05, 0.95, (size, K))
    kind = rng.integers(0, 4, (size, 1))
    xi = np.where(kind == 1, rng.integers(1, 4, (size, K)) / 4, xi)
    xi = np.where(kind == 2, 0.5 + 1e-6 * rng.integers(-3, 4, (size, K)), xi)
    below = np.repeat(rng.random((size, options)) < 0.4, objectives, axis=1)
    xi = np.where((kind == 3) & below, 0.3 * xi, xi)
    w = rng.exponential(size=(size, K)) * 10.0 ** rng.integers(-3, 1, (size, K))
    w[rng.random(w.shape) < 0.1] = 0.0
    return w, xi


@pytest.mark.parametrize("box", [None, (0.2, 0.8)], ids=["free", "box"])
@pytest.mark.parametrize(("options", "objectives"), SIZES)
def test_values_are_those_of_the_generic_solver(options, objectives, box):
    """Also to answers that no means have, and with arms of different variances."""
    rng = np.random.default_rng([options, objectives])
    unequal = Arms([Gaussian(0.2 + k % 5) for k in range(options * objectives)])
    for family in (unequal, Bernoulli()):
        w, xi = instances(rng, options, objectives, 40)
        closed, generic = (of(options, objectives, family, level, box) for level in ("auto", "generic"))
        assert closed.oracle_name.endswith("pareto-set-compiled")
        i = closed.answer(np.clip(xi, 0.2, 0.8))
        i = np.where(rng.random(len(i)) < 0.7, i, rng.integers(1, 2**options, len(i)))
        numpy = of(options, objectives, family, "closed-form", box).oracle(i, w, xi)
        found, other = closed.oracle(i, w, xi), generic.oracle(i, w, xi)
        agree(found.value, other.value, w, 1e-9, 1e-13)
        agree(found.value, numpy.value, w, 1e-11, 1e-30)
        assert (found.piece == numpy.piece).mean() > 0.9
        if options > 1:
            pieces = {int(code): generic.query.alternatives(int(code)) for code in np.unique(i)}
            assert all(
                pieces[int(c)][p].contains(x) for c, p, x in zip(i, found.piece, found.point, strict=True)
            )


@pytest.mark.parametrize(("options", "objectives"), [(3, 2), (5, 2), (3, 3)])
@pytest.mark.parametrize("family", [Gaussian(0.5), Bernoulli(), Poisson()], ids=lambda family: family.name)
def test_values_are_those_of_cvxpy(family, options, objectives):
    rng = np.random.default_rng(7)
    closed, referee = (of(options, objectives, family, level) for level in ("auto", "cvxpy"))
    _, xi = instances(rng, options, objectives, 2000)
    w = rng.exponential(size=xi.shape)
    i = closed.answer(xi)
    value = closed.oracle(i, w, xi).value
    large = np.flatnonzero(value > 1e-3 * w.max(axis=1))[:6]  # below, cvxpy is not precise enough
    assert check_against_cvxpy(closed, referee, i[large], w[large], xi[large], floor=1e-9) == 6


@pytest.mark.parametrize("family", [Gaussian(), Exponential()], ids=lambda family: family.name)
def test_no_choice_of_objectives_is_cheaper(family):
    """An option below five of the set: all 2^5 choices, each objective a mean of those above it."""
    rng, n = np.random.default_rng(3), 6
    problem, d = of(n, 2, family), family.d
    for _ in range(30):
        x = np.sort(rng.uniform(0.4, 0.9, 5))
        xi = np.concatenate([np.column_stack([x, x[::-1] + 0.01]).ravel(), rng.uniform(0.1, 0.4, 2)])
        w = np.append(50 * rng.exponential(size=10), rng.exponential(size=2))  # the set hardly moves

        def climb(lows, c, xi=xi, w=w):
            """The least cost in objective c, by trying every number of arms that move."""
            lows, high = sorted(((xi[2 * s + c], w[2 * s + c]) for s in lows), reverse=True), 10 + c
            costs = []
            for m in range(len(lows) + 1):
                means, weights = np.array([(xi[high], w[high]), *lows[:m]]).T
                t = np.average(means, weights=weights)
                if not any(mean > t * (1 + 1e-12) for mean, _ in lows[m:]):
                    costs.append((weights * d(means, t)).sum())
            return min(costs)

        choices = itertools.product((0, 1), repeat=5)
        by_hand = min(sum(climb([s for s in range(5) if to[s] == c], c) for c in (0, 1)) for to in choices)
        found = problem.best_response(0b011111, w, xi)
        if found.piece[0] >= 5 * (n - 1):  # the cheapest piece is one of these
            assert found.value[0] == pytest.approx(by_hand, rel=1e-10)
        assert found.value[0] <= by_hand * (1 + 1e-10)


def test_objectives_of_different_families_have_the_closed_form():
    """Each objective a family of its own; a mix within an objective is left to the generic solver."""
    rng, families = np.random.default_rng(4), (Gaussian(0.5), Bernoulli(), Exponential())
    arms = Arms([families[c] for _ in range(4) for c in range(3)])
    w, xi = instances(rng, 4, 3, 60)
    closed, generic = of(4, 3, arms), of(4, 3, arms, "generic")
    i = closed.answer(xi)
    agree(closed.oracle(i, w, xi).value, generic.oracle(i, w, xi).value, w, 1e-9, 1e-13)
    mixed = Arms([Gaussian(), Poisson(), Bernoulli(), Poisson(), Gaussian(), Poisson()])
    assert of(3, 2, mixed).oracle_name == "generic"
    assert not ParetoSet(6).closed_for(mixed)
    with pytest.raises(RefusedProblemError, match="no closed form for these families"):
        of(3, 2, mixed, "closed-form")


def test_far_heavier_arms_stay_where_they_are():
    """Weights of 1e20 beside weights of 1: what a heavy arm pays for rounding would be more than all else."""
    xi = np.array([[0.7, 0.6, 0.6, 0.7, 0.3, 0.2]])
    w = np.array([[1e20, 1e20, 1e20, 1e20, 1.0, 1.0]])
    for family in (Gaussian(), Bernoulli()):
        for level in ("auto", "closed-form"):
            found = of(3, 2, family, level).oracle(np.array([0b011]), w, xi)
            both = family.d(0.3, 0.6) + family.d(
                0.2, 0.6
            )  # past option 1 in the first, option 0 in the second
            one = min(family.d(0.3, 0.7), family.d(0.2, 0.7))  # past both in one objective
            assert found.value[0] == pytest.approx(min(both, one), rel=1e-12)
