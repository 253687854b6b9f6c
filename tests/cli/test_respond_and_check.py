"""`purex respond` and `purex check`: numbers, JSON, and refusals in one sentence with status 2."""

import json

import pytest

BERNOULLI = ["--family", "bernoulli", "--query", "best-arm"]


def test_respond_in_json(purex):
    """Two Bernoulli arms with equal weights tie at their midpoint; d from its definition."""
    from math import log

    result = purex("respond", *BERNOULLI, "--means", "0.5,0.3", "--weights", "1,1", "--json")
    answer = json.loads(result.stdout)
    m = 0.4
    cost = [p * log(p / m) + (1 - p) * log((1 - p) / (1 - m)) for p in (0.5, 0.3)]
    assert answer["answer"] == {"code": 0, "label": "arm 0"}
    assert answer["point"] == pytest.approx([m, m])
    assert answer["costs"] == pytest.approx(cost)
    assert answer["value"] == pytest.approx(sum(cost))
    assert answer["piece"] == 0


def test_respond_as_a_table(purex):
    """Weights 1 and 3 meet at 0.35: means, weights, alternatives and costs all differ, each in its column."""
    from math import log

    result = purex("respond", *BERNOULLI, "--means", "0.5,0.3", "--weights", "1,3")
    m = (0.5 + 3 * 0.3) / 4
    cost = [w * (p * log(p / m) + (1 - p) * log((1 - p) / (1 - m))) for p, w in ((0.5, 1), (0.3, 3))]
    *about, _, head, first, second = result.stdout.splitlines()
    assert head.split() == ["arm", "mean", "weight", "alternative", "cost"]
    assert first.split() == ["0", "0.5", "1", "0.35", f"{cost[0]:.4g}"]
    assert second.split() == ["1", "0.3", "3", "0.35", f"{cost[1]:.4g}"]
    assert about[0].split(maxsplit=3) == ["answer", "to", "refute", "arm 0"]
    assert float(about[1].split()[1]) == pytest.approx(sum(cost), rel=1e-7)


def test_respond_refutes_the_answer_that_is_given(purex):
    result = purex("respond", *BERNOULLI, "--means", "0.5,0.3", "--answer", "1", "--json")
    assert json.loads(result.stdout)["value"] == 0.0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--family", "bernouli", "--query", "best-arm", "--means", "0.5,0.3"], "did you mean 'bernoulli'"),
        (["--family", "bernoulli", "--query", "best-amr", "--means", "0.5,0.3"], "did you mean 'best-arm'"),
        ([*BERNOULLI, "--means", "0.5,1.3"], "the mean of arm 1"),
        ([*BERNOULLI, "--means", "0.5,x"], "not a list of numbers"),
        ([*BERNOULLI, "--means", "0.5,nan"], "the mean of arm 1"),
        ([*BERNOULLI, "--means", "0.5,0.3", "--weights", "1"], "2 arms need 2 weights"),
        ([*BERNOULLI, "--means", "0.5,0.3", "--weights", "1,-1"], "the weight of arm 1"),
        ([*BERNOULLI, "--means", "0.5,0.3", "--box", "0.1"], "not an interval"),
        ([*BERNOULLI, "--means", "0.5,0.3", "--box", "0.6,0.2"], "lower < upper"),
        ([*BERNOULLI, "--means", "0.5"], "nothing to explore"),
        (["--family", "gaussian(variance=-1)", "--query", "best-arm", "--means", "1,2"], "variance"),
        (["--family", "gaussian", "--query", "top-m(m=5)", "--means", "1,2,3"], "from 1 to 2"),
        (["--family", "gaussian", "--query", "top-m(m=1", "--means", "1,2,3"], "top-m(m=1"),
        (["--family", "bernoulli", "--query", "thresholding(threshold=2)", "--means", "0.5,0.3"], "strictly"),
        ([*BERNOULLI, "--means", "0.5,0.3", "--oracle", "magic"], "magic"),
    ],
)
def test_respond_refuses_with_one_sentence(purex, arguments, sentence):
    result = purex("respond", *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.output


def test_check_a_structure(purex):
    result = purex("check", "box", "--family", "bernoulli", "--size", "20")
    assert result.exit_code == 0, result.output
    assert "failed" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["best-amr"], "did you mean 'best-arm'"),
        (["box", "--structure", "box(lower=0, upper=1)"], "leave --structure out"),
        (["top-m(k=2)"], "no parameter 'k'"),
        (["best-arm", "--seed", "-1"], "--seed"),
        (["best-arm", "--size", "0"], "--size"),
    ],
)
def test_check_refuses_with_one_sentence(purex, arguments, sentence):
    result = purex("check", *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr


FAULTY = """
import numpy as np
from purex.model import Polyhedron, Query
from purex.plugins import QueryRecord, hookimpl


class Faulty(Query):
    def answer(self, mu):
        return mu.argmaxx(axis=1)

    def alternatives(self, i):
        return [Polyhedron.order(self.n_arms, low=i, high=k) for k in range(self.n_arms) if k != i]


@hookimpl
def purex_queries():
    yield QueryRecord(name="faulty", factory=Faulty, summary="A query with a misspelt method.")
"""


def test_one_fault_that_breaks_all_laws_is_told_once(purex, stranger):
    stranger(FAULTY)
    result = purex("check", "faulty", "--family", "gaussian", "--size", "5")
    assert result.exit_code == 1
    assert result.stdout.count("argmaxx") == result.stdout.count("FAILED") == 1
    assert "times more: check_" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_verify_says_what_checks_a_thing_that_is_no_claim(purex):
    for name, sentence in (
        ("stylised", "'stylised' is a threshold, not a claim: purex check stylised tries the laws"),
        ("best-arm", "purex verify --query best-arm ... checks the claims on it"),
        ("S2727", "there is no claim or group named 'S2727'"),
    ):
        result = purex("verify", name)
        assert result.exit_code == 2
        assert sentence in result.stderr
