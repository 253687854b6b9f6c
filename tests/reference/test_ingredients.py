"""What the reference is made of, against definitions: bisection, enumeration, another form of AdaHedge."""

from __future__ import annotations

import math

import numpy as np
import pytest

from purex.problem import Problem
from purex.reference.k_players import AdaHedge
from purex.reference.lambda_players import Leader, PerturbedLeader
from purex.reference.round import Play, Round, intervals, optimism, statistic


def kl(p, q):
    def term(a, b):
        return 0.0 if a == 0 else a * math.log(a / b)

    return term(p, q) + term(1 - p, 1 - q)


D = {"gaussian": lambda x, y: (x - y) ** 2 / 2, "bernoulli": kl}
PROBLEMS = {family: Problem.from_names(family, "best-arm", n_arms=3) for family in D}


def cheapest_tie(family, i, w, mu):
    """The best response for best arm, by definition: some arm j catches up with i."""
    best = (math.inf, None)
    for j in set(range(len(mu))) - {i}:
        if mu[j] >= mu[i]:
            return 0.0, list(mu)
        m = (w[i] * mu[i] + w[j] * mu[j]) / (w[i] + w[j])
        cost = w[i] * D[family](mu[i], m) + w[j] * D[family](mu[j], m)
        best = min(best, (cost, [m if k in (i, j) else mu[k] for k in range(len(mu))]))
    return best


def bisection(family, mu, level, end):
    """The end of the confidence interval on the side of `end`."""
    inside, outside = mu, end
    for _ in range(200):
        middle = (inside + outside) / 2
        if middle != end and D[family](mu, middle) <= level:
            inside = middle
        else:
            outside = middle
    return inside


@pytest.mark.parametrize("family", D)
def test_intervals_are_those_of_bisection(family):
    rng, problem = np.random.default_rng(1), PROBLEMS[family]
    low, high = (0.0, 1.0) if family == "bernoulli" else (-100.0, 100.0)
    for _ in range(50):
        N, mu, f = rng.integers(1, 300, 3).astype(float), rng.uniform(0.01, 0.99, 3), rng.uniform(0.5, 8)
        expected = [[bisection(family, mu[k], f / N[k], end) for k in range(3)] for end in (low, high)]
        if family == "bernoulli":
            expected = np.clip(expected, 0.001, 0.999)
        np.testing.assert_allclose(intervals(problem, N, mu, f), expected, rtol=1e-9)


@pytest.mark.parametrize("family", D)
def test_the_statistic_is_the_cheapest_tie(family):
    rng, problem = np.random.default_rng(2), PROBLEMS[family]
    for _ in range(50):
        N, mu = rng.integers(1, 300, 3).astype(float), rng.uniform(0.01, 0.99, 3)
        expected, _ = cheapest_tie(family, int(np.argmax(mu)), N, mu)
        assert statistic(problem, int(np.argmax(mu)), N, mu) == pytest.approx(expected, rel=1e-9)


def test_adahedge_is_that_of_cumulative_mix_losses():
    """The gap of a round is its loss less the growth of the mix loss of all rounds, at the same rate."""
    rng, learner, L, gap = np.random.default_rng(3), AdaHedge(4), np.zeros(4), 0.01

    def mix(rate, L):
        return L.min() - math.log(np.exp(-rate * (L - L.min())).mean()) / rate

    for _ in range(200):
        gain, rate = rng.gamma(0.5, 0.2, 4), math.log(4) / gap
        w = np.exp(-rate * (L - L.min()))
        np.testing.assert_allclose(learner.play(), w / w.sum(), rtol=1e-9)
        learner.learn(gain)
        gap += max(0.0, -float(w / w.sum() @ gain) - (mix(rate, L - gain) - mix(rate, L)))
        L = L - gain
    assert learner.Delta == pytest.approx(gap, rel=1e-9)


def a_round(family, mu):
    mu, one = np.asarray(mu), np.ones(len(mu))
    answer = int(np.argmax(mu))
    return Round(PROBLEMS[family], len(mu), 0.5, one, mu, mu, mu - 0.1, mu + 0.1, answer, 0.0)


@pytest.mark.parametrize("family", D)
def test_the_leader_minimises_the_sum_of_all_losses(family):
    """On the segment where the two best arms tie, searched on a grid."""
    rng, leader, losses = np.random.default_rng(4), Leader(3), []
    for _ in range(4):
        now, w = a_round(family, np.sort(rng.uniform(0.1, 0.9, 3))[::-1]), rng.dirichlet(np.ones(3))
        losses.append((w, now.mu))
        played = leader.play(now, w).points[0]
        leader.learn(now, w)

    def loss(lam):
        return sum(w[k] * D[family](mu[k], lam[k]) for w, mu in losses for k in range(3))

    mean = [sum(w[k] * mu[k] for w, mu in losses) / sum(w[k] for w, _ in losses) for k in range(3)]
    for j in (1, 2):
        for tie in np.linspace(0.1, 0.9, 401):
            assert loss(played) <= loss([tie if k in (0, j) else mean[k] for k in range(3)]) + 1e-12


def test_perturbations_are_exponential_and_optimism_takes_expectations_first():
    now = a_round("gaussian", [1.0, 0.4, 0.0])
    u = np.array([0.3, 0.9, 0.5, 0.2, 0.6, 0.7])
    q = PerturbedLeader(3, lambda n, j: u[j], samples=2, eta=2.0).play(now, None)
    for sigma, point in zip(-np.log(u.reshape(2, 3)) / 2.0, q.points, strict=True):
        np.testing.assert_allclose(point, cheapest_tie("gaussian", 0, 1 + sigma, now.mu)[1], rtol=1e-12)
    two = Play(np.array([0.5, 0.5]), np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]))
    # arm 0: (0.9^2 + 1.1^2)/4 at either end; the floor f/N = 0.5 is less
    assert optimism(now, two)[0] == pytest.approx(0.505)
