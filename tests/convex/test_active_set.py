"""The compiled solvers of general rows against rational arithmetic, DAQP and the numpy form of Newton."""

from fractions import Fraction
from itertools import combinations

import mpmath
import numpy as np
import pytest

from purex.convex import Piece, PieceSolver
from purex.convex.arguments import INFEASIBLE, MEAN, SOLVED, Costs, Domains, Feasible
from purex.convex.kernels.active_set import Space, active_set, project_row, project_rows
from purex.convex.kernels.newton import minimise_rows
from purex.convex.qp import project, project_by_daqp
from purex.families import Arms, Bernoulli, Exponential, Gaussian, Poisson
from purex.model import Polyhedron


def projected(c, z, A, b, equality, lower, upper):
    """The compiled projections of rows c, z (R, n), and what became of them."""
    low, high = (np.array(np.broadcast_to(bound, z.shape)) for bound in (lower, upper))
    points, status = np.empty(z.shape), np.empty(len(z), dtype=np.int64)
    project_rows(c, z, Feasible(A, b, equality, low, high), points, status)
    return points, status


def solve_exactly(matrix, right):
    """Gaussian elimination in fractions; None if singular."""
    n = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k in range(n):
        pivot = next((r for r in range(k, n) if rows[r][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for r in range(n):
            if r != k:
                rows[r] = [x - rows[r][k] * y for x, y in zip(rows[r], rows[k], strict=True)]
    return [row[-1] for row in rows]


def exact_minimum(c, z, normals, levels):
    """The least cost over normals @ x <= levels, from all sets of active constraints (positive c)."""
    n, best = len(z), None
    for size in range(n + 1):
        for active in combinations(range(len(normals)), size):
            # x = z - C^-1 N' u and N x = b give (N C^-1 N') u = N z - b
            gram = [
                [sum(a * b / w for a, b, w in zip(normals[i], normals[j], c, strict=True)) for j in active]
                for i in active
            ]
            over = [sum(a * x for a, x in zip(normals[i], z, strict=True)) - levels[i] for i in active]
            u = solve_exactly(gram, over) if active else []
            if u is None:
                continue
            x = [
                z[k] - sum(v * normals[i][k] for v, i in zip(u, active, strict=True)) / c[k] for k in range(n)
            ]
            if all(
                sum(a * y for a, y in zip(row, x, strict=True)) <= b
                for row, b in zip(normals, levels, strict=True)
            ):
                cost = sum(w * (y - s) ** 2 for w, y, s in zip(c, x, z, strict=True))
                best = cost if best is None or cost < best else best
    return best


def test_extreme_weights_against_rational_arithmetic():
    """Weights down to 1e-36 of the largest: the cost is right to 1e-12 relative, in fractions."""
    rng = np.random.default_rng(0)
    compared = 0
    for _ in range(12):
        n, m = 3, 2
        A = rng.integers(-3, 4, (m, n)) / 1.0
        b = A @ np.full(n, 0.5) - rng.integers(0, 3, m) / 8
        z, c = rng.integers(0, 9, n) / 8, 10.0 ** -rng.integers(0, 37, n).astype(float)
        lower, upper = np.full(n, 0.0625), np.full(n, 0.9375)
        (x,), (status,) = projected(c[None], z[None], A, b, np.zeros(m, dtype=bool), lower, upper)
        eye = np.eye(n)
        normals = [[Fraction(v) for v in row] for row in np.vstack([A, eye, -eye])]
        levels = [Fraction(v) for v in np.concatenate([b, upper, -lower])]
        weights, point = [Fraction(v) for v in c], [Fraction(v) for v in z]
        best = exact_minimum(weights, point, normals, levels)
        assert (status == SOLVED) == (best is not None)
        if best is not None:
            cost = sum(w * (Fraction(y) - s) ** 2 for w, y, s in zip(weights, x.tolist(), point, strict=True))
            assert abs(cost - best) <= Fraction(1e-12) * best + Fraction(1e-30) * max(weights)
            compared += 1
    assert compared > 6


@pytest.mark.parametrize(("n", "m"), [(2, 1), (5, 3), (10, 18)])
def test_the_compiled_projection_against_daqp(n, m):
    rng = np.random.default_rng([n, m])
    A = rng.normal(size=(m, n))
    b = A @ rng.uniform(0.3, 0.7, n) - 0.1 * rng.random(m)
    equality = np.arange(m) == 0
    c = rng.exponential(size=(100, n)) * 10.0 ** rng.integers(-6, 1, (100, n))
    c[rng.random(c.shape) < 0.2] = 0
    c[0] = 0
    z = rng.uniform(-0.2, 1.2, (100, n))
    box = np.full(n, 0.01), np.full(n, 0.99)
    x, found = project(c, z, A, b, equality, *box)
    y, also = project_by_daqp(c, z, A, b, equality, *box)
    assert (found == also).all()
    over = np.einsum("mk,rk->rm", A, x) - b
    over = np.where(equality, np.abs(over), over)
    assert np.all(over[found] <= 1e-12)
    assert np.all((box[0] <= x[found]) & (x[found] <= box[1]))
    value, other = ((c * (p - z) ** 2).sum(axis=1)[found] for p in (x, y))
    top = c.max(axis=1)[found]
    assert np.all(np.abs(value - other) <= 1e-7 * np.maximum(value, other) + 1e-13 * top)


def test_contradictions_and_redundant_equations():
    free = np.full(2, -np.inf), np.full(2, np.inf)
    twice = np.array([[1.0, 1.0], [2.0, 2.0]])
    both = np.array([True, True])
    one, zero = np.ones((1, 2)), np.zeros((1, 2))
    x, status = projected(one, zero, twice, np.array([1.0, 2.0]), both, *free)
    assert status.tolist() == [SOLVED]
    np.testing.assert_allclose(x, [[0.5, 0.5]], rtol=1e-14)
    _, status = projected(one, zero, twice, np.array([1.0, 3.0]), both, *free)
    assert status.tolist() == [INFEASIBLE]


def test_a_row_does_not_depend_on_its_batch():
    rng = np.random.default_rng(1)
    A, b, equality = rng.normal(size=(3, 6)), np.zeros(3), np.array([True, False, False])
    c, z = rng.exponential(size=(50, 6)), rng.normal(size=(50, 6))
    free = np.full(6, -np.inf), np.full(6, np.inf)
    whole, _ = projected(c, z, A, b, equality, *free)
    for r in range(50):
        alone, _ = projected(c[r : r + 1], z[r : r + 1], A, b, equality, *free)
        assert np.array_equal(alone[0], whole[r])


@pytest.mark.parametrize(
    ("family", "coordinates"),
    [(Bernoulli(), "mean"), (Poisson(), "mean"), (Bernoulli(), "log"), (Exponential(), "log")],
    ids=lambda x: getattr(x, "name", x),
)
def test_compiled_newton_against_numpy(family, coordinates):
    """The same method twice, and a harsher draw than cvxpy can referee: 1e-9 relative in value."""
    rng = np.random.default_rng(2)
    arms = Arms.of(family, 6)
    A = np.array([[1, -1, 0, 0, 1, -1], [0, 1, 1, -1, -1, 0]], dtype=float)
    cell = Polyhedron(A_eq=A, b_eq=np.zeros(2), coordinates=coordinates)
    piece = Piece.of(arms, [cell, Polyhedron.order(6, low=0, high=3)], -np.inf, np.inf)
    solver = PieceSolver(piece, "newton")
    mu = rng.uniform(0.02, 0.98, (80, 6))
    w = rng.exponential(size=mu.shape) * 10.0 ** rng.integers(-5, 1, mu.shape)
    w[rng.random(w.shape) < 0.2] = 0
    point, found = solver.minimise(w, mu)
    other, also = solver._newton_in_numpy(
        w, mu, *(np.broadcast_to(x, mu.shape) for x in (piece.lower, piece.upper))
    )
    assert found.all()
    assert also.all()
    value, referee = arms.cost(w, mu, point), arms.cost(w, mu, other)
    top = w.max(axis=1)
    assert np.all(np.abs(value - referee) <= 1e-9 * np.maximum(value, referee) + 1e-14 * top)


def exact_sum(family, w, mu, level):
    """The least cost of bringing the sum of the means down to a level, in 40 digits.

    Where the sum binds, w_k (mu_k - lam_k) / V(lam_k) = nu for all arms: lam_k is a root of an equation of
    first (Poisson) or second degree (Bernoulli), and nu is found by bisection in its logarithm.
    """
    with mpmath.workdps(40):
        w, mu = [mpmath.mpf(float(x)) for x in w], [mpmath.mpf(float(x)) for x in mu]

        def lam(nu):
            if family.kind == "poisson":
                return [a * m / (a + nu) for a, m in zip(w, mu, strict=True)]
            # nu lam^2 - (w + nu) lam + w mu = 0, the root below mu
            return [
                2 * a * m / (a + nu + mpmath.sqrt((a + nu) ** 2 - 4 * nu * a * m))
                for a, m in zip(w, mu, strict=True)
            ]

        low, high = mpmath.mpf(-60), mpmath.mpf(60)
        for _ in range(140):
            middle = (low + high) / 2
            low, high = (middle, high) if sum(lam(mpmath.e**middle)) > level else (low, middle)
        cost = mpmath.mpf(0)
        for a, m, x in zip(w, mu, lam(mpmath.e**low), strict=True):
            if family.kind == "poisson":
                cost += a * (x - m + m * mpmath.log(m / x))
            else:
                cost += a * (m * mpmath.log(m / x) + (1 - m) * mpmath.log((1 - m) / (1 - x)))
        return cost


@pytest.mark.parametrize("family", [Bernoulli(), Poisson()], ids=lambda family: family.name)
def test_newton_goes_on_until_the_value_is_exact(family):
    """To 1e-12 in 40 digits, where arms of tiny weight hang at the edge and convergence is slow at first."""
    rng = np.random.default_rng(6)
    arms, level = Arms.of(family, 3), 0.3
    piece = Piece.of(arms, [Polyhedron(np.ones((1, 3)), [level])], -np.inf, np.inf)
    solver = PieceSolver(piece, "newton")
    mu = rng.uniform(0.15, 0.95, (60, 3))
    w = rng.exponential(size=mu.shape) * 10.0 ** rng.integers(-7, 1, mu.shape)
    ends = (np.broadcast_to(x, mu.shape) for x in (piece.lower, piece.upper))
    for point, found in (solver.minimise(w, mu), solver._newton_in_numpy(w, mu, *ends)):
        assert found.all()
        assert (point.sum(axis=1) <= level * (1 + 1e-14)).all()
        value = arms.cost(w, mu, point)
        for r in range(len(mu)):
            exact = exact_sum(family, w[r], mu[r], level)
            assert abs(mpmath.mpf(float(value[r])) / exact - 1) < 1e-12


@pytest.mark.parametrize(("n", "equalities", "others"), [(4, 3, 0), (7, 3, 3), (6, 0, 5)])
def test_a_warm_start_from_the_solution_stays_there(n, equalities, others):
    """No constraint of the right active set is dropped to come in again; wrong starts lead to the same point.

    A constraint that came in again would be the last one, and an equality that came in from below, as most
    do here, would have the sign -1.
    """
    m, rng = equalities + others, np.random.default_rng([n, others])
    equality, free = np.arange(m) < equalities, (np.full(n, -np.inf), np.full(n, np.inf))

    def solved(c, z, A, b, start):
        vectors, V, R = (np.full(shape, np.nan) for shape in ((8, m + n + 1), (n, n), (n, n)))
        space, x = Space(np.full(m + 4 * n + 1, -9), vectors, V, R), np.empty(n)
        factors = active_set.py_func(m, n, space).factors
        factors.active[: len(start)] = start
        # A with gaps, as in a stack of pieces: the kernel is compiled for that
        A = np.hstack([A, A])[:, :n]
        a, status = project_row(c, z, Feasible(A, b, equality, *free), len(start), space, x)
        assert status == SOLVED
        return x, factors.active[:a].tolist(), factors.sign[:a].tolist()

    several = below = 0
    for _ in range(30):
        A, z, c = rng.normal(size=(m, n)), rng.normal(size=n), rng.exponential(size=n)
        b = A @ z + np.where(equality, 1.0, -1.0) * rng.uniform(0.5, 1.5, m)
        cold, active, signs = solved(c, z, A, b, [])
        below += signs.count(-1.0)
        tolerance = 1e-12 * (1 + np.abs(cold).max())
        for start in (active, active[::-1], [*active[1:], active[0]]):
            x, kept, signs = solved(c, z, A, b, start)
            assert kept == start
            assert signs == [1.0] * len(start)
            np.testing.assert_allclose(x, cold, rtol=0, atol=tolerance)
        for start in (list(range(min(m, n))), active[:1], [p for p in range(m) if p not in active]):
            x, kept, _ = solved(c, z, A, b, start)
            assert sorted(kept) == sorted(active)
            np.testing.assert_allclose(x, cold, rtol=0, atol=tolerance)
        several += len(active) > 2
    assert several > 5
    assert below >= 30 * (equalities > 0)


def test_newton_leaves_a_mean_in_the_piece_where_it_is():
    arms = Arms.of(Bernoulli(), 2)
    costs = Costs(np.ones((1, 2)), np.array([[0.3, 0.7]]), np.array(arms.codes), np.array(arms.parameters))
    domains = Domains(np.array(arms.lower_ends), np.array(arms.upper_ends))
    feasible = Feasible(np.ones((1, 2)), np.ones(1), np.array([True]), np.zeros((1, 2)), np.ones((1, 2)))
    points, status = np.empty((1, 2)), np.empty(1, dtype=np.int64)
    minimise_rows(costs, domains, feasible, MEAN, points, status)
    assert status.tolist() == [SOLVED]
    assert points.tolist() == [[0.3, 0.7]]


def test_ten_gaussian_arms_take_microseconds():
    """2 us a row when measured; the bound only catches a fall back to a Python loop per row."""
    import time

    rng = np.random.default_rng(4)
    arms = Arms.of(Gaussian(), 10)
    cell = Polyhedron(A_eq=np.ones(10), b_eq=1.0)
    solver = PieceSolver(Piece.of(arms, [cell, Polyhedron.order(10, low=0, high=1)], -np.inf, np.inf))
    w, mu = rng.exponential(size=(2000, 10)), rng.normal(size=(2000, 10))
    solver.minimise(w, mu)
    start = time.process_time()
    solver.minimise(w, mu)
    assert (time.process_time() - start) / 2000 < 20e-6
