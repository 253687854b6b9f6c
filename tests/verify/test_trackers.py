"""The trackers and learners that claims are tried on, against small cases by hand."""

import math

import numpy as np
import pytest

from purex.learners import adahedge
from purex.verify import instance, trajectories
from purex.verify.learning import ADVERSARIES, adahedge_against, least_losses
from purex.verify.trackers import follow, harmonic, harmonic_adversary, ratio_adversary


@pytest.mark.parametrize(("K", "reached"), [(2, 0.999), (3, 1.998), (5, 3.996), (10, 8.991)])
def test_the_ratio_adversary_reaches_what_the_theory_says(K, reached):
    assert -follow(ratio_adversary(K), "ratio").deviation[-1].min() == pytest.approx(reached, abs=1e-9)


@pytest.mark.parametrize("K", [2, 3, 7, 20])
def test_the_harmonic_adversary(K):
    walk = follow(harmonic_adversary(K), "difference")
    assert -walk.deviation.min() == pytest.approx(sum(1 / j for j in range(2, K + 1)), rel=1e-12)
    assert harmonic(K) <= math.log(K)


def test_following_by_hand():
    walk = follow(np.array([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]]), "ratio")
    # ratios 1/1.9 and 1/1.1: arm 0; 2/2.8 and 1/1.2: arm 0; 3/2.9 and 1/2.1: arm 1
    assert walk.N.tolist() == [[1, 1], [2, 1], [3, 1], [3, 2]]
    assert np.allclose(walk.W[-1], [2.9, 2.1])


def test_regret_and_bound_of_adahedge():
    played = adahedge_against(ADVERSARIES["switch"], 3, 200, np.random.default_rng(1))
    t = 150
    regret = played.gains[:t].sum(axis=0).max() - (played.w[:t] * played.gains[:t]).sum()
    assert played.regret[t - 1] == pytest.approx(regret)
    assert played.adahedge_bound[t - 1] == pytest.approx(adahedge.regret_bound(played.scales[:t], 3))


def test_least_losses_against_brute_force():
    where, rng = instance("B5"), np.random.default_rng(2)
    mu = rng.uniform(0.1, 0.9, (12, 5))
    w = rng.dirichlet(np.ones(5), 12)
    found = least_losses(where.problem, where.answer, w, mu)
    for j in range(1, 5):  # the best common mean of arms 0 and j, on a fine grid
        grid = np.linspace(0.05, 0.95, 20001)
        family = where.problem.arms.families[0]
        total = sum(w[s, k] * family.d(mu[s, k], grid) for s in range(12) for k in (0, j))
        others = [k for k in range(1, 5) if k != j]
        rest = sum(min(sum(w[s, k] * family.d(mu[s, k], grid) for s in range(12))) for k in others)
        best = total.min() + rest
        centre = (w * mu).sum(axis=0) / w.sum(axis=0)
        if centre[j] <= centre[0]:
            assert found[-1] <= best + 1e-9


def test_traces_of_a_batch_are_those_of_single_runs():
    from purex.engine import simulate

    where = instance("MT")
    for rule in ("D-C", "FTPL(samples=3)", "OGD"):
        together = simulate(where.problem, where.mu, rule, 0.1, runs=4, seed=3, trace=4, max_rounds=60)
        for r, trace in enumerate(together.traces):
            tau = together.tau[0, r]
            assert len(trace.get("n", ())) == tau - 2
            if not trace:
                continue
            assert (trace["N"][-1] + np.eye(2)[trace["arm"][-1]] == together.counts[0, r]).all()
            sums = np.cumsum(np.eye(2)[trace["arm"]] * trace["reward"][:, None], axis=0)
            raw = (trace["mean"][0] + sums) / (1 + np.cumsum(np.eye(2)[trace["arm"]], axis=0))
            assert np.allclose(trace["mean"][1:], raw[:-1])
            assert np.allclose(trace["after"]["mean"], raw[-1])
            if rule != "D-C":
                assert all(np.isclose(p.sum(), 1) for p in trace.get("weights", []))


@pytest.mark.parametrize("rule", ["D-C(bonus='lambert')", "FTPL(bonus='lambert', samples=5)", "OGD"])
def test_gains_are_those_that_the_rule_saw(rule):
    from purex.engine import simulate
    from purex.engine.trace import Recorder
    from purex.run_state import GAIN_ALPHA, SUM_ALPHA

    where = instance("G4")
    path = trajectories(where, rule, 40, 1, 5)[0]
    if rule == "OGD":  # a rule in numpy keeps no gains: its arm is the one with the largest
        assert (np.argmax(path.U, axis=1) == path.arm).all()
        return
    seen, note = [], Recorder.note_pull

    def record(self, batch, rows):
        row = SUM_ALPHA if rule.startswith("FTPL") else GAIN_ALPHA
        seen.append(batch.table[rows[0], row].copy())
        note(self, batch, rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Recorder, "note_pull", record)
        simulate(where.problem, where.mu, rule, 1e-9, runs=1, seed=5, trace=1, max_rounds=40)
    assert np.allclose(path.U, np.array(seen), rtol=1e-9)
