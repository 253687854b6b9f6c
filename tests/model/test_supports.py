"""Supports and their number, by brute force over wrong answers and pieces, for every shipped query."""

from itertools import combinations

import numpy as np
import pytest

from purex.families import Arms, Gaussian
from purex.model import Polyhedron, Query, Supports
from purex.model.supports import blamed_at, count_supports, support, supports
from purex.plugins import build, registry
from purex.problem import Problem

# Every shipped query with up to five arms, and the number of supports where the text states it.
CASES = [
    *[("best-arm", K, K - 1) for K in (2, 3, 5)],
    *[(f"top-m(m={m})", K, K - 1) for K, m in ((2, 1), (4, 2), (5, 2), (5, 4))],
    *[("thresholding(threshold=0.5)", K, K) for K in (1, 3, 5)],
    *[("minimum-threshold(threshold=0.5)", K, 1) for K in (1, 2, 5)],
    *[("closest-to(threshold=0.5)", K, K - 1) for K in (2, 4, 5)],
    *[("epsilon-best-arm(epsilon=0.1)", K, K - 1) for K in (2, 4, 5)],
    *[("beats-control", K, K - 1) for K in (2, 4, 5)],
    ("beats-control(epsilon=0.1)", 4, 3),
    *[(f"ranking(m={m})", K, K - 1) for K, m in ((2, 1), (3, 3), (4, 1), (4, 2), (4, 4))],
    ("condorcet(items=3)", 3, 3),
    *[("good-arm(threshold=0.5)", K, K) for K in (1, 3, 5)],
    ("constrained-best-arm(threshold=0.5)", 4, 2),
    ("pareto-set", 4, None),
    ("combinatorial(sets=[[0], [1, 2], [3, 4]])", 5, 2),
    ("combinatorial(family='k-subsets', k=2)", 4, None),
    ("combinatorial(sets=[[0, 1], [0, 2], [1, 2, 3]])", 4, 2),
    ("nash(rows=2, columns=2)", 4, None),
    ("nash(rows=1, columns=4)", 4, None),
    ("tree(children=[[0, 1], [2, 3]])", 4, None),
    ("tree(children=[[0], [1, 2], [3, 4]])", 5, None),
]


def test_every_shipped_query_is_here():
    shipped = {item.name for item in registry().items("query") if item.qualified.startswith("purex-bandits:")}
    assert shipped <= {name.split("(")[0] for name, _, _ in CASES}


def models(K, rng, size):
    """Random means: generic ones, many ties, means on the threshold, gaps just at epsilon."""
    free = rng.uniform(0, 1, (size, K))
    grid = rng.integers(0, 5, (size, K)) / 4
    near = 0.5 + 0.1 * rng.integers(-2, 3, (size, K))
    return np.concatenate([free, grid, near, rng.permuted(np.tile(np.linspace(0, 1, K), (size, 1)), axis=1)])


def choices_at(query, mu):
    """For each wrong answer the supports of its pieces that contain mu."""
    found = []
    for i in query.answers():
        if not query.is_correct(mu[None], np.array([i]))[0]:
            found.append({support(p) for p in query.alternatives(int(i)) if p.contains(mu, 1e-12)})
    return found


def least_hitting(sets):
    """The smallest number of elements that meet all of these sets, by trying all choices."""
    sets = [s for s in sets if not any(other < s for other in sets)]
    every = sorted(set().union(*sets)) if sets else []
    for size in range(len(every) + 1):
        if any(all(s & set(some) for s in sets) for some in combinations(every, size)):
            return size
    raise AssertionError("a wrong answer has no piece that contains the model")


@pytest.mark.parametrize(("name", "K", "stated"), CASES)
def test_the_number_of_supports_is_enough_at_every_model(name, K, stated):
    query, rng = build("query", name, n_arms=K), np.random.default_rng(0)
    m = count_supports(query)
    if stated is not None:
        assert m == stated
    worst = 0
    for mu in models(K, rng, 25):
        choices = choices_at(query, mu)
        needed = least_hitting(choices)
        assert needed <= m, (name, mu)
        worst = max(worst, needed)
        chosen = blamed_at(query, mu)
        assert len(chosen) >= needed
        assert all(set(chosen) & s for s in choices)
    if stated is not None:
        assert worst == stated  # and no fewer would be enough
    assert worst >= 1


@pytest.mark.parametrize(("name", "K", "stated"), CASES)
def test_supports_are_rows_of_the_declaration(name, K, stated):
    query = build("query", name, n_arms=K)
    found = Supports(query)
    sizes = []
    for i in query.answers():
        rows = {tuple(int(k) for k in row if k < K) for row in found.arms(int(i))}
        touched = {
            tuple(np.flatnonzero((np.vstack([p.A, p.A_eq]) != 0).any(axis=0)).tolist())
            for p in query.alternatives(int(i))
        }
        assert rows == touched == set(supports(query, int(i)))
        sizes += [len(row) for row in rows]
    assert found.largest() == max(sizes)


@pytest.mark.parametrize("family", ["gaussian", "bernoulli", "poisson"])
@pytest.mark.parametrize(("name", "K", "stated"), CASES)
def test_a_wrong_answer_costs_no_more_than_each_of_its_supports(name, K, stated, family):
    """The statistic of a wrong answer is at most the sum over each support that can be blamed."""
    problem, rng = Problem.from_names(family, name, n_arms=K), np.random.default_rng(1)
    tried = 0
    for mu in models(K, rng, 3):
        mu = np.clip(mu, 0.02, 0.98)
        N = rng.integers(1, 200, K).astype(float)
        mean = np.clip(mu + rng.normal(0, 0.3, K), 0.01, 0.99)
        for i in problem.query.answers():
            if problem.query.is_correct(mu[None], np.array([i]))[0]:
                continue
            Z = float(problem.best_response(int(i), N, mean).value[0])
            cost = N * problem.arms.d(mean, mu)
            for piece in problem.query.alternatives(int(i)):
                if piece.contains(mu, 1e-12):
                    assert sum(cost[k] for k in support(piece)) * (1 + 1e-7) + 1e-9 >= Z
                    tried += 1
    assert tried > 5


@pytest.mark.parametrize("name", ["best-arm", "thresholding(threshold=0.5)", "top-m(m=2)"])
def test_in_a_box_this_holds_against_the_model_and_not_for_the_raw_statistic(name):
    from purex.engine.setting import Setting

    problem, rng = Problem.from_names("gaussian", name, n_arms=4, box=(0.2, 0.8)), np.random.default_rng(2)
    setting = Setting(problem, build("rule", "RR"), problem.threshold("rank-aware"))
    assert setting.statistic == "model"
    assert setting.label == "proved"
    raw = Setting(problem, setting.rule, setting.threshold, statistic="raw")
    assert raw.label == "heuristic"
    exceeds = 0
    for _ in range(100):
        mu, N = rng.uniform(0.2, 0.8, 4), rng.integers(1, 50, 4).astype(float)
        mean = mu + rng.normal(0, 1, 4)
        cost = N * problem.arms.d(mean, mu)
        for i in problem.query.answers():
            choices = [support(p) for p in problem.query.alternatives(int(i)) if p.contains(mu, 0.0)]
            if choices:
                least = min(sum(cost[k] for k in s) for s in choices)
                at = np.array([i]), N[None], mean[None]
                assert setting.evidence(*at)[0][0] <= least * (1 + 1e-7) + 1e-9
                exceeds += raw.evidence(*at)[0][0] > least * 1.01
    assert exceeds > 10


class Many(Query):
    """A question with more answers than can be listed."""

    def answer(self, mu):
        return np.zeros(len(mu), dtype=np.int64)

    def alternatives(self, i):
        return [Polyhedron.order(self.n_arms, low=0, high=1)]


def test_without_a_list_of_answers_all_arms_are_one_support():
    found = Supports(Many(4))
    assert (found.is_whole, found.count, found.log_count, found.largest()) == (True, 1, 0.0, 4)
    assert found.arms(7).tolist() == [[0, 1, 2, 3]]


class Uneven(Query):
    """A hundred answers; the last is refuted by two arms, the others by any number of them."""

    def answer(self, mu):
        return np.where(mu[:, -1] > mu[:, 0], 99, 0).astype(np.int64)

    def answers(self):
        return range(100)

    def alternatives(self, i):
        size = 2 if i == 99 else 2 + i % (self.n_arms - 1)
        row = np.zeros(self.n_arms)
        row[:size] = 1.0
        return [Polyhedron(row, 0.0)]


def test_many_answers_need_not_be_alike():
    """`of_counts` bounds the value for every answer, also those that nobody has gone through."""
    K, query = 5, Uneven(5)
    assert Supports(query).largest() == 2
    assert not Supports(query).are_alike
    problem = Problem(Arms.of(Gaussian(), K), query)
    beta, N = problem.threshold("rank-aware"), np.full((1, K), 1000.0)
    values = [float(beta.at(N, np.array([i]), 3.0)[0]) for i in query.answers()]
    assert max(values) <= float(beta.of_counts(N, 3.0)[0])
