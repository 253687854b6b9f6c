"""An experiment goes on from its text bit for bit, and a stranger's text does no harm."""

import json
from dataclasses import replace

import numpy as np
import pytest

import purex
from purex.explorer.document import seal
from purex.explorer.experiment_state import Learner, Witness
from tests.explorer.tapes import Tape, play

EXPERIMENTS = {
    "D-C": ("bernoulli", "best-arm", "D-C", 3, [0.5, 0.3, 0.2]),
    "D1-D": ("bernoulli", "best-arm", "D1-D", 3, [0.5, 0.3, 0.2]),
    "T-C": ("gaussian(variance=0.5)", "minimum-threshold(threshold=0.6)", "T-C", 2, [0.4, 0.9]),
    "M-C": ("gaussian", "top-m(m=2)", "M-C(scale=0.05)", 3, [1.0, 0.8, 0.3]),
    "O-C": ("poisson", "best-arm", "O-C", 2, [2.0, 1.5]),
    "sub-gaussian": ("sub-gaussian(variance=4)", "ranking", "D-D", 3, [2.0, 1.0, -3.0]),
    "bounded": ("bounded(lower=1, upper=5)", "best-arm", "D-C", 2, [4.0, 2.0]),
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_goes_on_bit_for_bit(name):
    family, query, rule, K, mu = EXPERIMENTS[name]
    whole = purex.Explorer.from_names(family, query, rule, 0.1, n_arms=K, seed=3)
    tape = Tape(whole.problem, mu, 3)
    parted = purex.Explorer.from_json(whole.to_json())
    for _ in range(150):
        if whole.stopped:
            break
        arm = whole.ask()
        assert parted.ask() == arm
        reward = tape.reward(arm)
        whole.tell(arm, reward)
        parted.tell(arm, reward)
        parted = purex.Explorer.from_json(parted.to_json())
        assert parted.to_json() == whole.to_json()
    assert parted.stopped == whole.stopped
    assert parted.answer == whole.answer
    if whole.certificate is not None:
        assert parted.certificate.statistic == whole.certificate.statistic


def test_late_rewards_are_kept():
    explorer = purex.Explorer.from_names("bernoulli", "best-arm", "RR", 0.1, n_arms=2)
    play(explorer, Tape(explorer.problem, [0.9, 0.1]))
    n, counts, totals = explorer.n, explorer.counts, explorer.means * explorer.counts
    for arm, reward in ((0, 0), (1, 1), (1, 1), (0, 1)):
        explorer.tell(arm, reward)
    state = json.loads(explorer.to_json())["state"]
    assert (state["late_counts"], state["late_totals"]) == ([2, 2], [1.0, 2.0])
    other = purex.Explorer.from_json(explorer.to_json())
    assert (other.n, other.answer, other.to_json()) == (n + 4, 0, explorer.to_json())
    assert other.counts.tolist() == (counts + 2).tolist()
    assert other.means == pytest.approx((totals + np.array([1, 2])) / (counts + 2), rel=1e-15)


def test_a_state_is_restored_whole_or_not_at_all():
    explorer, other = (
        purex.Explorer.from_names("bernoulli", "best-arm", "D-C", 0.1, n_arms=3, seed=3) for _ in range(2)
    )
    play(explorer, Tape(explorer.problem, [0.5, 0.4, 0.2]), 20)
    before, state = other.to_json(), explorer.state()
    for wrong in (
        {"counts": state.counts[:2]}, {"counts": -state.counts}, {"counts": state.counts + 0.5},
        {"totals": state.totals + np.nan}, {"weights": 2 * state.weights}, {"learners": 2 * state.learners},
        {"learners": (Learner(0, np.zeros(1)),)}, {"barrier": 1e9}, {"witness": Witness(0, np.zeros(2))},
    ):  # fmt: skip
        with pytest.raises(purex.InvalidInputError, match="this state cannot be restored"):
            other.restore(replace(state, **wrong))
        assert other.to_json() == before
    other.restore(state)
    assert other.to_json() == explorer.to_json()
    explorer.tell(0, 1)
    assert state.counts.sum() == 20  # a copy


@pytest.fixture(scope="module")
def text():
    explorer = purex.Explorer.from_names("bernoulli", "best-arm", "D-C", 0.1, n_arms=3)
    return play(explorer, Tape(explorer.problem, [0.5, 0.4, 0.2]), 20).explorer.to_json()


def change(text, path, value):
    document = json.loads(text)
    *outer, last = path.split(".")
    place = document
    for key in outer:
        place = place[int(key) if key.isdigit() else key]
    place[last] = value
    return json.dumps({**document, "seal": seal(document)})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("format", "other"), ("version", 5), ("version", None),
        ("plugins", {}), ("plugins", {"rule": "1"}), ("more", 1), ("stopped", True),
        ("stopped", 0),
        ("answer", 1), ("experiment", []), ("experiment.family", "nobody"), ("experiment.family", 3),
        ("experiment.query", "top-m(m=__import__('os'))"), ("experiment.rule", "opt-C"),
        ("experiment.n_arms", 4), ("experiment.n_arms", 10**9), ("experiment.n_arms", True),
        ("experiment.delta", 2.0), ("experiment.delta", "0.1"), ("experiment.seed", -1),
        ("experiment.box", [1, 0]), ("experiment.clip", [0.1]), ("experiment.initial", "never"),
        ("experiment.arm_names", ["a", "b"]), ("experiment.arm_names", ["a", "b", "a"]),
        ("experiment.arm_names", ["a", "b", 3]), ("experiment.arm_names", "abc"), ("experiment.min_pulls", 0),
        ("experiment.min_pulls", None), ("experiment.max_samples", 2), ("experiment.max_samples", "all"),
        ("experiment.evil", 1), ("state", None), ("state.counts", [1, 2]), ("state.counts", [1, 2, -3]),
        ("state.counts", [1.5, 2, 3]), ("state.counts", [10**400, 2, 3]), ("state.counts", "many"),
        ("state.totals", [100.0, 0.0, 0.0]), ("state.totals", [0.5, 0.0, 0.0]),
        ("state.totals", [None, 0, 0]),
        ("state.weights", [0.0, 1.0, 1.0]), ("state.weights", [[1], [1], [1]]), ("state.barrier", 1e9),
        ("state.barrier", "high"), ("state.witness", {"answer": 0}), ("state.witness", 3),
        ("state.witness", {"answer": 0, "point": [2.0, 0.5, 0.5]}), ("state.learners", 3),
        ("state.learners", [{"answer": 0, "memory": [1.0]}]),
        ("state.learners", [{"answer": "0", "memory": []}]),
        ("state.learners", [{"answer": 10**30, "memory": [0, 0, 0, 0]}]),
        ("state.learners", [{"answer": 0, "memory": [0, 0, 0, 0]}] * 2),
        ("state.late_counts", [1, 0, 0]), ("state.late_totals", [1.0, 0, 0]),
    ],
)  # fmt: skip
def test_a_text_that_is_wrong_is_refused_with_a_sentence(text, path, value):
    with pytest.raises(purex.PurexError):
        purex.Explorer.from_json(change(text, path, value))


@pytest.mark.parametrize("wrong", ["", "{", "[]", "null", "3", "[" * 100_000, '{"a": NaN}', b"{}", None])
def test_what_is_no_experiment_is_refused(wrong):
    with pytest.raises(purex.InvalidInputError):
        purex.Explorer.from_json(wrong)


def test_every_key_is_required(text):
    document = json.loads(text)
    for part in (document, document["experiment"], document["state"]):
        for key in list(part):
            value = part.pop(key)
            sealed = document if key == "seal" else {**document, "seal": seal(document)}
            with pytest.raises(purex.InvalidInputError):
                purex.Explorer.from_json(json.dumps(sealed))
            part[key] = value
    assert purex.Explorer.from_json(json.dumps(document)).to_json() == text
