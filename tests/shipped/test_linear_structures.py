"""linear, unit-sum, same-side and rank-one: oracles against cvxpy, games with certificates, simulations."""

import numpy as np
import pytest

from purex.convex import GenericOracle
from purex.engine import simulate
from purex.errors import InvalidInputError, RefusedProblemError
from purex.families import Arms, Bernoulli, Exponential, Gaussian, Geometric, Poisson
from purex.plugins import build
from purex.problem import Problem
from tests.shipped.referee import check_against_cvxpy

FEATURES = {
    3: [[1, 0], [0, 1], [0.6, 0.5]],
    4: [[1, 0], [0, 1], [0.5, 0.5], [0.8, 0.6]],
    6: [[1, 0, 0.2], [0, 1, 0.1], [0.5, 0.5, 0], [0.8, 0.6, 0.3], [0.1, 0.2, 0.9], [0.4, 0.4, 0.4]],
}
STRUCTURES = {
    "linear": lambda K: f"linear(features={FEATURES[K]})",
    "unit-sum": lambda K: f"unit-sum(total={K / 2.5:g})",
    "same-side": lambda K: "same-side(threshold=0.45)",
    "rank-one": lambda K: f"rank-one(rows=2, columns={K // 2})",
}
CONVEX_IN_MEAN = [Gaussian(0.5), Bernoulli(), Poisson()]
CASES = [
    *[
        ("linear", q, f)
        for q in ("best-arm", "top-m(m=2)", "thresholding(threshold=0.5)")
        for f in CONVEX_IN_MEAN
    ],
    *[("unit-sum", q, f) for q in ("best-arm", "top-m(m=2)") for f in CONVEX_IN_MEAN],
    *[("same-side", "best-arm", f) for f in (Gaussian(0.5), Bernoulli(), Exponential())],
    *[("same-side", q, Bernoulli()) for q in ("top-m(m=2)", "minimum-threshold(threshold=0.45)")],
    *[("same-side", "thresholding(threshold=0.5)", Gaussian(0.5))],
    *[("rank-one", "best-arm", f) for f in (Bernoulli(), Poisson(), Exponential())],
    *[("rank-one", q, Bernoulli()) for q in ("top-m(m=2)", "thresholding(threshold=0.5)")],
]
IDS = [f"{s}-{q.partition('(')[0]}-{f.kind}" for s, q, f in CASES]


def problem_of(structure, query, family, K, oracle="auto"):
    arms = Arms.of(family, K)
    cell = build("structure", STRUCTURES[structure](K), n_arms=K)
    return Problem(arms, build("query", query, n_arms=K), cell, oracle=oracle)


def draw(rng, problem, size):
    """Means inside and outside M, weights of zero, answers of other models."""
    K = problem.n_arms
    xi = rng.uniform(0.05, 0.95, (size, K))
    xi[::2] = problem.project(np.ones_like(xi[::2]), xi[::2])
    w = rng.exponential(size=(size, K))
    w[rng.random(w.shape) < 0.15] = 0.0
    i = problem.answer(problem.project(np.ones_like(xi), xi))
    return np.where(rng.random(size) < 0.8, i, rng.permutation(i)), w, xi


def compare_with_cvxpy(structure, query, family, K, size):
    rng = np.random.default_rng([K, *structure.encode(), *query.encode(), *family.kind.encode()])
    problem, referee = (problem_of(structure, query, family, K, level) for level in ("auto", "cvxpy"))
    i, w, xi = draw(rng, problem, size)
    check_against_cvxpy(problem, referee, i, w, xi, floor=1e-9)
    value = problem.oracle(i, w, xi).value
    assert (value > 1e-4 * w.max(axis=1)).mean() > 0.3  # otherwise little was compared


@pytest.mark.parametrize(("structure", "query", "family"), CASES, ids=IDS)
def test_oracles_agree_with_cvxpy(structure, query, family):
    compare_with_cvxpy(structure, query, family, 4, 20)


@pytest.mark.full
@pytest.mark.parametrize(("structure", "query", "family"), CASES, ids=IDS)
def test_oracles_agree_with_cvxpy_on_five_hundred(structure, query, family):
    for K in (4, 6):
        compare_with_cvxpy(structure, query, family, K, 250)


CLOSED = [
    (name, query, box)
    for name in ("linear", "unit-sum")
    for query in ("best-arm", "top-m(m=2)", "thresholding(threshold=0.5)")
    for box in (None, (-1.0, 1.5))
]


def compare_closed_form(name, query, box, K):
    rng = np.random.default_rng([K, *query.encode()])
    arms = Arms([Gaussian(v) for v in rng.uniform(0.5, 2.0, K)])
    features = rng.normal(size=(K, min(4, K - 1))).tolist()
    text = f"linear(features={features})" if name == "linear" else "unit-sum"
    parts = build("query", query, n_arms=K), build("structure", text, n_arms=K)
    fast, slow = (Problem(arms, *parts, box=box, oracle=level) for level in ("auto", "generic"))
    assert fast.oracle_name == f"purex-bandits:{name}-gaussian"
    xi = rng.normal(size=(60, K)) * 0.6
    xi = xi if box is None else np.clip(xi, *box)
    xi[::2] = fast.project(np.ones_like(xi[::2]), xi[::2])
    w = rng.exponential(size=xi.shape) * 10.0 ** rng.integers(-5, 1, xi.shape)
    w[::4][rng.random(w[::4].shape) < 0.3] = 0.0
    i = np.full(60, fast.answer(xi)[0])
    a, b = fast.oracle(i, w, xi), slow.oracle(i, w, xi)
    top = w.max(axis=1)
    assert np.all(np.abs(a.value - b.value) <= 1e-9 * np.maximum(a.value, b.value) + 1e-14 * top)


@pytest.mark.parametrize(("name", "query", "box"), CLOSED)
def test_closed_forms_agree_with_the_generic_oracle(name, query, box):
    """Weights over five orders of magnitude and zeros, bounds that bind: 1e-9 relative."""
    for K in (3, 6):
        compare_closed_form(name, query, box, K)


@pytest.mark.full
@pytest.mark.parametrize(("name", "query", "box"), CLOSED)
def test_closed_forms_agree_with_the_generic_oracle_for_thirty_arms(name, query, box):
    compare_closed_form(name, query, box, 30)


def test_closed_form_of_unit_sum_by_hand():
    """Two arms, means 0.6 and 0.4, weights 1: the tie is at 0.5, value 2 * 0.1^2/2."""
    problem = Problem.from_names("gaussian", "best-arm", "unit-sum", n_arms=2)
    response = problem.best_response(0, [1.0, 1.0], [0.6, 0.4])
    np.testing.assert_allclose(response.value, 0.01, rtol=1e-14)
    np.testing.assert_allclose(response.point, [[0.5, 0.5]], rtol=1e-14)
    # And from outside: (0.7, 0.5) is first brought to (0.6, 0.4), cost 0.01.
    np.testing.assert_allclose(problem.best_response(0, [1.0, 1.0], [0.7, 0.5]).value, 0.02, rtol=1e-13)


def test_rank_one_needs_the_rivals_in_row_and_column_only():
    """rows + columns - 2 pieces; the value over all pieces is the same."""
    rng = np.random.default_rng(3)
    structure = build("structure", "rank-one(rows=3, columns=3)", n_arms=9)
    arms, query = Arms.of(Bernoulli(), 9), build("query", "best-arm", n_arms=9)
    problem = Problem(arms, query, structure)
    assert [number for number, _ in problem.oracle.solvers(4)] == [1, 3, 4, 6]
    whole = GenericOracle(query, structure, arms, 0.0, 1.0)
    whole.structure = build("structure", "unstructured", n_arms=9)  # which has no opinion about pieces
    assert len(whole.solvers(4)) == 8
    xi = problem.project(np.ones((40, 9)), rng.uniform(0.1, 0.9, (40, 9)))
    w, i = rng.exponential(size=(40, 9)), problem.answer(xi)
    np.testing.assert_allclose(whole(i, w, xi).value, problem.oracle(i, w, xi).value, rtol=1e-8, atol=1e-14)


def test_rank_one_at_the_edges_of_the_domain():
    """Empirical means of 0 and 1: a number, and cvxpy's where it can be computed."""
    problem = Problem.from_names("bernoulli", "best-arm", "rank-one(rows=2, columns=2)", n_arms=4)
    xi = np.array([[1.0, 0.5, 0.5, 0.0], [1.0, 1.0, 0.5, 0.5], [0.0, 0.0, 0.0, 0.5]])
    response = problem.best_response([0, 0, 3], np.ones((3, 4)), xi)
    assert np.isfinite(response.value).all()
    assert response.value[1] == 0
    assert (response.value[[0, 2]] > 0).all()
    referee = Problem.from_names(
        "bernoulli", "best-arm", "rank-one(rows=2, columns=2)", n_arms=4, oracle="cvxpy"
    )
    other = referee.best_response(0, np.ones((1, 4)), [[1.0, 0.5, 0.5, 1e-4]]).value
    near = problem.best_response(0, np.ones((1, 4)), [[1.0, 0.5, 0.5, 1e-4]]).value
    np.testing.assert_allclose(near, other, rtol=1e-5)


def test_linear_takes_dependent_features_and_identical_arms():
    """A feature that is the sum of the others changes nothing; arms with equal features never differ."""
    plain = "linear(features=[[1, 0], [0, 1], [1, 0], [0.5, 0.4]])"
    more = "linear(features=[[1, 0, 1], [0, 1, 1], [1, 0, 1], [0.5, 0.4, 0.9]])"
    w, xi = [1.0, 2.0, 0.5, 1.0], [0.7, 0.4, 0.6, 0.5]
    value = [
        Problem.from_names("gaussian", "best-arm", text, n_arms=4).best_response(0, w, xi).value
        for text in (plain, more)
    ]
    np.testing.assert_allclose(*value, rtol=1e-12)
    problem = Problem.from_names("gaussian", "best-arm", plain, n_arms=4)
    numbers = problem.oracle.half_spaces(0)[1]
    assert numbers.tolist() == [0, 2, -1]  # arm 2 can only tie with arm 0: no model has it strictly better


@pytest.mark.parametrize(
    ("structure", "family"),
    [("unit-sum", Exponential()), ("linear", Geometric()), ("rank-one", Gaussian())],
)
def test_families_that_are_not_convex_there_are_refused(structure, family):
    with pytest.raises(RefusedProblemError, match="not a convex problem"):
        problem_of(structure, "best-arm", family, 4)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("linear(features=[[1, 0], [0, 1]])", "needs a matrix of 4 rows"),
        ("linear(features=[[0], [0], [0], [0]])", "not all of them zero"),
        ("rank-one(rows=3, columns=2)", "needs 6 arms, not 4"),
        ("rank-one(rows=0, columns=4)", "whole number of rows"),
        ("unit-sum(total='much')", "finite total"),
        ("same-side(threshold=2)", "strictly between 0 and 1"),
        ("unit-sum(total=5)", "strictly between 0 and 4"),
    ],
)
def test_bad_input_is_one_sentence(text, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        Problem.from_names("bernoulli", "best-arm", text, n_arms=4)


MODELS = {  # of four arms, in M, with a unique answer
    "linear": (np.array(FEATURES[4]) @ [0.95, 0.1]).tolist(),
    "unit-sum": [0.7, 0.5, 0.25, 0.15],
    "same-side": [0.8, 0.7, 0.6, 0.48],
    "rank-one": [0.8, 0.4, 0.6, 0.3],
}


@pytest.mark.parametrize(("structure", "query", "family"), CASES, ids=IDS)
def test_games_are_certified(structure, query, family):
    """Both sides of weak duality: the value is known to 1e-6, and at least the unstructured one."""
    problem = problem_of(structure, query, family, 4)
    mu = MODELS[structure]
    solution = problem.solve(mu)
    assert solution.gap[0] <= 1e-6
    np.testing.assert_allclose(
        problem.best_response(problem.answer(mu), solution.allocation, mu).value, solution.value, rtol=1e-8
    )
    free = Problem(problem.arms, problem.query).solve(mu)
    assert solution.value[0] >= free.value[0] * (1 - 1e-6)


EASY = {
    "linear": (Gaussian(0.1), "best-arm", [1.0, -0.5, 0.25, 0.5]),
    "unit-sum": (Gaussian(0.1), "best-arm", [1.3, 0.2, 0.1, 0.0]),
    "same-side": (Bernoulli(), "minimum-threshold(threshold=0.45)", [0.9, 0.8, 0.85, 0.9]),
    "rank-one": (Bernoulli(), "best-arm", [0.9, 0.3, 0.3, 0.1]),
}
RULES = ["D-C", "T-D", "M-C", "RR", "opt-C", "FTPL(samples=4)", "OGD"]


@pytest.mark.parametrize(
    ("name", "rule"), [(n, r) for n in EASY for r in RULES if (n, r) != ("rank-one", "OGD")]
)
def test_rules_find_the_answer(name, rule):
    """Easy instances at delta = 0.01, GLRT against Theta^K: at most one of four errs (probability 6e-4)."""
    family, query, mu = EASY[name]
    cell = build("structure", STRUCTURES[name](4), n_arms=4)
    box = (0.02, 0.98) if family.kind == "bernoulli" else (-3.0, 3.0)
    problem = Problem(Arms.of(family, 4), build("query", query, n_arms=4), cell, box=box)
    assert problem.contains(mu).all()
    result = simulate(problem, mu, rule, 0.01, runs=2 if rule == "T-D" else 4, seed=5, max_rounds=2000)
    assert result.certified.all()
    assert (~result.correct).sum() <= 1


def test_gradient_descent_is_refused_where_pieces_are_not_convex_in_the_means():
    family, query, mu = EASY["rank-one"]
    problem = problem_of("rank-one", query, family, 4)
    with pytest.raises(RefusedProblemError):
        simulate(problem, mu, "OGD", 0.1, runs=1)


def test_rank_one_with_empirical_means_at_the_edges():
    """All sixteen tables of zeros and ones: the projection is in M, and costs nothing for tables in M."""
    problem = problem_of("rank-one", "best-arm", Bernoulli(), 4)
    tables = np.array(np.meshgrid(*[[0.0, 1.0]] * 4)).reshape(4, -1).T
    point = problem.project(np.ones_like(tables), tables)
    cost = problem.arms.cost(np.ones_like(tables), tables, point)
    assert np.all(point[:, 0] * point[:, 3] <= point[:, 1] * point[:, 2] + 1e-9)
    assert np.all(point[:, 0] * point[:, 3] >= point[:, 1] * point[:, 2] - 1e-9)
    in_closure = tables[:, 0] * tables[:, 3] == tables[:, 1] * tables[:, 2]
    assert np.all(cost[in_closure] <= 1e-12)
    # What is left has three ones, or ones on a diagonal: nothing is free there.
    assert np.all(cost[~in_closure] > 0.1)


@pytest.mark.parametrize("name", EASY)
def test_the_statistic_against_m_stops_no_earlier(name):
    """GLRT against M: the statistic is no larger than against Theta^K, so it stops no earlier."""
    family, query, mu = EASY[name]
    cell = build("structure", STRUCTURES[name](4), n_arms=4)
    problem = Problem(Arms.of(family, 4), build("query", query, n_arms=4), cell, box=None)
    raw, model = (
        simulate(problem, mu, "RR", 0.05, runs=6, seed=2, max_rounds=2000, statistic=s)
        for s in ("raw", "model")
    )
    assert raw.certified.all()
    assert model.certified.all()
    assert (raw.tau <= model.tau).all()


def test_same_side_takes_the_candidate_from_the_confidence_box():
    """Line 4 of Algorithm 1: means on both sides of 0.45; the box around them holds the upper cell only."""
    problem = problem_of("same-side", "minimum-threshold(threshold=0.45)", Bernoulli(), 4)
    mu = np.array([[0.9, 0.4, 0.8, 0.7]])
    found = problem.candidate(np.full((1, 4), 10.0), mu, mu - 0.1, mu + 0.1)
    assert not found.empty[0]
    assert found.answer[0] == 0
    np.testing.assert_allclose(found.point, [[0.9, 0.45, 0.8, 0.7]], rtol=1e-12)
    # A box that meets neither cell: the answer of the likeliest model of M.
    narrow = problem.candidate(np.full((1, 4), 10.0), mu, mu - 0.01, mu + 0.01)
    assert narrow.empty[0]
    np.testing.assert_allclose(narrow.point, found.point, rtol=1e-12)


@pytest.mark.parametrize(
    ("family", "features", "arm"),
    [
        ("poisson", [[0], [1], [0.5]], 0),
        ("bernoulli", [[0, 0], [0.5, 0.5], [0.5, 1], [1, 0.5]], 0),
        ("poisson", [[0.5, 1], [0.5, 0], [1, 0.5], [-0.5, 0]], 1),
    ],
)
def test_linear_refuses_arms_that_it_holds_on_the_edge_of_the_domain(family, features, arm):
    """There the solvers were wrong: an arm of which nothing is to be learnt."""
    names = "best-arm", f"linear(features={features})"
    with pytest.raises(InvalidInputError, match=f"mean of arm {arm} is 0 in every model"):
        Problem.from_names(family, *names, n_arms=len(features))
    Problem.from_names("gaussian", *names, n_arms=len(features))


@pytest.mark.parametrize("box", [(-1.0, 0.6), (0.0, 1.0)])
def test_points_stay_in_the_structure(box):
    """Arms of very different variances: a light one took what rounding left, and the sum was off by 2e-7."""
    names = "; ".join(f"gaussian(variance={v})" for v in (10, 0.01, 10, 0.01))
    problem = Problem.from_names(names, "best-arm", "unit-sum(total=2.0)", n_arms=4, box=box)
    rng = np.random.default_rng(0)
    xi, i = rng.uniform(-0.5, 1.5, (3000, 4)), rng.integers(0, 4, 3000)
    w = rng.exponential(size=(3000, 4)) * 10.0 ** rng.integers(-6, 7, (3000, 4))
    for point in (problem.best_response(i, w, xi).point, problem.project(w, xi)):
        assert np.abs(point.sum(axis=1) - 2.0).max() <= 2e-12
        assert point.min() >= box[0]
        assert point.max() <= box[1]
