"""Follow-The-Perturbed-Leader: the identity behind it, its draws, its regret bound."""

import math
from itertools import pairwise

import numpy as np
import pytest

from purex.families import Bernoulli, Exponential, Family, Gaussian, Poisson
from purex.learners import perturbed_leader
from purex.problem import Problem
from purex.run_state import Moment
from purex.streams import DRAWS, stream_key, uniform


@pytest.mark.parametrize(
    ("family", "low", "high"),
    [(Gaussian(), -2, 3), (Bernoulli(), 0.05, 0.95), (Poisson(), 0.1, 5), (Exponential(), 0.1, 5)],
)
def test_a_sum_of_losses_is_one_divergence_and_a_constant(family: Family, low: float, high: float) -> None:
    r"""S6: $\sum_s v_s d(x_s, \lambda) = V d(\bar x, \lambda) + \sum_s v_s \phi(x_s) - V \phi(\bar x)$."""
    rng = np.random.default_rng(1)
    v, x, lam = rng.exponential(size=50), rng.uniform(low, high, 50), rng.uniform(low, high, 20)
    memory = np.zeros(2)
    for weight, point in zip(v, x, strict=True):
        perturbed_leader.update(memory, np.array([weight]), np.array([point]))
    V, mean = memory[0], memory[1] / memory[0]
    gap = (v * family.entropy(x)).sum() - V * family.entropy(mean)
    total = (v[:, None] * family.d(x[:, None], lam)).sum(axis=0)
    assert gap > 0
    np.testing.assert_allclose(V * family.d(mean, lam) + gap, total, rtol=1e-10)


@pytest.mark.parametrize("leads", [False, True])
def test_the_call_minimises_the_perturbed_sum_of_all_losses(leads: bool) -> None:
    """Against a grid over the alternative, on the sum of the losses written out, sigma from the streams."""
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=2, box=(0.05, 0.95))
    rng, key, eta = np.random.default_rng(2), stream_key(3), 0.7
    estimates, weights = rng.uniform(0.1, 0.9, (30, 2)), rng.dirichlet([1, 1], 30)
    now = np.array([0.8, 0.3])
    memory, w, xi = np.zeros(4), np.empty(2), np.empty(2)
    perturbed_leader.begin(memory, estimates[0])
    for x, v in zip(estimates, weights, strict=True):
        perturbed_leader.update(memory, v, x)
    losses = [(np.ones(2), estimates[0]), *zip(weights, estimates, strict=True)]
    if leads:
        last = np.array([0.4, 0.6])
        perturbed_leader.lead(memory, last, now, w, xi)
        losses.append((last, now))
    else:
        perturbed_leader.perturb(memory, now, eta, Moment(0, 17, 0.0, key, 5), 2, w, xi)
        u = np.array([uniform(key, DRAWS, 5, 17, 2 * 2 + k) for k in range(2)])
        pulls = 1 + weights.sum(axis=0)
        losses.append((-np.log(u) * np.sqrt(pulls) / eta, now))
    point = problem.best_response(0, w, xi).point[0]
    grid = np.linspace(0.05, 0.95, 301)
    a, b = np.meshgrid(grid, grid, indexing="ij")
    a, b = a[a <= b], b[a <= b]

    def cost(a: object, b: object) -> object:
        return sum(
            v[0] * problem.arms.families[0].d(x[0], a) + v[1] * problem.arms.families[1].d(x[1], b)
            for v, x in losses
        )

    least = int(np.argmin(cost(a, b)))
    assert cost(*point) <= cost(a[least], b[least]) <= cost(*point) + 1e-3
    np.testing.assert_allclose(point, [a[least], b[least]], atol=0.01)


def test_perturbations_are_exponential_with_mean_root_of_pulls_over_eta() -> None:
    """Error probability below 1e-4: the 4-sigma band of 4000 draws, mean and second moment."""
    memory = np.array([4.0, 25.0, 4.0, 25.0])
    w, xi, key = np.empty(2), np.empty(2), stream_key(1)
    draws = []
    for c in range(4000):
        perturbed_leader.perturb(memory, np.zeros(2), 2.0, Moment(0, 9, 0.0, key, 0), c, w, xi)
        draws.append(w - memory[:2])
    scaled = np.array(draws) / (np.sqrt([4.0, 25.0]) / 2.0)
    np.testing.assert_allclose(scaled.mean(axis=0), 1.0, atol=4 / math.sqrt(4000))
    np.testing.assert_allclose((scaled**2).mean(axis=0), 2.0, atol=4 * math.sqrt(20 / 4000))
    assert abs(np.corrcoef(scaled.T)[0, 1]) < 4 / math.sqrt(4000)


def test_a_new_learner_has_seen_every_arm_once_and_no_later_one_does() -> None:
    memory, mu = np.zeros(6), np.array([0.1, 0.5, 0.7])
    perturbed_leader.begin(memory, mu)
    assert memory.tolist() == [1, 1, 1, 0.1, 0.5, 0.7]
    perturbed_leader.begin(memory, mu + 1)
    assert memory.tolist() == [1, 1, 1, 0.1, 0.5, 0.7]


@pytest.mark.parametrize("adversary", ["greedy", "random", "cyclic"])
def test_the_regret_bound_holds_by_monte_carlo(adversary: str) -> None:
    """S45, K = 2, T = 1000; E_q by 32 draws that the adversary does not see.

    Hoeffding: they miss the sum by D sqrt(T ln(1/p)/(2 * 32)) with probability p = 1e-6. The greedy adversary
    beats a leader without perturbation (regret 200 where the bound allows 141).
    """
    T, m, K, D, L, C = 1000, 32, 2, 0.5, 1.0, 1.0
    problem = Problem.from_names("gaussian", "thresholding(threshold=0.9)", n_arms=K, box=(0, 1))
    rng, key = np.random.default_rng(4), stream_key(5)
    eta = perturbed_leader.best_eta(D, L, C)
    memory, w, xi = np.zeros(2 * K), np.empty((2 * m, K)), np.empty((2 * m, K))
    N, total = np.ones(K), np.zeros(K)
    answers, regret = np.zeros(2 * m, dtype=np.int64), 0.0
    losses = []
    for t in range(T):
        mu = total / N
        perturbed_leader.begin(memory, mu)
        for c in range(2 * m):
            perturbed_leader.perturb(memory, mu, eta, Moment(0, t, 0.0, key, 0), c, w[c], xi[c])
        d = problem.arms.d(mu, problem.oracle(answers, w, xi).point)
        k = int(
            {"greedy": d[:m].mean(axis=0).argmax(), "random": rng.integers(K), "cyclic": t % K}[adversary]
        )
        regret += d[m:, k].mean()
        losses.append((k, mu[k]))
        perturbed_leader.update(memory, np.eye(K)[k], mu)
        N[k] += 1
        total[k] += rng.random() < 0.05
    pulls = np.array([[k == arm for arm in range(K)] for k, _ in losses]).sum(axis=0)
    sums = np.array([sum(x for k, x in losses if k == arm) for arm in range(K)])
    point = problem.best_response(0, pulls, sums / np.maximum(pulls, 1)).point[0]
    regret -= sum(float(problem.arms.families[k].d(x, point[k])) for k, x in losses)
    tolerance = D * math.sqrt(T * math.log(1e6) / (2 * m))
    assert regret <= perturbed_leader.regret_bound(T, K, D, L, C, eta) + K * D + tolerance


def test_the_best_eta_is_best() -> None:
    eta = perturbed_leader.best_eta(2.65, 5.9, 1.0)
    bounds = [
        perturbed_leader.regret_bound(10, 3, 2.65, 5.9, 1.0, c * eta) for c in (0.8, 0.9, 1.0, 1.1, 1.2)
    ]
    assert [a > b for a, b in pairwise(bounds)] == [True, True, False, False]
    assert bounds[2] == pytest.approx(2 * math.sqrt(2 * 2.65 * (2.65 + 2 * 5.9)) * math.sqrt(30))
