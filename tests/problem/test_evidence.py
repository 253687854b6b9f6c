"""The evidence of honest oracles is not doubted, whatever the family, the structure and the scale."""

import numpy as np
import pytest

from purex.engine import simulate
from purex.errors import LyingOracleError
from purex.problem import Problem
from purex.problem.evidence import Evidence, check_evidence, lies_in_the_alternative

# family, query, structure, box, means
CASES = [
    ("bernoulli", "best-arm", None, None, [0.95, 0.05, 0.02]),
    ("bernoulli", "best-arm", None, (0.01, 0.99), [0.9, 0.2, 0.1]),
    ("gaussian(variance=1e-12)", "best-arm", None, None, [3e-6, 1e-6, 0.0]),
    ("gaussian(variance=1e12)", "top-m(m=2)", None, None, [3e6, 2e6, -1e6]),
    ("exponential", "best-arm", None, None, [5.0, 1.0]),
    ("poisson", "minimum-threshold(threshold=2.0)", None, None, [4.0, 0.5]),
    ("geometric", "thresholding(threshold=1.0)", None, None, [3.0, 0.1]),
    ("gaussian", "nash(rows=2, columns=2)", None, None, [2.0, 4.0, 0.0, 1.0]),
    ("gaussian", "epsilon-best-arm(epsilon=0.3)", None, None, [2.0, 0.0]),
    ("bernoulli", "closest-to(threshold=0.5)", "monotone", None, [0.1, 0.5, 0.95]),
    ("gaussian", "best-arm", "unimodal", None, [0.0, 2.0, 1.0, -1.0]),
    ("gaussian", "best-arm", "lipschitz(constant=2.0, points=[0, 1, 2])", None, [0.0, 2.0, 0.5]),
    ("gaussian", "best-arm", "unit-sum(total=1.0)", None, [2.0, 0.0, -1.0]),
    ("exponential", "best-arm", "rank-one(rows=2, columns=2)", None, [4.0, 1.0, 2.0, 0.5]),
    ("bernoulli", "thresholding(threshold=0.5)", "same-side(threshold=0.5)", None, [0.9, 0.8]),
]


@pytest.mark.parametrize(("family", "query", "structure", "box", "mu"), CASES)
def test_honest_runs_stop(family, query, structure, box, mu):
    problem = Problem.from_names(family, query, structure, n_arms=len(mu), box=box)
    problem.foreign_oracle = "honest"  # as if it came from elsewhere
    for statistic in ("auto", "projected") if structure is None else ("auto",):
        settings = {"runs": 12, "seed": 4, "max_rounds": 3000, "path": "lock-step", "statistic": statistic}
        result = simulate(problem, mu, "RR", [0.1, 1e-4], **settings)
        assert result.certified.any()


@pytest.mark.parametrize(("family", "query", "structure", "box", "mu"), CASES)
def test_one_part_in_a_thousand_is_noticed(family, query, structure, box, mu):
    """Each number of a best response by itself, at the means and counts of a run."""
    problem = Problem.from_names(family, query, structure, n_arms=len(mu), box=box)
    N, means = np.arange(10.0, 10.0 + len(mu))[None], problem.project(np.ones(len(mu)), mu)
    i = problem.answer(means)
    value, point, _ = problem.best_response(i, N, means)
    right = Evidence(i, N, means, value, point)
    check_evidence(problem, "honest", right)
    assert lies_in_the_alternative(problem, int(i[0]), point[0])
    assert not lies_in_the_alternative(problem, int(i[0]), means[0])
    near = point + 1e-3 * (means - point)  # off the alternative, by a thousandth of the way
    for wrong in (
        right._replace(value=1.001 * value),
        right._replace(value=0.999 * value),
        right._replace(value=np.array([np.inf])),
        right._replace(point=near, value=problem.arms.cost(N, means, near)),
    ):
        with pytest.raises(LyingOracleError, match="the oracle honest"):
            check_evidence(problem, "honest", wrong)
