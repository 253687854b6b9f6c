"""An explorer makes the choices of the simulated run with the same rewards, and stops with it."""

import numpy as np
import pytest
import sympy

import purex
from purex.engine.simulate import simulate
from tests.explorer.tapes import AboveAverage, Tape, play

RULES = ["D-C", "D-D", "D1-C", "T-C", "T-D", "M-C(scale=0.02)", "O-C", "RR"]
INSTANCES = {
    "best arm": (("bernoulli", "best-arm"), [0.6, 0.3, 0.35, 0.2]),
    "minimum": (("gaussian", "minimum-threshold(threshold=0.6)"), [0.2, 0.9]),
    "top two": (("gaussian(variance=0.5)", "top-m(m=2)"), [1.0, 0.9, 0.1, 0.0]),
    "counts": (("poisson", "best-arm"), [2.5, 1.0, 1.2]),
}


def check_same(problem, mu, rule, seed, threshold="stylised", **options):
    options["threshold"] = threshold
    runs = simulate(problem, mu, rule, 0.1, runs=1, seed=seed, trace=1, **options)
    explorer = purex.Explorer(problem, rule, 0.1, seed=seed, **options)
    arms = play(explorer, Tape(problem, mu, seed)).arms
    initial = len(arms) - len(runs.traces[0]["arm"]) if runs.traces[0] else len(arms)
    assert arms[initial:] == (runs.traces[0]["arm"].tolist() if runs.traces[0] else [])
    assert explorer.n == runs.tau[0, 0]
    assert explorer.answer == runs.answer[0, 0]
    assert explorer.counts.tolist() == runs.counts[0, 0].tolist()
    return explorer, arms


@pytest.mark.parametrize("threshold", ["stylised", "auto"])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", INSTANCES)
def test_the_choices_are_those_of_the_simulated_run(name, rule, threshold):
    names, mu = INSTANCES[name]
    problem = purex.Problem.from_names(*names, n_arms=len(mu))
    check_same(problem, mu, rule, 3, threshold)


@pytest.mark.parametrize("structure", ["monotone", "linear(features=[[1, 0], [0, 1], [1, 1]])"])
def test_under_a_structure_it_stops_by_either_statistic_as_the_simulated_run_does(structure):
    problem = purex.Problem.from_names("gaussian", "best-arm", structure, n_arms=3)
    check_same(problem, [0.2, 0.6, 0.8], "D-C", 3, "auto")


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "O-C"])
def test_a_query_by_declaration_is_explored_in_the_same_way(rule):
    problem = purex.Problem(purex.Arms.of(purex.Gaussian(), 3), AboveAverage(3))
    check_same(problem, [1.6, 0.3, 0.5], rule, 5)


def test_a_symbolic_family_is_explored_in_the_same_way():
    theta = sympy.Symbol("theta", real=True)
    family = purex.SymbolicFamily(
        sympy.exp(theta),
        theta,
        domain=(0.0, np.inf),
        natural_domain=(-np.inf, np.inf),
        name="my-poisson",
        convex_in_mean=True,
        quantile=lambda mu, u: purex.Poisson().quantile(mu, u),
        support=lambda x: purex.Poisson().supports(x),
    )
    problem = purex.Problem(purex.Arms.of(family, 2), AboveAverage(2))
    check_same(problem, [3.0, 1.0], "D-C", 1)


def test_initial_pulls_go_on_until_bernoulli_means_are_interior():
    problem = purex.Problem.from_names("bernoulli", "best-arm", n_arms=2)
    _, arms = check_same(problem, [0.9, 0.2], "T-D", 2, initial="interior")
    first_of_1 = arms.index(1)
    assert first_of_1 > 1
    assert arms[:first_of_1] == [0] * first_of_1


def test_the_clip_is_that_of_the_simulation():
    problem = purex.Problem.from_names("bernoulli", "best-arm", n_arms=3)
    check_same(problem, [0.7, 0.2, 0.3], "D-C", 4, clip=(0.1, 0.9))


def test_the_statistic_of_the_certificate_is_that_of_the_trace():
    problem = purex.Problem.from_names("bernoulli", "best-arm", n_arms=3)
    mu = [0.7, 0.2, 0.3]
    trace = simulate(problem, mu, "D-C", 0.1, runs=1, seed=4, trace=1).traces[0]
    explorer, tape = purex.Explorer(problem, "D-C", 0.1, "stylised", seed=4), Tape(problem, mu, 4)
    for arm in range(3):
        explorer.tell(arm, tape.reward(arm))
    for t in range(len(trace["n"])):
        found = explorer.certificate
        assert (found.samples, found.candidate, found.stopped) == (trace["n"][t], trace["answer"][t], False)
        assert found.statistic == trace["statistic"][t]
        assert found.statistic <= found.threshold
        arm = explorer.ask()
        explorer.tell(arm, tape.reward(arm))
    assert explorer.stopped
    assert explorer.certificate.statistic > explorer.certificate.threshold
