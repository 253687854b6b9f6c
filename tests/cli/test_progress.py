"""What commands say while they are at work."""

import time

import numpy as np
import pytest

from purex.cli import progress
from purex.cli.progress import COMPILING, progress_bar, saying_if_compiled
from purex.engine import block, simulate
from purex.problem import Problem


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "OFTEN", 0.01)
    monkeypatch.setattr(progress, "MOMENT", 0.0)


def test_compilation_is_announced_only_when_it_happens(impatient, capsys):
    import numba

    import purex.numba_doors  # noqa: F401 - as every kernel does

    with saying_if_compiled():
        time.sleep(0.2)
    assert capsys.readouterr().err == ""
    said = ""
    with saying_if_compiled():
        for _ in range(1000):  # until the watcher, in its thread, has begun to listen
            numba.njit(lambda x: 2 * x)(21)
            said += capsys.readouterr().err
            if said:
                break
    assert said == f"{COMPILING}\n"


def test_slow_rounds_are_said_once_with_the_hint(impatient, capsys):
    with progress_bar(10, hint="do less") as tell:
        tell(0, 5)
        time.sleep(0.05)
        tell(1, 10)
        tell(2, 11)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].endswith(" ms a round; do less")
    with progress_bar(10, hint="do less") as tell:
        tell(0, 0)
        time.sleep(0.05)  # compilation is no round
        tell(1, 5)
        time.sleep(0.002)
        tell(2, 10**9)
    assert capsys.readouterr().err == ""


def test_calls_of_slow_rounds_are_short_and_runs_do_not_depend_on_it(monkeypatch):
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=3)
    seen = []

    def runs(turn):
        monkeypatch.setattr(block, "TURN", turn)
        heard = []
        found = simulate(
            problem, [0.6, 0.4, 0.3], "D-C", [0.1], runs=30, seed=1, progress=lambda *told: heard.append(told)
        )
        seen.append(len(heard))
        return found

    often, seldom = runs(1e-9), runs(10.0)
    assert seen[0] > 5 * seen[1]  # a turn after every round, or almost none
    for field in ("tau", "answer", "counts"):
        assert np.array_equal(getattr(often, field), getattr(seldom, field))


def test_the_hint_is_for_rules_that_solve_games():
    from purex.cli.simulate import _hint

    assert _hint("T-C") == "T-C(resolve=1.2) solves fewer games"
    assert _hint("T-C(resolve=2)") == ""
    assert _hint("D-C") == ""
