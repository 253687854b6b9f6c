"""No input makes a parser raise anything but its own exceptions, or execute code.

`make test` tries some hundred inputs of each kind; the tests marked full try 100,000 together:
``pytest -m full tests/robustness``.
"""

import inspect
import json
import os
import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import purex
from purex.cli.explore import _read_spec
from purex.cli.rewards import told_rewards
from purex.errors import InvalidInputError, PurexError
from purex.experiments import Executor, Study, run_study
from purex.experiments.enumeration import enumerate_study
from purex.experiments.specification import Specification, parse_specification
from purex.experiments.store import Store
from purex.explorer.document import seal
from purex.kernel_cache import SealedFiles
from purex.plugins import build
from purex.plugins.names import parse, parse_list
from tests.robustness.hostile import TEXTS, broken_bytes, broken_tables, broken_texts

KINDS = ("family", "query", "structure", "rule", "threshold")
TOGETHER = 100_000


@pytest.fixture(scope="module", autouse=True)
def tripwire():
    """Fail if some input gets its code executed: the hostile texts call this module."""
    before = os.getcwd()
    yield
    assert os.getcwd() == before


def sound_state():
    explorer = purex.Explorer.from_names("bernoulli", "best-arm", "D-C", 0.05, n_arms=3)
    for n in range(12):
        explorer.tell(explorer.ask(), float(n % 3 == 0))
    return json.loads(explorer.to_json())


def finished(document):
    """A state as its writer would leave it: sealed, or of the version that had no seals."""
    if not isinstance(document, dict) or "format" not in document:
        return document
    if document.get("version") == 1:
        return {name: value for name, value in document.items() if name not in ("seal", "plugins")}
    try:
        return {**document, "seal": seal(document)}
    except ValueError:  # it holds what JSON has not
        return document


def states(_):
    sound = sound_state()
    return st.one_of(broken_texts(sound, finished), broken_texts(finished({**sound, "version": 1}), finished))


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
        return
    found = explorer.certificate
    evidence, _ = explorer._run.setting.evidence(
        np.array([found.candidate]), found.counts[None].astype(float), found.means[None]
    )
    assert found.statistic == evidence[0] > found.threshold  # no conclusion but that of the numbers


def attack_specs(text, directory):
    """The TOML file of an experiment."""
    path = directory / "spec.toml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    try:
        spec = _read_spec(path)
    except InvalidInputError:
        return
    defaults = {"family": "bernoulli", "query": "best-arm", "rule": "RR", "delta": 0.1}
    spec["n_arms"] = spec.pop("arms", 3)
    try:
        purex.Explorer.from_names(**{**defaults, **spec})
    except PurexError:
        return


def attack_rewards(texts):
    """Rewards on the command line."""
    try:
        pairs = told_rewards(tuple(texts))
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


def attack_studies(text):
    """The TOML file of a study: refused, or one whose every rule could run."""
    try:
        specification = parse_specification(text)
    except InvalidInputError:
        return
    assert Specification.from_dict(json.loads(json.dumps(specification.as_dict()))) == specification
    if sum(entry.runs for entry in specification.problems) <= 1000:
        try:
            enumerate_study(specification)
        except PurexError:
            return


def attack_tables(content, directory):
    """The Parquet file of a study: refused, or the runs of its rules."""
    (directory / "runs.parquet").write_bytes(content)
    read_all(directory)


def attack_manifests(text, directory):
    """The manifest of a study."""
    (directory / "manifest.json").write_text(text, encoding="utf-8", errors="surrogatepass")
    read_all(directory)


def attack_timings(text, directory):
    """The seconds and rounds of a study."""
    (directory / "timings.json").write_text(text, encoding="utf-8", errors="surrogatepass")
    read_all(directory)


def attack_chunks(content, directory):
    """A chunk of a study that is under way: refused, or what its name says."""
    enumeration = enumerate_study(parse_specification(study("", "")))
    store, task = Store(directory, enumeration), enumeration.tasks()[0]
    store._file(task).write_bytes(content)
    try:
        assert store.done() == {(0, 0)}
    except PurexError:
        return
    table = pq.read_table(store._file(task))
    assert table["run"].to_pylist() == list(range(5))
    assert [sum(counts) for counts in table["counts"].to_pylist()] == table["tau"].to_pylist()


def attack_caches(content, directory):
    """A file of compiled kernels, the index or a kernel: what was kept, or nothing; never something else."""
    kernels = SealedFiles(str(directory / "key" / "folder"), "f-1.py", "stamp")
    kept = {"machine": "code"}
    for name in os.listdir(kernels._cache_path):
        file = directory / "key" / "folder" / name
        sound = file.read_bytes()
        file.write_bytes(content)
        assert kernels.load("signature") in (None, kept)
        file.write_bytes(sound)
        assert kernels.load("signature") == kept


def sound_chunk(directory):
    """Begin a study in a directory, with one chunk."""
    enumeration = enumerate_study(parse_specification(study("", "")))
    with Store.open(directory / "begun", enumeration) as store, Executor().open() as pool:
        for chunk in pool.execute(enumeration.tasks()):
            store.write(chunk)
    (directory / "chunks").mkdir(exist_ok=True)
    return shutil.copy(directory / "begun" / "chunks" / "00000-000000000.parquet", directory / "chunk")


def sound_kernel(directory):
    """Keep a kernel, and return the bytes of its index and of itself."""
    folder = directory / "key" / "folder"
    folder.mkdir(parents=True, exist_ok=True)
    SealedFiles(str(folder), "f-1.py", "stamp").save("signature", {"machine": "code"})
    return [file.read_bytes() for file in sorted(folder.iterdir())]


def read_all(directory):
    try:
        for cell, runs in Study.open(directory).results():
            assert runs.tau.shape == (len(cell.deltas), cell.entry.runs)
            assert runs.counts.shape == (*runs.tau.shape, len(cell.entry.means))
    except PurexError:
        return


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
STUDY_KEYS = (
    "name",
    *KEYS,
    "means",
    "rules",
    "deltas",
    "thresholds",
    "runs",
    "chunk",
    "max_rounds",
    "statistic",
)
TOML_VALUES = st.one_of(
    TEXTS.map(json.dumps),
    st.sampled_from(
        ["3", "-1", "0.05", "nan", "inf", "[0.1, 0.9]", "[]", "true", "1979-05-27", "{a=1}", "'x'", "9" * 400]
    ),
    st.sampled_from(["'bernoulli'", "'best-arm'", "'D-C'", "'stylised'", "'once'", "'unstructured'"]),
    st.sampled_from(["['D-C', 'T-C']", "['stylised']", "[0.3, 0.2, 0.1]", "[[1]]", "[" * 2000 + "]" * 2000]),
)


def lines(keys, size):
    pairs = st.lists(st.tuples(st.sampled_from(keys), TOML_VALUES), max_size=size, unique_by=lambda p: p[0])
    return pairs.map(lambda pairs: "\n".join(f"{key} = {value}" for key, value in pairs))


def study(top, problem):
    """The text of a study, sound but for what is drawn, which comes first or replaces its own."""
    own = {"name": "'a'", "family": "'gaussian'", "query": "'best-arm'", "means": "[1, 0]", "runs": "5",
           "rules": "['RR']", "deltas": "[0.1]"}  # fmt: skip
    drawn = {line.partition(" = ")[0] for line in (top + "\n" + problem).splitlines()}
    rest = "\n".join(f"{key} = {value}" for key, value in own.items() if key not in drawn)
    return f"{top}\n[[problem]]\n{problem}\n{rest}\n"


DEEP = st.tuples(st.sampled_from(["a.", "'a' . ", "seed."]), st.integers(15, 2000)).map(
    lambda p: f"{p[0] * p[1]}a = 1\n"
)
SPECS = st.one_of(TEXTS, DEEP, lines(KEYS, 6))
STUDIES = st.one_of(
    TEXTS,
    DEEP.map(lambda key: key + study("", "")),
    st.builds(study, lines(STUDY_KEYS, 2), lines(STUDY_KEYS, 3)),
)
REWARDS = st.lists(
    st.one_of(TEXTS, st.sampled_from(["0=1", "1=0", "2=0.5", "9=1", "0=nan", "-1=0"])), max_size=4
)
# the strategy, given the directory of a sound study; what is attacked; how many of the 100,000
TARGETS = {
    "names": (lambda _: TEXTS, attack_names, 30_000),
    "lists": (lambda _: TEXTS, attack_lists, 8_000),
    "states": (states, attack_states, 20_000),
    "specs": (lambda _: SPECS, attack_specs, 10_000),
    "rewards": (lambda _: REWARDS, attack_rewards, 8_000),
    "studies": (lambda _: STUDIES, attack_studies, 10_000),
    "tables": (lambda sound: broken_tables(sound / "runs.parquet"), attack_tables, 5_000),
    "chunks": (lambda sound: broken_tables(sound_chunk(sound)), attack_chunks, 2_000),
    "caches": (lambda sound: st.one_of(*map(broken_bytes, sound_kernel(sound))), attack_caches, 2_000),
    "manifests": (lambda sound: broken_texts(read(sound / "manifest.json")), attack_manifests, 3_000),
    "timings": (lambda sound: broken_texts(read(sound / "timings.json")), attack_timings, 2_000),
}


def read(file):
    return json.loads(file.read_text())


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    out = tmp_path_factory.mktemp("sound")
    run_study(parse_specification(study("", "")), out)
    assert [runs.tau.shape for _, runs in Study.open(out).results()] == [(1, 5)]
    return out


def attack(name, count, sound, tmp_path):
    make, target, _ = TARGETS[name]
    strategy = make(sound)
    shutil.copytree(sound, tmp_path, dirs_exist_ok=True)

    @settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def trial(value):
        target(value, tmp_path) if "directory" in inspect.signature(target).parameters else target(value)

    trial()


@pytest.mark.parametrize("name", TARGETS)
def test_a_few_hundred_hostile_inputs(name, sound, tmp_path):
    attack(name, 300, sound, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("name", TARGETS)
def test_a_hundred_thousand_hostile_inputs(name, sound, tmp_path):
    assert sum(count for *_, count in TARGETS.values()) >= TOGETHER
    attack(name, TARGETS[name][2], sound, tmp_path)
