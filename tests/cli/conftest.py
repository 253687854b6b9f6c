"""A runner for the program, and a stranger's distribution for it to find."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from purex.cli.main import app
from purex.plugins import registry
from tests.browser import Tab

SOURCE = '''
"""A stranger's plugin."""
from purex.plugins import QueryRecord, RuleRecord, StructureRecord, hookimpl


def make(n_arms): pass


def pick(n_arms: int, m: int, points: list[int] = [0, 1], margin: float = 0.5):
    """Pick m arms.

    The second paragraph.
    """


@hookimpl
def purex_queries():
    yield QueryRecord(
        name="pick",
        factory=pick,
        summary="Which [bold]m[/bold] arms? " + "A long summary. " * 8,
        reference="Section 2",
        examples=({"m": 2},),
    )
    yield QueryRecord(name="twice", factory=make, summary="A query.")


@hookimpl
def purex_structures():
    yield StructureRecord(name="twice", factory=make, summary="A structure.")
'''


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Path]]:
    """Install the distribution `acme` with the module `SOURCE`, or another, as its plugin."""

    def install(source: str = SOURCE) -> Path:
        info = tmp_path / "acme-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text("[purex]\ncolour = fake_acme_colour\n")
        (tmp_path / "fake_acme_colour.py").write_text(source)
        monkeypatch.syspath_prepend(str(tmp_path))
        return tmp_path

    monkeypatch.delenv("PUREX_STRICT_PLUGINS", raising=False)
    monkeypatch.delenv("PUREX_DISABLE_PLUGINS", raising=False)
    registry.cache_clear()
    yield install
    registry.cache_clear()
    sys.modules.pop("fake_acme_colour", None)


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """A browser, once for all tests of a file."""
    with Tab(tmp_path_factory.mktemp("profile")) as tab:
        yield tab


@pytest.fixture
def purex() -> Callable[..., Result]:
    """Run the program in this process: ``purex("list", "queries")``."""

    def run(*arguments: str) -> Result:
        registry.cache_clear()  # in a process of its own each run loads the plugins anew
        return CliRunner().invoke(app, arguments, prog_name="purex")

    return run
