"""`purex plugins`, `purex list` and `purex show`."""

from __future__ import annotations

import json
import re

import pytest

from purex.plugins import KINDS, registry

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


def test_list_without_a_kind_names_the_kinds(purex):
    text = purex("list").stdout
    for kind in KINDS.values():
        assert kind.plural in text
    found = {row["kind"]: row["count"] for row in json.loads(purex("list", "--json").stdout)}
    assert found["queries"] == len(registry().items("query"))
    assert found["claims"] is None


def test_claims_are_listed_and_shown(purex):
    from purex.verify.claims import shipped

    listed = json.loads(purex("list", "claims", "--json").stdout)
    assert [row["name"] for row in listed] == [claim.id for claim in shipped()]
    lines = purex("list", "claims").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("S28 ") for line in lines)
    for name in ("S28", "s28"):
        text = purex("show", name).stdout
        assert "inf_w min_k (N_n^k - W_n^k) = -(K-1)" in text
        assert "\\" not in text
    assert purex("show", "S28", "--kind", "claim").stdout == text
    result = purex("show", "S999")
    assert result.exit_code == 2
    assert "there is no claim named 'S999'" in result.stderr


def test_a_threshold_is_shown_with_its_status_and_scope(purex):
    text = purex("show", "garivier-kaufmann").stdout
    assert "status      proved" in text
    assert "scope       best arm among Bernoulli arms" in text
    assert json.loads(purex("show", "stylised", "--json").stdout)["status"] == "heuristic"


@pytest.mark.parametrize("kind", [name for name in KINDS if name != "claim"])
def test_what_is_shown_has_no_latex_and_fits(kind, purex):
    for item in registry().items(kind):
        text = purex("show", item.qualified, "--kind", kind).stdout
        prose = [line for line in text.partition("\n>>>")[0].splitlines() if not line.startswith(" ")]
        assert not re.search(r"\\[A-Za-z]|\$", "\n".join(prose)), item.name
        code = [line for line in text.splitlines() if line.startswith((">>>", "..."))]
        assert max(map(len, prose + code)) <= 80, item.name


def test_no_formula_of_a_claim_has_latex_left():
    from purex.cli.plain_formulas import plain_formula
    from purex.verify.claims import shipped

    for claim in shipped():
        text = plain_formula(claim.statement)
        assert not re.search(r"[\\\x01-\x04]|frac|mathbb|sqrt [^(]", text), claim.id
        assert text.count("(") == text.count(")"), claim.id


CLAIM = """
from purex.plugins import ClaimRecord, hookimpl

def check(context):
    tally = context.tally()
    tally.compare(1.0, 2.0)
    return tally.evidence()

def make():
    from purex.verify import Claim

    return Claim(id="ACME1", group="acme", title="one is at most two", statement="1 \\\\le 2",
                 source="school", kind="numeric", check=check, violation="two is less")

@hookimpl
def purex_claims():
    yield ClaimRecord(name="one-two", factory=make, summary="one is at most two")
"""


def test_a_claim_of_a_plugin_is_found_by_its_name_and_checked(purex, stranger):
    stranger(CLAIM)
    for name in ("one-two", "acme:one-two"):
        assert "1 <= 2" in purex("show", name).stdout
    assert "ACME1" in purex("list", "claims").stdout
    result = purex("check", "one-two")
    assert result.exit_code == 0, result.output
    assert "1 laws ran: 1 passed" in result.stdout
    assert purex("check", "ACME1", "--kind", "claim").exit_code == 0


def test_what_cannot_be_checked_is_said(purex):
    result = purex("check", "thresholding-compiled")
    assert result.exit_code == 2
    assert "is an oracle" in result.stderr
