"""Every shipped query under every shipped structure says the same in seconds and in nanoseconds."""

import numpy as np
import pytest

from purex import simulate
from purex.errors import PurexError
from purex.problem import Problem
from purex.testing import Case, NotApplicableError
from purex.testing.units import check_units_do_not_matter

QUERIES = [
    "best-arm",
    "top-m(m=2)",
    "minimum-threshold(threshold=0.5)",
    "thresholding(threshold=0.5)",
    "closest-to(threshold=0.5)",
    "nash(rows=2, columns=2)",
    "tree(children=[[0, 1], [2, 3]])",
    "epsilon-best-arm(epsilon=0.1)",
    "combinatorial(sets=[[0, 1], [1, 2], [3]])",
    "beats-control(epsilon=0.1)",
    "ranking",
    "good-arm(threshold=0.5)",
    "constrained-best-arm(threshold=0.5)",
    "pareto-set",
]
STRUCTURES = {
    "unstructured": {"best-arm", "closest-to(threshold=0.5)"},  # with the queries of the default tests
    "box(lower=0.2, upper=0.8)": {"epsilon-best-arm(epsilon=0.1)", "beats-control(epsilon=0.1)"},
    "linear(features=[[1, 0], [0, 1], [0.5, 0.5], [0.8, 0.6]])": {"best-arm", "nash(rows=2, columns=2)"},
    "unit-sum(total=2.0)": {"top-m(m=2)"},
    "same-side(threshold=0.5)": {"minimum-threshold(threshold=0.5)"},
    "rank-one(rows=2, columns=2)": {"best-arm"},
    "monotone": {"closest-to(threshold=0.5)"},
    "lipschitz(constant=0.4, points=[0.0, 0.5, 1.0, 1.2])": {"best-arm", "top-m(m=2)"},
    "lipschitz(constant=0.5, points=[[0, 0], [0, 1], [1, 0], [1, 1]])": {"best-arm"},
    "unimodal": {"best-arm"},
}
FAMILIES = ["gaussian", "poisson", "exponential", "gamma(shape=2.5)"]


def combinations():
    for structure, few in STRUCTURES.items():
        for query in QUERIES:
            for family in FAMILIES:
                first = "poisson" if structure.startswith("rank-one") else "gaussian"
                is_default = query in few and family == first
                marks = [] if is_default else [pytest.mark.full]
                yield pytest.param(family, query, structure, marks=marks)


@pytest.mark.parametrize(("family", "query", "structure"), list(combinations()))
def test_units_do_not_matter(family, query, structure):
    try:
        case = Case(Problem.from_names(family, query, structure, n_arms=4), size=30)
        case.instances("refused?", 2)
        case.problem.oracle(*case.instances("refused?", 2))
    except PurexError as refusal:
        pytest.skip(str(refusal))  # a combination that has no exact oracle, in any unit
    try:
        check_units_do_not_matter(case)
    except NotApplicableError as reason:
        pytest.skip(str(reason))


def nanoseconds(unit):
    return Problem.from_names(
        f"gaussian(variance={unit**2})",
        "top-m(m=1)",
        f"lipschitz(constant={0.3 * unit}, points=[0, 1, 2])",
        n_arms=3,
    )


def test_lipschitz_nanoseconds_in_seconds():
    """The game was off by a factor of four, and all runs stopped at t = 3, half of them wrong."""
    mu = np.array([0.8, 0.75, 0.6])
    value = nanoseconds(1.0).solve(mu).value
    for unit in (1e-12, 1e-9, 1e-3, 1e3, 1e12):
        np.testing.assert_allclose(nanoseconds(unit).solve(unit * mu).value, value, rtol=1e-6)
    runs = [
        simulate(nanoseconds(unit), unit * mu, "RR", 0.05, runs=20, seed=1, threshold="gaussian-mixture")
        for unit in (1.0, 2.0**-30)
    ]
    assert runs[0].tau.min() > 100
    np.testing.assert_array_equal(runs[0].tau, runs[1].tau)  # a power of two changes exponents only
    assert runs[0].correct.all()


def test_a_model_is_one_in_every_unit():
    for unit in (1e-12, 1.0, 1e12):
        problem = nanoseconds(unit)
        assert problem.contains(unit * np.array([0.8, 0.5, 0.2])).all()
        assert not problem.contains(unit * np.array([0.8, 0.499, 0.2])).any()
