"""`purex monitor`."""

import json

from click.testing import CliRunner

from purex.cli.main import app

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


def test_json_telescopes():
    result = run(*WHERE, "--rule", "O-C(bonus='lambert')", "--rounds", "60", "--runs", "2", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    for links in (found["links"], found["net"]):
        assert abs(found["start"] - sum(link["loss"] for link in links) - found["end"]) < 1e-9
    assert found["violations"] == 0
    assert found["constants"]["L"] == 2.0


def test_bad_input_is_one_sentence(tmp_path):
    for arguments, words in (
        (["--rule", "T-C"], "proves nothing"),
        (["--rule", "D-C", "--rounds", "2"], "initial pulls"),
        (["--rule", "D-C", "--rounds", "50", "--plot", str(tmp_path / "figure.txt")], "a figure is a"),
    ):
        result = run(*WHERE, *arguments)
        assert result.exit_code == 2
        assert words in result.stderr
        assert result.stderr.count("\n") == 1
