"""A batch is spread in proportion to the weights, in parts or at once; or drawn with these probabilities."""

import numpy as np
import pytest

import purex
from purex.run_state import PLAY
from tests.explorer.tapes import Tape, play

MU = [0.7, 0.2, 0.3]


def after(rounds, rule, **options):
    explorer = purex.Explorer.from_names("bernoulli", "best-arm", rule, 0.01, n_arms=3, **options)
    return play(explorer, Tape(explorer.problem, MU), rounds).explorer


def expected(explorer, plays_an_arm):
    """The weights of a batch by their formula, from the state and the play of the round."""
    explorer.ask()
    W, w = explorer.state().weights, explorer._run.ahead.table[0, PLAY]
    return (W + w) / (explorer.n + 1) if plays_an_arm else 0.9 * w + 0.1 * W / explorer.n


@pytest.mark.parametrize(("rule", "plays_an_arm"), [("D-C", False), ("T-D", False), ("EB-TCI", True)])
@pytest.mark.parametrize("rounds", [4, 23])
def test_a_batch_follows_the_weights_all_along(rule, plays_an_arm, rounds):
    explorer = after(rounds, rule)
    v = expected(explorer, plays_an_arm)
    assert explorer.batch_weights == pytest.approx(v, rel=1e-12)
    assert (v > 0).all()
    arms = explorer.ask(200)
    assert arms[0] == explorer.ask()
    for j in range(1, 201):
        pulls = np.bincount(arms[:j], minlength=3)
        # each pull goes to the arm that is furthest behind: none is ahead by more than one pull, the sum is 0
        assert (pulls - j * v).max() <= 1 + 1e-9
        assert (pulls - j * v).min() >= -2 - 1e-9
    assert set(arms) == {0, 1, 2}


def test_initial_pulls_in_turn_until_each_arm_has_enough():
    explorer = purex.Explorer.from_names("bernoulli", "best-arm", "D-C", 0.1, n_arms=3, min_pulls=3)
    assert explorer.ask(11) == [0, 1, 2] * 3 + [0, 1]
    explorer.tell([0, 0, 0, 0, 1], [1, 1, 1, 1, 0])
    assert explorer.ask(5, pending=[2]) == [1, 2, 1, 2, 1]
    assert not explorer.stopped
    assert explorer.certificate is None
    explorer.tell([1, 1, 2, 2, 2], [0] * 5)
    assert explorer.certificate.samples == 10
    again = purex.Explorer.from_json(explorer.to_json())
    assert again.ask(7) == explorer.ask(7)


def test_drawn_arms_have_the_probabilities_that_are_told():
    """With 4,000 draws a share is off by more than 4.5 standard errors with probability below 1e-5 an arm."""
    explorer = after(23, "D-C")
    v = explorer.batch_weights
    arms = explorer.ask(4000, randomised=True)
    assert arms == explorer.ask(4000, randomised=True)
    assert arms[100:] == explorer.ask(3900, pending=arms[:100], randomised=True)
    shares = np.bincount(arms, minlength=3) / 4000
    assert np.abs(shares - v) == pytest.approx(0, abs=4.5 * 0.5 / np.sqrt(4000))
    assert arms != after(23, "D-C", seed=1).ask(4000, randomised=True)


def test_no_more_arms_are_given_out_than_there_may_be_samples():
    explorer = purex.Explorer.from_names("bernoulli", "best-arm", "RR", 0.1, n_arms=2, max_samples=6)
    assert explorer.ask(100) == [0, 1, 0, 1, 0, 1]
    assert explorer.ask(100, pending=[0, 1, 0]) == [1, 0, 1]
    with pytest.raises(purex.InvalidInputError, match="6 pending"):
        explorer.ask(1, pending=[0] * 6)
    explorer.tell([0, 1] * 3, [0, 1] * 3)
    assert (explorer.stopped, explorer.ended, explorer.answer, explorer.candidate) == (False, True, None, 1)
    with pytest.raises(purex.InvalidInputError, match="ended, not certified, after the 6 samples"):
        explorer.ask()
    before = explorer.certificate
    assert (before.stopped, before.ended) == (False, True)
    explorer.tell([0, 1] * 50, [0, 1] * 50)
    assert (explorer.n, explorer.certificate.samples, explorer.answer) == (106, 6, None)
    again = purex.Explorer.from_json(explorer.to_json())
    assert again.to_json() == explorer.to_json()
    assert "ended, not certified; the candidate is arm 1" in repr(again)
    with pytest.raises(purex.InvalidInputError, match="max_samples"):
        purex.Explorer.from_names("bernoulli", "best-arm", "RR", 0.1, n_arms=3, max_samples=5, min_pulls=2)
