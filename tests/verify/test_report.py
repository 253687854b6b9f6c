"""The report: one page that needs no network, read by a real browser where there is one."""

import re
import shutil
import subprocess
from pathlib import Path

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
from purex.verify.report import write_report

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--enable-logging=stderr", "--window-size=1000,3000",
)  # fmt: skip


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    result = CliRunner().invoke(app, ["verify", "S27", "S29", "S43", "S57", "--report", str(folder)])
    assert result.exit_code == 0, result.output
    return folder / "index.html"


def test_the_page_refers_to_nothing_outside(page):
    text = page.read_text(encoding="utf-8")
    places = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"')\s>]+)""", text)
    assert places
    assert all(place.startswith(("data:", "#")) for place in places)
    assert "<script" not in text
    assert text.index("All 4 claims hold") < text.index("<table>")
    assert text.count("<math") >= 4
    assert text.count("data:image/svg+xml") >= 2


def browse(page: Path, profile: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("there is no Chromium here: the page was not opened")
    command = [browser, *FLAGS, f"--user-data-dir={profile}", *arguments, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_a_browser_shows_it(page, tmp_path):
    seen = browse(page, tmp_path / "profile", "--dump-dom")
    assert seen.returncode == 0
    assert "CONSOLE" not in seen.stderr  # nothing to complain about
    text = re.sub(r"<[^>]+>", "", seen.stdout)
    assert "All 4 claims hold, and all 5 controls fire." in text
    assert "ratio tracking stays within" in text
    assert "Regret against its bound over time" in text
    assert seen.stdout.count("<math") >= 4


def test_the_pictures_and_formulas_have_a_size(page, tmp_path):
    # a script writes what the browser has laid out into the page, which is then read back
    probe = """<script>addEventListener("load", () => {
      const wide = [...document.images].filter(i => i.complete && i.naturalWidth > 100).length;
      const formulas = [...document.querySelectorAll("math")];
      const tall = formulas.filter(m => m.getBoundingClientRect().height > 8).length;
      document.body.insertAdjacentHTML("beforeend", `<p>laid out: ${wide} pictures, ${tall} formulas</p>`);
    });</script></body>"""
    copy = tmp_path / "probe.html"
    copy.write_text(page.read_text(encoding="utf-8").replace("</body>", probe), encoding="utf-8")
    seen = browse(copy, tmp_path / "profile", "--dump-dom")
    found = re.search(r"laid out: (\d+) pictures, (\d+) formulas", seen.stdout.split("</script>")[-1])
    assert found is not None
    assert int(found[1]) >= 2
    assert int(found[2]) >= 4


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
