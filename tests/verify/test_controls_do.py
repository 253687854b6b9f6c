"""Every control does what its name says: a breach that breaches nothing would prove nothing."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from purex.engine import simulate
from purex.engine.batch import Batch
from purex.plugins import build
from purex.problem import Problem
from purex.run_state import ALPHA, BETA, GAIN_ALPHA, MU, N
from purex.verify import Context, Instance, instance
from purex.verify.claims import oracle_calls, regret, risk, shipped, stopping
from purex.verify.claims.path import UNLUCKY, Set, holds_along, starved
from purex.verify.exceedance import SAMPLING, Data, sample_paths
from purex.verify.learning import ADVERSARIES, CHOICES, adahedge_against, ensemble_against
from purex.verify.path import BAD_LUCK, FLAT, NARROW, OVERCONFIDENT, RANDOM_PULLS, STUCK, WRONG_SIGN, monitor
from purex.verify.path.breach import NONE
from purex.verify.trackers import follow, lazy_puller, random_puller
from purex.verify.trajectory import Never, trajectories

RULE = "D-C(bonus='lambert')"


def watched(name, breach, n=60, runs=3, rule=RULE):
    """A monitored run, and (n, alpha, beta, mean, counts) before, and counts after each of its rounds."""
    seen, where = [], instance(name)

    def look(stage, batch, rows):
        if stage in ("statistic", "pull"):
            table = batch.table[rows]
            seen.append(
                (stage, int(batch.n[rows[0]]), *(table[:, row].copy() for row in (ALPHA, BETA, MU, N)))
            )

    monitored = monitor(
        where.problem, where.mu, rule, checkpoints=(n,), runs=runs, seed=4, breach=breach, also=look
    )
    return monitored, seen


@pytest.mark.parametrize(("breach", "factor"), [(NARROW, 0.002), (OVERCONFIDENT, 1e-5)])
def test_narrow_intervals_are_those_of_a_smaller_bonus(breach, factor):
    assert f"f times {factor:.5f}".rstrip("0") in breach.what
    honest = monitor(instance("MT").problem, instance("MT").mu, RULE, checkpoints=(60,), runs=1)
    monitored, seen = watched("MT", breach)
    assert monitored.theory.f(50) == pytest.approx(factor * honest.theory.f(50), rel=1e-12)
    rounds = [each for each in seen if each[0] == "statistic"]
    assert len(rounds) == 59
    low, high = instance("MT").problem.lower, instance("MT").problem.upper
    for _, n, alpha, beta, mu, counts in rounds:
        radius = np.sqrt(2 * factor * honest.theory.f(n) / counts)  # Gaussian arms: N (x - mu)^2/2 = f
        np.testing.assert_allclose(alpha, np.maximum(mu - radius, low), rtol=1e-9)
        np.testing.assert_allclose(beta, np.minimum(mu + radius, high), rtol=1e-9)


def test_overconfidence_gives_up_starved_arms():
    """What S49's control needs: with f so small, wrong answers go on while every arm has pulls enough."""
    monitored, _ = watched("MT", OVERCONFIDENT, n=300, runs=8)
    assert any(c.state.starved < c.theory.epsilon / 2 for c in monitored.chains)
    honest, _ = watched("MT", NONE, n=300, runs=8)
    assert all(c.state.starved > c.theory.epsilon / 2 for c in honest.chains)


def test_a_flat_constant_is_a_thousandth_of_L():
    monitored, _ = watched("G4", FLAT)
    assert pytest.approx(0.002, rel=1e-12) == monitored.theory.L
    assert monitored.theory.D == 2.0


def pulled(seen):
    """The arm of each round and run after the initial pulls, (rounds, runs)."""
    counts = [each[5] for each in seen if each[0] == "pull"]
    return np.array([np.argmax(after - before, axis=1) for before, after in pairwise(counts)])


def test_a_stuck_tracker_pulls_the_last_arm():
    arms = pulled(watched("G4", STUCK)[1])[3:]
    assert (arms == 3).all()


def test_random_pulls_are_random_and_mostly_the_last():
    arms = pulled(watched("G4", RANDOM_PULLS, n=500, runs=6)[1])[3:]
    share = np.bincount(arms.ravel(), minlength=4) / arms.size
    # 3000 draws with chances 1, 2, 4, 8 of 15: five standard errors are at most 0.046
    np.testing.assert_allclose(share, np.array([1, 2, 4, 8]) / 15, atol=0.046)


@pytest.mark.parametrize("n_actions", [0, 3])
def test_a_learner_with_the_wrong_sign_has_learnt_the_opposite(n_actions):
    K, batch = n_actions or 2, Batch.of(np.arange(2), 2, 1 + (n_actions or 2), n_actions)
    rng = np.random.default_rng(0)
    heard = batch.moves if n_actions else batch.table
    gains = heard[:, GAIN_ALPHA] = rng.random((2, K))
    batch.memory[:] = rng.random(batch.memory.shape)
    before = batch.memory.copy()  # after an honest update, which subtracted the gains
    arms = WRONG_SIGN.tamper(batch, np.arange(2), np.zeros(2, dtype=int), rng)
    np.testing.assert_allclose(batch.memory[:, 0, :K], before[:, 0, :K] + 2 * gains)
    assert (batch.memory[:, 0, K] == before[:, 0, K]).all()
    assert (arms == 0).all()


@pytest.mark.parametrize("name", ["APART", "MT", "P3", "B5"])
def test_bad_luck_is_as_bad_as_the_event_allows(name):
    monitored, seen = watched(name, BAD_LUCK, n=120, runs=2)
    where, theory = instance(name), monitored.theory
    level = theory.f_event(120)
    towards = np.sign(
        where.problem.best_response(where.answer, np.ones_like(where.mu), where.mu).point[0] - where.mu
    )
    free, low, high = 0, where.problem.lower, where.problem.upper
    for _, _, _, _, mu, counts in (each for each in seen if each[0] == "pull" and each[1] > len(where.mu)):
        off = counts * where.problem.arms.d(mu, where.mu)
        assert (off <= level).all()
        assert (np.sign(mu - where.mu) * towards >= 0).all()
        inside = (mu > low + 1e-9 * (high - low)) & (mu < high - 1e-9 * (high - low)) & (towards != 0)
        np.testing.assert_allclose(off[inside], level, rtol=1e-5)
        free += inside.sum()
    assert free > 50
    assert all(chain.on_event for chain in monitored.chains)
    assert monitored.violations() == []
    assert monitored.chains[0].late_wrong_rounds > 0


def data(N_, mean, Z, t=7):
    return Data(t, *(np.array(x, dtype=float) for x in (N_, mean, Z)))


def test_in_turn_is_in_turn():
    problem, mu = Problem.from_names("gaussian", "best-arm", n_arms=3), np.array([0.0, 1.0, 2.0])
    for seen in sample_paths(
        problem, mu, SAMPLING["in turn"], runs=4, horizon=31, rng=np.random.default_rng(0)
    ):
        expected = [(seen.t + 2 - k) // 3 for k in range(3)]
        assert (expected == seen.N).all()


def test_the_adversary_leaves_what_deviates_alone():
    choose = SAMPLING["leaving deviations alone"]
    at = data(np.ones((3, 3)), np.zeros((3, 3)), [[3, 1, 2], [0.1, 5, 0.2], [1, 2, 0]])
    assert choose(at, np.random.default_rng(0)).tolist() == [1, 0, 2]
    problem, mu = Problem.from_names("gaussian", "best-arm", n_arms=3), np.array([0.0, 1.0, 2.0])
    largest = {}
    for name in ("in turn", "leaving deviations alone"):
        most = np.zeros(2000)
        for seen in sample_paths(
            problem, mu, SAMPLING[name], runs=2000, horizon=100, rng=np.random.default_rng(1)
        ):
            most = np.maximum(most, seen.Z.sum(axis=1))
        largest[name] = np.median(most)
    assert largest["leaving deviations alone"] > 1.05 * largest["in turn"]  # it is an adversary


def test_the_runner_up_is_pulled_half_of_the_time_and_else_any():
    R = 6000
    at = data(np.ones((R, 3)), np.tile([0.9, 0.2, 0.5], (R, 1)), np.zeros((R, 3)))
    share = np.bincount(SAMPLING["runner-up"](at, np.random.default_rng(2)), minlength=3) / R
    np.testing.assert_allclose(share, [1 / 6, 1 / 6, 2 / 3], atol=0.03)  # five standard errors


def test_pullers_do_what_they_are_called():
    counts, sums = np.array([5.0, 1.0, 2.0]), np.array([2.0, 2.0, 4.0])
    assert lazy_puller(0, counts, sums) == 0
    arms = [random_puller(np.random.default_rng(s))(0, counts, sums) for s in range(60)]
    assert set(arms) == {0, 1, 2}
    walk = follow(np.eye(2)[np.zeros(30, dtype=int)], "ratio", lambda s, counts, sums: 1)
    assert walk.N[-1].tolist() == [1, 31]


def test_adversaries_of_adahedge():
    rng, w = np.random.default_rng(3), np.array([0.5, 0.1, 0.4])
    assert [int(np.argmax(ADVERSARIES["alternate"](s, w, rng))) for s in range(4)] == [0, 1, 2, 0]
    assert np.argmax(ADVERSARIES["greedy"](0, w, rng)) == 1
    assert ADVERSARIES["constant"](0, w, rng).tolist() == [0, 0, 1]
    assert [int(np.argmax(ADVERSARIES["switch"](s, w, rng))) for s in (0, 1, 3, 7, 100)] == [0, 1, 2, 0, 0]
    sizes = [np.abs([ADVERSARIES["growing"](s, w, rng) for _ in range(200)]).mean() for s in (0, 99)]
    assert sizes[1] == pytest.approx(10 * sizes[0], rel=0.3)
    noise = np.array([ADVERSARIES["noise"](s, w, rng) for s in range(300)])
    assert 0 <= noise.min() < 0.02 < 0.98 < noise.max() <= 1


def test_a_learner_fed_minus_its_gains_flees_the_best_arm():
    played = adahedge_against(ADVERSARIES["constant"], 3, 50, np.random.default_rng(0), sign=-1.0)
    assert played.w[-1, 2] < 1e-6
    honest = adahedge_against(ADVERSARIES["constant"], 3, 50, np.random.default_rng(0))
    assert honest.w[-1, 2] > 1 - 1e-6


def test_choices_of_arms():
    rng, loss = np.random.default_rng(0), np.array([0.1, 0.9, 0.3])
    assert CHOICES["greedy"](0, loss, rng) == 1
    assert [CHOICES["cyclic"](s, loss, rng) for s in range(4)] == [0, 1, 2, 0]
    assert {CHOICES["random"](s, loss, rng) for s in range(50)} == {0, 1, 2}


def test_stubborn_players_lose_all_they_can():
    where = instance("G4")
    ensemble = build("rule", "OGD").ensemble(where.problem)
    losses, _ = ensemble_against(
        where, ensemble, CHOICES["cyclic"], 8, np.random.default_rng(0), stubborn=True
    )
    np.testing.assert_allclose(losses, 2.0)  # d(0, 2) at the two ends of the box
    found = regret.stubborn_leader(Context())
    assert not found.passed


def test_second_movers_that_move_wrongly():
    path = trajectories(instance("G4"), regret.ADAHEDGE, 60, 1, 0)[0]
    code, rounds = max(regret.by_answer(path), key=lambda pair: len(pair[1]))
    problem = path.instance.problem
    own = problem.arms.cost(path.w[rounds], path.mu[rounds], path.lam[rounds])
    stale = np.roll(path.lam[rounds], len(rounds) // 2, axis=0)[:, ::-1]
    assert problem.arms.cost(path.w[rounds], path.mu[rounds], stale).sum() > 2 * own.sum()
    assert path.U[rounds].min(axis=1).sum() < 0.7 * path.U[rounds].max(axis=1).sum()
    assert code in problem.query.answers()


def test_thresholds_of_controls():
    beta = build("threshold", "kaufmann-koolen", n_arms=2)
    scaled, counts = stopping.Scaled(beta, 0.3), np.array([[3.0, 40.0]])
    assert scaled.of_time(50, 2.0) == pytest.approx(0.3 * float(beta.of_time(50, 2.0)))
    assert scaled.of_counts(counts, 2.0) == pytest.approx(0.3 * beta.of_counts(counts, 2.0))
    assert scaled.event == beta.event
    assert risk.judged(beta) is beta
    where = instance("B2")
    never = simulate(where.problem, where.mu, "D-C", 0.5, runs=2, seed=0, threshold=Never(2), max_rounds=90)
    assert (never.tau == 90).all()


def test_a_rule_that_asks_twice_asks_twice():
    calls = oracle_calls.Calls(instance("G4"), build("rule", "FTPL(samples=2)"), 20, 0)
    assert (calls["response"] == 2).all()


def test_an_epsilon_ten_times_too_large_is_the_bound_times_ten():
    unlucky = Set((), (), unlucky=UNLUCKY)
    honest = holds_along(starved, unlucky, lambda chain: chain.late_wrong_rounds)(Context())
    wrong = holds_along(partial(starved, apart=10.0), unlucky)(Context())
    assert honest.passed
    assert 0.2 < honest.share < 1  # near enough for a factor of ten to be seen, and far beyond luck
    assert honest.note.startswith("premise met ")
    assert wrong.share == pytest.approx(10 * honest.share, rel=1e-9)
    assert not wrong.passed


def test_a_premise_that_never_occurs_is_said():
    """Two arms so far apart that the candidate is right from the first round on."""
    problem = Problem.from_names("gaussian", "best-arm", n_arms=2, box=(-100, 200))
    where = Instance("yours", problem, np.array([100.0, 0.0]))
    found = holds_along(starved, Set((RULE,), (where.name,)), lambda chain: chain.late_wrong_rounds)(
        Context(instance=where)
    )
    assert found.passed
    assert "the premise never occurred" in found.note


def test_breaches_are_named_once():
    names = [(claim.id, control.breach) for claim in shipped() for control in claim.controls]
    repeated = {name for name in names if names.count(name) > 1}
    # PATH is breached by narrow intervals in both algorithms
    assert repeated == {("PATH", NARROW.what)}
    assert replace(NONE, bonus=0.5) != NONE
