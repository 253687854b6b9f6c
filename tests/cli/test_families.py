"""Bounded and recorded rewards on the command line."""

import json

import pytest

THREE = ["--query", "best-arm", "--means", "0.3,0.21,0.2"]
SENTENCE = "arms are those of the hardest law in the class"


@pytest.fixture
def log(tmp_path, monkeypatch):
    """A table of recorded rewards in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.csv").write_text("old,new\n1,4\n2,5\n0,3.5\n")
    return [f"empirical(file='log.csv', column={column!r}, lower=0, upper=5)" for column in ("old", "new")]


@pytest.mark.parametrize("command", ["solve", "bound"])
def test_numbers_of_the_hardest_law_are_called_that(purex, command):
    box = ["--box", "0.05,0.95"] if command == "bound" else []
    bernoulli, bounded = ([command, "--family", name, *THREE, *box] for name in ("bernoulli", "bounded"))
    assert SENTENCE not in purex(*bernoulli).stdout
    assert f"The numbers of bounded {SENTENCE}" in purex(*bounded).stdout
    exact, found = (json.loads(purex(*line, "--json").stdout) for line in (bernoulli, bounded))
    assert found.pop("hardest_law") == [0, 1, 2]
    assert found == exact


def test_the_arms_of_a_class_are_listed(purex):
    line = [
        "solve",
        "--family",
        "gaussian; sub-gaussian(variance=2)",
        "--query",
        "best-arm",
        "--means",
        "1,0",
    ]
    assert json.loads(purex(*line, "--json").stdout)["hardest_law"] == [1]
    assert f"The numbers of sub-gaussian {SENTENCE}" in purex(*line).stdout


def test_the_bound_does_not_depend_on_the_unit(purex):
    line = ["bound", "--query", "best-arm", "--json"]
    one = purex(*line, "--family", "bounded", "--means", "0.5,0.25,0.125", "--box", "0.0625,0.9375")
    many = purex(*line, "--family", "bounded(lower=-2, upper=6)", "--means", "2,0,-1", "--box", "-1.5,5.5")
    assert json.loads(one.stdout)["T0"] == json.loads(many.stdout)["T0"]


def test_recorded_means(purex, log):
    line = ["--family", "; ".join(log), "--query", "best-arm"]
    found = json.loads(purex("solve", *line, "--means", "recorded", "--json").stdout)
    typed = json.loads(purex("solve", *line, "--means", f"1,{12.5 / 3!r}", "--json").stdout)
    assert found == typed
    result = purex("simulate", *line, "--means", "recorded", "--rule", "D-C", "--runs", "20", "--json")
    assert json.loads(result.stdout)["results"][0]["uncertified"] == 0


def test_other_means_than_the_recorded_ones_are_refused(purex, log):
    line = ["simulate", "--query", "best-arm", "--rule", "RR", "--runs", "2"]
    result = purex(*line, "--family", "; ".join(log), "--means", "1,2")
    assert result.exit_code == 2
    assert "have the mean 4.16666" in result.stderr
    assert "cannot be simulated with the mean 2.0" in result.stderr
    result = purex(*line, "--family", f"{log[0]}; bernoulli", "--means", "recorded")
    assert result.exit_code == 2
    assert "arm 1 (bernoulli) has no recorded mean" in result.stderr
    result = purex(*line, "--family", "empirical(file='gone.csv')", "--means", "recorded")
    assert result.exit_code == 2
    assert "there is no file 'gone.csv' of recorded rewards" in result.stderr
