"""How often runs err with the threshold `auto` where two answers are nearly tied and runs stop nevertheless.

As in `test_errors_of_auto`: a comparison fails if the lower Clopper-Pearson limit of an error rate, which
errs with probability 0.001, lies above delta; in full there are 20,000 runs of each case, else 200.
"""

from typing import NamedTuple

import pytest

from purex.problem import Problem
from tests.shipped.test_errors_of_auto import DELTA, error_rate


class Case(NamedTuple):
    """A problem, its means, a rule, and how many rounds runs have at most."""

    query: str
    mu: tuple[float, ...]
    rule: str
    most: int
    family: str = "gaussian"
    actions: str | None = None
    structure: str = "unstructured"

    def problem(self):
        names = (self.family, self.query, self.structure)
        return Problem.from_names(*names, n_arms=len(self.mu), actions=self.actions)


LINE = "linear(features=[[1, 0], [0, 1], [0.5, 0.5]])"
CASES = {
    "beats-control": Case("beats-control", (0.0, 0.4, -0.4), "D-C", 600),
    "ranking": Case("ranking", (0.65, 0.45, 0.25), "RR", 800, family="bernoulli"),
    "condorcet": Case("condorcet(items=3)", (0.7, 0.65, 0.5), "RR", 800, family="bernoulli"),
    "good-arm": Case("good-arm(threshold=0)", (0.2, 0.15, -0.2), "RR", 600),
    "no good arm": Case("good-arm(threshold=0)", (-0.2, -0.3, -0.3), "D-C", 600),
    "constrained": Case("constrained-best-arm(threshold=0)", (0.8, 0.4, -0.5, -0.5), "RR", 500),
    "pareto-set": Case("pareto-set", (0.3, -0.3, -0.3, 0.3), "RR", 500),
    "IDS": Case("best-arm", (0.4, 0.0, 0.0), "IDS", 600),
    "elimination": Case("best-arm", (0.8, 0.3, 0.0), "elimination(rule='D-C')", 200),
    "batched": Case("best-arm", (0.4, 0.0, 0.0), "batched(rule='T-C')", 600),
    "sticky": Case("good-arm(threshold=0)", (0.2, 0.15, -0.15, -0.2), "T-C(sticky=True)", 400),
    "costs": Case("best-arm", (0.5, 0.0, 0.0), "D-C", 400, actions="costs(costs=[1, 1, 5])"),
    "graph": Case("best-arm", (0.4, 0.0, 0.0), "D-C", 300, actions="graph(neighbours=[[1, 2], [], []])"),
    "vector": Case("pareto-set", (0.3, -0.3, -0.3, 0.3), "RR", 200, actions="vector(dimension=2)"),
    "observable": Case(
        "best-arm", (0.4, 0.0, 0.2), "RR", 500, actions="observable(arms=[0, 1])", structure=LINE
    ),
}


@pytest.mark.parametrize("runs", [200, pytest.param(20_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", CASES)
def test_errors_are_at_most_delta(name, runs):
    case = CASES[name]
    rate, stopped = error_rate(case.problem(), case.mu, case.rule, runs, most=case.most)
    print(f"{stopped:.0%} stopped")
    assert rate.lower <= DELTA, rate
    assert stopped > 0.2  # otherwise nothing is tested


@pytest.mark.parametrize("name", CASES)
def test_a_threshold_that_is_too_small_errs_more_often(name):
    """A hundredth of what is proved: a check that cannot fail shows nothing."""
    case = CASES[name]
    rate, _ = error_rate(case.problem(), case.mu, case.rule, 200, factor=0.01, most=case.most)
    assert rate.lower > DELTA, rate
