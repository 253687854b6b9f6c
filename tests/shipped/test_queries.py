"""All shipped queries beyond the paper's: oracles, games, simulations, refusals."""

import numpy as np
import pytest

from purex.engine import simulate
from purex.errors import InvalidInputError, PurexError, RefusedProblemError
from purex.families import Arms, Bernoulli, Exponential, Gaussian, Geometric, Poisson
from purex.plugins import build
from purex.problem import Problem
from purex.testing import check_query
from tests.shipped.instances import draw
from tests.shipped.referee import check_against_cvxpy

CONVEX = (Gaussian(0.5), Bernoulli(), Poisson())
ALL = (*CONVEX, Exponential(), Geometric())
PATHS = 'combinatorial(family="paths", edges=[["s", "a"], ["a", "t"], ["s", "b"], ["b", "t"], ["a", "b"]], '
QUERIES = {  # number of arms, families that it works with, means with one clear answer
    "closest-to(threshold=0.5)": (3, CONVEX, [0.55, 0.9, 0.2]),
    "nash(rows=2, columns=2)": (4, ALL, [0.5, 0.7, 0.3, 0.4]),
    "nash(rows=2, columns=3)": (6, ALL, [0.9, 0.2, 0.8, 0.1, 0.8, 0.3]),
    "tree(children=[[0, 1], [2, 3]])": (4, ALL, [0.6, 0.5, 0.2, 0.9]),
    "tree(children=[[0, [1, 2]], [3, [4, 5]], 6])": (7, ALL, [0.7, 0.3, 0.6, 0.2, 0.4, 0.9, 0.4]),
    "epsilon-best-arm(epsilon=0.1)": (3, CONVEX, [0.6, 0.3, 0.55]),
    "combinatorial(sets=[[0, 1], [1, 2], [3]])": (4, CONVEX, [0.6, 0.4, 0.2, 0.7]),
    "beats-control": (3, ALL, [0.5, 0.7, 0.4]),
    "beats-control(epsilon=0.1)": (4, CONVEX, [0.5, 0.8, 0.4, 0.55]),
    "ranking": (3, ALL, [0.5, 0.9, 0.3]),
    "ranking(m=2)": (4, ALL, [0.5, 0.9, 0.3, 0.7]),
    "condorcet(items=3)": (3, ALL, [0.3, 0.7, 0.8]),
    "condorcet(items=4)": (6, ALL, [0.7, 0.3, 0.6, 0.8, 0.4, 0.6]),
    "good-arm(threshold=0.5)": (3, ALL, [0.4, 0.7, 0.6]),
    "constrained-best-arm(threshold=0.5)": (6, ALL, [0.9, 0.8, 0.7, 0.3, 0.4, 0.2]),
    "pareto-set(objectives=3)": (6, ALL, [0.9, 0.2, 0.5, 0.4, 0.7, 0.3]),
    PATHS + 'source="s", target="t")': (5, CONVEX, [0.8, 0.3, 0.3, 0.5, 0.2]),
}
CASES = [(query, family) for query, (_, families, _) in QUERIES.items() for family in families]


def ids(value):
    return getattr(value, "name", value)


def problem_of(query, arms, level="auto", box=None):
    return Problem(arms, build("query", query, n_arms=arms.n_arms), box=box, oracle=level)


def agree(x, y, w, rtol, floor):
    finite = np.isfinite(y)
    assert (np.isfinite(x) == finite).all()
    x, y, top = x[finite], y[finite], w.max(axis=1)[finite]
    off = np.abs(x - y) > rtol * y + floor * top
    assert not off.any(), (x[off][:3], y[off][:3])


def compare_with_cvxpy(query, family, size):
    K = QUERIES[query][0]
    rng = np.random.default_rng([7, *query.encode()])
    arms = Arms.of(family, K)
    closed, referee = problem_of(query, arms, "closed-form"), problem_of(query, arms, "cvxpy")
    w, xi = draw(rng, family, K, 50 * size)
    i = closed.answer(xi)
    i = np.where(rng.random(len(xi)) < 0.8, i, rng.permutation(i))
    x = closed.oracle(i, w, xi).value
    inner = ((xi > family.domain[0]) & (xi < family.domain[1])).all(axis=1)
    # Below, a solver's error of 1e-9 of the largest weight is more than 1e-6 of the value; and
    # in natural coordinates it has no place for a mean on the edge of the domain.
    large = (x > 1e-3 * w.max(axis=1)) & np.isfinite(x) & (inner | family.convex_in_mean)
    large = np.flatnonzero(large)[:size]
    assert check_against_cvxpy(closed, referee, i[large], w[large], xi[large], floor=1e-9) >= size // 2
    # the generic solvers also on the rest: ties, gaps of 1e-6, xi in the alternative; and means on the edge,
    # where the multipliers of sums leave some 1e-12
    generic = problem_of(query, arms, "generic")
    edge = ~inner if family.convex_in_mean else np.zeros_like(inner)
    for seen, floor in ((inner, 1e-13), (edge, 1e-11)):
        agree(x[seen], generic.oracle(i[seen], w[seen], xi[seen]).value, w[seen], 1e-7, floor)


@pytest.mark.parametrize(("query", "family"), CASES, ids=ids)
def test_closed_forms_agree_with_cvxpy(query, family):
    compare_with_cvxpy(query, family, 6)


@pytest.mark.full
@pytest.mark.parametrize(("query", "family"), CASES, ids=ids)
def test_closed_forms_agree_with_cvxpy_on_five_hundred(query, family):
    compare_with_cvxpy(query, family, 500)


@pytest.mark.parametrize("query", QUERIES)
def test_arms_of_different_families_and_variances(query):
    """A mix of families convex in the mean, and Gaussian arms of different known variances."""
    K = QUERIES[query][0]
    rng = np.random.default_rng(8)
    mixed = Arms([(Bernoulli(), Gaussian(0.3), Poisson())[k % 3] for k in range(K)])
    unequal = Arms([Gaussian(0.2 + k) for k in range(K)])
    for arms in (mixed, unequal):
        w, xi = draw(rng, Bernoulli(), K, 30)
        xi = np.clip(xi, 0.01, 0.99)
        closed = problem_of(query, arms, "closed-form")
        i = closed.answer(xi)
        x, y = closed.oracle(i, w, xi).value, problem_of(query, arms, "generic").oracle(i, w, xi).value
        agree(x, y, w, 1e-7, 1e-12)


def check_laws(query, family, box, size):
    question = build("query", query, n_arms=QUERIES[query][0])
    report = check_query(question, family, box=box, size=size)
    assert report.passed, [(o.law, o.reason) for o in report.failures]
    assert report.counts["passed"] >= 17


@pytest.mark.parametrize("query", QUERIES)
def test_laws(query):
    check_laws(query, Bernoulli(), None, 12)


@pytest.mark.full
@pytest.mark.parametrize("box", [None, (0.2, 0.8)])
@pytest.mark.parametrize(("query", "family"), CASES, ids=ids)
def test_laws_of_every_family(query, family, box):
    check_laws(query, family, box, 60)


@pytest.mark.parametrize("query", QUERIES)
def test_games_are_certified(query):
    K, families, means = QUERIES[query]
    for family in families:
        solution = problem_of(query, Arms.of(family, K)).solve(means)
        assert solution.value[0] > 0
        assert solution.gap[0] <= 1e-6


RULES = ["D-C", "T-D", "M-C", "RR", "opt-C", "FTPL(samples=4)", "OGD"]
CLEAR = {  # Gaussian arms of variance 1: gaps of more than a standard deviation
    "closest-to(threshold=0.0)": [0.1, 2.5, -2.4],
    "nash(rows=2, columns=2)": [0.0, 2.0, -2.0, 1.0],
    "nash(rows=2, columns=2) none": [1.5, -1.5, -1.5, 1.5],
    "tree(children=[[0, 1], [2, 3]])": [2.0, 1.5, -1.0, 2.0],
    "epsilon-best-arm(epsilon=1.0)": [-1.0, 1.0, 1.0],
    "combinatorial(sets=[[0, 1], [2, 3], [0, 3]])": [2.0, 2.0, -1.0, 0.0],
    "beats-control(epsilon=0.5)": [0.0, 2.0, -1.0],
    "ranking": [0.0, 2.0, -2.0],
    "condorcet(items=3)": [-1.5, 0.0, 2.0],
    "condorcet(items=3) none": [2.5, -1.5, 2.5],
    "good-arm(threshold=0.5)": [-1.0, 2.0, 2.0],
    "good-arm(threshold=0.5) none": [-1.0, -1.0, -0.5],
    "constrained-best-arm(threshold=0.5)": [2.0, 2.5, 1.0, -1.0, -1.0, -1.0],
}


# The weights of "arm 1 is good" are all on arm 1: should arm 2 have looked better at first, it stays so.
ENDLESS = ("good-arm(threshold=0.5)", "opt-C")


@pytest.mark.parametrize(
    ("query", "rule"), [(query, rule) for query in CLEAR for rule in RULES if (query, rule) != ENDLESS]
)
def test_rules_find_the_answer(query, rule):
    """At delta = 0.01 two wrong runs of six would have probability 1.5e-3 even if delta were used up."""
    means = CLEAR[query]
    problem = Problem.from_names("gaussian", query.removesuffix(" none"), n_arms=len(means), box=(-3.0, 3.0))
    runs = 3 if rule == "T-D" else 6
    result = simulate(problem, means, rule, 0.01, runs=runs, seed=2, max_rounds=2000)
    assert result.certified.all()
    assert (~result.correct).sum() <= 1


def test_closest_to_by_hand():
    """Gaussian, equal weights, g = 0: arm 0 at 0.1 and arm 1 at 0.5 tie at 0.3, arm 2 at -0.3 mirrors."""
    problem = Problem.from_names("gaussian", "closest-to(threshold=0)", n_arms=3)
    value, point, piece = problem.best_response(0, [1.0, 1.0, 1.0], [0.1, 0.5, -0.3])
    np.testing.assert_allclose(point[0], [0.2, 0.5, -0.2], atol=1e-12)  # |0.2| = |-0.2|, at 2 * 0.1^2 / 2
    assert value[0] == pytest.approx(0.01)
    assert piece[0] == 2  # the second rival, arm 0 too high


def test_a_saddle_with_ties_goes_to_the_lowest_index_and_has_value_zero():
    problem = Problem.from_names("gaussian", "nash(rows=2, columns=2)", n_arms=4)
    assert problem.answer([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]).tolist() == [0, 0]
    with pytest.raises(InvalidInputError, match="value of the game is 0"):
        problem.solve([1.0, 1.0, 0.0, 0.0])


def test_trees_agree_with_best_arm_and_minimax():
    rng = np.random.default_rng(9)
    means = rng.uniform(size=(50, 7))
    query = build("query", "tree(children=[[0, [1, 2]], [3, [4, 5]], 6])", n_arms=7)
    by_hand = [int(np.argmax([min(m[0], max(m[1], m[2])), min(m[3], max(m[4], m[5])), m[6]])) for m in means]
    assert query.answer(means).tolist() == by_hand
    flat = Problem.from_names("bernoulli", "tree(children=[0, 1, 2])", n_arms=3)
    best = Problem.from_names("bernoulli", "best-arm", n_arms=3)
    mu = [0.5, 0.4, 0.3]
    assert flat.solve(mu).value[0] == pytest.approx(best.solve(mu).value[0], rel=1e-8)


def test_the_lower_bound_of_epsilon_best_arm_is_the_easiest_answer():
    problem = Problem.from_names("gaussian", "epsilon-best-arm(epsilon=0.1)", n_arms=3)
    mu = np.array([0.95, 1.0, 0.5])
    values = [problem.equilibrium(mu, i).value[0] for i in (0, 1, 2)]
    assert values[2] == 0.0  # not correct
    assert values[1] > values[0] > 0
    assert problem.solve(mu).value[0] == values[1]
    assert problem.easiest_answer(mu).tolist() == [1]
    assert not problem.query.unique
    tiny = Problem.from_names("gaussian", "epsilon-best-arm(epsilon=1e-9)", n_arms=3)
    best = Problem.from_names("gaussian", "best-arm", n_arms=3)
    assert tiny.solve(mu).value[0] == pytest.approx(best.solve(mu).value[0], rel=1e-6)


def test_epsilon_best_arm_holds_on_to_its_answer():
    """While arms 0 and 1 may both be best it is 0, whichever leads; not if 0 is wrong, or out of the race."""
    query = build("query", "epsilon-best-arm(epsilon=0.1)", n_arms=3)
    mu = np.array([[0.50, 0.52, 0.1], [0.52, 0.50, 0.1], [0.3, 0.5, 0.1], [0.5, 0.5, 0.5]])
    low, high = mu - 0.05, mu + 0.05
    high[3, 0] = 0.44  # below the lower bound of the others
    assert query.candidate(mu, low, high).tolist() == [0, 0, 1, 1]
    loose = build("query", "epsilon-best-arm(epsilon=0.1, sticky=False)", n_arms=3)
    assert loose.candidate(mu, low, high).tolist() == [1, 0, 1, 0]
    none = np.full_like(mu, np.inf)
    assert query.candidate(mu, -none, none).tolist() == [1, 0, 1, 0]
    problem = Problem.from_names("gaussian", "epsilon-best-arm(epsilon=0.1)", n_arms=3)
    assert problem.candidate([1.0, 1.0, 1.0], mu[0], low[0], high[0]).answer.tolist() == [0]


def test_the_sticky_candidate_is_the_first_correct_arm_that_may_be_the_best():
    """Whatever may be the best in the box, an arm that is wrong at the means themselves is no candidate."""
    sticky, loose = (
        build("query", f"epsilon-best-arm(epsilon=0.1, sticky={flag})", n_arms=4) for flag in (True, False)
    )
    mu = np.array([[0.3, 0.45, 0.4, 0.5]] * 4)
    low = np.array([[0.0, 0.2, 0.2, 0.3], [0.0, 0.2, 0.3, 0.47], [0.0, 0.2, 0.2, 0.49], [-np.inf] * 4])
    high = np.array([[1.0, 0.6, 0.6, 0.7], [0.5, 0.46, 0.48, 0.7], [0.4, 0.46, 0.48, 0.6], [np.inf] * 4])
    # arm 0 may be the best, but is 0.2 below; arm 1 may not be in the second box, nor arm 2 in the third
    assert sticky.candidate(mu, low, high).tolist() == [1, 2, 3, 3]
    assert loose.candidate(mu, low, high).tolist() == [3, 3, 3, 3]


@pytest.mark.parametrize("family", ["gaussian", "bernoulli"])
def test_subsets_are_top_m(family):
    """15504 sets against the pairs of top-m: an independent oracle, and an independent game."""
    rng = np.random.default_rng(10)
    n, m = (20, 5) if family == "gaussian" else (12, 4)
    sets = Problem.from_names(family, f'combinatorial(family="k-subsets", k={m})', n_arms=n)
    top = Problem.from_names(family, f"top-m(m={m})", n_arms=n)
    mu, w = rng.uniform(0.1, 0.9, (5, n)), rng.exponential(size=(5, n))
    x, y = sets.best_response(sets.answer(mu), w, mu), top.best_response(top.answer(mu), w, mu)
    np.testing.assert_allclose(x.value, y.value, rtol=1e-9)
    a, b = sets.solve(mu[0]), top.solve(mu[0])
    assert a.value[0] == pytest.approx(b.value[0], rel=1e-8)
    assert a.gap[0] <= 1e-6


REFUSED = [
    ("closest-to(threshold=0.5)", "exponential", 3, "convex in the mean"),
    ("closest-to(threshold=1.5)", "bernoulli", 3, "strictly between"),
    ("epsilon-best-arm(epsilon=0.1)", "exponential", 3, "convex in the mean"),
    ("epsilon-best-arm(epsilon=0)", "gaussian", 3, "above 0"),
    ("epsilon-best-arm(epsilon=1)", "bernoulli", 3, "every arm is within"),
    ("epsilon-best-arm(epsilon=0.1, sticky=3)", "bernoulli", 3, "sticky=True"),
    ("beats-control", "gaussian", 1, "needs two arms"),
    ("beats-control(epsilon=0.1)", "exponential", 3, "convex in the mean"),
    ("beats-control(epsilon=1)", "bernoulli", 3, "strictly between"),
    ("beats-control(epsilon='much')", "bernoulli", 3, "finite epsilon"),
    ("ranking(m=4)", "gaussian", 3, "from 1 to 3"),
    ("ranking", "gaussian", 1, "at least two arms"),
    ("ranking", "gaussian", 21, "more orders than there are codes"),
    ("condorcet(items=2)", "bernoulli", 1, "at least 3"),
    ("condorcet(items=4)", "bernoulli", 4, "4 items have 6 pairs"),
    ("condorcet(items=3, level=1)", "bernoulli", 3, "strictly between"),
    ("good-arm(threshold=1)", "bernoulli", 3, "strictly between"),
    ("good-arm(threshold=0.5, sticky=1)", "bernoulli", 3, "sticky=True"),
    ("constrained-best-arm(threshold=0.5)", "gaussian", 3, "two arms for each option"),
    ("constrained-best-arm(threshold=2)", "bernoulli", 4, "strictly between"),
    ("pareto-set", "gaussian", 5, "no options of 2 objectives"),
    ("pareto-set(objectives=1)", "gaussian", 4, "at least 2 objectives"),
    ("pareto-set", "gaussian", 24, "take fewer options"),
    ("nash(rows=2, columns=2)", "gaussian", 3, "is about 4 arms"),
    ("nash(rows=0, columns=2)", "gaussian", 3, "whole number of rows"),
    ("nash(rows=2, columns=1)", "exponential; gaussian", 2, "pools the means"),
    ("tree(children=[[0, 1], [1]])", "gaussian", 2, "each of them once"),
    ("tree(children=[[0, 1], []])", "gaussian", 2, "needs a child"),
    ("tree(children=3)", "gaussian", 2, "list of moves"),
    ("combinatorial(sets=[[0, 7]])", "gaussian", 2, "numbers from 0 to 1"),
    ("combinatorial(sets=[[0], [0]])", "gaussian", 2, "same set twice"),
    ("combinatorial(sets=3)", "gaussian", 2, "list of 1 to"),
    ("combinatorial", "gaussian", 2, "either sets"),
    ("combinatorial(sets=[[0], [1]])", "geometric", 2, "its oracle knows"),
    ('combinatorial(family="k-subsets", k=9)', "gaussian", 2, "from 1 to 2"),
    ('combinatorial(family="cycles")', "gaussian", 2, "paths or spanning-trees"),
    ('combinatorial(family="paths", edges=3)', "gaussian", 2, "edges="),
    ('combinatorial(family="spanning-trees", edges=[[0, 1]])', "gaussian", 2, "1 edges"),
]


@pytest.mark.parametrize(("query", "family", "n_arms", "sentence"), REFUSED)
def test_refusals(query, family, n_arms, sentence):
    with pytest.raises(PurexError, match=sentence):
        Problem.from_names(family, query, n_arms=n_arms)


def test_a_tree_of_too_many_pieces_is_refused():
    moves = [range(40 * m, 40 * m + 40, 4) for m in range(2)]
    deep = [[[[k, k + 1], [k + 2, k + 3]] for k in move] for move in moves]
    with pytest.raises(RefusedProblemError, match="convex pieces"):
        build("query", f"tree(children={deep})", n_arms=80)
