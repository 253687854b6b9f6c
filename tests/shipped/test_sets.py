"""Families of sets: lists against known counts, linear maximisation against lists, bounds against values."""

from itertools import combinations

import numpy as np
import pytest

from purex.errors import InvalidInputError, RefusedProblemError
from purex.families import Arms, Bernoulli, Gaussian, Poisson
from purex.problem import Problem
from purex_plugins.combinatorial import Combinatorial
from purex_plugins.set_families import ABSENT, Paths, SpanningTrees, Subsets

GRID = [[(x, y), (x + 1, y)] for x in range(2) for y in range(3)]
GRID += [[(x, y), (x, y + 1)] for x in range(3) for y in range(2)]
FAMILIES = {
    "k-subsets": Subsets(7, 3),
    "paths": Paths(GRID, (0, 0), (2, 2)),
    "spanning-trees": SpanningTrees(list(combinations(range(4), 2))),
}


@pytest.mark.parametrize("n", [3, 4, 5])
def test_spanning_trees_are_as_many_as_cayley_says(n):
    trees = list(SpanningTrees(list(combinations(range(n), 2))).sets())
    assert len(trees) == len(set(trees)) == n ** (n - 2)


def test_paths_of_a_grid_are_as_many_as_binomials():
    paths = list(FAMILIES["paths"].sets())
    assert len(paths) == len(set(paths)) == 6
    assert all(len(path) == 4 for path in paths)


@pytest.mark.parametrize("name", FAMILIES)
def test_largest_agrees_with_the_list(name):
    family = FAMILIES[name]
    sets = list(family.sets())
    K = 1 + max(max(arms) for arms in sets)
    rng = np.random.default_rng(1)
    for _ in range(100):
        weights = rng.normal(size=K)
        weights[rng.random(K) < 0.2] = ABSENT
        best = max(sum(weights[k] for k in arms) for arms in sets)
        found = family.largest(weights)
        if best == ABSENT:
            assert found is None
        else:
            assert sum(weights[k] for k in found) == pytest.approx(best)


@pytest.mark.parametrize("family", [Gaussian(), Bernoulli(), Poisson()], ids=lambda f: f.name)
def test_bounds_hold_the_exact_value(family):
    """For listed families both are known: two instances each of subsets, paths and trees."""
    rng = np.random.default_rng(2)
    queries = [
        Combinatorial(6, family="k-subsets", k=3),
        Combinatorial(len(GRID), family="paths", edges=GRID, source=(0, 0), target=(2, 2)),
        Combinatorial(6, family="spanning-trees", edges=list(combinations(range(4), 2))),
    ]
    tight = 0
    for query in queries:
        arms = Arms.of(family, query.n_arms)
        problem = Problem(arms, query)
        for _ in range(2):
            mu, w = rng.uniform(0.1, 0.9, query.n_arms), rng.exponential(size=query.n_arms)
            i = int(query.answer(mu[None])[0])
            exact = problem.best_response(i, w, mu).value[0]
            bounds = query.bracket(arms, i, w, mu)
            assert bounds.lower <= exact * (1 + 1e-9)
            assert bounds.upper >= exact * (1 - 1e-9)
            assert bounds.gap == pytest.approx(1 - bounds.lower / bounds.upper, abs=1e-12)
            tight += bounds.gap < 1e-6
    assert tight >= 2


def test_too_many_sets_answer_but_refuse_exact_responses():
    query = Combinatorial(40, family="k-subsets", k=20)
    mu = np.linspace(0.9, 0.1, 40)
    assert query.label(int(query.answer(mu[None])[0])).startswith("arms {0, 1, 2, ")
    problem = Problem(Arms.of(Bernoulli(), 40), query)
    with pytest.raises(RefusedProblemError, match="more than 100000 sets"):
        problem.best_response(problem.answer(mu), np.ones(40), mu)
    with pytest.raises(RefusedProblemError, match="more than 100000 sets"):
        problem.solve(mu)


def test_graphs_that_make_no_sense_are_refused():
    with pytest.raises(InvalidInputError, match="no path"):
        Paths([[0, 1]], 1, 0)
    with pytest.raises(InvalidInputError, match="connected"):
        SpanningTrees([[0, 1], [2, 3]])
    with pytest.raises(InvalidInputError, match="cycles"):
        Paths([[0, 1], [1, 0], [1, 2]], 0, 2).largest(np.zeros(3))


@pytest.mark.parametrize("family", [Bernoulli(), Poisson(), Gaussian()], ids=lambda family: family.name)
def test_a_set_that_can_only_tie_is_no_rival(family):
    """Sets inside one another, with means at the lower end, where the larger set gains nothing."""
    rng = np.random.default_rng(5)
    arms, query = Arms.of(family, 4), Combinatorial(4, sets=[[0, 1], [0], [2], [2, 3]])
    box = (0.0, 1.0) if family.name == "gaussian" else None
    xi = rng.choice([0.0, 0.0, 0.2, 0.5, 0.7], (300, 4))
    w = rng.integers(0, 4, xi.shape) + 0.5
    closed, generic = (Problem(arms, query, box=box, oracle=level) for level in ("closed-form", "generic"))
    i = closed.answer(xi)
    x, y = closed.oracle(i, w, xi).value, generic.oracle(i, w, xi).value
    np.testing.assert_allclose(x, y, rtol=1e-7, atol=1e-11)
    assert (x > 0).mean() > 0.3


@pytest.mark.parametrize("means", [[0, 0, 1, 0.5], [0, 0, 1, 0], [1e-9, 1e-9, 1, 1e-9]])
def test_poisson_arms_of_mean_zero_may_be_traded_for_each_other(means):
    """Their costs are linear, and at the weights of the game nearly the same."""
    problem = Problem(Arms.of(Poisson(), 4), Combinatorial(4, sets=[[0, 1], [2, 3]]))
    solution = problem.solve(means)
    assert solution.gap[0] <= 1e-6
    found = problem.best_response(int(problem.answer(means)[0]), solution.allocation, means).value
    assert found == pytest.approx(solution.value, rel=1e-6)


@pytest.mark.parametrize("ratio", [1e-12, 1e-9, 2e-8, 2.5e-7, 1e-6, 1e-4])
def test_nearly_equal_linear_costs(ratio):
    query = Combinatorial(3, sets=[[0, 1], [2]])
    w, means = [0.4, 0.4 * (1 + ratio), 0.2], [0.0, 0.0, 1.0]
    closed, generic = (
        Problem(Arms.of(Poisson(), 3), query, oracle=level).best_response(1, w, means).value
        for level in ("closed-form", "generic")
    )
    assert generic == pytest.approx(closed, rel=2e-8)
