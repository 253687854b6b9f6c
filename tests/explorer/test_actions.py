"""Experiments with actions: the choices of a simulation, their state, and what is refused."""

import json

import numpy as np
import pytest

from purex import Explorer, InvalidInputError, RefusedProblemError, simulate
from purex.engine.kernels.stages import reward_uniforms
from purex.streams import stream_key

NAMES = {"family": "gaussian", "query": "best-arm", "rule": "D-C", "delta": 0.1, "threshold": "stylised"}
LINEAR = "linear(features=[[1, 0], [0, 1], [0.9, 0.5], [0.95, 0.3]])"
CASES = [
    ("costs(costs=[1, 1, 5])", None, [0.9, 0.2, 0.0], "D-C"),
    ("[[0, 1], [2], [0, 2]]", None, [0.9, 0.2, 0.0], "T-C"),
    ("vector(dimension=2)", None, [0.9, 0.2, 0.0, 0.1], "FWS"),
    ("observable(arms=[0, 1])", LINEAR, [1.2, 0.8, 1.48, 1.38], "D-C"),
    ("costs([1, 1, 5])", None, [0.9, 0.2, 0.0], "FTPL(samples=4)"),
    ("[[0, 1], [2], [0, 2]]", None, [0.9, 0.2, 0.0], "game(lam='be-the-leader', order='k-first')"),
    ("[[0, 1], [2], [0, 2]]", None, [0.9, 0.2, 0.0], "IDS"),
    ("costs([1, 1, 5])", None, [0.9, 0.2, 0.0], "O-C"),
]


class Tape:
    """The rewards of run 0 of a simulation, arm by arm in their order."""

    def __init__(self, explorer, mu, seed):
        self.key, self.mu, self.arms = np.uint64(stream_key(seed)), mu, explorer.problem.arms
        self.sets, self.n = explorer.problem.actions.sets, np.zeros(len(mu))

    def rewards(self, action):
        found = []
        for k in self.sets[action]:
            u = reward_uniforms(self.key, np.zeros(1, dtype=np.int64), np.array([k]), self.n[k : k + 1])
            found.append(float(self.arms.families[k].quantile(self.mu[k], u[0])))
            self.n[k] += 1
        return found


def explorer_of(actions, structure=None, n_arms=3, rule="D-C", **more):
    given = {**NAMES, "rule": rule, **more}
    return Explorer.from_names(**given, n_arms=n_arms, structure=structure, actions=actions)


@pytest.mark.parametrize(("actions", "structure", "mu", "rule"), CASES)
def test_it_makes_the_choices_of_a_simulation_across_saving(actions, structure, mu, rule):
    explorer = explorer_of(actions, structure, len(mu), rule, seed=4)
    run = simulate(explorer.problem, mu, rule, 0.1, runs=1, seed=4)
    tape, pulls = Tape(explorer, mu, 4), np.zeros(explorer.problem.n_actions)
    while not explorer.stopped:
        action = explorer.ask()
        explorer.tell(action, tape.rewards(action))
        pulls[action] += 1
        if explorer.n % 7 == 0:
            explorer = Explorer.from_json(explorer.to_json())
    assert explorer.n == run.tau[0, 0]
    assert explorer.answer == run.answer[0, 0]
    assert pulls.tolist() == run.counts[0, 0].tolist()
    assert explorer.counts.tolist() == explorer.problem.actions.counts(pulls).tolist()
    certificate = explorer.certificate
    unseen = ~explorer.problem.actions.seen
    assert np.isnan(certificate.means[unseen]).all()
    assert np.isinf(certificate.upper[unseen]).all()
    assert certificate.samples == explorer.n


def test_what_is_told_after_the_end_counts_and_is_kept():
    explorer = explorer_of("[[0, 1], [2], [0, 2]]")
    explorer.tell([0, 1] * 20, [[3.0, 0.0], 0.0] * 20)
    assert explorer.stopped
    at_end, counts = explorer.certificate.samples, explorer.counts.tolist()
    assert explorer.n == 40 > at_end
    assert counts == [20, 20, 20]
    again = Explorer.from_json(explorer.to_json())
    assert (again.n, again.counts.tolist(), again.to_json()) == (40, counts, explorer.to_json())


def test_several_actions_at_once_follow_the_weights():
    explorer = explorer_of("[[0, 1], [2], [0, 2]]")
    assert explorer.ask(3) == [0, 1, 0]
    explorer.tell([0, 1], [[0.3, 0.2], 0.1])
    batch = explorer.ask(200)
    shares = np.bincount(batch, minlength=3) / 200
    np.testing.assert_allclose(shares, explorer.batch_weights, atol=0.01)
    assert explorer.ask(2, pending=batch[:5]) == batch[5:7]


@pytest.mark.parametrize(
    ("action", "rewards", "sentence"),
    [
        (7, [1.0], "an action is a number from 0 to 2, not 7"),
        (0, [1.0], "action 0 shows arms 0, 1: tell 2 rewards, not 1"),
        (1, [1.0, 2.0], "action 1 shows arm 2: tell 1 reward, not 2"),
        ([0, 1], [[1.0, 2.0]], "there are 2 actions, but the rewards of 1"),
        (0, [1.0, "x"], "the reward of arm 1 must be a finite number"),
        ([0, 1], [[1.0, 2.0], "x"], "the reward of arm 2 must be a finite number"),
    ],
)
def test_what_is_refused_changes_nothing(action, rewards, sentence):
    explorer = explorer_of("[[0, 1], [2], [0, 2]]")
    explorer.tell(0, [1.0, 0.0])
    before = explorer.to_json()
    with pytest.raises(InvalidInputError, match=sentence):
        explorer.tell(action, rewards)
    assert explorer.to_json() == before


@pytest.mark.parametrize(
    "options", [{"initial": "interior"}, {"min_pulls": 3}, {"arm_names": ["a", "b", "c"]}]
)
def test_what_is_for_arms_is_refused(options):
    with pytest.raises(RefusedProblemError, match="is for arms, and this problem has actions"):
        explorer_of("costs(costs=[1, 1, 5])", **options)


def test_totals_are_of_arms():
    explorer = explorer_of("costs(costs=[1, 1, 5])", family="bernoulli")
    with pytest.raises(InvalidInputError, match="totals are of arms"):
        explorer.tell_totals([(0, 1, 2)])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"pulls": [9, 1, 0]}, "'pulls' cannot belong to its counts"),
        ({"pulls": None}, "'pulls' of its actions are missing"),
        ({"pulls": [1, 1]}, "'pulls' is no list of 3 numbers"),
        ({"weights": [2.0, 2.0, 2.0]}, "'weights' cannot belong to its counts"),
    ],
)
def test_a_state_that_cannot_be_is_refused(change, sentence):
    from purex.explorer.document import seal

    explorer = explorer_of("[[0, 1], [2], [0, 2]]")
    explorer.tell([0, 1, 0], [[0.3, 0.2], 0.1, [0.5, 0.1]])
    document = json.loads(explorer.to_json())
    document["state"] |= change
    document["seal"] = seal(document)
    with pytest.raises(InvalidInputError, match=sentence):
        Explorer.from_json(json.dumps(document))


def test_pulls_are_for_actions_only():
    from purex.explorer.document import seal

    document = json.loads(Explorer.from_names(**NAMES, n_arms=2).to_json())
    assert "pulls" not in document["state"]
    document["state"] |= {"pulls": [0, 0], "late_pulls": [0, 0]}
    document["seal"] = seal(document)
    with pytest.raises(InvalidInputError, match="'pulls' are there for actions"):
        Explorer.from_json(json.dumps(document))


def test_the_rest_is_expected_in_rounds():
    explorer = explorer_of("vector(dimension=2)", n_arms=4)
    explorer.tell([0, 1] * 10, [[0.5, 0.0], [0.0, 0.0]] * 10)
    alone = Explorer.from_names(**NAMES, n_arms=4)
    alone.tell([0, 1, 2, 3] * 10, [0.5, 0.0, 0.0, 0.0] * 10)
    assert 1 < explorer.expected_more() < 0.7 * alone.expected_more()


def test_a_state_keeps_the_names_of_all_arguments():
    named, bare = (
        explorer_of(f"costs({name}[1, 1, 5])", family=f"gaussian({other}2)")
        for name, other in (("costs=", "variance="), ("", ""))
    )
    assert bare.to_json() == named.to_json()
    assert "costs(costs=[1, 1, 5])" in bare.to_json()
