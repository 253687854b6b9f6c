"""Special oracles of structures against the generic oracle and against cvxpy, in and outside M."""

import numpy as np
import pytest

from purex import Problem, simulate
from purex.errors import InvalidInputError
from purex.families import Arms, Bernoulli, Exponential, Gaussian, Poisson
from purex.model import Unstructured
from purex_plugins.best_arm import BestArm
from purex_plugins.closest_to import ClosestTo
from purex_plugins.lipschitz import Lipschitz
from purex_plugins.monotone import Monotone
from purex_plugins.thresholding import Thresholding
from purex_plugins.unimodal import Unimodal
from tests.shipped.referee import check_against_cvxpy

ORDERS = (Gaussian(0.5), Bernoulli(), Poisson(), Exponential())
CONVEX = ORDERS[:3]


def line(K, rng):
    return Lipschitz(K, constant=float(rng.choice([0.1, 0.4, 1.0])), points=rng.uniform(0, 3, K).tolist())


def plane(K, rng):
    points = rng.uniform(0, 2, (K, 2)).tolist()
    return Lipschitz(K, constant=float(rng.choice([0.2, 0.6])), points=points)


SPECIAL = {
    "monotone-thresholding": (
        lambda K, rng: Thresholding(K, 0.5),
        lambda K, rng: Monotone(K, bool(rng.integers(2))),
        ORDERS,
    ),
    "monotone-closest-to": (
        lambda K, rng: ClosestTo(K, float(rng.choice([0.3, 0.5, 0.6]))),  # 2g - 1 may be no mean
        lambda K, rng: Monotone(K, bool(rng.integers(2))),
        CONVEX,
    ),
    "unimodal-best-arm": (lambda K, rng: BestArm(K), lambda K, rng: Unimodal(K), ORDERS),
    "lipschitz-line": (lambda K, rng: BestArm(K), line, CONVEX),
    "lipschitz-plane": (lambda K, rng: BestArm(K), plane, CONVEX),
}


def draw(problem, rng, size):
    """Weights, some zero, others tiny; means of which half are models, some tied; answers, some wrong."""
    K = problem.n_arms
    xi = rng.uniform(0.03, 0.97, (size, K))
    tied = rng.random(size) < 0.2
    xi[tied] = rng.integers(1, 5, (tied.sum(), K)) / 5
    close = rng.random(size) < 0.2
    xi[close] = 0.5 + 1e-6 * rng.integers(-3, 4, (close.sum(), K))
    xi[::2] = problem.project(np.ones_like(xi[::2]), xi[::2])
    w = rng.exponential(size=(size, K))
    w *= np.where(rng.random(w.shape) < 0.2, 1e-4, 1.0)
    w[rng.random(w.shape) < 0.15] = 0.0
    edge = rng.random(size) < 0.15  # as after a few pulls of Bernoulli arms
    edge &= problem.arms.kinds[0] in ("bernoulli", "poisson") and problem.lower <= 0.0
    xi[edge] = rng.integers(0, 3, (edge.sum(), K)) / 2
    i = problem.answer(problem.project(np.ones_like(xi), xi))
    return np.where(rng.random(size) < 0.8, i, rng.permutation(i)), w, xi


def build(name, K, family, rng, box=None):
    query, structure, _ = SPECIAL[name]
    parts = Arms.of(family, K), query(K, rng), structure(K, rng)
    return {level: Problem(*parts, box=box, oracle=level) for level in ("special", "generic", "cvxpy")}


def agree(x, y, w, tolerance):
    """Values agree relatively, down to the rounding of the largest weight."""
    floor = 1e-11 * w.max(axis=1)
    good = (x == y) | (np.abs(x - y) <= tolerance * np.abs(y) + floor)
    assert good.all(), (x[~good], y[~good])


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("K", [2, 3, 6])
@pytest.mark.parametrize("box", [None, (0.2, 0.8)], ids=["free", "box"])
def test_special_oracles_agree_with_the_generic_one(name, K, box):
    rng = np.random.default_rng([K, *name.encode()])
    for family in SPECIAL[name][2]:
        problems = build(name, K, family, rng, box)
        i, w, xi = draw(problems["special"], rng, 60)
        found, other = (problems[level].oracle(i, w, xi) for level in ("special", "generic"))
        agree(found.value, other.value, w, 1e-7)
        cost = problems["special"].arms.cost(w, xi, found.point)
        agree(found.value, cost, w, 1e-9)
        finite = np.isfinite(found.value)
        assert problems["generic"].contains(found.point[finite]).all()
        nearby = found.point[finite]
        # the alternative is closed: a point of it is a limit of other answers
        query = problems["special"].query
        pieces = [query.alternatives(int(c)) for c in i[finite]]
        cells = len(problems["special"].structure.cells())
        numbers = found.piece[finite] // cells
        inside = [p[n].contains(x, 1e-7) for p, n, x in zip(pieces, numbers, nearby, strict=True)]
        assert all(inside)


@pytest.mark.parametrize("family", [Bernoulli(), Poisson()], ids=lambda family: family.name)
@pytest.mark.parametrize("K", [3, 5, pytest.param(8, marks=pytest.mark.full)])
def test_lipschitz_with_many_means_on_the_edge_of_the_domain(family, K):
    """There costs have a slope at their minimum: an arm that rests there holds others."""
    rng = np.random.default_rng([K, *family.name.encode()])
    for _ in range(12):
        problems = build("lipschitz-line", K, family, rng)
        _, w, xi = draw(problems["special"], rng, 60)
        edges = rng.random(xi.shape) < 0.5
        xi[edges] = rng.choice([0.0, 0.5, 1.0], edges.sum())
        i = problems["special"].answer(problems["special"].project(np.ones_like(xi), xi))
        found, other = (problems[level].oracle(i, w, xi).value for level in ("special", "generic"))
        agree(found, other, w, 1e-7)


@pytest.mark.parametrize("name", ["lipschitz-line", "unimodal-best-arm"])
@pytest.mark.parametrize("K", [12, 25, pytest.param(50, marks=pytest.mark.full)])
def test_rivals_are_left_out_for_certain(name, K):
    """Many arms, and weights as a learner plays them, down to 1e-13: most rivals are never solved."""
    rng = np.random.default_rng([K, *name.encode()])
    for family in (Gaussian(), Bernoulli()):
        parts = Arms.of(family, K), BestArm(K)
        structure = Unimodal(K) if name == "unimodal-best-arm" else line(K, rng)
        special = Problem(*parts, structure)
        generic = Problem(*parts, structure, oracle="generic")
        x = 0.5 + 0.1 * rng.normal(size=K).cumsum() / np.sqrt(K)
        xi = np.clip(x + rng.normal(size=(25, K)) * rng.choice([1e-6, 0.02, 0.2], (25, 1)), 0.03, 0.97)
        w = rng.exponential(size=xi.shape) ** rng.choice([1, 4, 10], (25, 1))
        w = np.maximum(w / w.sum(axis=1)[:, None], 1e-13)
        i = special.answer(special.project(w, xi))
        found, other = special.oracle(i, w, xi), generic.oracle(i, w, xi)
        agree(found.value, other.value, w, 1e-7)
        agree(found.value, special.arms.cost(w, xi, found.point), w, 1e-9)
        assert special.contains(found.point).all()


@pytest.mark.parametrize("name", SPECIAL)
def test_means_of_small_counts(name):
    """As in the first rounds of Bernoulli arms: weights are counts, means fractions, some 0 or 1."""
    rng = np.random.default_rng([11, *name.encode()])
    for _ in range(40):
        problems = build(name, int(rng.integers(2, 5)), Bernoulli(), rng)
        problem = problems["special"]
        N = rng.integers(1, 13, (100, problem.n_arms))
        xi = rng.integers(0, N + 1) / N
        i = problem.answer(problem.project(1.0 * N, xi))
        i = np.where(rng.random(len(xi)) < 0.7, i, rng.permutation(i))
        found, other = (problems[level].oracle(i, 1.0 * N, xi).value for level in ("special", "generic"))
        agree(found, other, N, 1e-7)


@pytest.mark.parametrize(
    ("i", "N", "heads"),
    [(1, [3, 7], [0, 6]), (1, [1, 9], [0, 8]), (0, [6, 24, 11], [1, 22, 11]), (2, [1, 10, 9], [1, 0, 8])],
)
def test_a_step_of_newton_that_ends_next_to_the_edge_is_not_the_last(i, N, heads):
    """Where the slope is infinite all steps are short."""
    parts = Arms.of(Bernoulli(), len(N)), ClosestTo(len(N), 0.5), Monotone(len(N), True)
    w, xi = np.array([N], dtype=float), np.array([heads]) / np.array([N])
    found, other = (
        Problem(*parts, oracle=level).oracle(np.array([i]), w, xi).value for level in ("special", "generic")
    )
    np.testing.assert_allclose(found, other, rtol=1e-9)


@pytest.mark.parametrize("tiny", [1e-300, 1e-100, 1e-30, 5e-16, 1e-14])
def test_a_mean_next_to_the_edge_costs_what_one_on_it_does(tiny):
    """A projection may leave a mean of 5e-16 where it should be 0; the cost is continuous there."""
    points = [0.032447464717591745, 2.7524160761323597, 1.7322009665052216, 2.6807920597644928]
    parts = Arms.of(Poisson(), 4), BestArm(4), Lipschitz(4, constant=0.4, points=points)
    w = np.array([[0.5270705893264285, 0.6153512119709955, 0.06479966393018441, 2.6305938779205227]] * 2)
    xi = np.array([[0.5, 0.4080860438508558, mean, 0.379436437303709] for mean in (0.0, tiny)])
    for level in ("special", "generic"):
        on, beside = Problem(*parts, oracle=level).oracle(np.zeros(2, dtype=np.int64), w, xi).value
        assert beside == pytest.approx(on, rel=1e-9)


def by_cvxpy(name, K, size, seed):
    rng = np.random.default_rng([seed, K, *name.encode()])
    families = SPECIAL[name][2]
    for family in families:
        problems = build(name, K, family, rng)
        i, w, xi = draw(problems["special"], rng, -(-size // len(families)))
        # below a millionth of the weights cvxpy's own tolerance shows
        check_against_cvxpy(problems["special"], problems["cvxpy"], i, w, xi, floor=1e-11, least=1e-6)


@pytest.mark.parametrize("name", SPECIAL)
def test_special_oracles_agree_with_cvxpy(name):
    by_cvxpy(name, 4, 12, seed=0)


@pytest.mark.full
@pytest.mark.parametrize("name", SPECIAL)
def test_special_oracles_agree_with_cvxpy_on_500_instances(name):
    for K, seed in ((3, 1), (5, 2)):
        by_cvxpy(name, K, 250, seed)


@pytest.mark.parametrize("name", SPECIAL)
def test_projections_agree_inside_confidence_boxes(name):
    rng = np.random.default_rng([3, *name.encode()])
    for family in SPECIAL[name][2]:
        problems = build(name, 5, family, rng)
        _, w, xi = draw(problems["special"], rng, 80)
        N = 1.0 + np.round(20 * w)
        low = np.clip(xi - 0.3 * rng.random(xi.shape), 0.01, None)
        high = np.clip(xi + 0.3 * rng.random(xi.shape), None, 0.99)
        found, other = (problems[level].candidate(N, xi, low, high) for level in ("special", "generic"))
        np.testing.assert_array_equal(found.empty, other.empty)
        assert 0 < found.empty.sum() < len(xi)
        costs = [problems["special"].arms.cost(N, xi, c.point) for c in (found, other)]
        np.testing.assert_allclose(*costs, rtol=1e-7, atol=1e-10)
        inside = (low <= found.point) & (found.point <= high)
        assert inside[~found.empty].all()


INSTANCES = {
    "monotone-thresholding": ("gaussian", "thresholding(threshold=0.5)", "monotone", [0.1, 0.3, 0.8, 1.1]),
    "monotone-decreasing": (
        "bernoulli", "closest-to(threshold=0.3)", "monotone(increasing=False)", [0.6, 0.5, 0.32, 0.1],
    ),
    "unimodal": ("bernoulli", "best-arm", "unimodal", [0.2, 0.4, 0.7, 0.3]),
    "lipschitz": (
        "gaussian", "best-arm", "lipschitz(constant=0.5, points=[2, 0, 1, 4])", [0.9, 0.2, 0.5, 0.1],
    ),
}  # fmt: skip


FEW = [("unimodal", "model"), ("lipschitz", "raw")]  # every pair compiles a kernel of its own
REST = [(name, statistic) for name in INSTANCES for statistic in ("raw", "model")]


@pytest.mark.parametrize(
    ("name", "statistic"),
    [*FEW, *(pytest.param(*pair, marks=pytest.mark.full) for pair in REST if pair not in FEW)],
)
def test_both_paths_give_the_same_trajectories(name, statistic):
    family, query, structure, means = INSTANCES[name]
    problem = Problem.from_names(family, query, structure, n_arms=len(means))
    compiled, lockstep = (
        simulate(
            problem,
            means,
            "D-C",
            [0.1, 1e-3],
            runs=12,
            seed=4,
            path=path,
            statistic=statistic,
            max_rounds=300,
        )
        for path in ("compiled", "lock-step")
    )
    assert compiled.path == "compiled"
    np.testing.assert_array_equal(compiled.tau, lockstep.tau)
    np.testing.assert_array_equal(compiled.counts, lockstep.counts)
    np.testing.assert_array_equal(compiled.answer, lockstep.answer)


def test_rows_left_by_a_kernel_are_played_in_lock_step():
    # raw means leave the box, and the compiled Lipschitz rows leave such rounds to the generic oracle
    problem = Problem.from_names(
        "gaussian", "best-arm", "lipschitz(constant=0.5, points=[0, 1, 2])", n_arms=3, box=(0.0, 1.0)
    )
    compiled, lockstep = (
        simulate(problem, [0.9, 0.5, 0.1], "D-C", 0.1, runs=10, seed=2, path=path, max_rounds=400)
        for path in ("compiled", "lock-step")
    )
    np.testing.assert_array_equal(compiled.tau, lockstep.tau)
    np.testing.assert_array_equal(compiled.counts, lockstep.counts)


@pytest.mark.parametrize("rule", ["T-C(resolve=1.3)", "M-C", "RR", "opt-C", "D-D", "FTPL(samples=4)"])
def test_every_rule_plays_structured_problems(rule):
    for family, query, structure, means in INSTANCES.values():
        problem = Problem.from_names(family, query, structure, n_arms=len(means))
        result = simulate(
            problem, means, rule, 0.1, runs=2, seed=1, statistic="model", max_rounds=40, path="lock-step"
        )
        assert (result.tau[0] >= len(means)).all()


def test_neighbours_suffice_on_a_line_and_detours_count_in_a_matrix():
    structure = Lipschitz(4, constant=2.0, points=[3.0, 0.0, 1.0, 7.0])
    assert structure.pairs == [(0, 2), (0, 3), (1, 2)]
    matrix = Lipschitz(3, constant=1.0, distances=[[0, 1, 5], [1, 0, 1], [5, 1, 0]])
    assert matrix.pairs == [(0, 1), (1, 2)]
    assert matrix.reach[0, 2] == 2.0
    ring = 10.0 * (1 - np.eye(4))
    for a, b in ((0, 1), (1, 2), (2, 3)):
        ring[a, b] = ring[b, a] = 1.0
    long = Lipschitz(4, constant=0.5, distances=ring.tolist())  # the way from 0 to 3 leads over both others
    assert long.pairs == [(0, 1), (1, 2), (2, 3)]
    assert long.reach[0].tolist() == [0.0, 0.5, 1.0, 1.5]
    square = Lipschitz(4, constant=1.0, points=[[0, 0], [0, 1], [1, 0], [1, 1]])
    assert len(square.pairs) == 6  # both diagonals are shorter than the way round


@pytest.mark.parametrize(
    "arguments",
    [
        {"constant": 0.0, "points": [0, 1]},
        {"constant": "x", "points": [0, 1]},
        {"constant": 1.0},
        {"constant": 1.0, "points": [0, 0]},
        {"constant": 1.0, "points": [0, 1, 2]},
        {"constant": 1.0, "points": [[0, 1], [2]]},
        {"constant": 1.0, "points": [0, float("nan")]},
        {"constant": 1.0, "distances": [[0, 1], [2, 0]]},
        {"constant": 1.0, "distances": [[0, -1], [-1, 0]]},
        {"constant": 1.0, "points": [0, 1], "distances": [[0, 1], [1, 0]]},
    ],
)
def test_bad_lipschitz_arguments_are_refused(arguments):
    with pytest.raises(InvalidInputError):
        Lipschitz(2, **arguments)


def test_best_arm_of_rising_means_is_trivial():
    problem = Problem(Arms.of(Gaussian(), 3), BestArm(3), Monotone(3))
    assert np.isinf(problem.best_response(2, [1, 1, 1], [0.1, 0.2, 0.3]).value[0])
    assert problem.best_response(0, [1, 1, 1], [0.3, 0.2, 0.1]).value[0] > 0


def test_a_structure_never_lowers_the_value():
    rng = np.random.default_rng(5)
    for name in ("unimodal-best-arm", "lipschitz-line"):
        problem = build(name, 5, Gaussian(), rng)["special"]
        free = Problem(problem.arms, problem.query, Unstructured(5))
        for _ in range(3):
            mu = problem.project(np.ones((1, 5)), rng.uniform(0.1, 0.9, (1, 5)))
            assert problem.equilibrium(mu).value[0] >= free.equilibrium(mu).value[0] * (1 - 1e-9)
