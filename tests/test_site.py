"""The documentation builds without a warning, needs no network, and its examples do what they show."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from tests.browser import Tab, look_at, needs_chromium, words

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))
LOADED = re.compile(r"""<(?:script|img|link|iframe|source)\b[^>]*?(?:src|href)=["']([^"']+)""")


@pytest.fixture(scope="module")
def site(tmp_path_factory, worker_id):
    """The site, built once as `make docs` does: warnings are errors, notebooks are executed."""
    base = tmp_path_factory.getbasetemp()
    out = (base if worker_id == "master" else base.parent) / "site"  # all workers share it
    with FileLock(f"{out}.lock"):
        if not (out / "html" / "searchindex.js").exists():
            command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
            folders = ["-d", str(out / "doctrees"), str(ROOT / "docs"), str(out / "html")]
            done = subprocess.run([*command, *folders], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
    return out / "html"


def test_nothing_is_loaded_from_elsewhere_and_every_link_leads_somewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for address in LOADED.findall(text):
            if 'rel="canonical"' not in address:
                assert not re.match(r"(?:https?:)?//", address), (page.name, address)
        if page.parent.name == "_modules" or "_modules" in page.parts:
            continue
        for link in re.findall(r'<a [^>]*href="([^"#]+)', text):
            if not re.match(r"[a-z]+:", link):
                assert (page.parent / link).exists(), (page.name, link)


def test_formulas_are_mathml(site):
    text = (site / "game.html").read_text(encoding="utf-8")
    assert text.count("<math") >= 4
    assert "\\max" not in text


def test_search_finds_words(site):
    assert "tracking" in (site / "searchindex.js").read_text(encoding="utf-8")


def test_every_public_name_is_documented(site):
    import purex

    api = "".join(page.read_text(encoding="utf-8") for page in (site / "api").glob("*.html"))
    missing = [name for name in purex.__all__ if not re.search(rf'id="[\w.]*\b{name}"', api)]
    assert missing == []


def test_every_command_is_documented():
    from purex.cli.main import COMMANDS

    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    assert [name for name in COMMANDS if f"purex {name}" not in pages] == []


@needs_chromium
@pytest.mark.parametrize("page", ["index", "game", "animate", "notebooks/figure-one", "api/problem"])
def test_a_browser_shows_it_without_complaints(site, page, tmp_path):
    document, console = look_at(site / f"{page}.html", tmp_path)
    assert console == []
    assert "purex" in document


@needs_chromium
@pytest.mark.parametrize("page", ["index", "game"])
def test_a_browser_shows_the_numbers_of_the_examples(site, page, tmp_path):
    """Every line of the output that the source shows, most of them numbers."""
    source = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    lines = [
        line for block in re.findall(r"```text\n(.*?)```", source, re.DOTALL) for line in block.splitlines()
    ]
    assert any(re.search(r"\d", line) for line in lines)
    text = words(look_at(site / f"{page}.html", tmp_path)[0])
    assert [line for line in lines if " ".join(line.split()) not in text] == []


@needs_chromium
def test_the_animated_experiment_is_part_of_the_site(site, tmp_path):
    """It is opened from its page of the docs, in which it stands as a frame."""
    with Tab(tmp_path) as tab:
        tab.open(site / "animate.html")
        assert tab.run("document.querySelector('iframe').contentWindow !== null")
        frame = tab.run("document.querySelector('iframe').src")
        tab.open(site / Path(frame).name, "samples=1000000&means=0.8,0.3")
        assert tab.run("document.getElementById('verdict').textContent").startswith("Stopped after ")
        assert tab.complaints == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_print_what_is_shown(example):
    environment = {**os.environ, "PYTHONPATH": str(example.parent)}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == example.with_suffix(".txt").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
    assert f"examples/{example.name}" in page
    assert f"examples/{example.stem}.txt" in page
