"""An experiment goes on with the plugins that began it, and is only read if it is whole and consistent."""

import json
from dataclasses import replace

import pytest

import purex
from purex.errors import AmbiguousNameError
from purex.explorer.document import seal
from purex.plugins import build, registry
from tests.explorer.tapes import Tape, play
from tests.strangers import install, same_name

NAMES = ("gaussian", "best-arm", "D-C", 0.1)


def after(rounds, **options):
    explorer = purex.Explorer.from_names(*NAMES, n_arms=2, **options)
    return play(explorer, Tape(explorer.problem, [0.5, 0.0]), rounds).explorer


def sealed(document):
    return json.dumps({**document, "seal": seal(document)})


def test_the_text_names_every_plugin_and_its_version():
    found = json.loads(after(5).to_json())["plugins"]
    version = registry().get("rule", "D-C").version
    for name in ("family purex-bandits:gaussian", "query purex-bandits:best-arm", "rule purex-bandits:D-C",
                 "threshold purex-bandits:auto", "oracle purex-bandits:best-arm-compiled"):  # fmt: skip
        assert found[name] == version


@pytest.mark.parametrize(
    ("kind", "name"), [("query", "best-arm"), ("rule", "D-C"), ("oracle", "best-arm-compiled")]
)
def test_another_version_of_a_plugin_is_refused_unless_one_insists(kind, name, monkeypatch):
    """Such as one whose answers are reversed: it would certify the opposite arm."""
    text = after(12).to_json()
    record = registry().get(kind, name).record
    install(monkeypatch, "99.0", (kind, record), distribution="purex-bandits")
    with pytest.raises(
        purex.InvalidInputError, match=rf"{kind} purex-bandits:{name} was of version .* 99\.0.*accept"
    ):
        purex.Explorer.from_json(text)
    found = purex.Explorer.from_json(text, accept_versions=True)
    assert found.n == 12
    again = purex.Explorer.from_json(found.to_json())  # written with the version that went on
    assert again.plugins[f"{kind} purex-bandits:{name}"] == "99.0"


def test_a_name_that_another_plugin_takes_later_goes_on_to_mean_the_same(monkeypatch):
    text = after(12).to_json()
    names = [("family", "gaussian"), ("query", "best-arm"), ("rule", "D-C"), ("threshold", "auto")]
    install(monkeypatch, "3.0", *(same_name(*name) for name in names))
    with pytest.raises(AmbiguousNameError):
        build("query", "best-arm", n_arms=2)
    found = purex.Explorer.from_json(text)
    assert found.to_json() == text
    assert found.certificate.threshold_name == "auto"


def test_a_changed_text_is_refused_by_its_seal():
    """Counts and sums times 1000 and two flags: the numbers agree with each other, but not with the seal."""
    document = json.loads(after(12).to_json())
    state = document["state"]
    for key in ("counts", "totals", "weights"):
        state[key] = [1000 * x for x in state[key]]
    state |= {"barrier": None, "witness": None}
    document |= {"stopped": True, "answer": 0}
    with pytest.raises(purex.InvalidInputError, match="its seal is broken"):
        purex.Explorer.from_json(json.dumps(document))
    assert purex.Explorer.from_json(sealed(document)).certificate.statistic > 100  # no lock against forgers


@pytest.mark.parametrize("version", [1, 2])
def test_weights_that_do_not_add_up_to_the_samples_are_refused(version):
    document = json.loads(after(12).to_json())
    state = document["state"]
    for key in ("counts", "totals"):
        state[key] = [1000 * x for x in state[key]]
    state |= {"barrier": None, "witness": None}
    document |= {"stopped": True, "answer": 0, "version": version}
    if version == 1:
        del document["plugins"], document["seal"]
    with pytest.raises(purex.InvalidInputError, match="'weights' cannot belong to its counts"):
        purex.Explorer.from_json(sealed(document) if version == 2 else json.dumps(document))


@pytest.mark.parametrize(
    "rule", ["D-C", "D-D", "D1-C", "T-C", "T-D", "O-C", "RR", "FTPL", "D-C(tracking='difference')"]
)
def test_the_weights_of_every_rule_add_up(rule):
    explorer = purex.Explorer.from_names("bernoulli", "best-arm", rule, 1e-9, n_arms=3)
    play(explorer, Tape(explorer.problem, [0.5, 0.45, 0.4]), 300)
    explorer.tell(2, 1)  # which nobody asked for
    assert purex.Explorer.from_json(explorer.to_json()).to_json() == explorer.to_json()


@pytest.mark.parametrize("version", [1, 2])
def test_a_text_of_an_older_version_is_read_and_written_as_version_3(version):
    explorer = purex.Explorer.from_names(*NAMES, n_arms=2, threshold="stylised")
    play(explorer, Tape(explorer.problem, [0.2, 0.0]), 12)
    document = json.loads(explorer.to_json())
    history = document["state"].pop("history")
    del document["state"]["barred"]
    document["version"] = version
    if version == 1:
        del document["plugins"], document["seal"]
    text = json.dumps(document) if version == 1 else sealed(document)
    again = json.loads(purex.Explorer.from_json(text).to_json())
    assert history
    again["state"]["history"] = history
    assert {**again, "seal": 0} == {**json.loads(explorer.to_json()), "seal": 0}


@pytest.mark.parametrize("version", [True, 1.0, 2.0, "2", None, 5, [2]])
def test_a_version_is_a_whole_number(version):
    document = {**json.loads(after(3).to_json()), "version": version}
    with pytest.raises(purex.InvalidInputError, match="its version is"):
        purex.Explorer.from_json(sealed(document))


def test_a_key_that_stands_twice_is_refused():
    text = after(3).to_json()
    for key in ('"stopped": false', '"delta": 0.1', '"seed": 0'):
        assert text.count(key) == 1
        with pytest.raises(purex.InvalidInputError, match="stands twice"):
            purex.Explorer.from_json(text.replace(key, f"{key}, {key}"))


def test_a_plugin_of_version_2_of_another_distribution_is_not_taken_for_it(monkeypatch):
    query = replace(registry().get("query", "best-arm").record, name="mine")
    install(monkeypatch, "1.0", ("query", query))
    text = purex.Explorer.from_names("gaussian", "mine", "RR", 0.1, n_arms=2).to_json()
    assert json.loads(text)["plugins"]["query acme:mine"] == "1.0"
    install(monkeypatch, "2.0", ("query", query))
    with pytest.raises(purex.InvalidInputError, match=r"query acme:mine was of version 1\.0, now it is 2\.0"):
        purex.Explorer.from_json(text)
