"""A new plugin, installed beside the project in an environment of its own, passes its tests."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from purex.cli.scaffold import SKETCHES

PROJECT = Path(__file__).parents[2]


def run(*command: object, cwd: Path) -> str:
    """Run a command outside of this environment's PYTHONPATH; its output is in the failure."""
    hidden = ("PYTHONPATH", "PYTEST_ADDOPTS", "PUREX_STRICT_PLUGINS", "PUREX_DISABLE_PLUGINS")
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """A fresh environment that sees the packages of this one, so that no network is needed.

    The line in the .pth file adds this environment's packages after the new ones; .pth files
    there, such as that of an editable installation of the project, are not followed.
    """
    pytest.importorskip("hatchling")
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv", cwd=tmp_path)
    folder = "Scripts" if os.name == "nt" else "bin"
    python = tmp_path / "venv" / folder / "python"
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(run(python, "-c", code, cwd=tmp_path).strip())
    here = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "host.pth").write_text("\n".join(sorted(here)) + "\n")
    return python


@pytest.mark.parametrize("kinds", [("query",), pytest.param(tuple(SKETCHES), marks=pytest.mark.full)])
def test_new_plugins_install_and_pass_their_tests_and_checks(kinds, tmp_path, python, purex):
    plugins = {kind: tmp_path / f"my-{kind}" for kind in kinds}
    for kind, plugin in plugins.items():
        assert purex("new-plugin", plugin.name, "--kind", kind, "--out", str(tmp_path)).exit_code == 0
    run(
        *(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"),
        *("--no-index", "--ignore-installed", PROJECT, *plugins.values()),
        cwd=tmp_path,
    )
    where = run(python, "-c", "import purex; print(purex.__path__[0])", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(tmp_path)
    said = run(python, "-m", "pytest", "-q", *(plugin / "tests" for plugin in plugins.values()), cwd=tmp_path)
    assert "passed" in said
    for kind, plugin in plugins.items():
        alone = ("--family", "gaussian") if kind in ("query", "structure", "rule") else ()
        run(python, "-m", "purex.cli", "check", plugin.name, "--size", "5", *alone, cwd=tmp_path)
        shown = run(python, "-m", "purex.cli", "show", plugin.name, cwd=tmp_path)
        assert kind in shown
    assert "my-query:my-query 0.1.0" in run(python, "-m", "purex.cli", "show", "my-query", cwd=tmp_path)
