"""The gallery shows every figure of the documentation, with the command that other pages have and test."""

import re
import shlex
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
GALLERY = (DOCS / "gallery.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(console|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(text, language):
    """The commands of `purex draw`, as lists of words."""
    for found, body in BLOCK.findall(text):
        for line in body.replace("\\\n", " ").splitlines():
            words = shlex.split(line.removeprefix("$ "))
            if found == language and words[:2] == ["purex", "draw"]:
                yield words


def test_every_figure_is_shown():
    shown = re.findall(r"\]\(figures/([^)]+)\)", GALLERY)
    assert sorted(shown) == sorted(path.name for path in (DOCS / "figures").iterdir())


def test_every_page_shows_figures_that_are_there():
    pages = [DOCS.parent / "README.md", *DOCS.glob("*.md")]
    missing = [
        (page.name, figure)
        for page in pages
        for figure in re.findall(r"\]\((?:docs/)?(figures/[^)]+)\)", page.read_text(encoding="utf-8"))
        if not (DOCS / figure).exists()
    ]
    assert missing == []


@pytest.mark.parametrize("page", ["queries", "structures", "linear-structures"])
def test_pictures_are_made_by_the_commands_beside_them(page):
    """What `tests/test_docs.py` runs on the page is what the gallery says."""
    known = list(commands(GALLERY, "sh"))
    run = list(commands((DOCS / f"{page}.md").read_text(encoding="utf-8"), "console"))
    assert len(run) >= 3
    assert [words for words in run if words not in known] == []
