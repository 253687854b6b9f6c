"""The base runs without the extras, and whoever lacks one reads how to get it."""

import json
import os
import pickle
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from purex.cli.main import COMMANDS
from purex.errors import MissingExtraError, PurexError
from purex.extras import PACKAGES

ROOT = Path(__file__).parents[1]
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
PROBLEM = "--family bernoulli --query best-arm --means 0.9,0.1"
BASE = [
    f"solve {PROBLEM}",
    f"respond {PROBLEM}",
    f"simulate {PROBLEM} --rule RR --runs 3 --jobs 1",
    f"plan {PROBLEM} --rule RR --threshold stylised --runs 3",
    "animate --out page.html",
    "explore start --family bernoulli --query best-arm --arms 2 --state trial.json",
    "explore tell --state trial.json 0=1 1=0",
    "explore ask --state trial.json",
    "explore status --state trial.json",
    "explore watch trial.json --once",
    "list queries",
    "show best-arm",
    "plugins",
    "new-plugin a-query",
]
# what needs an extra, and which
MORE = {
    f"solve {PROBLEM} --plot game.png": "plot",
    f"draw {PROBLEM} picture.png": "plot",
    "explore status --state trial.json --html trial.html": "plot",
    f"respond {PROBLEM} --oracle cvxpy": "cvxpy",
    "run study.toml --out results": "study",
    "plot results": "plot,study",
    "reproduce fig1a --runs 3 --out figures": "plot,study",
    "verify S27": "verify",
    f"bound {PROBLEM} --box 0.05,0.95": "verify",
    f"monitor {PROBLEM} --box 0.05,0.95": "verify",
    "check best-arm --family bernoulli": "verify",
}
LINE = "pip install 'purex-bandits"
FROM_PYTHON = {
    "import purex.figures": "plot",
    "import purex.experiments": "study",
    "import purex.testing": "verify",
    "import purex.verify": "verify",
    "purex.SymbolicFamily": "symbolic",
    "runs.plot()": "plot",
    "runs.to_arrow()": "study",
    "explorer.plot()": "plot",
    "problem.solve([0.9, 0.1]).plot()": "plot",
    "round_problem.best_response(0, [1, 1], [0.4, 0.2])": "cvxpy",
}
SETTING = """
import sys
from tests.without_extras import NotInstalled
sys.meta_path.insert(0, NotInstalled())
import purex
class Ball(purex.Structure):
    def constraints(self, cp, lam):
        return [cp.sum_squares(lam) <= 1]
    def cells(self):
        return [purex.Polyhedron.everything(2)]
problem = purex.Problem.from_names("bernoulli", "best-arm", n_arms=2)
round_problem = purex.Problem(purex.Arms.of(purex.Gaussian(), 2), problem.query, Ball(2))
runs = purex.simulate(problem, [0.9, 0.1], "RR", [0.1], runs=2)
explorer = purex.Explorer(problem, "RR", 0.1)
while not explorer.stopped:
    arm = explorer.ask()
    explorer.tell(arm, 1.0 - arm)
for line in sys.stdin.read().splitlines():
    try:
        exec(line)
        print("nothing")
    except ImportError as error:
        print(type(error).__name__, error)
"""


def run(*arguments, given, place):
    done = subprocess.run(
        [sys.executable, *arguments], input=given, capture_output=True, text=True, cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def names(extra):
    """The packages of an extra, those of the extras it contains included."""
    found = set()
    for requirement in map(Requirement, DECLARED[extra]):
        found |= (
            {name for other in requirement.extras for name in names(other)}
            if requirement.name == "purex-bandits"
            else {requirement.name}
        )
    return found


@pytest.mark.parametrize("extra", PACKAGES)
def test_the_packages_of_an_extra_are_those_that_are_declared(extra):
    assert set(PACKAGES[extra]) == names(extra)


def test_all_and_dev_have_every_extra():
    every = {name for extra in PACKAGES for name in names(extra)}
    assert names("all") == every
    assert every | names("test") <= names("dev")


def test_every_command_is_here():
    assert {line.split()[0] for line in (*BASE, *MORE)} == set(COMMANDS)


def test_commands_without_extras_work_or_name_the_install_line(tmp_path):
    lines = [*BASE, *MORE]
    given = json.dumps([line.split() for line in lines])
    done = json.loads(run("-m", "tests.without_extras", given=given, place=tmp_path).splitlines()[-1])
    for line, (status, said) in zip(lines, done, strict=True):
        if line in BASE:
            assert status == 0, (line, said)
        else:
            assert status == 2, (line, said)
            sentence = rf"purex: [^\n]+ needs \w+, which is not installed: {LINE}\[{MORE[line]}\]'\n"
            assert re.fullmatch(sentence, said), (line, said)
    written = {path.name for path in tmp_path.iterdir()}
    assert not written & {"game.png", "picture.png", "trial.html", "results", "figures"}


def test_from_python_a_missing_extra_is_a_named_import_error(tmp_path):
    said = run("-c", SETTING, given="\n".join(FROM_PYTHON), place=tmp_path).splitlines()
    assert len(said) == len(FROM_PYTHON)
    for (line, extra), text in zip(FROM_PYTHON.items(), said, strict=True):
        assert text.startswith("MissingExtraError"), (line, text)
        assert text.endswith(f"{LINE}[{extra}]'"), (line, text)


def test_the_exception_is_an_import_error_and_travels_between_processes():
    error = MissingExtraError("a figure", "matplotlib", "'purex-bandits[plot]'")
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, ImportError)
    assert isinstance(again, PurexError)
    assert again.name == "matplotlib"
    assert str(again) == str(error)
