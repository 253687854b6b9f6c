"""Certificates on the branches where a row is repaired or solved with a few of many pieces.

Recomputed without the solver: the lower side by the cost of each tie written out, the upper side as a sum
over the mixture, whose points are alternatives by `query.answer`.
"""

import math
from functools import partial

import numpy as np
import pytest

from purex.families import Arms, Bernoulli, Gaussian
from purex.games import solve_game
from purex.problem import Problem, game_oracles
from purex_plugins.best_arm import BestArm
from purex_plugins.top_m import TopM


def d(family, x, y):
    """The divergence from its definition."""
    if family.name == "gaussian":
        return (x - y) ** 2 / 2
    return sum(p * math.log(p / q) if p else 0.0 for p, q in ((x, y), (1 - x, 1 - y)))


def cheapest_tie(family, top, w, mu):
    """What it costs to tie an arm of `top` with another arm, the least over all pairs."""
    costs = []
    for a in top:
        for b in set(range(len(mu))) - set(top):
            if w[a] + w[b] == 0:
                return 0.0
            m = (w[a] * mu[a] + w[b] * mu[b]) / (w[a] + w[b])
            costs.append(w[a] * d(family, mu[a], m) + w[b] * d(family, mu[b], m))
    return min(costs)


def check(problem, mu, solution, gap):
    """Value, gap and mixture of a solution of best arm or top m, by hand; returns both sides."""
    query, family, K = problem.query, problem.arms.families[0], len(mu)
    i = int(query.answer(mu[None])[0])
    top = np.argsort(-mu)[: getattr(query, "m", 1)].tolist()
    w, q = solution.allocation[0], solution.mixture[0]
    assert (w >= 0).all()
    assert math.fsum(w) == pytest.approx(1.0, abs=1e-12)
    assert math.fsum(q.weights) == pytest.approx(1.0, abs=1e-12)
    assert 1 <= len(q.weights) <= K
    for point, piece in zip(q.points, q.pieces, strict=True):
        declared = query.alternatives(i)[piece]
        assert declared.contains(point, 1e-12)
        beyond = point - 1e-9 * declared.A[0]  # across the tie: the point is a limit of other answers
        assert query.answer(beyond[None])[0] != i
    lower = cheapest_tie(family, top, w, mu)
    upper = max(
        math.fsum(p * d(family, mu[k], point[k]) for p, point in zip(q.weights, q.points, strict=True))
        for k in range(K)
    )
    assert solution.value[0] == pytest.approx(lower, rel=1e-10)
    assert solution.gap[0] == pytest.approx(1 - lower / upper, rel=1e-9, abs=1e-11)
    assert solution.gap[0] <= gap
    return lower, upper


CASES = {
    "gaussian best arm": (Gaussian(), BestArm(5), np.array([0.9, 0.7, 0.65, 0.4, 0.2])),
    "bernoulli best arm": (Bernoulli(), BestArm(5), np.array([0.3, 0.7, 0.65, 0.4, 0.2])),
    "bernoulli top two": (Bernoulli(), TopM(5, m=2), np.array([0.3, 0.7, 0.45, 0.4, 0.2])),
}


@pytest.mark.parametrize("name", CASES)
def test_a_repaired_row_has_the_gap_of_its_certificate(name, monkeypatch):
    """After one linear program the mixture is poor: with the exact allocation the gap is still not 0."""
    family, query, mu = CASES[name]
    problem = Problem(Arms.of(family, len(mu)), query)
    exact = float(problem.max_min(problem.answer(mu), mu).value[0])
    monkeypatch.setattr(game_oracles, "solve_game", partial(solve_game, max_iterations=1))
    monkeypatch.setattr(game_oracles.Game, "_all_at_once", lambda self, i, mu: None)
    alone = Problem(problem.arms, query, oracle="generic").equilibrium(mu)
    repaired = problem.equilibrium(mu)
    assert alone.value[0] < repaired.value[0] * (1 - 1e-6)  # so it was repaired
    lower, upper = check(problem, mu, repaired, 0.9)
    check(problem, mu, alone, 0.9)
    assert lower == pytest.approx(exact, rel=1e-10)
    assert upper > 1.001 * lower


def halves(family, K):
    """The better half of K arms."""
    mu = np.random.default_rng(3).uniform(0.1, 0.9, K)
    mu = np.where(np.argsort(np.argsort(mu)) >= K // 2, mu + 0.05, mu - 0.05)
    return Problem(Arms.of(family, K), TopM(K, m=K // 2), oracle="closed-form"), mu


def test_a_game_of_many_pieces_is_solved():
    problem, mu = halves(Gaussian(), 30)
    assert len(problem.query.alternatives(int(problem.answer(mu)[0]))) == 225 > game_oracles.MANY
    lower, upper = check(problem, mu, problem.equilibrium(mu), 1e-6)
    assert 0 < lower <= upper * (1 + 1e-12)


@pytest.mark.parametrize("rivals", [1, 4])
@pytest.mark.parametrize("family", [Gaussian(), Bernoulli()], ids=lambda family: family.name)
def test_a_game_of_many_pieces_cut_short_gives_what_its_allocation_guarantees(family, rivals, monkeypatch):
    """The game with a few of the pieces has a larger value: an upper bound, never the value given."""
    problem, mu = halves(family, 8)
    whole = float(problem.equilibrium(mu).value[0])
    monkeypatch.setattr(game_oracles, "MANY", 10)  # there are 16
    check(problem, mu, problem.equilibrium(mu), 1e-6)
    monkeypatch.setattr(game_oracles, "MAX_RIVALS", rivals)
    lower, upper = check(problem, mu, problem.equilibrium(mu), 1.0)
    assert lower < 0.999 * whole
    assert whole < 0.999 * upper
    row = problem.max_min(problem.answer(mu), mu)
    assert row.value[0] == pytest.approx(lower, rel=1e-10)
    assert row.gap[0] == pytest.approx(1 - lower / upper, rel=1e-9)
