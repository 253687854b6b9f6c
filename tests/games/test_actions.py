"""Games of actions against convex programs in cvxpy and linear programs on a fine net, both written here."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

from purex import Actions, Arms, Bernoulli, Gaussian, Problem
from purex_plugins.actions import graph, vector
from purex_plugins.best_arm import BestArm
from purex_plugins.constrained_best_arm import ConstrainedBestArm
from purex_plugins.linear import Linear

FEW, MANY = 4, 200
NUMBERS = [*range(FEW), *(pytest.param(n, marks=pytest.mark.full) for n in range(FEW, MANY))]
CLOSE = 1e-6


def half_gap(u, v, gap):
    """The cost of making two Gaussian arms of weights u, v meet: concave, u v/(u + v) gap^2/2."""
    return 0.5 * gap**2 * (u - cp.quad_over_lin(u, u + v))


def solved(problem, mu, costs_of_pieces):
    """max over w of the least of concave functions of the arms' weights, by CLARABEL.

    In units of what equal shares are worth: its tolerances are absolute ones.
    """
    actions = problem.actions
    equal = np.full(actions.n_actions, 1 / actions.n_actions) / actions.costs @ actions.observes
    unit = problem.best_response(problem.answer(mu), equal, mu).value[0]
    w, t = cp.Variable(actions.n_actions, nonneg=True), cp.Variable()
    v = (actions.observes / actions.costs[:, None]).T @ w
    program = cp.Problem(
        cp.Maximize(t), [cp.sum(w) == 1, *(t <= piece / unit for piece in costs_of_pieces(v))]
    )
    program.solve(solver="CLARABEL", tol_gap_rel=1e-9, tol_gap_abs=1e-9, tol_feas=1e-9)
    return program.value * unit


def check(problem, mu, expected):
    solution = problem.solve(mu)
    assert solution.gap[0] <= CLOSE
    assert solution.value[0] == pytest.approx(expected, rel=CLOSE)
    assert solution.allocation[0].sum() == pytest.approx(1.0, rel=1e-9)
    # both sides of the certificate, from nothing but the declaration and the strategies
    actions, mixture = problem.actions, solution.mixture[0]
    weights = solution.allocation[0] / actions.costs @ actions.observes
    lower = problem.best_response(problem.easiest_answer(mu), weights, mu).value[0]
    d = mixture.weights @ problem.arms.d(mu, mixture.points)
    upper = (np.where(actions.observes, d, 0.0).sum(axis=1) / actions.costs).max()
    assert lower == pytest.approx(upper, rel=CLOSE)
    fast = problem.max_min(problem.easiest_answer(mu), mu)
    assert fast.value[0] == pytest.approx(expected, rel=CLOSE)


def gaussian_best_arm(actions, rng):
    K = actions.n_arms
    variance, mu = rng.uniform(0.3, 3.0, size=K), rng.permutation(np.cumsum(rng.uniform(0.1, 1.0, size=K)))
    best, *others = np.argsort(-mu)

    def pieces(v):
        return [half_gap(v[best] / variance[best], v[j] / variance[j], mu[best] - mu[j]) for j in others]

    problem = Problem(Arms([Gaussian(x) for x in variance]), BestArm(K), actions=actions)
    check(problem, mu, solved(problem, mu, pieces))


@pytest.mark.parametrize("number", NUMBERS)
def test_costs(number):
    rng = np.random.default_rng([1, number])
    K = int(rng.integers(2, 7))
    gaussian_best_arm(Actions(np.eye(K), rng.lognormal(sigma=1.5, size=K)), rng)


@pytest.mark.parametrize("number", NUMBERS)
def test_graph(number):
    rng = np.random.default_rng([2, number])
    K = int(rng.integers(3, 7))
    neighbours = [[int(j) for j in np.flatnonzero(rng.random(K) < 0.3)] for _ in range(K)]
    gaussian_best_arm(graph(K, neighbours, costs=rng.lognormal(sigma=0.7, size=K)), rng)


@pytest.mark.parametrize("number", NUMBERS)
def test_vector(number):
    rng = np.random.default_rng([3, number])
    options, g = int(rng.integers(2, 5)), 0.5
    mu = rng.permutation(np.linspace(-1.0, 2.0, 2 * options)) + rng.uniform(-0.1, 0.1, size=2 * options)
    actions = vector(2 * options, 2, costs=rng.uniform(0.5, 3.0, size=options))
    problem = Problem(Arms.of(Gaussian(), 2 * options), ConstrainedBestArm(2 * options, g), actions=actions)
    i = int(problem.answer(mu)[0])

    def pieces(v):
        allowed = [0.5 * max(mu[2 * b + 1] - g, 0.0) ** 2 * v[2 * b + 1] for b in range(options)]
        if i < 0:
            return allowed
        rivals = [
            allowed[b] + half_gap(v[2 * i], v[2 * b], max(mu[2 * i] - mu[2 * b], 0.0))
            for b in range(options)
            if b != i
        ]
        return [0.5 * (g - mu[2 * i + 1]) ** 2 * v[2 * i + 1], *rivals]

    check(problem, mu, solved(problem, mu, pieces))


@pytest.mark.parametrize("number", NUMBERS)
def test_observable(number):
    """Transductive linear bandits: 1/D = min over w of max over j of 2 |x_i - x_j|^2/gap^2 in V(w)^-1."""
    rng = np.random.default_rng([4, number])
    d = int(rng.integers(2, 4))
    played, asked = d + int(rng.integers(0, 3)), int(rng.integers(1, 4))
    K, costs = played + asked, rng.uniform(0.5, 3.0, size=played)
    X, theta = rng.normal(size=(K, d)), rng.normal(size=d)
    actions = Actions(np.eye(played, K), costs)
    mu = X @ theta
    best, *others = np.argsort(-mu)
    w = cp.Variable(played, nonneg=True)
    V = sum(w[a] / costs[a] * np.outer(X[a], X[a]) for a in range(played))
    unit = (mu[best] - mu[others[0]]) ** 2
    worst = cp.max(
        cp.hstack([2 * cp.matrix_frac(X[best] - X[j], V) * (unit / (mu[best] - mu[j]) ** 2) for j in others])
    )
    program = cp.Problem(cp.Minimize(worst), [cp.sum(w) == 1])
    program.solve(solver="CLARABEL", tol_gap_rel=1e-10, tol_gap_abs=1e-10, tol_feas=1e-10)
    problem = Problem(Arms.of(Gaussian(), K), BestArm(K), Linear(K, features=X), actions=actions)
    check(problem, mu, unit / program.value)


@pytest.mark.parametrize("number", NUMBERS[: FEW + 16])
def test_bernoulli_on_a_net(number):
    """Each rival meets the best arm at a level of a net of 4000: the error is one of second order."""
    rng = np.random.default_rng([5, number])
    K = int(rng.integers(2, 5))
    mu, costs = rng.uniform(0.1, 0.9, size=K), rng.lognormal(size=K)
    actions = Actions(np.vstack([np.eye(K), np.ones(K)]), [*costs, costs.sum() * rng.uniform(0.3, 1.2)])
    best, *others = np.argsort(-mu)
    rates, rows = actions.observes / actions.costs[:, None], []
    arm = Bernoulli()
    for j in others:
        levels = np.linspace(mu[j], mu[best], 4000)
        rows.append(
            np.outer(arm.d(mu[best], levels), rates[:, best]) + np.outer(arm.d(mu[j], levels), rates[:, j])
        )
    G = np.concatenate(rows)
    # min of sum(x) over G x >= 1 is 1/value
    value = 1 / linprog(np.ones(G.shape[1]), A_ub=-G / G.max(), b_ub=-np.ones(len(G))).fun * G.max()
    check(Problem(Arms.of(arm, K), BestArm(K), actions=actions), mu, value)


def test_costs_are_the_same_as_variances():
    """A Gaussian arm at cost c is one of c times the variance at cost 1."""
    costs, mu = np.array([1.0, 3.0, 0.5]), [0.2, 0.9, 0.0]
    priced = Problem(Arms.of(Gaussian(), 3), BestArm(3), actions=Actions(np.eye(3), costs)).solve(mu)
    spread = Problem(Arms([Gaussian(c) for c in costs]), BestArm(3)).solve(mu)
    assert priced.value[0] == pytest.approx(spread.value[0], rel=1e-9)
    np.testing.assert_allclose(priced.allocation, spread.allocation, rtol=1e-6)


@pytest.mark.parametrize("query", ["best-arm", "top-m(m=2)", "thresholding(threshold=0.5)"])
@pytest.mark.parametrize("family", ["bernoulli", "poisson", "exponential"])
def test_the_compiled_game_knows_prices(query, family):
    """The special solver with prices as scales agrees with the generic one with weights of actions."""
    problem = Problem.from_names(family, query, n_arms=4, actions="costs(costs=[1, 2, 5, 0.5])")
    mu = np.random.default_rng(6).uniform(0.1, 0.9, size=(5, 4))
    found = problem.max_min(problem.answer(mu), mu)
    for r, row in enumerate(mu):
        assert found.value[r] == pytest.approx(problem.solve(row).value[0], rel=CLOSE)


def test_the_currency_is_a_factor():
    mu, euros = [0.9, 0.5, 0.4], "sets(observes=[[0, 1], [1, 2], [0]], costs=[1, 2, 3])"
    cents = "sets(observes=[[0, 1], [1, 2], [0]], costs=[1e-9, 2e-9, 3e-9])"
    one, other = (
        Problem.from_names("bernoulli", "best-arm", n_arms=3, actions=text).solve(mu)
        for text in (euros, cents)
    )
    assert other.value[0] == pytest.approx(1e9 * one.value[0], rel=1e-9)
    np.testing.assert_allclose(other.allocation, one.allocation, rtol=1e-6, atol=1e-9)


OPTIMISTIC = ["best-arm", "top-m(2)", "thresholding(0.5)", "minimum-threshold(0.5)"]


@pytest.mark.parametrize("query", OPTIMISTIC)
@pytest.mark.parametrize("family", ["gaussian", "bernoulli"])
@pytest.mark.parametrize(
    "actions", ["costs([1, 2, 5, 0.5])", "sets([[0, 1], [1, 2], [3], [0]], costs=[1, 2, 1, 0.3])"]
)
def test_the_most_optimistic_model_with_actions(query, family, actions):
    """No model of the box is worth more, its own value is that of the generic game, and some box ties."""
    p = Problem.from_names(family, query, n_arms=4, actions=actions)
    rng = np.random.default_rng(7)
    low = rng.uniform(0.05, 0.6, size=(4, 4))
    low[0], low[1] = 0.3, [0.2, 0.2 + 1e-6, 0.6, 0.1]
    high = low + rng.uniform(0, 0.35, size=(4, 1))
    found = p.game.optimistic(low, high)
    assert found.allocation.shape == (4, p.n_actions)
    for r in range(4):
        assert ((low[r] <= found.point[r]) & (found.point[r] <= high[r])).all()
        own = p.game.piece_by_piece(int(found.answer[r]), found.point[r]).value[0]
        assert found.value[r] == pytest.approx(own, rel=CLOSE)
        weights = p.actions.arm_weights(found.allocation[r])[None]
        guaranteed = p.best_response(found.answer[r : r + 1], weights, found.point[r : r + 1]).value[0]
        assert guaranteed == pytest.approx(own, rel=CLOSE)
        inside = low[r] + rng.choice([0.0, 0.0, 1.0, 1.0, 0.5], size=(6, 4)) * (high[r] - low[r])
        answers = p.answer(inside)
        worth = [p.game.piece_by_piece(int(i), xi).value[0] for i, xi in zip(answers, inside, strict=True)]
        assert max(worth) <= found.value[r] * (1 + CLOSE)
