"""The one place where numbers become verdicts, and the runner around it."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

import purex.verify.claims as room
from purex.cli.main import app
from purex.errors import InvalidInputError, PluginError
from purex.verify import Claim, Context, Control, Evidence, Tally, holds, run_claim, run_claims


def within(observed, bound=1.0):
    def check(context):
        tally = context.tally()
        tally.compare(observed, bound)
        tally.walk(trajectories=2, rounds=30)
        return tally.evidence("a note")

    return check


def claim(observed, control=2.0, **fields):
    controls = () if control is None else (Control("too much", within(control)),)
    settings = {
        "id": "T1", "group": "tests", "title": "a number below 1", "statement": r"x \le 1", "source": "here",
        "kind": "pathwise", "check": within(observed), "violation": "x above 1", "controls": controls,
    }  # fmt: skip
    return Claim(**settings | fields)


@pytest.mark.parametrize(
    ("observed", "passed"), [(0.5, True), (1.0, True), (1.1, False), (math.nan, False), (math.inf, False)]
)
def test_verdicts(observed, passed):
    assert bool(holds(observed, 1.0)) is passed
    assert within(observed)(Context()).passed is passed
    assert run_claim(claim(observed), Context()).passed is passed


def test_tally_keeps_the_worst_and_counts():
    tally = Tally()
    tally.compare([0.1, 0.99, 0.5], 1.0)
    tally.compare([100.0], [1000.0])
    found = tally.evidence()
    assert (found.checks, found.violations, found.observed, found.bound) == (4, 0, 0.99, 1.0)
    tally.compare([3.0, 1.01], 1.0)
    found = tally.evidence()
    assert (found.checks, found.violations, found.observed) == (6, 2, 3.0)
    assert not found.passed


def test_one_violation_among_many_decides():
    values = np.full(1000, 0.1)
    values[617] = 1.0 + 1e-6
    assert not within(values)(Context()).passed


def test_nothing_compared_is_no_success():
    assert not within([])(Context()).passed
    assert run_claim(claim([]), Context()).status == "fails"
    assert run_claim(claim(0.5, control=[]), Context()).status == "blind"


def test_equalities_compare_residuals():
    tally = Tally()
    tally.equal([1.0, math.inf], [1.0 + 1e-12, math.inf], relative=1e-9)
    assert tally.evidence().passed
    tally.equal(1.0, 1.1, relative=1e-9)
    assert not tally.evidence().passed


def test_a_silent_control_is_a_failure():
    result = run_claim(claim(0.5, control=0.9), Context())
    assert result.status == "blind"
    assert "too much" in result.reason


def test_pathwise_claims_need_a_control():
    with pytest.raises(InvalidInputError, match="no control"):
        claim(0.5, control=None)
    assert claim(0.5, control=None, kind="numeric").controls == ()


def test_a_check_that_raises_is_broken_and_the_others_go_on():
    def raises(context):
        raise ZeroDivisionError("oops")

    verdict = run_claims([claim(0.5), claim(0.5, id="T2", check=raises)], Context())
    assert [r.status for r in verdict.results] == ["holds", "broken"]
    assert "oops" in verdict.results[1].reason
    assert not verdict.passed
    assert verdict.count("rounds") == 30
    assert verdict.fired == (1, 1)


def test_evidence_says_how_vacuous_a_bound_is():
    tally = Tally()
    tally.compare([1.0, 0.5], 1e6)
    assert tally.evidence().note == "vacuous here: observed/bound is at most 1.0e-06"
    assert tally.evidence("vacuous here: for another reason").note == "vacuous here: for another reason"
    tally.compare(0.2, 1.0)
    assert tally.evidence().note == ""
    assert tally.evidence().share == 0.2


def test_tolerances_are_relative_and_the_loosest_is_kept():
    tally = Tally()
    tally.compare(1e-9 * (1 + 1e-12), 1e-9, relative=1e-11)
    assert tally.evidence().passed
    assert tally.evidence().loosest == pytest.approx(1e-11)
    tally.compare(1e-9 * (1 + 1e-10), 1e-9, relative=1e-11)  # an absolute 1e-11 would not see it
    assert not tally.evidence().passed
    tally = Tally()
    tally.compare(1e-7, 0.0, relative=1e-9, scale=1000.0)
    tally.compare(1.0 + 1e-4, 1.0, 1e-3)
    assert tally.evidence().passed
    assert tally.evidence().loosest == pytest.approx(1e-3, rel=1e-3)


@pytest.mark.parametrize(
    "tolerance", [{"relative": 1e-9}, {"relative": 1e-9, "scale": math.inf}, {"tolerance": math.inf}]
)
def test_infinity_is_never_below_a_number(tolerance):
    tally = Tally()
    tally.compare(math.inf, 3.0, **tolerance)
    assert tally.evidence().violations == 1
    assert not holds(math.inf, 3.0, math.inf)


def command(monkeypatch, claims, *arguments):
    monkeypatch.setattr(room, "claims", lambda: tuple(claims))
    return CliRunner().invoke(app, ["verify", *arguments])


def test_command_and_its_exit_status(monkeypatch):
    good = command(monkeypatch, [claim(0.5), claim(0.2, id="T2")])
    assert good.exit_code == 0
    assert "All 2 claims hold, and all 2 controls fire." in good.stdout
    assert "2 checks on 4 trajectories of 60 rounds" in good.stdout
    assert max(map(len, good.stdout.splitlines())) <= 80
    bad = command(monkeypatch, [claim(0.5), claim(1.5, id="T2")])
    assert bad.exit_code == 1
    assert "T2 FAILS" in bad.stdout
    blind = command(monkeypatch, [claim(0.5, control=0.5)])
    assert blind.exit_code == 1
    assert "T1 BLIND" in blind.stdout
    assert command(monkeypatch, [claim(0.5), claim(1.5, id="T2")], "T1").exit_code == 0


def test_command_json(monkeypatch):
    found = json.loads(command(monkeypatch, [claim(1.5)], "--json").stdout)
    assert found["passed"] is False
    assert found["claims"][0]["evidence"]["violations"] == 1
    assert found["claims"][0]["controls"][0]["passed"] is False


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["S999"], "S999"), (["--query", "best-arm"], "--means"), (["--box", "0,1"], "--family"),
        (["--seed", "-1"], "seed"),
    ],
)  # fmt: skip
def test_command_refuses_in_one_sentence(arguments, word):
    result = CliRunner().invoke(app, ["verify", *arguments])
    assert result.exit_code == 2
    assert word in result.stderr
    assert result.stderr.count("\n") == 1


PLUGIN = """
from purex.plugins import ClaimRecord, hookimpl
from purex.verify import Claim, Context

def check(context):
    tally = context.tally()
    tally.compare(1.0, 2.0)
    return tally.evidence()

def make():
    return Claim(id="ACME1", group="acme", title="one is at most two", statement="1 \\\\le 2",
                 source="school", kind="numeric", check=check, violation="two is less")

@hookimpl
def purex_claims():
    yield ClaimRecord(name="one-two", factory=make, summary="one is at most two")
    yield ClaimRecord(name="none", factory=dict.fromkeys, summary="no claim")
"""


def test_claims_of_plugins(monkeypatch):
    import types

    from purex.plugins.registry import Registry

    module = types.ModuleType("acme_claims")
    exec(PLUGIN.replace("dict.fromkeys", "lambda: 3"), vars(module))
    registry = Registry.from_modules({"acme:claims": module})
    monkeypatch.setattr(room, "registry", lambda: registry)
    with pytest.raises(PluginError, match="Claim"):
        room.claims()
    exec(PLUGIN[: PLUGIN.rindex("    yield")], vars(module))
    registry = Registry.from_modules({"acme:claims": module})
    found = room.select(("acme",))
    assert [c.id for c in found] == ["ACME1"]
    assert run_claim(found[0], Context()).status == "holds"


def test_ids_are_unique_and_every_group_is_there():
    found = room.shipped()
    assert len({c.id for c in found}) == len(found)
    assert {"tracking", "regret", "complexity"} <= {c.group for c in found}
    mine = {"S27", "S28", "S29", "S30", "S31", "S32", "S33", "S34", "S60", "S43", "S44", "S45", "S46", "S47"}
    assert mine | {"S48", "S19", "S20", "S21", "S26", "S54", "S56", "S57"} <= {c.id for c in found}


def test_evidence_is_frozen():
    with pytest.raises(AttributeError):
        Evidence(observed=0.0, bound=1.0).observed = 2.0
