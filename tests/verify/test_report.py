"""The report: one page that needs no network, read by a real browser where there is one."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from purex.cli.main import app
from purex.families import Arms, Bernoulli
from purex.model import Polyhedron, Query
from purex.problem import Problem
from purex.verify import Context, run_claims
from purex.verify.claims import select
from purex.verify.instances import instance_of
from purex.verify.report import headline, write_report
from tests.browser import Tab, look_at, needs_chromium, words


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The page of a report, and the same as JSON."""
    folder = tmp_path_factory.mktemp("report")
    result = CliRunner().invoke(
        app, ["verify", "S27", "S29", "S43", "S57", "--report", str(folder), "--json"]
    )
    assert result.exit_code == 0, result.output
    return folder / "index.html", json.loads(result.stdout)


@pytest.fixture(scope="module")
def page(verified: tuple[Path, dict[str, Any]]) -> Path:
    return verified[0]


def test_the_page_refers_to_nothing_outside(page):
    text = page.read_text(encoding="utf-8")
    places = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"')\s>]+)""", text)
    assert places
    assert all(place.startswith(("data:", "#")) for place in places)
    assert "<script" not in text
    assert text.index("All 4 claims hold") < text.index("<table>")
    assert text.count("<math") >= 4
    assert text.count("data:image/svg+xml") >= 2


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        (["S28"], "The claim holds, and its control fires."),
        (["S30"], "The claim holds, and there is no control."),
        (["S28", "S30"], "All 2 claims hold, and the control fires."),
    ],
)
def test_the_headline_counts_in_english(chosen, sentence):
    assert headline(run_claims(select(chosen), Context(profile="quick", seed=0))) == sentence


@needs_chromium
def test_a_browser_shows_it(verified, tmp_path):
    page, found = verified
    document, console = look_at(page, tmp_path)
    assert console == []  # nothing to complain about
    text = words(document)
    assert "All 4 claims hold, and all 5 controls fire." in text
    assert "Regret against its bound over time" in text
    assert document.count("<math") >= 4
    assert len(found["claims"]) == 4
    for claim in found["claims"]:
        evidence = claim["evidence"]
        numbers = f"{evidence['observed']:.4g} {evidence['bound']:.4g} {evidence['checks']:,}"
        assert f"{claim['id']} {claim['status']} {claim['title']} {numbers}" in text


@needs_chromium
def test_the_pictures_and_formulas_have_a_size(page, tmp_path):
    with Tab(tmp_path) as tab:
        tab.open(page)
        wide = "[...document.images].filter((image) => image.complete && image.naturalWidth > 100).length"
        assert tab.run(wide) >= 2
        formulas = "[...document.querySelectorAll('math')]"
        assert tab.run(f"{formulas}.filter((it) => it.getBoundingClientRect().height > 8).length") >= 4
        assert tab.complaints == []


class AboveAverage(Query):
    """A stranger's query: the declaration alone."""

    def __init__(self, n_arms):
        super().__init__(n_arms)
        self.row = np.full(n_arms, -1.0)
        self.row[0] = n_arms - 1.0

    def answer(self, mu):
        return ((mu * self.row).sum(axis=1) > 0.0).astype(np.int64)

    def alternatives(self, i):
        return [Polyhedron(self.row if i == 1 else -self.row, 0.0)]


@pytest.mark.parametrize("names", [pytest.param(("S27", "S34", "S43", "S35"), id="some"),
                                   pytest.param((), id="all", marks=pytest.mark.full)])  # fmt: skip
def test_claims_on_a_query_that_is_only_declared(names, tmp_path):
    problem = Problem(Arms.of(Bernoulli(), 3), AboveAverage(3), box=(0.05, 0.95))
    context = Context(instance=instance_of(problem, [0.6, 0.4, 0.5]))
    verdict = run_claims(select(names), context)
    assert verdict.passed, [(r.claim.id, r.reason) for r in verdict.results if not r.passed]
    assert len(verdict.with_status("holds")) == len(names) or not names
    assert write_report(verdict, context, tmp_path / "new").exists()


def test_command_on_a_problem():
    result = CliRunner().invoke(
        app,
        ["verify", "S27", "S30", "--family", "gaussian", "--query", "top-m(m=2)", "--means", "1,0.8,0.2"],
    )
    assert result.exit_code == 0, result.output
    assert "does not depend on the problem: S30" in result.stdout
