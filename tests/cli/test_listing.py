"""`purex plugins`, `purex list` and `purex show`."""

from __future__ import annotations

import json

import pytest

from purex.plugins import KINDS

BROKEN = "import no_such_module"


def test_plugins(purex, stranger):
    stranger()
    result = purex("plugins")
    assert result.exit_code == 0
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("acme:colour")]
    assert line.split()[:3] == ["acme:colour", "1.2", "ok"]
    assert "2 queries, 1 structure" in line
    plugins = json.loads(purex("plugins", "--json").stdout)["plugins"]
    assert [p for p in plugins if p["id"] == "acme:colour"] == [
        {
            "id": "acme:colour",
            "distribution": "acme",
            "entry": "colour",
            "version": "1.2",
            "api": 1,
            "status": "ok",
            "hooks": ["purex_queries", "purex_structures"],
            "records": {"queries": 2, "structures": 1},
            "by_name_only": [],
            "problems": [],
        }
    ]


def test_a_failing_plugin_is_shown_once_on_stderr_and_the_status_stays_0(purex, stranger):
    stranger(BROKEN)
    sentence = "plugin acme:colour 1.2 cannot be imported (ModuleNotFoundError: No module named"
    result = purex("plugins")
    assert result.exit_code == 0
    assert result.stderr.count(f"purex: {sentence}") == 1
    assert "failed" in result.stdout
    listing = json.loads(purex("plugins", "--json").stdout)
    assert any(problem.startswith(sentence) for problem in listing["problems"])
    assert sentence in purex("list", "queries").stderr


def test_strict_mode_is_a_refusal(purex, stranger, monkeypatch):
    stranger(BROKEN)
    monkeypatch.setenv("PUREX_STRICT_PLUGINS", "1")
    result = purex("plugins")
    assert result.exit_code == 2
    assert result.stderr.startswith("purex: plugin acme:colour 1.2 cannot be imported")


def test_a_disabled_plugin_is_listed_as_such(purex, stranger, monkeypatch):
    stranger(BROKEN)
    monkeypatch.setenv("PUREX_DISABLE_PLUGINS", "acme:colour")
    result = purex("plugins")
    assert "disabled" in result.stdout
    assert "acme" not in result.stderr


@pytest.mark.parametrize("kind", ["query", "queries"])
def test_list(kind, purex, stranger):
    stranger()
    result = purex("list", kind)
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "\x1b" not in result.stdout
    assert "Which [bold]m[/bold] arms?" in result.stdout
    assert "acme:colour" in result.stdout
    assert "Section 2" in result.stdout
    listing = json.loads(purex("list", kind, "--json").stdout)
    (pick,) = [item for item in listing if item["qualified"] == "acme:pick"]
    assert pick["summary"].startswith("Which [bold]m[/bold] arms?")
    assert (pick["kind"], pick["plugin"], pick["version"]) == ("query", "acme:colour", "1.2")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_listed(kind, purex):
    assert purex("list", kind).exit_code == 0
    assert isinstance(json.loads(purex("list", kind, "--json").stdout), list)


def test_colour_is_never_piped(purex, stranger, monkeypatch):
    stranger()
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    result = purex("list", "queries")
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize("name", ["pick", "acme:pick"])
def test_show(name, purex, stranger):
    stranger()
    text = purex("show", name).stdout
    for part in (
        "m: int (required)",
        "points: list[int] = [0, 1]",
        "margin: float = 0.5",
        "pick(m=2)",
        "Section 2",
        "acme:colour 1.2",
        "The second paragraph.",
    ):
        assert part in text
    shown = json.loads(purex("show", name, "--json").stdout)
    assert shown["example"] == "pick(m=2)"
    assert shown["doc"].startswith("Pick m arms.")
    assert shown["parameters"] == [
        {"name": "m", "required": True, "default": None, "annotation": "int"},
        {"name": "points", "required": False, "default": "[0, 1]", "annotation": "list[int]"},
        {"name": "margin", "required": False, "default": 0.5, "annotation": "float"},
    ]


def test_show_needs_the_kind_of_a_name_with_two_meanings(purex, stranger):
    stranger()
    result = purex("show", "twice")
    assert result.exit_code == 2
    assert "may mean the query 'acme:twice' or the structure 'acme:twice'" in result.stderr
    assert "A structure." in purex("show", "twice", "--kind", "structures").stdout
