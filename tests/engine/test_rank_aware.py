"""Runs that stop by thresholds of the answer: on both paths, in boxes, by either statistic of a structure.

The thresholds here are computed once more, from the rows of the pieces and scipy's log-gamma.
"""

import math

import numpy as np
import pytest
from scipy.special import gammaln, xlogy

import purex
from purex.engine import simulate
from purex.engine.setting import Setting
from purex.engine.stopping import LOOKS
from purex.plugins import build

DELTA = 0.1
CASES = {
    "Bernoulli best arm": ("bernoulli", "best-arm", [0.7, 0.3, 0.2], None, 2),
    "Gaussian best arm": ("gaussian", "best-arm", [1.0, 0.2, 0.0, -0.3], None, 3),
    "top two": ("bernoulli", "top-m(m=2)", [0.8, 0.7, 0.2, 0.1], None, 3),
    "thresholding": ("gaussian", "thresholding(threshold=0)", [1.0, -1.0, 0.8], None, 3),
    "minimum": ("gaussian", "minimum-threshold(threshold=0)", [0.9, 0.7], None, 1),
    "closest": ("bernoulli", "closest-to(threshold=0.5)", [0.5, 0.1, 0.9], None, 2),
    "in a box": ("gaussian", "best-arm", [0.9, 0.2, 0.1], (0.0, 1.0), 2),
}


def coin_price(n, p):
    """What n flips with a share p of successes pay: the mixture over Beta(1/2, 1/2), by log-gammas."""
    s = n * p
    entropy = xlogy(s, p) + xlogy(n - s, 1 - p)
    return entropy + np.log(np.pi) + gammaln(n + 1) - gammaln(s + 0.5) - gammaln(n - s + 0.5)


def own_threshold(problem, m, N, mean, i):
    """The largest bound of a piece, from its rows."""
    largest = -np.inf
    for piece in problem.query.alternatives(int(i)):
        arms = np.flatnonzero((piece.A != 0).any(axis=0))
        if problem.arms.kinds[0] == "gaussian":
            price, factor = 0.5 * np.log1p(N[arms] / 4), 1 + 4 / N[arms].min()
        else:
            price, factor = coin_price(N[arms], mean[arms]), 1.0
        largest = max(largest, factor * (math.log(m / DELTA) + price.sum()))
    return largest


@pytest.mark.parametrize("rule", ["D-C", "RR"])
@pytest.mark.parametrize("name", CASES)
def test_runs_stop_when_the_statistic_exceeds_the_threshold_of_its_answer(name, rule):
    family, query, mu, box, m = CASES[name]
    problem = purex.Problem.from_names(family, query, n_arms=len(mu), box=box)
    runs = simulate(problem, mu, rule, DELTA, runs=8, seed=5, threshold="auto", trace=8)
    assert runs.threshold_label == "proved"
    for r, trace in enumerate(runs.traces):
        seen = zip(trace["N"], trace["mean"], trace["answer"], strict=True)
        needed = [own_threshold(problem, m, *each) for each in seen]
        assert (trace["statistic"] <= np.array(needed) * (1 + 1e-9)).all()
        end = trace["after"]
        assert end["statistic"] > own_threshold(problem, m, end["N"], end["mean"], end["answer"]) * (1 - 1e-9)
        assert runs.tau[0, r] == end["n"]
    other = simulate(problem, mu, rule, DELTA, runs=8, seed=5, threshold="auto", path="lock-step", width=3)
    np.testing.assert_array_equal(other.tau, runs.tau)
    np.testing.assert_array_equal(other.counts, runs.counts)


def test_a_box_is_no_reason_to_leave_the_compiled_path():
    problem = purex.Problem.from_names("gaussian", "best-arm", n_arms=3, box=(0.0, 1.0))
    assert simulate(problem, [0.9, 0.2, 0.1], "D-C", DELTA, runs=1, threshold="auto").path == "compiled"


def test_in_a_box_the_raw_statistic_has_no_proof():
    """It counts the distances of all arms to the box, which the arms of one piece do not pay for."""
    problem = purex.Problem.from_names("gaussian", "best-arm", n_arms=3, box=(0.0, 1.0))
    rule, auto = build("rule", "RR"), problem.threshold("auto")
    assert (Setting(problem, rule, auto).statistic, Setting(problem, rule, auto).label) == ("model", "proved")
    assert Setting(problem, rule, auto, statistic="raw").label == "heuristic"
    assert Setting(problem, rule, problem.threshold("stylised")).statistic == "raw"


STRUCTURED = {
    "linear": ("gaussian", "linear(features=[[1, 0], [0, 1], [1, 1]])", [0.2, 0.6, 0.8]),
    "lipschitz": ("gaussian", "lipschitz(constant=2, points=[0, 0.5, 1])", [0.0, 0.4, 1.2]),
    "unimodal": ("bernoulli", "unimodal", [0.2, 0.8, 0.3]),
}


@pytest.mark.parametrize("name", STRUCTURED)
def test_under_a_structure_a_run_stops_by_either_statistic(name):
    family, structure, mu = STRUCTURED[name]
    problem = purex.Problem.from_names(family, "best-arm", structure, n_arms=3)
    runs = simulate(problem, mu, "D-C", DELTA, runs=6, seed=2, threshold="auto", trace=6)
    setting = Setting(problem, build("rule", "D-C"), problem.threshold("auto"))
    aside, x = setting.without_structure, np.array([math.log(1 / DELTA)])

    def passes(N, mean, i, n):
        N, mean, i = N[None], mean[None], np.array([i])
        structured = setting.evidence(i, N, mean)[0][0] > setting.threshold.at(N, i, x, mean)[0]
        free = aside.evidence(i, N, mean)[0][0] > setting.threshold.at_without_structure(N, i, x, mean)[0]
        return bool(structured or (free and n in LOOKS))

    for trace in runs.traces:
        for t in range(len(trace["n"])):
            assert not passes(trace["N"][t], trace["mean"][t], trace["answer"][t], trace["n"][t])
        end = trace["after"]
        assert passes(end["N"], end["mean"], end["answer"], end["n"])
    other = simulate(problem, mu, "D-C", DELTA, runs=6, seed=2, threshold="auto", path="lock-step", width=4)
    np.testing.assert_array_equal(other.tau, runs.tau)


@pytest.mark.parametrize("name", ["lipschitz", "unimodal"])
def test_compiled_runs_are_looked_at_as_often_as_others(name):
    """Compiled code passes over looks that an earlier alternative makes needless, and misses no other."""
    family, structure, mu = STRUCTURED[name]
    problem = purex.Problem.from_names(family, "best-arm", structure, n_arms=3)
    one, other = (
        simulate(problem, mu, "D-C", [DELTA, 1e-3], runs=30, seed=8, threshold="auto", path=path)
        for path in ("compiled", "lock-step")
    )
    np.testing.assert_array_equal(one.tau, other.tau)
    alone = simulate(
        problem, mu, "D-C", [DELTA, 1e-3], runs=30, seed=8, threshold=problem.threshold("auto").structured
    )
    assert (one.tau != alone.tau).any()  # some stop by the statistic without the structure


def test_the_statistic_without_the_structure_pays_for_two_arms_at_half_the_risk():
    problem = purex.Problem.from_names("gaussian", "best-arm", "monotone", n_arms=5)
    N, i, x = np.full((1, 5), 400.0), np.array([4]), np.array([math.log(10)])
    threshold = problem.threshold("auto")
    pair = (1 + 4 / 400) * (math.log(2 * 4 * 10) + math.log(101))
    everything = (1 + 4 / 400) * (math.log(2 * 10) + 2.5 * math.log(101))
    assert threshold.at_without_structure(N, i, x)[0] == pytest.approx(pair, rel=1e-12)
    assert threshold.at(N, i, x)[0] == pytest.approx(everything, rel=1e-12)


def test_several_risks_are_served_by_one_run():
    problem = purex.Problem.from_names("gaussian", "best-arm", "monotone", n_arms=3)
    mu, deltas = [0.0, 0.3, 1.2], [0.1, 0.01, 1e-4]
    together = simulate(problem, mu, "D-C", deltas, runs=5, seed=3, threshold="auto")
    for j, delta in enumerate(deltas):
        alone = simulate(problem, mu, "D-C", delta, runs=5, seed=3, threshold="auto")
        np.testing.assert_array_equal(together.tau[j], alone.tau[0])
