"""Compiled oracles of queries beyond the paper's: against closed forms in numpy and the generic solvers."""

import numpy as np
import pytest

from purex.engine import simulate
from purex.families import Arms, Bernoulli, Exponential, Gaussian, Geometric, Poisson
from purex.families.arm import Arm
from purex.plugins import build
from purex.problem import Problem
from purex_plugins.line_kernels import Line, on_line
from tests.shipped.instances import draw

CONVEX = (Gaussian(0.5), Bernoulli(), Poisson())
ALL = (*CONVEX, Exponential(), Geometric())
QUERIES = {
    "closest-to(threshold=0.5)": CONVEX,
    "closest-to(threshold=0.4)": CONVEX,
    "good-arm(threshold=0.5)": ALL,
    "beats-control": ALL,
    "beats-control(epsilon=0.1)": CONVEX,
    "beats-control(epsilon=-0.1)": CONVEX,
    "ranking": ALL,
    "ranking(m=2)": ALL,
    "constrained-best-arm(threshold=0.5)": ALL,
    "pareto-set": ALL,
    "pareto-set(objectives=3)": ALL,
}
SIZES = {  # numbers of arms where not all are possible
    "constrained-best-arm(threshold=0.5)": (2, 6),
    "pareto-set": (4, 8),
    "pareto-set(objectives=3)": (3, 9),
}
CASES = [(query, family) for query, families in QUERIES.items() for family in families]


def ids(value):
    return getattr(value, "name", value)


def levels(query, arms, box=None):
    question = build("query", query, n_arms=arms.n_arms)
    return [Problem(arms, question, box=box, oracle=level) for level in ("special", "closed-form", "generic")]


def agree(x, y, w, rtol, floor):
    """Up to rtol, and to a rounding error of means: costs grow like squares, each times a weight."""
    finite = np.isfinite(y)
    assert (np.isfinite(x) == finite).all()
    x, y, top = x[finite], y[finite], w.max(axis=1)[finite]
    off = np.abs(x - y) > rtol * y + np.sqrt(floor * top * y) + floor * top
    assert not off.any(), (x[off][:3], y[off][:3])


def compare(query, arms, box, size):
    rng = np.random.default_rng([arms.n_arms, *query.encode()])
    compiled, numpy, generic = levels(query, arms, box)
    w, xi = draw(rng, arms.families[0], arms.n_arms, size)
    if len(set(arms.kinds)) > 1:
        xi = np.clip(xi, 0.01, 0.99)
    i = numpy.answer(xi if box is None else np.clip(xi, *box))
    i = np.where(rng.random(size) < 0.8, i, rng.permutation(i))  # some answers are wrong
    x, y, z = (problem.oracle(i, w, xi) for problem in (compiled, numpy, generic))
    agree(x.value, y.value, w, 1e-12, 1e-30)
    inner = ((xi > arms.families[0].domain[0]) & (xi < arms.families[0].domain[1])).all(axis=1)
    # Exponential arms tied at a mean of 0, from which divergences are infinite: the tie is in the piece, but
    # no model near it is within reach, and the generic solver takes the nearest that is.
    odd = np.zeros(size, dtype=bool)
    if query.startswith("pareto") and arms.families[0].name == "exponential":
        odd = (xi == 0).sum(axis=1) > 1
    for seen, floor in ((inner, 1e-13), (~inner & ~odd, 1e-11)):  # as in test_queries
        agree(x.value[seen], z.value[seen], w[seen], 1e-7, floor)
    finite = np.isfinite(x.value)
    agree(arms.cost(w, xi, x.point)[finite], x.value[finite], w[finite], 1e-12, 1e-30)
    assert generic.contains(x.point[finite]).all()
    pieces = {int(code): generic.query.alternatives(int(code)) for code in np.unique(i)}
    for r in np.flatnonzero(finite):
        assert pieces[int(i[r])][x.piece[r]].contains(x.point[r][None], 1e-12).all()
    # two pieces may tie up to the last bit of a logarithm, and do where arms meet at an end of the box
    same = x.piece == y.piece
    own = xi if box is None else np.clip(xi, *box)
    apart = np.diff(np.sort(own, axis=1), axis=1).all(axis=1)
    assert (same | ~apart).mean() > 0.95
    assert np.isclose(x.point[same], y.point[same], rtol=1e-12, atol=0).mean() > 0.99
    alone = [compiled.oracle(i[r : r + 1], w[r : r + 1], xi[r : r + 1]) for r in range(0, size, 7)]
    for r, row in zip(range(0, size, 7), alone, strict=True):
        assert (row.value[0], row.piece[0]) == (x.value[r], x.piece[r])
        np.testing.assert_array_equal(row.point[0], x.point[r])


def everyday_or_full():
    """Each case compiles: coins without bounds and Gaussian arms in a box every day, the others in full."""
    for query, family in CASES:
        for box in (None, (0.2, 0.8)):
            everyday = family.name == ("bernoulli" if box is None else "gaussian(variance=0.5)")
            marks = () if everyday else pytest.mark.full
            name = f"{query}-{family.name}-{'free' if box is None else 'box'}"
            yield pytest.param(query, family, box, marks=marks, id=name)


@pytest.mark.parametrize(("query", "family", "box"), list(everyday_or_full()))
def test_compiled_numpy_and_generic_agree(query, family, box):
    for K in SIZES.get(query, (2, 5)):
        compare(query, Arms.of(family, K), box, 150)


@pytest.mark.full
@pytest.mark.parametrize("box", [None, (0.2, 0.8)], ids=["free", "box"])
@pytest.mark.parametrize(("query", "family"), CASES, ids=ids)
def test_compiled_numpy_and_generic_agree_on_more(query, family, box):
    for K in SIZES.get(query, (2, 3, 4, 7, 12)):
        compare(query, Arms.of(family, K), box, 3000)


MIXED = ["closest-to(threshold=0.5)", "constrained-best-arm(threshold=0.5)", "pareto-set(objectives=3)"]
ONE_KIND = ["pareto-set"]  # within each objective; of every third arm three objectives have it


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(query, marks=() if query in MIXED else pytest.mark.full)
        for query in QUERIES
        if query not in ONE_KIND
    ],
)
def test_arms_of_different_families_and_variances(query):
    for K in SIZES.get(query, (2, 5))[-1:]:
        compare(query, Arms([(Bernoulli(), Gaussian(0.3), Poisson())[k % 3] for k in range(K)]), None, 150)
        compare(query, Arms([Gaussian(0.2 + k) for k in range(K)]), (0.2, 0.8), 150)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("first", CONVEX, ids=ids)
@pytest.mark.parametrize("second", CONVEX, ids=ids)
def test_no_place_on_a_line_is_cheaper(first, second, sign):
    """A thousand places on it; ends that the best place lies beyond, and means on the edge of the domain."""
    rng, size = np.random.default_rng(5), 300
    arms = Arms([first, second])
    w, xi = draw(rng, first, 2, size)
    xi = np.clip(xi, *second.domain)
    shift = rng.choice([0.0, 0.1] if sign > 0 else [0.9, 1.0, 1.1], size)
    start, end = (np.zeros(size), 1 - shift) if sign > 0 else (np.maximum(0, shift - 1), np.minimum(1, shift))
    parts = np.sort(rng.choice([0.0, 0.1, 0.3, 0.5, 0.9, 1.0], (size, 2)), axis=1)
    high = end - (1 - parts[:, 1]) * (end - start)
    low = np.minimum(start + parts[:, 0] * (end - start), high)
    x, y, cost = np.empty(size), np.empty(size), np.empty(size)
    for r in range(size):
        a, b = (
            Arm(int(arms.codes[k]), float(arms.scales[k]), float(arms.parameters[k]), w[r, k], xi[r, k])
            for k in (0, 1)
        )
        x[r], y[r], cost[r] = on_line(a, b, w[r].max() or 1.0, Line(sign, shift[r], low[r], high[r]))
    assert ((low <= x) & (x <= high)).all()
    assert (((x == low) | (x == high)) & (low < high)).mean() > 0.1
    np.testing.assert_allclose(y, shift + sign * x, rtol=1e-14, atol=2e-16)
    agree(cost, arms.cost(w, xi, np.stack([x, y], axis=1)), w, 1e-12, 1e-30)
    edge = ((xi == 0) | (xi == 1)).any(axis=1)  # where costs grow with the distance, not with its square
    slack = np.where(edge, 1e-14 * w.max(axis=1), np.sqrt(1e-30 * w.max(axis=1) * cost))
    for t in np.linspace(0, 1, 1000):
        other = low + t * (high - low)
        point = np.clip(np.stack([other, shift + sign * other], axis=1), 0, 1)
        assert (cost <= arms.cost(w, xi, point) * (1 + 1e-12) + slack).all()


@pytest.mark.parametrize("family", ALL, ids=ids)
def test_the_game_of_a_good_arm(family):
    """Against the generic solver; for an answer that is wrong or on the level the value is 0."""
    rng = np.random.default_rng(6)
    compiled, _, generic = levels("good-arm(threshold=0.5)", Arms.of(family, 4))
    mu = rng.uniform(0.1, 0.45, (12, 4)) + rng.choice([0.0, 0.5], (12, 1)) * (rng.random((12, 4)) < 0.5)
    mu[0] = 0.5
    i = np.where(rng.random(12) < 0.8, compiled.answer(mu), rng.integers(-1, 4, 12))
    found, other = (problem.game.max_min(i, mu) for problem in (compiled, generic))
    np.testing.assert_allclose(found.value, other.value, rtol=1e-6)
    np.testing.assert_allclose(found.allocation.sum(axis=1), 1.0, rtol=1e-12)
    worth = generic.oracle(i, found.allocation, mu).value
    np.testing.assert_allclose(worth, found.value, rtol=1e-9)
    assert (found.value > 0).any()
    assert (found.value == 0).any()


RUNS = {  # rule, family, query, means
    "gaussian": ("IDS", "gaussian(variance=0.5)", "closest-to(threshold=0.25)", [-1.2, 0.3, 1.5]),
    "bernoulli": ("D-C", "bernoulli", "closest-to(threshold=0.5)", [0.1, 0.45, 0.95]),
    "mixed": (
        "D-C",
        "gaussian; bernoulli; gaussian(variance=2)",
        "closest-to(threshold=0.5)",
        [-1.2, 0.45, 2.5],
    ),
    "control": ("D-C", "bernoulli", "beats-control(epsilon=0.1)", [0.4, 0.8, 0.1]),
    "ranking": ("D-C", "bernoulli", "ranking", [0.9, 0.5, 0.1]),
    "constrained": ("D-C", "bernoulli", "constrained-best-arm(threshold=0.5)", [0.9, 0.1, 0.3, 0.1]),
    "pareto": ("D-C", "bernoulli", "pareto-set", [0.9, 0.5, 0.3, 0.1]),
}
EVERY_DAY = ["gaussian", "bernoulli", "mixed"]  # each compiles a rule


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in EVERY_DAY else pytest.mark.full) for name in RUNS]
)
def test_runs_are_those_of_the_closed_form(name):
    """Whole compiled rounds against rounds in lock-step around the oracle in numpy."""
    rule, family, query, means = RUNS[name]
    problems = (
        Problem.from_names(family, query, n_arms=len(means), oracle=o) for o in ("special", "closed-form")
    )
    fast, slow = (
        simulate(problem, means, rule, [0.3, 0.1], runs=8, seed=4, max_rounds=200, threshold="stylised")
        for problem in problems
    )
    assert (fast.path, slow.path) == ("compiled", "lock-step")
    for field in ("tau", "answer", "counts", "certified"):
        np.testing.assert_array_equal(getattr(fast, field), getattr(slow, field))
    assert fast.certified.any()
