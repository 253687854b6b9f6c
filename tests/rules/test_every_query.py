"""Every rule runs on every query that its oracles allow, and refuses the others with a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from purex.engine import simulate
from purex.errors import RefusedProblemError
from purex.families import Arms, Gaussian
from purex.model import Polyhedron, Query
from purex.problem import Problem

BOX = (-3.0, 3.0)


class Between(Query):
    """Does the mean of arm 0 lie between those of the others? By declaration only."""

    def answer(self, mu):
        low, high = np.minimum(mu[:, 1], mu[:, 2]), np.maximum(mu[:, 1], mu[:, 2])
        return np.asarray((low < mu[:, 0]) & (mu[:, 0] < high), dtype=np.int64)

    def alternatives(self, i):
        def order(*pairs):
            rows = [Polyhedron.order(3, low=low, high=high) for low, high in pairs]
            return Polyhedron(np.vstack([row.A for row in rows]), np.concatenate([row.b for row in rows]))

        if i == 1:  # arm 0 is the smallest or the largest
            return [order((0, 1), (0, 2)), order((1, 0), (2, 0))]
        return [order((1, 0), (0, 2)), order((2, 0), (0, 1))]

    def answers(self):
        return (0, 1)


PROBLEMS = {
    "top-m": (lambda: Problem.from_names("gaussian", "top-m(m=2)", n_arms=4, box=BOX), [2.0, 1.5, 0.0, -0.5]),
    "thresholding": (
        lambda: Problem.from_names("gaussian", "thresholding(threshold=0.5)", n_arms=3, box=BOX),
        [2.0, -1.0, 1.5],
    ),
    "declared": (lambda: Problem(Arms.of(Gaussian(), 3), Between(3), box=BOX), [0.0, -1.5, 1.5]),
}
RULES = ["D-C", "D1-D", "T-D", "M-C", "RR", "opt-C", "FTPL(samples=8)", "OGD", "FWS", "IDS"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", PROBLEMS)
def test_rules_run_on_every_query(name, rule):
    """Gaps of more than a standard deviation: each run errs with probability below delta = 0.01 in practice.

    Two errors in ten runs would have probability 4e-3 even if delta were all used up.
    """
    build, means = PROBLEMS[name]
    problem = build()
    runs = 4 if name == "declared" and rule == "T-D" else 10  # the generic game costs 15 ms
    result = simulate(problem, means, rule, 0.01, runs=runs, seed=1, max_rounds=3000)
    assert result.certified.all()
    assert (~result.correct).sum() <= 1


@pytest.mark.parametrize("rule", ["EB-TCI", "TTTS", "LUCB", "KL-LUCB"])
def test_rules_of_orders_refuse_other_queries(rule):
    for name in ("thresholding", "declared"):
        build, means = PROBLEMS[name]
        with pytest.raises(RefusedProblemError, match="catch up with another"):
            simulate(build(), means, rule, 0.1, runs=1)
    build, means = PROBLEMS["top-m"]
    problem = Problem.from_names("gaussian", "top-m(m=2)", n_arms=4)
    result = simulate(problem, means, rule, 0.05, runs=5, seed=1)
    assert result.correct.mean() >= 0.8


def test_optimism_refuses_where_no_corner_is_best():
    build, means = PROBLEMS["declared"]
    with pytest.raises(RefusedProblemError, match="one direction"):
        simulate(build(), means, "O-C", 0.1, runs=1)
