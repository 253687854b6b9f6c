"""Under a structure the stopping rule compares M with the alternative, in simulations and in the explorer."""

import numpy as np
import pytest

from purex.engine import simulate
from purex.explorer import Explorer
from purex.problem import Problem

DOSES = [0.05, 0.2, 0.31, 0.6, 0.8]


@pytest.fixture(scope="module")
def problem():
    return Problem.from_names("bernoulli", "closest-to(threshold=0.3)", "monotone", n_arms=5)


def test_the_default_is_against_the_model(problem):
    """The raw statistic also counts how far the means are from M, and stops too early."""
    runs = {
        kind: simulate(problem, DOSES, "D-C", 0.1, runs=60, seed=1, statistic=kind)
        for kind in ("auto", "model", "raw")
    }
    assert np.array_equal(runs["auto"].tau, runs["model"].tau)
    assert (runs["model"].tau >= runs["raw"].tau).all()
    # at an error of 0.1 more than 15 of 60 runs are wrong with probability 1e-4
    assert (~runs["auto"].correct).sum() <= 15


def test_without_a_structure_it_is_the_papers():
    free = Problem.from_names("bernoulli", "best-arm", n_arms=3)
    runs = [
        simulate(free, [0.8, 0.4, 0.3], "D-C", 0.1, runs=20, seed=1, statistic=kind).tau
        for kind in ("auto", "raw")
    ]
    assert np.array_equal(*runs)


def test_the_explorer_stops_where_the_simulation_does(problem):
    result = simulate(problem, DOSES, "D-C", 0.1, runs=1, seed=3, trace=1, max_rounds=3000)
    path = result.traces[0]
    explorer = Explorer(problem, "D-C", 0.1, threshold="stylised", seed=3)
    for arm, reward in enumerate(path["mean"][0]):  # each arm once
        assert explorer.ask() == arm
        explorer.tell(arm, float(reward))
    for arm, reward in zip(path["arm"], path["reward"], strict=True):
        assert not explorer.stopped
        assert explorer.ask() == arm
        explorer.tell(int(arm), float(np.round(reward)))
    assert explorer.stopped == bool(result.certified[0, 0])
    assert explorer.certificate.statistic == pytest.approx(
        float(problem.best_response(explorer.candidate, explorer.counts, explorer.means).value[0])
        - float(
            problem.arms.cost(
                explorer.counts[None].astype(float),
                explorer.means[None],
                problem.project(explorer.counts, explorer.means),
            )[0]
        )
    )
