"""The game at the true means, of which runs of M and opt are made."""

import numpy as np
import pytest

from purex.problem import Problem
from purex.rules.truth import solve_truth


@pytest.mark.parametrize(
    ("family", "query", "structure", "mu"),
    [
        ("bernoulli", "best-arm", None, (0.3, 0.21, 0.2, 0.19, 0.18)),
        ("poisson", "top-m(m=2)", None, (2.0, 1.6, 1.0, 0.5)),
        ("bernoulli", "best-arm", "unimodal", (0.2, 0.7, 0.4)),
    ],
)
def test_faster_solvers_do_not_change_it(family, query, structure, mu):
    """Bit for bit what a problem says that has no solvers but the generic one."""
    names = {"family": family, "query": query, "structure": structure, "n_arms": len(mu)}
    generic = Problem.from_names(**names, oracle="generic").equilibrium(mu)
    value, allocation = solve_truth(Problem.from_names(**names), np.array(mu))
    assert value == generic.value[0]
    np.testing.assert_array_equal(allocation, generic.allocation[0])
