"""A specification is read strictly: what is wrong is refused, with its place."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

import numpy as np
import pytest

from purex.errors import InvalidInputError
from purex.experiments.enumeration import enumerate_study
from purex.experiments.specification import Specification, chunk_size, parse_specification, read_specification
from purex.plugins import parse

TOP = 'runs = 100\nseed = 3\nrules = ["D-C", "RR"]\ndeltas = [0.1, 0.01]\n'
PROBLEM = '[[problem]]\nname = "two"\nfamily = "gaussian"\nquery = "best-arm"\nmeans = [1, 0.5]\n'


def test_settings_at_the_top_are_for_all_and_a_problem_has_its_own():
    more = (
        PROBLEM.replace("two", "three")
        + 'rules = ["T-D"]\nruns = 7\nthresholds = ["kaufmann-koolen"]\nbox = [0, 2]\n'
    )
    found = parse_specification(TOP + PROBLEM + more)
    two, three = found.problems
    assert (two.rules, two.runs, two.thresholds, two.box) == (("D-C", "RR"), 100, ("stylised",), None)
    assert (three.rules, three.runs, three.box) == (("T-D",), 7, (0.0, 2.0))
    assert three.thresholds == ("kaufmann-koolen",)
    assert found.seed == 3
    assert Specification.from_dict(json.loads(json.dumps(found.as_dict()))) == found


def test_a_study_is_the_same_with_the_first_name_left_out():
    """Down to its key; results of studies have the names of all arguments."""
    asked = PROBLEM.replace("best-arm", "top-m({}1)").replace("gaussian", "gaussian({}2)")
    texts = [
        f"{TOP}{asked.replace('{}', name, 1).replace('{}', other)}actions = 'costs({third}[1, 2])'\n"
        for name, other, third in (("variance=", "m=", "costs="), ("", "", ""))
    ]
    named, bare = (enumerate_study(parse_specification(text)) for text in texts)
    assert bare.specification == named.specification
    assert bare.key == named.key
    assert bare.specification.problems[0].query == "top-m(m=1)"
    twice = TOP.replace('"RR"', """"batched('RR')", "batched(rule='RR')\"""")
    with pytest.raises(InvalidInputError, match="stands twice"):
        parse_specification(twice + PROBLEM)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (TOP + "delta = [0.1]\n" + PROBLEM, ["top level", "no key 'delta'", "did you mean 'deltas'"]),
        (TOP + PROBLEM + "mean = [1]\n", ["[[problem]] number 1 ('two')", "no key 'mean'", "'means'"]),
        (TOP + PROBLEM + PROBLEM.replace("two", "b") + "runs = 2.5\n", ["number 2 ('b')", "'runs'", "2.5"]),
        (TOP + PROBLEM + "runs = true\n", ["'runs'", "whole number", "True"]),
        (TOP + PROBLEM + "runs = 0\n", ["'runs'", "at least 1"]),
        (TOP + PROBLEM + 'rules = "D-C"\n', ["'rules'", "a list"]),
        (TOP + PROBLEM + 'rules = ["D-C", "D-C"]\n', ["'rules'", "stands twice"]),
        (TOP + PROBLEM + "deltas = [1.5]\n", ["'deltas'", "strictly between 0 and 1"]),
        (TOP + PROBLEM + "deltas = []\n", ["'deltas'", "not empty"]),
        (TOP + PROBLEM.replace("[1, 0.5]", '["a"]'), ["'means'", "finite number"]),
        (TOP + PROBLEM.replace("[1, 0.5]", "[1, nan]"), ["'means'", "finite number"]),
        (TOP + PROBLEM + "box = [1, 0]\n", ["'box'", "ends before it begins"]),
        (TOP + PROBLEM + 'initial = "twice"\n', ["'initial'", "'once', 'interior'"]),
        (TOP + "chunk = 0\n" + PROBLEM, ["'chunk'", "at least 1"]),
        (TOP + PROBLEM + PROBLEM, ["number 2", "has this name already"]),
        (TOP, ["no problem"]),
        (TOP + "problem = 3\n", ["no problem"]),
        (PROBLEM, ["the key 'rules' is missing here or at the top"]),
        (TOP + '[[problem]]\nname = "two"\n', ["the key 'family' is missing"]),
        (TOP + "runs = 3\n" + PROBLEM, ["not TOML", "line 5"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_with_its_place(text, sentences):
    with pytest.raises(InvalidInputError) as refused:
        parse_specification(text, "study.toml")
    message = str(refused.value)
    assert message.startswith("study.toml")
    assert "\n" not in message
    for sentence in sentences:
        assert sentence in message


def test_a_file_that_is_not_there_or_not_text(tmp_path):
    with pytest.raises(InvalidInputError, match="cannot be read"):
        read_specification(tmp_path / "none.toml")
    (tmp_path / "picture.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInputError, match="not a text file"):
        read_specification(tmp_path / "picture.toml")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (TOP.replace("RR", "RS") + PROBLEM, "no rule named 'RS'"),
        (TOP + PROBLEM.replace("best-arm", "best-amr"), "did you mean 'best-arm'"),
        (TOP + PROBLEM + 'thresholds = ["none"]\n', "no threshold named 'none'"),
        (TOP.replace("RR", "OGD") + PROBLEM, "box"),
        (TOP.replace("RR", "D-D(gap=-1)") + PROBLEM, "gap"),
        (TOP + PROBLEM.replace("gaussian", "bernoulli").replace("0.5", "1.5"), "1.5"),
    ],
)
def test_names_are_refused_before_anything_runs(text, sentence):
    with pytest.raises(InvalidInputError, match="problem 'two'") as refused:
        enumerate_study(parse_specification(text))
    assert sentence in str(refused.value)


def test_every_run_is_in_exactly_one_task():
    found = enumerate_study(parse_specification(TOP + "chunk = 30\n" + PROBLEM))
    tasks = found.tasks()
    for cell in found.cells:
        runs = sorted(r for task in tasks if task.cell == cell for r in range(task.first, task.stop))
        assert runs == list(range(100))
    assert [task.cell.rule for task in tasks[:3]] == ["D-C", "RR", "D-C"]  # nobody waits to the very end


def test_the_key_depends_on_all_that_decides_the_rows():
    base = enumerate_study(parse_specification(TOP + PROBLEM))
    assert base.key == enumerate_study(parse_specification(TOP + "# a comment\n" + PROBLEM)).key
    for other in (
        TOP.replace("seed = 3", "seed = 4"),
        TOP.replace("0.01", "0.02"),
        TOP.replace("100", "101"),
    ):
        assert enumerate_study(parse_specification(other + PROBLEM)).key != base.key
    assert "rule purex-bandits:D-C" in base.plugins
    newer = type(base)(base.specification, base.cells, {**base.plugins, "rule purex-bandits:D-C": "9.9"})
    assert newer.key != base.key


def test_chunks_are_neither_tiny_nor_huge():
    assert chunk_size(10) == chunk_size(1000) == 250
    assert chunk_size(100_000) == 1000
    assert chunk_size(10**8) == 10_000


DEEP = ".".join("a" * 20_000)


@pytest.mark.parametrize(
    "line",
    [f"{DEEP} = 1", f"seed.{DEEP} = 1", f"[{DEEP}]", f"x = {{{DEEP} = 1}}", "x = " + "[" * 300 + "]" * 300,
     f"\"b\" . {DEEP} = 1", "x = " + "{a = " * 100 + "1" + "}" * 100],
    ids=["key", "seed", "table", "inline", "lists", "quoted", "tables"],
)  # fmt: skip
def test_keys_that_are_nested_thousands_deep_are_refused_at_once(line):
    """The parser alone would take ten seconds, and the sentence about the value would recurse."""
    began = time.process_time()
    with pytest.raises(InvalidInputError, match="nested too deeply"):
        parse_specification(f"{TOP}{PROBLEM}{line}\n" if line.startswith("[") else f"{line}\n{TOP}{PROBLEM}")
    assert time.process_time() - began < 2


def test_the_study_of_the_docs_is_the_published_instance():
    """Arms e1, ..., e6 and (cos 0.1, sin 0.1, 0, ...), theta = 2 e1: the means follow from the features."""
    found = read_specification(Path(__file__).parents[2] / "docs" / "examples" / "linear-six.toml")
    (entry,) = found.problems
    features = np.array(parse(entry.structure).arguments["features"])
    expected = np.vstack([np.eye(6), [math.cos(0.1), math.sin(0.1), 0, 0, 0, 0]])
    np.testing.assert_allclose(features, expected, rtol=1e-15)
    np.testing.assert_allclose(entry.means, features @ [2, 0, 0, 0, 0, 0], rtol=1e-15)
    assert entry.deltas == (0.1, 0.01, 1e-3, 1e-4)
