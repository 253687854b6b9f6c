"""Best arm: a tie costs no less than its bound, and ties that are left out are not the cheapest."""

from __future__ import annotations

import numpy as np
import pytest

from purex.families import Arms, Bernoulli, Exponential, Gaussian, Geometric, Poisson
from purex.model import Given
from purex.problem import Problem
from purex_plugins.best_arm.bounds_of_ties import likeliest_rival
from purex_plugins.transport import arm_of, tie

FAMILIES = {
    "bernoulli": Bernoulli(), "gaussian": Gaussian(2.0), "poisson": Poisson(),
    "exponential": Exponential(), "geometric": Geometric(),
}  # fmt: skip


def instances(name, K, number=300):
    """A leader and K - 1 rivals below it, at gaps down to 1e-6, some with weight 0 and some at the end."""
    rng = np.random.default_rng(5)
    for _ in range(number):
        gaps = rng.random(K) * 10.0 ** -rng.integers(0, 7, K)
        gaps[0] = 0.0
        xi = (0.3 + 0.7 * rng.random()) * (1 - 0.99 * gaps)
        xi[rng.random(K) < 0.03] = 0.0
        xi[0] = max(xi[0], 0.2)
        xi = np.minimum(xi, xi[0])
        w = rng.random(K) * 10.0 ** -rng.integers(0, 5, K)
        w[rng.random(K) < 0.1] = 0.0
        if name in ("poisson", "exponential", "geometric", "gaussian"):
            xi = xi * 10.0 ** rng.integers(-8, 8)
        yield w, xi


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("K", [3, 5, 50])
def test_no_tie_costs_less_than_its_bound(name, K):
    given, bounds = Given.of(Arms.of(FAMILIES[name], K), -np.inf, np.inf), np.empty(K)
    close = 0
    for w, xi in instances(name, K, 100):
        first = likeliest_rival(0, w, xi, given, bounds)
        costs = np.full(K, np.inf)
        for j in range(1, K):
            if xi[j] < xi[0]:
                costs[j] = tie(arm_of(0, w, xi, given), arm_of(j, w, xi, given), -np.inf, np.inf)[1]
        assert not np.any(bounds > costs * (1 + 1e-12))
        close += costs[first] <= costs.min() * 1.05
    assert close > 80, "the rival of the least bound is nearly always the cheapest, to a few per cent"


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("K", [2, 3, 5, 50])
def test_the_cheapest_of_all_ties_is_found(name, K):
    """Against the closed form in numpy, which computes all of them."""
    problem = Problem.from_names(name, "best-arm", n_arms=K)
    closed = Problem.from_names(name, "best-arm", n_arms=K, oracle="closed-form")
    rows = list(instances(name, K))
    w, xi = np.array([w for w, _ in rows]), np.array([xi for _, xi in rows])
    fast, slow = (p.best_response(np.zeros(len(rows), dtype=np.int64), w, xi) for p in (problem, closed))
    finite = np.isfinite(slow.value)
    np.testing.assert_array_equal(np.isfinite(fast.value), finite)
    np.testing.assert_allclose(fast.value[finite], slow.value[finite], rtol=1e-12)
    own, other = fast.value[finite], slow.value[finite]
    assert np.mean(fast.piece[finite] == slow.piece[finite]) > 0.99 or np.all(own == other)
