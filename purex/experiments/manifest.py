"""What a table of runs came from: specification, plugins, packages, machine and commit."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from purex.experiments.enumeration import Enumeration

FORMAT = 2  # the first had no oracles among its plugins
PACKAGES = ("purex-bandits", "numpy", "scipy", "numba", "llvmlite", "joblib", "pyarrow", "distributed")


def describe(enumeration: Enumeration) -> dict[str, Any]:
    """The manifest of a study, before its first run."""
    return {
        "format": FORMAT,
        "key": enumeration.key,
        "specification": enumeration.specification.as_dict(),
        "plugins": enumeration.plugins,
        **surroundings(),
    }


def surroundings() -> dict[str, Any]:
    """What the same specification may meet differently at another time or place."""
    return {
        "packages": {name: found for name in PACKAGES if (found := _version(name)) is not None},
        "python": platform.python_version(),
        "platform": platform.platform(),
        "commit": commit(),
    }


def commit(root: Path = Path(__file__).parents[2]) -> str | None:
    """The git commit of purex, with a + if files differ from it; None where there is no git."""
    if not (root / ".git").exists():
        return None
    try:
        head = _git(root, "rev-parse", "HEAD")
        return head + ("+" if _git(root, "status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
