"""The versions that are declared, constrained and tested are the same ones."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements(*lists):
    """The requirements by name; an extra of purex itself stands for what it contains."""
    found = {}
    for r in (r for texts in lists for r in map(Requirement, texts)):
        own = r.name == PROJECT["name"]
        found |= requirements(*(EXTRAS[extra] for extra in r.extras)) if own else {normal(r.name): r}
    return found


ALL = requirements(PROJECT["dependencies"], EXTRAS["all"])


def pinned(file):
    """The exact versions in a file of constraints; every line is one, or a remark."""
    lines = [line for line in (ROOT / "constraints" / file).read_text().splitlines() if line[:1] != "#"]
    pairs = [line.split("==") for line in lines]
    assert all(len(pair) == 2 for pair in pairs), lines
    assert len({normal(name) for name, _ in pairs}) == len(pairs)
    return {normal(name): Version(number) for name, number in pairs}


def minimum(requirement):
    least = [Version(s.version) for s in requirement.specifier if s.operator == ">="]
    assert len(least) == 1, f"{requirement} has no lowest version"
    return least[0]


def test_the_lowest_constraints_are_the_declared_minima():
    constrained = pinned("lowest.txt")
    assert {name: minimum(r) for name, r in ALL.items()} == {name: constrained[name] for name in ALL}


def test_the_published_constraints_are_allowed():
    constrained = pinned("published.txt")
    for name, requirement in ALL.items():
        assert requirement.specifier.contains(constrained[name]), name


def test_numba_has_an_upper_end_that_the_tested_version_is_just_below():
    (end,) = (Version(s.version) for s in ALL["numba"].specifier if s.operator == "<")
    tested = pinned("published.txt")["numba"]
    assert (tested.major, tested.minor + 1) == (end.major, end.minor)


@pytest.mark.parametrize("tool", ["ruff", "mypy", "import-linter", "coverage"])
def test_tools_whose_verdict_changes_with_their_version_are_pinned(tool):
    (specifier,) = requirements(EXTRAS["dev"])[tool].specifier
    assert specifier.operator == "=="


def test_what_is_installed_is_allowed():
    for name, requirement in ALL.items():
        assert requirement.specifier.contains(version(name), prereleases=True), name
