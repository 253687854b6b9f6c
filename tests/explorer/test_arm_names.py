"""Names of arms: where they may be used, and what may be one."""

import json

import pytest

import purex
from purex.explorer.document import seal

NAMES = ["control", "blue", "Green (large)"]


def make(query="best-arm", **options):
    return purex.Explorer.from_names("bernoulli", query, "D-C", 0.1, n_arms=3, **options)


def test_names_and_numbers_mean_the_same():
    named, numbered = make(arm_names=NAMES), make()
    named.tell(["control", "blue", 2, "Green (large)"], [1, 0, 0, 1])
    numbered.tell([0, 1, 2, 2], [1, 0, 0, 1])
    assert named.state().counts.tolist() == numbered.state().counts.tolist()
    assert named.ask(9, pending=["blue"]) == numbered.ask(9, pending=[1])
    assert named.certificate.label == "control"
    assert numbered.certificate.label == "arm 0"
    again = purex.Explorer.from_json(named.to_json())
    assert again.arm_names == tuple(NAMES)
    assert again.to_json() == named.to_json()


def test_sets_of_arms_are_named():
    explorer = make("top-m(m=2)", arm_names=NAMES)
    explorer.tell([0, 1, 2], [1, 1, 0])
    assert explorer.certificate.label == "{control, blue}"
    assert "{control, blue}" in repr(explorer)


def test_orders_of_arms_are_named():
    explorer = make("ranking(m=2)", arm_names=NAMES)
    explorer.tell([0, 1, 2, 0], [1, 0, 1, 0])
    assert explorer.certificate.label == "Green (large) > control"
    assert "Green (large) > control" in repr(explorer)


@pytest.mark.parametrize(
    "names",
    [
        ["a", "b"], ["a", "b", "a"], ["a", "b", "A"], ["a", "b", ""], ["a", "b", "3"], ["a", "b", "x=1"],
        ["a", "b", "x,y"], ["a", "b", " c"], ["a", "b", "c\n"], ["a", "b", "c" * 41], ["a", "b", None], "abc",
        ["a", "b", "-c"], ["a", "b", "1/2"], 3,
    ],
)  # fmt: skip
def test_what_could_be_taken_for_something_else_is_no_name(names):
    with pytest.raises(purex.InvalidInputError):
        make(arm_names=names)


def test_errors_use_the_names():
    explorer = make(arm_names=NAMES)
    with pytest.raises(purex.InvalidInputError, match=r"did you mean 'blue'\?.*control, blue, Green"):
        explorer.tell("bleu", 1)
    with pytest.raises(purex.InvalidInputError, match="reward of blue"):
        explorer.tell("blue", 0.5)
    with pytest.raises(purex.InvalidInputError, match="from 0 to 2"):
        make().tell("blue", 1)


def test_older_texts_have_no_names_and_no_limits():
    explorer = make()
    explorer.tell([0, 1, 2, 0], [1, 0, 0, 1])
    document = json.loads(explorer.to_json())
    document["version"] = 3
    document["seal"] = seal(document)
    again = purex.Explorer.from_json(json.dumps(document))
    assert (again.arm_names, again.max_samples) == (None, None)
    assert json.loads(again.to_json())["version"] == 4
    assert again.ask(5) == explorer.ask(5)


def test_a_refusal_while_rewards_are_counted_has_the_names():
    explorer = purex.Explorer.from_names("student", "best-arm", "D-C", 0.1, n_arms=3, arm_names=NAMES)
    with pytest.raises(purex.InvalidInputError, match="rewards of blue are 2: without any variation"):
        explorer.tell("blue", [2.0] * 50)
    assert explorer.n == 0
