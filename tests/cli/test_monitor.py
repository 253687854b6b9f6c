"""`purex monitor`."""

import json
from functools import partial
from statistics import fmean, stdev

import pytest
from click.testing import CliRunner

from purex.cli.main import app
from purex.problem import Problem
from purex.verify import path

WHERE = ["--family", "gaussian", "--query", "best-arm", "--means", "1,0.7,0.5", "--box", "0,2"]


def run(*arguments):
    return CliRunner().invoke(app, ["monitor", *arguments])


def test_table_and_figure(tmp_path):
    file = tmp_path / "waterfall.png"
    result = run(
        *WHERE, "--rule", "D-C(bonus='lambert')", "--rounds", "100", "--runs", "2", "--plot", str(file)
    )
    assert result.exit_code == 0, result.output
    assert "No link is broken." in result.output
    for name in ("L10", "L8+L6", "L1", "P4"):
        assert f"\n{name} " in result.output
    assert file.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("how", [(), ("--json",)])
def test_a_broken_link_is_told_and_is_status_1(monkeypatch, how):
    """Arms pulled at random: the link about tracking breaks on every run."""
    monkeypatch.setattr(path, "monitor", partial(path.monitor, breach=path.RANDOM_PULLS))
    result = run(*WHERE, "--rule", "D-C(bonus='lambert')", "--rounds", "300", "--runs", "2", *how)
    assert result.exit_code == 1, result.output
    if how:
        found = json.loads(result.stdout)
        assert found["violations"] >= 2
        assert next(link for link in found["links"] if link["name"] == "L2")["violated"] == 2
    else:
        assert " broken links." in result.output


def test_json_telescopes():
    result = run(*WHERE, "--rule", "O-C(bonus='lambert')", "--rounds", "60", "--runs", "2", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    for links in (found["links"], found["net"]):
        assert abs(found["start"] - sum(link["loss"] for link in links) - found["end"]) < 1e-9
    assert found["violations"] == 0
    assert found["constants"]["L"] == 2.0
    problem = Problem.from_names("gaussian", "best-arm", n_arms=3, box=(0, 2))
    seen = path.monitor(problem, [1, 0.7, 0.5], "O-C(bonus='lambert')", checkpoints=(60,), runs=2)
    for place, link in enumerate(found["links"]):
        losses = [chain.links[place].loss for chain in seen.last]
        assert link["loss"] == pytest.approx(fmean(losses), rel=1e-12, abs=1e-12 * found["start"])
        assert link["error"] == pytest.approx(stdev(losses) / 2**0.5, rel=1e-9, abs=1e-12 * found["start"])


def test_costs(tmp_path):
    file = tmp_path / "waterfall.png"
    given = [*WHERE, "--actions", "costs([1, 1, 5])", "--rounds", "80", "--runs", "2"]
    result = run(*given, "--plot", str(file))
    assert result.exit_code == 0, result.output
    assert "\ncost D_mu = " in result.output
    assert "\nL11 " in result.output
    assert file.read_bytes().startswith(b"\x89PNG")
    found = json.loads(run(*given, "--json").stdout)
    assert found["cost"] > 80
    assert found["start"] == pytest.approx(found["cost"] * found["constants"]["value"])
    assert abs(found["start"] - sum(link["loss"] for link in found["links"]) - found["end"]) < 1e-9


def test_actions_that_show_several_arms_have_no_closed_form_of_concentration():
    given = [*WHERE, "--actions", "[[0, 1], [2]]", "--rounds", "80", "--runs", "2"]
    result = run(*given)
    assert result.exit_code == 0, result.output
    assert "sums of w/sqrt N" in result.output
    found = json.loads(run(*given, "--json").stdout)
    assert [link["name"] for link in found["links"] if link["closed"] == "nan"] == ["L10", "L6", "L4"]
    assert found["cost"] == 80


def test_bad_input_is_one_sentence(tmp_path):
    for arguments, words in (
        (["--rule", "T-C"], "proves nothing"),
        (["--rule", "D-C", "--rounds", "2"], "initial pulls"),
        (["--rule", "OGD", "--actions", "[[0, 1], [2]]"], "take D-C or O-C"),
        (["--rule", "FTPL", "--actions", "costs([1, 2, 3])"], "rules D-C, O-C and OGD"),
        (["--rule", "D-C", "--rounds", "50", "--plot", str(tmp_path / "figure.txt")], "a figure is a"),
    ):
        result = run(*WHERE, *arguments)
        assert result.exit_code == 2
        assert words in result.stderr
        assert result.stderr.count("\n") == 1
