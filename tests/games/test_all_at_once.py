"""Games whose pieces answer all at once: against the solver that goes piece by piece, and against cvxpy.

The referee knows the declaration of query and structure alone.
"""

import itertools

import numpy as np
import pytest

from purex.families import Arms, Bernoulli, Exponential, Gaussian, Poisson
from purex.games import solve_game
from purex.games.all_at_once import AllAtOnce
from purex.games.balance import balanced
from purex.games.opponent import PieceByPiece
from purex.problem import Problem, game_oracles
from purex_plugins.best_arm import BestArm
from purex_plugins.closest_to import ClosestTo
from purex_plugins.linear import Linear
from purex_plugins.lipschitz import Lipschitz
from purex_plugins.minimum_threshold import MinimumThreshold
from purex_plugins.thresholding import Thresholding
from purex_plugins.top_m import TopM
from purex_plugins.unimodal import Unimodal

FAMILIES = [Gaussian(), Bernoulli(), Poisson(), Exponential()]


def queries(K):
    """The queries without a structure."""
    yield BestArm(K)
    yield Thresholding(K, threshold=0.5)
    yield MinimumThreshold(K, threshold=0.5)
    if K > 2:
        yield TopM(K, m=2)


def unstructured():
    """Random means, some of them nearly or exactly tied, in all families and sizes."""
    rng = np.random.default_rng(19)
    for K, family in itertools.product((2, 5, 12), FAMILIES):
        for query in queries(K):
            mu = rng.uniform(0.1, 0.9, K)
            yield Problem(Arms.of(family, K), query), mu
            close = mu.copy()
            close[mu.argmin()] = mu.max() - 1e-6  # 1e-6 behind the best arm
            yield Problem(Arms.of(family, K), query), close
            if K > 3:
                tied = mu.copy()
                tied[np.argsort(mu)[0]] = tied[np.argsort(mu)[1]]
                yield Problem(Arms.of(family, K), query, box=(0.05, 0.95)), tied
    for K in (3, 6):
        kinds = Arms([FAMILIES[k % 3] if k % 2 else Gaussian(0.5 + k) for k in range(K)])
        for query in (*queries(K), ClosestTo(K, threshold=0.5)):
            for _ in range(3):
                yield Problem(kinds, query), rng.uniform(0.1, 0.9, K)


def structured():
    """Models of structures."""
    rng = np.random.default_rng(20)
    for K in (3, 8):
        for family in FAMILIES[:3]:
            arms, x = Arms.of(family, K), np.sort(rng.uniform(0, 1, K))
            mu = 0.5 + 0.3 * np.cos(3 * x + rng.uniform(0, 3))
            for constant in (0.9, 2.0):
                yield Problem(arms, BestArm(K), Lipschitz(K, constant, points=list(x))), mu
            plane = rng.uniform(0, 1, (K, 2))
            yield Problem(arms, BestArm(K), Lipschitz(K, 0.5, points=plane.tolist())), 0.3 + 0.3 * plane[:, 0]
        for family in FAMILIES[1:]:
            mu, mode = rng.uniform(0.1, 0.8, K), int(rng.integers(K))
            mu = np.concatenate([np.sort(mu[:mode]), [0.85], np.sort(mu[mode + 1 :])[::-1]])
            yield Problem(Arms.of(family, K), BestArm(K), Unimodal(K)), mu
        X = rng.normal(size=(K, 2))
        arms = Arms([Gaussian(v) for v in rng.choice([1.0, 3.0], K)])
        for query in (BestArm(K), TopM(K, m=2), Thresholding(K, threshold=0.1)):
            yield Problem(arms, query, Linear(K, X)), X @ rng.normal(size=2)


def compare(problem, mu):
    """Both ways, with both sides of the certificate."""
    i = int(problem.answer(mu)[0])
    quick = problem.game._all_at_once(i, mu)
    slow = solve_game(problem.game.pieces.solvers(i), problem.arms, mu)
    if quick is None:  # left to the other solver
        return False
    # values of means 1e-6 apart have ten digits less than the means
    spread = np.sort(np.abs(mu - mu.max()))[1]
    rounding = 1e-15 * np.abs(mu).max() / max(spread, 1e-12)
    assert quick.value[0] == pytest.approx(slow.value[0], rel=1e-9 + slow.gap[0] + 10 * rounding)
    assert quick.gap[0] <= game_oracles.UNSURE
    w, q = quick.allocation[0], quick.mixture[0]
    assert w.sum() == pytest.approx(1.0, abs=1e-12)
    if quick.value[0] > 0:
        worth = PieceByPiece(problem.game.pieces.solvers(i), problem.arms, mu).respond(w).value.min()
        assert quick.value[0] == pytest.approx(worth, rel=1e-9 + 10 * rounding)
        upper = sum(p * problem.arms.d(mu, point) for p, point in zip(q.weights, q.points, strict=True)).max()
        assert quick.gap[0] == pytest.approx(abs(1 - quick.value[0] / upper), abs=1e-12)
        assert 1 <= len(q.weights) <= len(mu)
        cells, pieces = problem.structure.cells(), problem.query.alternatives(i)
        for number, point in zip(q.pieces, q.points, strict=True):
            piece, cell = divmod(int(number), len(cells))
            assert pieces[piece].contains(point, 1e-9)
            assert cells[cell].contains(point, 1e-9)
    return True


def test_the_same_game_as_piece_by_piece():
    done = [compare(problem, mu) for problem, mu in unstructured()]
    assert np.mean(done) > 0.95  # so it is not left to the other solver


def test_the_same_game_under_a_structure():
    assert all(compare(problem, mu) for problem, mu in structured())


@pytest.mark.parametrize("case", range(0, 30, 6))
def test_against_cvxpy(case):
    """Another solver finds the value as the best response to the allocation, and no more for others."""
    problem, mu = list(structured())[case]
    i = int(problem.answer(mu)[0])
    quick = problem.game._all_at_once(i, mu)
    referee = Problem(problem.arms, problem.query, problem.structure, oracle="cvxpy")
    worth = referee.best_response(i, quick.allocation, mu).value[0]
    assert quick.value[0] == pytest.approx(worth, rel=1e-5)
    rng = np.random.default_rng(case)
    other = 0.9 * quick.allocation[0] + 0.1 * rng.dirichlet(np.ones(len(mu)), 3)
    codes = np.full(3, i)
    assert (referee.best_response(codes, other, np.tile(mu, (3, 1))).value <= worth * (1 + 1e-5)).all()


def test_derivatives_are_those_of_finite_differences():
    """How payoffs bend, against differences of the answers of the other opponent."""
    rng = np.random.default_rng(3)
    cases = [
        *list(structured())[::3],
        (Problem(Arms.of(Bernoulli(), 5), ClosestTo(5, threshold=0.5)), np.array([0.2, 0.45, 0.6, 0.7, 0.9])),
        (Problem(Arms([Bernoulli(), Gaussian(), Poisson()]), BestArm(3)), np.array([0.2, 0.45, 0.6])),
    ]
    for problem, mu in cases:
        i = int(problem.answer(mu)[0])
        quick = AllAtOnce(problem.game._special["pieces"](i, mu), problem.arms, mu)
        w = rng.dirichlet(5 * np.ones(len(mu)))
        q = rng.dirichlet(np.ones(quick.n_pieces))
        everything = np.arange(quick.n_pieces)
        bend = quick.look(w, everything)[1](q)
        step = 1e-6
        for l in range(len(mu)):
            up, down = w.copy(), w.copy()
            up[l], down[l] = w[l] * (1 + step), w[l] * (1 - step)
            change = q @ (quick.respond(up).d[:, 0] - quick.respond(down).d[:, 0]) / (2 * step)
            assert bend[:, l] == pytest.approx(change, rel=1e-4, abs=1e-6 * np.abs(bend).max())


def test_a_thousand_arms():
    """Both sides of the certificate, written out: $q_j = D/d(mu_j, m_j)$ and every arm earns D."""
    mu = np.random.default_rng(1).uniform(0.1, 0.9, 1000)
    problem = Problem(Arms.of(Bernoulli(), 1000), BestArm(1000))
    found = problem.equilibrium(mu)
    i, w, D = int(mu.argmax()), found.allocation[0], found.value[0]
    rivals = np.delete(np.arange(1000), i)
    m = (w[i] * mu[i] + w[rivals] * mu[rivals]) / (w[i] + w[rivals])
    d = Bernoulli().d
    costs = w[i] * d(mu[i], m) + w[rivals] * d(mu[rivals], m)
    assert costs.min() == pytest.approx(D, rel=1e-9)
    q = D / d(mu[rivals], m)
    assert q.sum() == pytest.approx(1.0, rel=1e-9)
    assert np.sum(q * d(mu[i], m)) == pytest.approx(D, rel=1e-9)
    assert found.mixture[0].weights == pytest.approx(q, rel=1e-6)
    assert found.gap[0] <= 1e-9


def test_several_rows():
    """Rows of one batch, of other answers, are solved each by itself."""
    problem = Problem(Arms.of(Gaussian(), 4), BestArm(4))
    mu = np.array([[1.0, 0.85, 0.8, 0.7], [0.7, 0.8, 0.85, 1.0], [0.2, 0.2, 0.1, 0.0]])
    found = problem.equilibrium(mu)
    assert found.value[:2] == pytest.approx(0.0022228662, rel=1e-7)
    assert found.allocation[1] == pytest.approx(found.allocation[0][::-1], rel=1e-9)
    assert found.value[2] == 0.0
    for r in range(3):
        alone = problem.equilibrium(mu[r])
        assert alone.value[0] == found.value[r]
        assert (alone.allocation[0] == found.allocation[r]).all()


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_no_unit_matters(unit):
    """Means in another unit: the same allocation and gap, the value times the square."""
    x = np.array([0.0, 0.3, 0.5, 0.9, 1.4])
    mu = np.array([0.4, 0.6, 0.7, 0.5, 0.3])
    for structure, other in (
        (Lipschitz(5, 1.0, points=x.tolist()), Lipschitz(5, unit, points=x.tolist())),
        (Unimodal(5), Unimodal(5)),
        (None, None),
    ):
        one = Problem(Arms.of(Gaussian(), 5), BestArm(5), structure).equilibrium(mu)
        two = Problem(Arms.of(Gaussian(), 5), BestArm(5), other).equilibrium(unit * mu)
        assert two.value[0] / unit**2 == pytest.approx(one.value[0], rel=1e-9)
        assert two.allocation[0] == pytest.approx(one.allocation[0], rel=1e-6, abs=1e-9)
        assert two.gap[0] <= 1e-9


def test_mixtures_follow_arm_by_arm_or_not_at_all():
    """A chain of pieces is settled from its ends; a cycle of four is not."""
    chain = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 4.0]])
    w = np.array([0.5, 0.25, 0.1875])
    q = balanced(w, chain)
    assert q is not None
    assert (q @ chain)[[0, 2]] == pytest.approx((q @ chain)[0])
    cycle = np.array([[1.0, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]])
    assert balanced(np.full(4, 0.25), cycle) is None
