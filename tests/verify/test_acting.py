"""What claims about actions are checked on: the runs of `simulate`, and what follows from them, by hand."""

import numpy as np
import pytest

from purex import simulate
from purex.verify.acting import INSTANCES, acting_trajectories
from purex.verify.trajectory import Never


@pytest.mark.parametrize("where", INSTANCES, ids=lambda where: where.actions.split("(")[0])
def test_they_are_the_runs_of_simulate(where):
    problem, rounds = where.problem, 60
    paths = acting_trajectories(where, "D-C", rounds, 2, seed=5)
    runs = simulate(
        problem, where.means, "D-C", 0.1, runs=2, seed=5, threshold=Never(problem.n_arms), max_rounds=rounds,
        statistic="projected", clip=where.box,
    )  # fmt: skip
    for r, path in enumerate(paths):
        last = runs.counts[0, r] - path.pulls[-1]
        assert sorted(last) == [0] * (len(last) - 1) + [1]
        assert path.pulls[-1] @ path.observes == pytest.approx(path.N[-1])
        assert (path.pulls.sum(axis=1) == path.n).all()


def test_shares_rewards_and_gains_by_hand():
    """Two of three arms at once for 1, one for 3 and one for 2/5: of the third instance."""
    path = acting_trajectories(INSTANCES[2], "D-C", 80, 1, seed=6)[0]
    s = 40
    p, U = path.p[s], path.U[s]
    cost = np.array([1.0, 3.0, 0.4, 2.0]) / 0.4
    assert p.sum() == pytest.approx(1)
    assert path.w[s] == pytest.approx(p * cost / (p @ cost))
    assert path.v[s] == pytest.approx([p[0] + p[2], p[0] + p[1], p[1] + p[3]])
    expected = (p @ cost) * np.array([U[0] + U[1], U[1] + U[2], U[0], U[2]]) / cost
    assert path.gains(path.w[s : s + 1], np.array([s]))[0] == pytest.approx(expected)


@pytest.mark.parametrize("where", INSTANCES, ids=lambda where: where.actions.split("(")[0])
def test_the_rule_is_fed_these_gains(where):
    """AdaHedge on the gains as they are computed here plays what was played."""
    path = acting_trajectories(where, "D-C(gap=0)", 120, 1, seed=7)[0]
    for played, again in zip(path.k_learners(), path.replayed(), strict=True):
        np.testing.assert_allclose(again.w, played.w, rtol=1e-6, atol=1e-9)
