"""The polish: weights that are tiny but not zero are found, not rounded away."""

import numpy as np
import pytest

from purex.families import Arms, Bernoulli, Gaussian
from purex.games.interior_point import polish
from purex.games.opponent import PieceByPiece
from purex.model import Polyhedron, Query
from purex.problem import Problem
from purex_plugins.best_arm import BestArm
from tests.games.exact_games import check_best_arm


class Row(Query):
    """Is the combination a . mu positive?"""

    def __init__(self, a):
        super().__init__(len(a))
        self.a = np.array(a, dtype=float)

    def answer(self, mu):
        return (np.einsum("rk,k->r", mu, self.a) > 0).astype(np.int64)

    def alternatives(self, i):
        return [Polyhedron(self.a if i else -self.a, 0.0)]


@pytest.mark.parametrize("box", [None, (0.0, 1.0)])
def test_a_weight_of_a_hundred_millionth_is_found(box):
    """Gaussian arms: w* is proportional to |a|. In the box, without its weight arm 2 would cost 2e-8 only."""
    a = np.array([1.0, -1.0, 1e-8])
    problem = Problem(Arms.of(Gaussian(), 3), Row(a), box=box, oracle="generic")
    mu = np.array([0.6, 0.3, 0.5])
    opponent = PieceByPiece(problem.oracle.solvers(1), problem.arms, mu)
    saddle, _ = polish(opponent, np.full(3, 1 / 3), np.ones(1))
    share = np.abs(a) / np.abs(a).sum()
    np.testing.assert_allclose(saddle.w, share, rtol=1e-7)
    assert saddle.lower == pytest.approx((a @ mu) ** 2 / (2 * np.abs(a).sum() ** 2), rel=1e-12)
    assert saddle.gap <= 1e-12


@pytest.mark.parametrize("family", [Gaussian(), Bernoulli()], ids=lambda family: family.name)
@pytest.mark.parametrize("gaps", [[0, 1e-4, 0.3, 0.2], [0, 1e-3, 0.2, 0.1]], ids=str)
def test_far_arms_keep_their_small_shares(family, gaps):
    """Best arm with two arms close and others far: shares down to 3e-8, each right to 1e-10 in 50 digits."""
    mu = 0.7 - np.array(gaps)
    problem = Problem(Arms.of(family, len(mu)), BestArm(len(mu)), oracle="generic")
    found = problem.equilibrium(mu)
    check_best_arm(problem.arms, mu, 0, found.value[0], found.allocation[0])
