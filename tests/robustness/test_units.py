"""Another unit of the means changes nothing: values, points and games against those in the first unit."""

import numpy as np
import pytest

from purex.families import Arms, Bernoulli, Gaussian, Poisson
from purex.model import Structure
from purex.model.polyhedron import Polyhedron
from purex.problem import Problem
from purex_plugins.best_arm import BestArm

UNITS = [2.0**-40, 1e-12, 1e-6, 1e6, 1e12]
FAMILIES = {  # and the power of the unit by which divergences grow
    "gaussian": (lambda s: f"gaussian(variance={s * s!r})", 0),
    "two variances": (lambda s: "; ".join(f"gaussian(variance={v * s * s!r})" for v in (10, 0.01, 1, 1)), 0),
    "poisson": (lambda s: "poisson", 1),
    "exponential": (lambda s: "exponential", 0),
}
QUERIES = {
    "best-arm": lambda s: "best-arm",
    "top-m": lambda s: "top-m(m=2)",
    "thresholding": lambda s: f"thresholding(threshold={0.45 * s!r})",
    "minimum-threshold": lambda s: f"minimum-threshold(threshold={0.45 * s!r})",
    "closest-to": lambda s: f"closest-to(threshold={0.45 * s!r})",
    "nash": lambda s: "nash(rows=2,columns=2)",
    "tree": lambda s: "tree(children=[[0,1],[2,3]])",
    "epsilon-best-arm": lambda s: f"epsilon-best-arm(epsilon={0.1 * s!r})",
    "beats-control": lambda s: f"beats-control(epsilon={0.1 * s!r})",
    "ranking": lambda s: "ranking(m=2)",
    "constrained-best-arm": lambda s: f"constrained-best-arm(threshold={0.45 * s!r})",
    "pareto-set": lambda s: "pareto-set",
    "good-arm": lambda s: f"good-arm(threshold={0.45 * s!r})",
    "combinatorial": lambda s: "combinatorial(sets=[[0,1],[1,2],[2,3]])",
}
STRUCTURES = {
    "unstructured": lambda s: None,
    "box": lambda s: f"box(lower={0.1 * s!r},upper={0.9 * s!r})",
    "monotone": lambda s: "monotone",
    "unimodal": lambda s: "unimodal",
    "lipschitz": lambda s: f"lipschitz(constant={0.4 * s!r},points=[0,1,2,3])",
    "lipschitz in the plane": lambda s: f"lipschitz(constant={0.5 * s!r},points=[[0,0],[0,1],[1,0],[1,1]])",
    "unit-sum": lambda s: f"unit-sum(total={1.6 * s!r})",
    "linear": lambda s: "linear(features=[[1,0],[0,1],[0.5,0.5],[0.8,0.6]])",
    "same-side": lambda s: f"same-side(threshold={0.3 * s!r})",
    "rank-one": lambda s: "rank-one(rows=2,columns=2)",
}
IN_MEANS = (
    "closest-to",
    "epsilon-best-arm",
    "beats-control",
    "combinatorial",
)  # not to be combined with logarithms
FEW = {  # for every day: what goes through each of the solvers
    ("poisson", "best-arm", "unit-sum"),
    ("poisson", "closest-to", "unstructured"),
    ("two variances", "top-m", "lipschitz"),
    ("exponential", "best-arm", "rank-one"),
}


def build(parts, unit, level="auto"):
    """The problem in a unit, or None where there is none."""
    family, query, structure = parts
    if structure == "rank-one" and query in IN_MEANS:
        return None
    names = FAMILIES[family][0](unit), QUERIES[query](unit), STRUCTURES[structure](unit)
    try:
        return Problem.from_names(*names, n_arms=4, oracle=level)
    except Exception as refusal:
        if unit != 1.0:
            raise AssertionError(f"refused in the unit {unit}, but not in 1") from refusal
        return None


def compare(parts, units, rows, games, level="auto"):
    """Best responses, projections, candidates and equilibria in these units; False if there is no problem."""
    first = build(parts, 1.0, level)
    if first is None:
        return False
    rng = np.random.default_rng(3)
    xi, w = rng.uniform(0.1, 0.9, (rows, 4)), rng.exponential(size=(rows, 4))
    w[0, 1] = 0.0
    low, high = xi - 0.15, xi + 0.1
    if parts[2] != "unstructured":
        xi[::2] = first.project(np.ones((len(xi[::2]), 4)), xi[::2])
    i = first.answer(xi)
    response, point = first.best_response(i, w, xi), first.project(w, xi)
    candidate, game = first.candidate(w, xi, low, high), first.equilibrium(xi[:games])
    for s in units:
        problem, d = build(parts, s, level), s ** FAMILIES[parts[0]][1]
        np.testing.assert_allclose(
            problem.best_response(i, w, s * xi).value / d, response.value, rtol=1e-7, atol=1e-13
        )
        np.testing.assert_allclose(problem.project(w, s * xi) / s, point, rtol=1e-7, atol=1e-8)
        other = problem.candidate(w, s * xi, s * low, s * high)
        np.testing.assert_array_equal(other.empty, candidate.empty)
        np.testing.assert_allclose(other.point / s, candidate.point, rtol=1e-7, atol=1e-8)
        again = problem.equilibrium(s * xi[:games])
        assert (again.gap <= 1e-6).all()
        room = 1e-7 + game.gap + again.gap  # each is known up to its certificate
        assert (np.abs(again.value / d - game.value) <= room * game.value + 1e-13).all()
    return True


@pytest.mark.parametrize("parts", sorted(FEW), ids=" ".join)
def test_units(parts):
    assert compare(parts, (1e-12, 2.0**40), rows=6, games=1)


@pytest.mark.full
@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_problem_in_every_unit(family, structure):
    for level in ("auto", "generic"):
        made = [compare((family, query, structure), UNITS, 8, 2, level) for query in QUERIES]
        if not any(made):
            pytest.skip("no query has an exact oracle here, in any unit")


@pytest.mark.parametrize("s", [1e-12, 1e12])
def test_newton_from_means_of_zero(s):
    """Where costs are linear, steps had an end in units of 1: 93 % off in units of 1e-12."""
    rng = np.random.default_rng(0)
    xi, w = rng.uniform(0, 1, (20, 4)), rng.exponential(size=(20, 4))
    xi[rng.random(xi.shape) < 0.4] = 0.0
    i = np.zeros(20, dtype=np.int64)
    values = [
        Problem.from_names("poisson", "best-arm", f"unit-sum(total={3 * u!r})", n_arms=4, oracle="generic")
        .best_response(i, w, u * xi)
        .value
        / u
        for u in (1.0, s)
    ]
    np.testing.assert_allclose(values[1], values[0], rtol=1e-9)


def test_rare_events_are_like_poisson_arms():
    """With means of 1e-9 a Bernoulli arm is a Poisson arm, up to 1e-9: no unit, and no tolerance of 1e-9."""
    rng = np.random.default_rng(1)
    xi, w = rng.uniform(0.1, 1, (20, 4)) * 1e-9, rng.exponential(size=(20, 4))
    structure = "lipschitz(constant=2e-10,points=[[0,0],[0,1],[1,0],[1,1]])"
    values = [
        Problem.from_names(family, "top-m(m=2)", structure, n_arms=4, oracle="generic")
        .best_response(np.full(20, 3), w, xi)
        .value
        for family in ("bernoulli", "poisson")
    ]
    np.testing.assert_allclose(*values, rtol=1e-7)


@pytest.mark.parametrize("family", ["gaussian", "poisson"])
@pytest.mark.parametrize("s", [1e-12, 1e12])
def test_cvxpy_gets_the_means_in_their_unit(family, s):
    """Its tolerances are absolute: values were off by factors, or the solver failed."""
    xi = np.random.default_rng(2).uniform(0.1, 1, (4, 4))
    w = np.random.default_rng(3).exponential(size=(4, 4))
    build_family, power = FAMILIES[family]
    values = [
        Problem.from_names(build_family(u), "best-arm", STRUCTURES["unit-sum"](u), n_arms=4, oracle="cvxpy")
        .best_response(np.zeros(4, dtype=np.int64), w, u * xi)
        .value
        / u**power
        for u in (1.0, s)
    ]
    np.testing.assert_allclose(values[1], values[0], rtol=1e-6)


class Ball(Structure):
    """The means are near to the first one: stated in cvxpy only."""

    def __init__(self, unit):
        super().__init__(3)
        self.unit = unit

    def cells(self):
        return [Polyhedron.everything(3)]

    def constraints(self, cp, lam):
        return [cp.norm(lam[1:] - lam[0]) <= 0.2 * self.unit]


@pytest.mark.parametrize("s", [1e-6, 1e6])
def test_constraints_in_cvxpy_are_divided_by_the_unit(s):
    xi, w = np.array([[0.9, 0.5, 0.4], [0.7, 0.6, 0.55]]), np.array([[1.0, 2.0, 0.5], [0.3, 1.0, 1.0]])
    values = [
        Problem(Arms.of(Gaussian(u * u), 3), BestArm(3), Ball(u))
        .best_response(np.zeros(2, dtype=np.int64), w, u * xi)
        .value
        for u in (1.0, s)
    ]
    np.testing.assert_allclose(values[1], values[0], rtol=1e-6)


def test_small_features_are_features():
    """Arms were refused because their features, 1e-12 in size, were taken for none."""
    features = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.8, 0.6]])
    values = [
        Problem.from_names("poisson", "best-arm", f"linear(features={(u * features).tolist()})", n_arms=4)
        .best_response(3, [1.0, 2.0, 0.5, 1.0], [0.3, 0.5, 0.4, 0.7])
        .value
        for u in (1.0, 1e-12)
    ]
    np.testing.assert_allclose(values[1], values[0], rtol=1e-9)


def test_a_game_of_bernoulli_arms_near_zero():
    problem = Problem(Arms.of(Bernoulli(), 3), BestArm(3), oracle="generic")
    poisson = Problem(Arms.of(Poisson(), 3), BestArm(3), oracle="generic")
    mu = np.array([[0.9e-9, 0.5e-9, 0.4e-9]])
    assert problem.equilibrium(mu).value == pytest.approx(poisson.equilibrium(mu).value, rel=1e-7)
