"""No input makes a parser raise anything but its own exceptions, or execute code.

`make test` tries some hundred inputs of each kind; the tests marked full try 100,000 together:
``pytest -m full tests/robustness``.
"""

import json

import pytest
from hostile import TEXTS, broken_texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import purex
from purex.cli.explore import _pairs, _read_spec
from purex.errors import InvalidInputError, PurexError
from purex.plugins import build
from purex.plugins.names import parse, parse_list

KINDS = ("family", "query", "structure", "rule", "threshold")
TOGETHER = 100_000


@pytest.fixture(scope="module", autouse=True)
def tripwire():
    """Fail if some input gets its code executed: the hostile texts call this module."""
    import os

    before = os.getcwd()
    yield
    assert os.getcwd() == before


def sound_state():
    explorer = purex.Explorer.from_names("bernoulli", "best-arm", "D-C", 0.05, n_arms=3)
    for n in range(12):
        explorer.tell(explorer.ask(), float(n % 3 == 0))
    return json.loads(explorer.to_json())


def attack_names(text):
    """An object written as a call: parsed, and built if there is such a thing."""
    try:
        call = parse(text)
    except InvalidInputError:
        return
    assert parse(str(call)) == call
    for kind in KINDS:
        context = {} if kind in ("family", "rule") else {"n_arms": 3}
        try:
            build(kind, call, **context)
        except PurexError:
            continue


def attack_lists(text):
    """Several objects, by semicolons."""
    try:
        parse_list(text)
    except InvalidInputError:
        return


def attack_states(text):
    """The state file of an experiment: refused, or one that goes on."""
    try:
        explorer = purex.Explorer.from_json(text)
    except PurexError:
        return
    if not explorer.stopped:
        assert 0 <= explorer.ask() < explorer.problem.n_arms


def attack_specs(text, path):
    """The TOML file of an experiment."""
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    try:
        spec = _read_spec(path)
    except InvalidInputError:
        return
    spec.setdefault("n_arms", spec.pop("arms", 3))
    try:
        purex.Explorer.from_names(**spec)
    except (PurexError, TypeError):  # missing keys are the command's business
        return


def attack_rewards(texts):
    """Rewards on the command line."""
    try:
        pairs = _pairs(tuple(texts))
    except InvalidInputError:
        return
    explorer = purex.Explorer.from_names("bernoulli", "best-arm", "RR", 0.05, n_arms=3)
    before = explorer.to_json()
    for arm, reward in pairs:
        try:
            explorer.tell(arm, reward)
        except PurexError:
            assert explorer.to_json() == before
        before = explorer.to_json()


KEYS = (
    "family",
    "query",
    "arms",
    "rule",
    "delta",
    "structure",
    "box",
    "threshold",
    "seed",
    "clip",
    "initial",
)
TOML_VALUES = st.one_of(
    TEXTS.map(json.dumps),
    st.sampled_from(
        ["3", "-1", "0.05", "nan", "inf", "[0.1, 0.9]", "[]", "true", "1979-05-27", "{a=1}", "'x'"]
    ),
    st.sampled_from(["'bernoulli'", "'best-arm'", "'D-C'", "'stylised'", "'once'", "'unstructured'"]),
)
SPECS = st.one_of(
    TEXTS,
    st.lists(st.tuples(st.sampled_from(KEYS), TOML_VALUES), max_size=6).map(
        lambda pairs: "\n".join(f"{key} = {value}" for key, value in pairs)
    ),
)
REWARDS = st.lists(
    st.one_of(TEXTS, st.sampled_from(["0=1", "1=0", "2=0.5", "9=1", "0=nan", "-1=0"])), max_size=4
)
TARGETS = {
    "names": (TEXTS, attack_names, 40_000),
    "lists": (TEXTS, attack_lists, 20_000),
    "states": (broken_texts(sound_state()), attack_states, 20_000),
    "specs": (SPECS, attack_specs, 10_000),
    "rewards": (REWARDS, attack_rewards, 10_000),
}


def attack(name, count, tmp_path):
    strategy, target, _ = TARGETS[name]

    @settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def trial(value):
        target(value, tmp_path / "spec.toml") if target is attack_specs else target(value)

    trial()


@pytest.mark.parametrize("name", TARGETS)
def test_a_few_hundred_hostile_inputs(name, tmp_path):
    attack(name, 300, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("name", TARGETS)
def test_a_hundred_thousand_hostile_inputs(name, tmp_path):
    assert sum(count for *_, count in TARGETS.values()) >= TOGETHER
    attack(name, TARGETS[name][2], tmp_path)
