"""The same runs, element by element, however they are made."""

from __future__ import annotations

import numpy as np
import pytest

from purex.engine import simulate
from purex.errors import RefusedProblemError
from purex.families import Arms, Bernoulli, Gaussian
from purex.model import Polyhedron, Query
from purex.problem import Problem
from purex.problem.game_oracles import Game

PROBLEMS = {
    "bernoulli": (("bernoulli", "best-arm"), [0.5, 0.35, 0.3, 0.2]),
    "gaussian": (("gaussian", "best-arm"), [1.0, 0.4, 0.3]),
    "exponential": (("exponential", "best-arm"), [1.0, 0.5, 0.4]),
    "geometric": (("geometric", "minimum-threshold(threshold=1.0)"), [0.5, 1.5]),
    "minimum": (("gaussian", "minimum-threshold(threshold=0.6)"), [0.2, 0.7]),
    "above": (("gaussian(variance=0.5)", "minimum-threshold(threshold=0)"), [0.6, 0.9, 0.5]),
    "top": (("bernoulli", "top-m(m=2)"), [0.7, 0.6, 0.3, 0.2]),
    "threshold": (("bernoulli", "thresholding(threshold=0.5)"), [0.8, 0.3, 0.7]),
    "mixed": (("bernoulli; gaussian; bernoulli", "best-arm"), [0.7, 0.1, 0.3]),
    "scales": (("gaussian; gaussian(variance=0.25); gaussian", "best-arm"), [0.7, 0.1, 0.0]),
}
RULES = ["D-C", "D-D", "D1-C", "T-C", "T-D", "M-C", "M-D", "O-C", "O-D", "RR", "opt-C", "opt-D"]


def problem_of(name, **options):
    names, means = PROBLEMS[name]
    return Problem.from_names(*names, n_arms=len(means), **options), means


def same(a, b):
    for field in ("tau", "answer", "counts", "certified"):
        assert np.array_equal(getattr(a, field), getattr(b, field)), field


def cases():
    for name in PROBLEMS:
        for rule in RULES:
            compiled = not (name == "top" and rule == "O-C")  # no compiled max-max-min
            if name == "mixed" and rule != "D-C":  # the generic game each round: below, with few rounds
                continue
            if compiled and (name in ("bernoulli", "minimum") or rule in ("D-C", "T-D", "O-C")):
                yield name, rule


@pytest.mark.parametrize(("name", "rule"), list(cases()))
def test_compiled_and_lock_step_give_the_same_runs(name, rule):
    problem, means = problem_of(name)
    fast = simulate(problem, means, rule, [0.1, 0.01], runs=12, seed=3, path="compiled", max_rounds=20_000)
    slow = simulate(problem, means, rule, [0.1, 0.01], runs=12, seed=3, path="lock-step", max_rounds=20_000)
    assert (fast.path, slow.path) == ("compiled", "lock-step")
    same(fast, slow)
    assert fast.rounds == slow.rounds == fast.tau[1].sum()


def test_rounds_that_the_compiled_game_leaves_to_the_generic_one(monkeypatch):
    """Arms of several kinds are left in every round; so there is no compiled path, unless a test insists."""
    problem, means = problem_of("mixed")
    with pytest.raises(RefusedProblemError, match="no compiled max-min for these arms"):
        simulate(problem, means, "T-D", 0.1, runs=1, path="compiled")
    monkeypatch.setattr(Game, "has_special", lambda game, operation: True)
    fast, slow = (
        simulate(problem, means, "T-D", [0.6, 0.3], runs=3, seed=3, path=path, max_rounds=60)
        for path in ("compiled", "lock-step")
    )
    same(fast, slow)
    assert (fast.tau[0] < 60).any()


@pytest.mark.parametrize("path", ["compiled", "lock-step"])
@pytest.mark.parametrize("rule", ["D-C", "T-C", "M-D", "O-D"])
def test_width_makes_no_difference(rule, path):
    problem, means = problem_of("bernoulli")
    runs = [
        simulate(problem, means, rule, 0.1, runs=100, seed=1, path=path, width=width)
        for width in (1, 97, 3000, None)
    ]
    for other in runs[1:]:
        same(runs[0], other)


@pytest.mark.full
@pytest.mark.parametrize("rule", ["D-C", "T-C", "M-C", "O-C", "D1-D", "opt-D", "RR"])
@pytest.mark.parametrize("name", ["bernoulli", "gaussian", "minimum"])
def test_three_thousand_runs_however_they_are_made(name, rule):
    problem, means = problem_of(name)
    whole = simulate(
        problem, means, rule, [0.1, 0.01, 0.001], runs=3000, seed=7, width=3000, max_rounds=50_000
    )
    for options in ({"width": 97}, {"width": 1}, {"jobs": 2}):
        other = simulate(
            problem, means, rule, [0.1, 0.01, 0.001], runs=3000, seed=7, max_rounds=50_000, **options
        )
        same(whole, other)
    for j, delta in enumerate((0.1, 0.01, 0.001)):
        alone = simulate(problem, means, rule, delta, runs=3000, seed=7, max_rounds=50_000)
        assert np.array_equal(whole.tau[j], alone.tau[0])
    slow = simulate(problem, means, rule, 0.1, runs=500, seed=7, max_rounds=50_000, path="lock-step")
    assert np.array_equal(whole.tau[0, :500], slow.tau[0])


@pytest.mark.parametrize("path", ["compiled", "lock-step"])
def test_two_processes_make_no_difference(path):
    problem, means = problem_of("bernoulli")
    one = simulate(problem, means, "D-C", [0.1, 0.001], runs=50, seed=1, path=path)
    two = simulate(problem, means, "D-C", [0.1, 0.001], runs=50, seed=1, path=path, jobs=2)
    same(one, two)
    assert one.rounds == two.rounds


@pytest.mark.parametrize("path", ["compiled", "lock-step"])
@pytest.mark.parametrize("rule", ["D-C", "T-D"])
def test_three_deltas_of_one_run_are_three_runs(rule, path):
    problem, means = problem_of("bernoulli")
    deltas = [0.01, 0.2, 0.1]  # in any order
    together = simulate(problem, means, rule, deltas, runs=30, seed=5, path=path)
    for j, delta in enumerate(deltas):
        alone = simulate(problem, means, rule, delta, runs=30, seed=5, path=path)
        assert np.array_equal(together.tau[j], alone.tau[0])
        assert np.array_equal(together.counts[j], alone.counts[0])
    assert (together.tau[0] >= together.tau[2]).all()


def test_fewer_runs_are_the_first_ones():
    problem, means = problem_of("minimum")
    many = simulate(problem, means, "D-C", 0.1, runs=40, seed=2)
    few = simulate(problem, means, "D-C", 0.1, runs=11, seed=2)
    assert np.array_equal(many.tau[:, :11], few.tau)
    other = simulate(problem, means, "D-C", 0.1, runs=40, seed=3)
    assert not np.array_equal(many.tau, other.tau)


class Declared(Query):
    """Best arm by declaration alone: no closed form, no kernel."""

    def answer(self, mu):
        return np.argmax(mu, axis=1).astype(np.int64)

    def alternatives(self, i):
        return [Polyhedron.order(self.n_arms, low=i, high=j) for j in range(self.n_arms) if j != i]


@pytest.mark.parametrize("rule", ["D-C", "M-C", "T-D", "RR", "opt-D", "D1-D"])
@pytest.mark.parametrize("family", [Bernoulli(), Gaussian()], ids=str)
def test_a_declared_query_stops_where_the_compiled_one_does(rule, family):
    """The generic oracles agree with the compiled ones to rounding: a few ties may be broken otherwise."""
    means = [0.8, 0.3, 0.2]
    declared, shipped = (Problem(Arms.of(family, 3), query(3)) for query in (Declared, problem_query()))
    assert declared.compiled is None
    runs = 3 if rule.startswith("T") else 5  # a game a round
    slow = simulate(declared, means, rule, 0.05, runs=runs, seed=1)
    fast = simulate(shipped, means, rule, 0.05, runs=runs, seed=1)
    assert slow.path == "lock-step"
    assert (slow.tau == fast.tau).mean() >= 0.6
    assert slow.correct.all() == fast.correct.all()


def problem_query():
    from purex_plugins.best_arm import BestArm

    return BestArm
