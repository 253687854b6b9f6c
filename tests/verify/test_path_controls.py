"""The monitor notices breaches, and refuses what the paper has no proof for."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from purex.errors import InvalidInputError, RefusedProblemError
from purex.plugins import build
from purex.problem import Problem
from purex.verify.instances import instance
from purex.verify.path import FLAT, NARROW, RANDOM_PULLS, STUCK, WRONG_SIGN, Breach, Theory, monitor
from purex.verify.path.game_chain import game_chain
from purex.verify.path.regret import Players

RULE = "D-C(bonus='lambert')"


def walk(name, rule=RULE, n=500, runs=8, seed=1, **options):
    where = instance(name)
    return monitor(where.problem, where.mu, rule, checkpoints=(n,), runs=runs, seed=seed, **options)


def broken(seen, ignore_event=True):
    return Counter(link.name.partition("[")[0] for _, link in seen.violations(ignore_event))


@pytest.mark.parametrize("name", ["G4", "MT"])
def test_narrow_confidence_bounds_break_links_of_the_event_only(name):
    seen = walk(name, "D-C", breach=Breach("f = 0.02 ln t", bonus=0.02))
    assert seen.off_event == 1
    assert broken(seen)["L8"] > 0
    assert broken(seen)["P4"] > 0
    assert seen.violations() == []


def test_narrow_confidence_bounds_break_optimistic_track_and_stop():
    found = broken(walk("MT", "O-C(bonus='lambert')", breach=NARROW))
    assert found["L8'"] > 0
    assert found["P4"] > 0


@pytest.mark.parametrize("name", ["G4", "MT"])
def test_random_pulls_break_tracking_on_every_path(name):
    assert broken(walk(name, breach=RANDOM_PULLS), ignore_event=False)["L2"] == 8


def test_a_learner_with_the_wrong_sign_breaks_its_regret_bound():
    assert broken(walk("MT", breach=WRONG_SIGN), ignore_event=False)["L7"] == 8


def test_a_stuck_tracker_breaks_the_sum_of_c():
    for chain in walk("MT", breach=STUCK).chains:
        assert sum(own.C for own in chain.state.sums.values()) > chain.theory.optimism(chain.state.n)


def test_a_small_lipschitz_constant_breaks_what_needs_it():
    seen = walk("G4", breach=FLAT)
    assert {"L1", "L6"} <= set(broken(seen, ignore_event=False))
    assert all(chain.state.lipschitz > 0 for chain in seen.chains)


def test_a_stopping_rule_that_does_not_stop_is_noticed():
    seen = walk("MT", n=1500, runs=8)
    assert broken(seen) == {}
    beta = float(build("threshold", "stylised", n_arms=2).of_time(1500, np.log(10)))
    stopped = [chain for chain in seen.chains if chain.state.beta == np.inf]
    assert len(stopped) > 2
    for chain in stopped:  # they went on although they should have stopped for delta = 0.1
        assert chain.stop is None
        if chain.state.statistic > beta:
            again = game_chain(chain.theory, Players.of(seen.rule), replace(chain.state, beta=beta))
            assert not again.stop.holds


@pytest.mark.parametrize("rule", [RULE, "O-C(bonus='lambert')", "FTPL(bonus='lambert', samples=4)"])
def test_every_link_can_break(rule):
    chains = walk("G4", rule, n=120, runs=4, deltas=1e-9).chains
    chain = next(chain for chain in chains if chain.stop is not None)
    names = {link.name.partition("[")[0] for link in chain.all_links}
    assert {"L0", "L1", "L2", "L3", "L4", "L10", "P4"} <= names
    for link in chain.all_links:
        assert not link.is_violated(True)
        room = 2 * link.tolerance or 1e-12  # where all is 0 there is nothing to be rounded
        beyond = replace(link, loss=link.allowance + room)
        assert beyond.is_violated(True)
        assert beyond.is_violated(False) == (link.kind == "D")
        if not np.isnan(link.closed):
            short = replace(link, closed=link.allowance - 1e-6 * (1 + abs(link.allowance)))
            assert short.is_violated(True)
            assert short.is_violated(False) == (link.closed_kind == "D")


def test_a_run_is_the_same_alone_and_among_others():
    rule = "FTPL(bonus='lambert', samples=4)"
    alone, among = walk("MT", rule, n=60, runs=1), walk("MT", rule, n=60, runs=5)
    first, second = alone.chains[0], among.chains[0]
    assert [step.value for step in first.steps] == [step.value for step in second.steps]


def test_checkpoints_do_not_disturb_each_other():
    where = instance("G4")
    both = monitor(where.problem, where.mu, RULE, checkpoints=(64, 400), runs=2, seed=3)
    for n in (64, 400):  # late rounds begin exactly at 8 and at 20
        one = monitor(where.problem, where.mu, RULE, checkpoints=(n,), runs=2, seed=3)
        for a, b in zip(both.at(n), one.at(n), strict=True):
            assert [step.value for step in a.steps] == [step.value for step in b.steps]
            assert a.state.starved == b.state.starved


def test_sums_do_not_grow_with_the_path():
    for n in (50, 200):
        state = walk("G4", n=n, runs=1).chains[0].state
        numbers = sum(np.size(value) for own in state.sums.values() for value in vars(own).values())
        assert numbers <= len(state.sums) * (5 * 4 + 17)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("D-D", "cumulative tracking"),
        ("D1-C", "one learner per candidate"),
        ("T-C", "proves nothing about the path"),
        ("game(k='mirror-ascent', lam='best-response', order='k-first', scale=1.0)", "mirror ascent"),
    ],
)
def test_rules_without_a_proof_are_refused(rule, words):
    with pytest.raises(RefusedProblemError, match=words):
        walk("G4", rule)


def test_bad_checkpoints_and_boxes_are_refused():
    with pytest.raises(InvalidInputError, match="initial pulls"):
        walk("G4", n=4)
    free = Problem.from_names("gaussian", "best-arm", n_arms=2)
    with pytest.raises(RefusedProblemError, match="bounded means"):
        monitor(free, [1.0, 0.0], RULE)


def test_several_correct_answers_are_refused(monkeypatch):
    where = instance("G4")
    monkeypatch.setattr(type(where.problem.query), "is_correct", lambda self, mu, code: code < 2)
    with pytest.raises(RefusedProblemError, match="one correct answer"):
        Theory.of(where.problem, where.mu, build("rule", RULE).bonus)


def test_the_paper_takes_as_many_samples_of_q_as_rounds():
    seen = walk("MT", "FTPL(bonus='lambert', samples=None)", n=60, runs=2)
    assert seen.violations() == []
    for chain in seen.chains:
        link = chain.link("L5q")
        assert abs(link.loss) < link.allowance
        assert link.allowance > chain.theory.D * np.sqrt(6 * 60 * np.log(60))


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "prototype", "seeds"),
    [
        ("G4", {"L4": 6.3, "L5": -5.3, "L6": 541, "L7": 3.6, "L8": -528, "L9": -15.9, "L10": 0.45}, 25),
        ("MT", {"L4": 8.4, "L5": -1.0, "L6": 393, "L7": 2.3, "L8": -396, "L9": -0.8, "L10": 0.39}, 25),
        ("B5", {"L4": 4.3, "L5": -6.6, "L6": 665, "L7": 3.4, "L8": -639, "L9": -25.3, "L10": 0.58}, 12),
    ],
)
def test_losses_agree_with_an_independent_prototype(name, prototype, seeds):
    """Means of other people's runs, of as many seeds: 21 comparisons at 3.5 standard errors, error 1e-2."""
    runs = 100
    rule = "D-C(bonus='lambert', tracking='difference')"
    seen = walk(name, rule, n=4000, runs=runs, seed=11)
    for link, mean in prototype.items():
        losses = np.array([chain.link(link).loss for chain in seen.chains])
        error = losses.std(ddof=1) * np.sqrt(1 / runs + 1 / seeds)
        assert abs(losses.mean() - mean) < 3.5 * error, link
