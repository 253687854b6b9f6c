"""The errata: all are there, the false ones are refuted by their counterexamples, and the page says so."""

import math
import re
from pathlib import Path

import pytest

from purex.verify.errata import ERRATA, Demonstration, erratum
from purex.verify.errata.page import page

DOCS = Path(__file__).parents[2] / "docs" / "errata.md"
REAL = {"R2", "R3", "R5", "R7", "R8", "R10", "R11", "R13", "R16", "R17", "R20", "R21", "R23", "R24"}


def test_all_entries_are_there_and_the_false_ones_are_called_false():
    assert [entry.id for entry in ERRATA] == [f"R{n}" for n in range(1, 39)]
    assert REAL | {"R27", "R38"} == {entry.id for entry in ERRATA if entry.verdict == "false"}


@pytest.mark.parametrize("entry", [e for e in ERRATA if e.demonstration], ids=lambda e: e.id)
def test_counterexamples_refute_what_is_false_and_nothing_else(entry):
    found = entry.demonstration()
    if entry.verdict == "false":
        assert found.refutes
    elif entry.verdict in ("loose", "consistent"):
        assert not found.refutes


def test_false_entries_have_counterexamples():
    assert all(entry.demonstration is not None for entry in ERRATA if entry.verdict == "false")


def test_the_page_is_what_the_code_produces():
    assert DOCS.read_text(encoding="utf-8") == page()


def test_the_page_lists_every_entry_with_its_numbers():
    text = DOCS.read_text(encoding="utf-8")
    assert re.findall(r"^## (R\d+)", text, re.MULTILINE) == [entry.id for entry in ERRATA]
    for entry in ERRATA:
        section = text.split(f"## {entry.id}:")[1].split("\n## ")[0]
        assert entry.corrected in section
        if entry.demonstration is not None:
            found = entry.demonstration()
            assert f"printed {found.printed:.6g}, true {found.true:.6g}" in section


@pytest.mark.parametrize(
    ("id", "printed", "true"),
    [  # by hand, or from the notes that list the errata
        ("R5", 2 * math.e * math.log(3) * 0.05 * math.exp(-0.05), 1.0),
        ("R8", 0.0, 0.999),
        ("R9", -math.log(2), -0.99),
        ("R13", 1e-9, 176 / 1024),  # P(Bin(10, 1/2) >= 7)
        ("R23", 0.4802, -math.log(0.02) - 0.98),
        ("R7", 1.0, 2.0),
    ],
)
def test_numbers_known_otherwise(id, printed, true):
    found = erratum(id).demonstration()
    assert found.printed == pytest.approx(printed, rel=1e-9, abs=1e-12)
    assert found.true == pytest.approx(true, rel=1e-9)


def test_the_least_ratio_is_one_minus_one_over_e():
    # R25: the infimum of (1 + b) f(t_b)/f(t) is 1 - 1/e, at b = e - 2, t = e, a -> 0
    found = erratum("R25").demonstration()
    assert 1 - 1 / math.e <= found.true < 1 - 1 / math.e + 2e-3


@pytest.mark.parametrize(
    ("holds", "true", "refutes"),
    [
        ("<=", 1.1, True),
        ("<=", 1.0, False),
        (">=", 0.9, True),
        (">=", 1.0, False),
        ("=", 1.1, True),
        ("=", 1.0, False),
    ],
)
def test_refuting(holds, true, refutes):
    assert Demonstration("x", 1.0, true, holds).refutes is refutes
    assert Demonstration("x", 1.0, math.nan, "=").refutes
