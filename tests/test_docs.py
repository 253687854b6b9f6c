"""The documents do what they say: Python blocks run, and `text` blocks show what they printed."""

import contextlib
import io
import re
import shlex
import sys
import types
from pathlib import Path

import pytest
from click.testing import CliRunner

from purex.cli.main import app

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_python_blocks_run_and_print_what_is_shown(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # for the figures that a block saves
    # a real module, so that classes defined on a page can be pickled
    name = f"page_{page.stem.replace('-', '_').lower()}"
    sys.modules[name] = module = types.ModuleType(name)
    printed = ""
    for language, body in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(body, page.name, "exec"), vars(module))
            printed = out.getvalue()
        elif language == "text":
            assert printed.rstrip() == body.rstrip()


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda p: p.name)
def test_files_of_this_project_that_a_page_names_are_there(page):
    rooms = "benchmarks|constraints|docs|notebooks|plugins|purex|tests"
    named = re.findall(rf"`((?:{rooms})/[\w./-]+)`", page.read_text(encoding="utf-8"))
    made = {"docs/_build/html", "purex/built/"}  # by `make docs` and `make wheel`
    assert [path for path in named if path not in made and not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_console_blocks_print_what_is_shown(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # for the files that a session writes
    for language, body in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language != "console":
            continue
        for session in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, expected = session.replace("\\\n", " ").partition("\n")
            program, *arguments = shlex.split(command)
            if program != "purex":
                continue
            result = CliRunner().invoke(app, arguments)
            assert result.exit_code == 0, result.output
            if expected.strip():
                assert result.stdout.strip() == expected.strip()
