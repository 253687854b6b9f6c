"""Runs with arms of unknown variance: units, widths, initial pulls, refusals; experiments as simulated."""

import json

import numpy as np
import pytest

import purex
from purex import simulate
from purex.engine.batch import SQUARES, Batch
from purex.engine.initial import FEWEST
from purex.errors import InvalidInputError, RefusedProblemError
from purex.explorer.argument_checks import IDENTICAL
from tests.explorer.tapes import Tape, play

MU = [1.0, 0.2, 0.0]


def problem(deviation=1.0, n_arms=3, query="best-arm"):
    return purex.Problem.from_names(f"student(deviation={deviation!r})", query, n_arms=n_arms)


def test_units_and_widths_do_not_matter():
    whole = simulate(problem(), MU, "D-C", [0.1, 0.01], runs=6, seed=1, threshold="auto")
    for unit in (2.0**40, 2.0**-40):
        scaled = simulate(
            problem(unit), unit * np.array(MU), "D-C", [0.1, 0.01], runs=6, seed=1, threshold="auto"
        )
        assert (scaled.tau == whole.tau).all()
        assert (scaled.counts == whole.counts).all()
    narrow = simulate(problem(), MU, "D-C", [0.1, 0.01], runs=6, seed=1, threshold="auto", width=1)
    assert (narrow.counts == whole.counts).all()
    assert whole.path == "lock-step"
    assert whole.threshold_label == "proved"
    assert whole.certified.all()


def test_the_spread_is_the_variance_of_the_rewards():
    rng = np.random.default_rng(0)
    batch, told = Batch.of(np.arange(2), 2, 0), {(r, k): [] for r in range(2) for k in range(2)}
    for _ in range(50):
        arms, rewards = rng.integers(0, 2, 2), 1e6 + rng.normal(size=2)
        batch.see(np.arange(2), arms, rewards)
        for r in range(2):
            batch.table[r, 0, arms[r]] += 1
            told[r, int(arms[r])].append(rewards[r])
    for (r, k), x in told.items():
        assert batch.deviations(np.arange(2))[r, k] == pytest.approx(np.std(x), rel=1e-9)
    same = Batch.of(np.zeros(1, dtype=np.int64), 1, 0)
    for _ in range(100):
        same.see(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), np.array([0.1]))
        same.table[0, 0, 0] += 1
    assert same.spread[0, SQUARES, 0] == 0.0


@pytest.mark.parametrize("rule", ["D-C", "D-D", "D1-C", "RR", "T-D(resolve=1.5)", "M-C(scale=0.1)"])
def test_an_experiment_makes_the_choices_of_the_simulated_run(rule):
    runs = simulate(problem(), MU, rule, 0.1, runs=1, seed=3, threshold="auto")
    explorer = purex.Explorer(problem(), rule, 0.1, seed=3)
    play(explorer, Tape(problem(), MU, 3))
    assert explorer.n == runs.tau[0, 0]
    assert explorer.answer == runs.answer[0, 0]
    assert explorer.counts.tolist() == runs.counts[0, 0].tolist()


@pytest.mark.parametrize("rule", ["opt-C", "T-C(resolve=2)", "M-D"])
def test_games_with_plug_in_deviations_are_played(rule):
    runs = simulate(problem(), MU, rule, 0.1, runs=2, seed=3, threshold="auto", max_rounds=400)
    assert runs.counts.min() >= FEWEST


def test_every_arm_is_pulled_until_it_has_a_variance():
    runs = simulate(problem(), [1e6, 0.0, 0.0], "D-C", 0.5, runs=5, seed=0, threshold="stylised")
    assert runs.counts.min() >= FEWEST


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("O-C", "optimism over a confidence box"),
        ("OGD", "not for arms of unknown variance"),
        ("LUCB", "not for arms of unknown variance"),
        ("D-C(intervals='sub-gaussian')", "need a variance"),
    ],
)
def test_rules_that_cannot_play_are_refused(rule, sentence):
    with pytest.raises(RefusedProblemError, match=sentence):
        simulate(problem(), MU, rule, 0.1, runs=1)
    with pytest.raises(RefusedProblemError, match=sentence):
        purex.Explorer(problem(), rule, 0.1)


def experiment():
    return purex.Explorer.from_names("student", "best-arm", "D-C", 0.1, n_arms=2)


def test_rewards_without_variation_are_refused_and_nothing_is_lost():
    explorer = experiment()
    for _ in range(IDENTICAL - 1):
        assert explorer.ask() == 0
        explorer.tell(0, 0.1)
    before = explorer.to_json()
    with pytest.raises(InvalidInputError, match=r"all 10 rewards of arm 0 are 0\.1: without any variation"):
        explorer.tell(0, 0.1)
    assert explorer.to_json() == before
    explorer.tell(0, 0.2)
    assert explorer.ask() == 1


def test_an_experiment_goes_on_from_its_text_and_its_state():
    rng = np.random.default_rng(1)
    explorer = experiment()
    while not explorer.stopped:
        arm = explorer.ask()
        explorer.tell(arm, rng.normal() - arm)
        if explorer.n in (1, 5, 6, 20, 50):
            text = explorer.to_json()
            explorer = purex.Explorer.from_json(text)
            assert explorer.to_json() == text
            other = experiment()
            other.restore(explorer.state())
            assert other.to_json() == text
    found = explorer.certificate
    assert found.status == "proved"
    assert found.e_value is None
    assert found.p_value <= 0.1
    assert (found.lower < found.means).all()
    assert (found.means < found.upper).all()
    assert explorer.expected_more() == 0


def test_early_certificates_have_no_bounds_yet_and_the_future_is_finite():
    explorer = experiment()
    for reward in (0.0, 1.0, 3.0):
        for arm in range(2):
            explorer.tell(arm, reward + 50 * arm)
    found = explorer.certificate
    assert np.isinf(found.threshold)
    assert np.isinf(found.lower).all()
    assert found.p_value > 0.1
    assert 1 <= explorer.expected_more() < 100


@pytest.mark.parametrize("spread", [None, [[0.0, 0.0]], [[0.0, 0.0], [-1.0, 0.0]], [[9.0, 0.0], [1.0, 1.0]]])
def test_a_text_whose_spread_is_wrong_is_refused(spread):
    from purex.explorer.document import seal

    explorer = experiment()
    for reward in (0.0, 1.0, 3.0):
        explorer.tell(0, reward)
    document = json.loads(explorer.to_json())
    document["state"]["spread"] = spread
    document["seal"] = seal(document)
    with pytest.raises(InvalidInputError, match="'spread'"):
        purex.Explorer.from_json(json.dumps(document))


def test_other_experiments_have_no_spread():
    explorer = purex.Explorer.from_names("gaussian", "best-arm", "D-C", 0.1, n_arms=2)
    assert "spread" not in json.loads(explorer.to_json())["state"]
