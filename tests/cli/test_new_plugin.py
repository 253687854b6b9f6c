"""`purex new-plugin` writes sound code, or nothing at all."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from purex.cli.scaffold import SKETCHES
from purex.plugins import Registry, build


@pytest.fixture
def plugin(tmp_path: Path, purex) -> Path:
    result = purex("new-plugin", "above-average", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    return tmp_path / "above-average"


def test_the_files(plugin):
    files = {str(path.relative_to(plugin)) for path in plugin.rglob("*") if path.is_file()}
    assert files == {
        "README.md",
        "pyproject.toml",
        "src/above_average/__init__.py",
        "src/above_average/py.typed",
        "tests/test_above_average.py",
    }
    project = tomllib.loads((plugin / "pyproject.toml").read_text())["project"]
    assert project["name"] == "above-average"
    assert project["entry-points"]["purex"] == {"above-average": "above_average"}
    assert "$" not in "".join((plugin / file).read_text() for file in files)
    for file in plugin.rglob("*.py"):
        compile(file.read_text(), str(file), "exec")


def test_json(tmp_path, purex):
    written = json.loads(purex("new-plugin", "x1", "--out", str(tmp_path), "--json").stdout)
    assert written["path"] == str(tmp_path / "x1")
    assert all((tmp_path / "x1" / file).is_file() for file in written["files"])


def test_the_query(plugin):
    file = plugin / "src" / "above_average" / "__init__.py"
    spec = importlib.util.spec_from_file_location("above_average", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = Registry.from_modules({"above-average:above-average": module})
    query = build("query", "above-average", found, n_arms=3)
    mu = np.array([[0.5, 0.1, 0.3], [0.2, 0.2, 0.9], [0.5, 0.25, 0.75]])
    assert query.answer(mu).tolist() == [1, 0, 0]
    (piece,) = query.alternatives(1)
    assert piece.contains(mu).tolist() == [False, True, True]
    (piece,) = query.alternatives(0)
    assert piece.contains(mu).tolist() == [True, False, True]


@pytest.mark.parametrize("kind", SKETCHES)
@pytest.mark.parametrize("name", ["x", "a" * 50])
def test_ruff(kind, name, tmp_path, purex):
    pytest.importorskip("ruff")
    assert purex("new-plugin", name, "--kind", kind, "--out", str(tmp_path)).exit_code == 0
    for tool in (["check", "--extend-select=E,I,D,UP,B", "--ignore=D"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *tool, "--no-cache", "."]
        subprocess.run(command, cwd=tmp_path / name, check=True)


def test_mypy(tmp_path, purex):
    pytest.importorskip("mypy")
    root = Path(__file__).parents[2]
    path = os.pathsep.join(map(str, (root, root / "plugins")))
    for kind in SKETCHES:
        assert purex("new-plugin", f"my-{kind}", "--kind", kind, "--out", str(tmp_path)).exit_code == 0
    sources = [str(tmp_path / f"my-{kind}" / "src") for kind in SKETCHES]
    subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", *sources],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": path},
        check=True,
    )


@pytest.mark.parametrize("kind", SKETCHES)
def test_every_kind_is_written_whole(kind, tmp_path, purex):
    assert purex("new-plugin", "mine", "--kind", kind, "--out", str(tmp_path)).exit_code == 0
    texts = [file.read_text() for file in (tmp_path / "mine").rglob("*") if file.is_file()]
    assert not any("$" in text for text in texts)
    project = tomllib.loads((tmp_path / "mine" / "pyproject.toml").read_text())["project"]
    assert project["description"].startswith(f"A {kind} for purex: ")
    assert "purex-bandits[verify]" in project["optional-dependencies"]["dev"]
    assert f"the {kind} `mine`" in (tmp_path / "mine" / "README.md").read_text()


def test_an_unknown_kind_is_refused(tmp_path, purex):
    result = purex("new-plugin", "mine", "--kind", "oracle", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "threshold" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "is no name for a plugin"),
        ("Above", "is no name for a plugin"),
        ("above_average", "is no name for a plugin"),
        ("above--average", "is no name for a plugin"),
        ("1st", "is no name for a plugin"),
        ("../escape", "is no name for a plugin"),
        ("naïve", "is no name for a plugin"),
        ("٣", "is no name for a plugin"),
        ("a\n", "is no name for a plugin"),
        ("a" * 51, "is no name for a plugin"),
        ("lambda", "is a Python keyword"),
        ("json", "is a module of Python itself"),
        ("purex", "would hide something else"),
        ("tests", "would hide something else"),
    ],
)
def test_bad_names_are_refused_and_nothing_is_written(name, sentence, tmp_path, purex):
    result = purex("new-plugin", "--out", str(tmp_path / "out"), "--", name)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_an_occupied_directory_is_refused(tmp_path, purex):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("precious")
    result = purex("new-plugin", "mine", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "exists and is not empty" in result.stderr
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes"]


def test_an_empty_directory_is_used(tmp_path, purex):
    (tmp_path / "mine").mkdir()
    assert purex("new-plugin", "mine", "--out", str(tmp_path)).exit_code == 0
    assert (tmp_path / "mine" / "pyproject.toml").is_file()


def test_places_that_cannot_be_written_are_refused(tmp_path, purex):
    (tmp_path / "mine").write_text("a file")
    result = purex("new-plugin", "mine", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "is no directory to write to (Not a directory)" in result.stderr
    result = purex("new-plugin", "other", "--out", str(tmp_path / "mine"))
    assert result.exit_code == 2
    assert "is no directory to write to (Not a directory)" in result.stderr
    result = purex("new-plugin", "other", "--out", "a" * 5000)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    result = purex("new-plugin", "other", "--out", "nul\0")
    assert result.exit_code == 2
    assert "has a character that no text can have" in result.stderr


def test_a_failure_half_way_leaves_nothing(tmp_path, purex, monkeypatch):
    write = Path.write_text

    def full(self: Path, *args: str, **kwargs: str) -> int:
        if self.name == "__init__.py":
            raise OSError(28, "No space left on device")
        return write(self, *args, **kwargs)

    monkeypatch.setattr(Path, "write_text", full)
    result = purex("new-plugin", "mine", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "(No space left on device)" in result.stderr
    assert list(tmp_path.iterdir()) == []
