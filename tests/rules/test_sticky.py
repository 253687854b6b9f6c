"""Sticky Track-and-Stop: the candidate against the reference, counts that settle, refusals."""

import numpy as np
import pytest

from purex.engine.simulate import simulate
from purex.errors import InvalidInputError, RefusedProblemError
from purex.plugins import build
from purex.problem import Problem
from tests.reference.comparison import compare


@pytest.mark.parametrize(
    ("query", "means"),
    [("epsilon-best-arm(epsilon=0.4)", [0.9, 1.0, 0.1]), ("good-arm(threshold=0.2)", [0.7, 0.8, -0.5])],
)
def test_runs_are_those_of_the_reference(query, means):
    problem = Problem.from_names("gaussian", query, n_arms=3)
    found = compare(problem, "T-C(sticky=True)", means, runs=2, max_samples=80)
    assert found.differences == []
    assert found.compared == found.rounds >= 40


def test_the_counts_settle_where_the_answer_of_the_means_changes_for_ever():
    """Eight equal means, epsilon 2: the best weights of an answer are sqrt(7) : 1 : ... : 1.

    T takes whichever arm leads, and its counts approach the mean of the weights of all answers, 1/8 each.
    Shares have a standard deviation below 0.03 over runs, so that of the mean of six is below 0.012.
    """
    problem = Problem.from_names("gaussian", "epsilon-best-arm(epsilon=2)", n_arms=8)
    own = np.sqrt(7) / (np.sqrt(7) + 7)
    assert problem.equilibrium(np.zeros(8), 0).allocation[0, 0] == pytest.approx(own, rel=1e-6)
    shares, changes = {}, {}
    for sticky in (False, True):
        rule = f"T-C(sticky={sticky}, resolve=1.2)"
        found = simulate(problem, np.zeros(8), rule, 1e-40, runs=6, seed=3, trace=6)
        shares[sticky] = (found.counts[0] / found.tau[0][:, None])[:, 0].mean()
        answers = [np.asarray(trace["answer"]) for trace in found.traces]
        changes[sticky] = [int((np.diff(a[len(a) // 3 :]) != 0).sum()) for a in answers]
    assert shares[True] == pytest.approx(own, abs=0.05)
    assert shares[False] == pytest.approx(1 / 8, abs=0.05)
    assert changes[True] == [0] * 6
    assert np.mean(changes[False]) >= 10


def test_refusals():
    with pytest.raises(InvalidInputError, match="sticky=True or sticky=False"):
        build("rule", "T-C(sticky=1)")
    problem = Problem.from_names("gaussian", "best-arm", n_arms=3)
    with pytest.raises(RefusedProblemError, match="several correct answers"):
        simulate(problem, [1, 0, 0], "T-D(sticky=True)", runs=1)
