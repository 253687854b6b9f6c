"""Oracles from elsewhere: chosen by name only, read-only inputs, their word checked when a run stops."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from purex.engine import simulate
from purex.errors import LyingOracleError, OracleFailureError, RefusedProblemError
from purex.explorer import Explorer
from purex.plugins import registry
from purex.problem import Problem

HERE = Path(__file__).parent
MU = [0.6, 0.5, 0.3]

SENTENCES = {
    "twenty-times": "is not the cost of its point",
    "certain": "there is an alternative at",
    "overwriting": "tried to change the arrays",
    "far": "there is an alternative at",
    "elsewhere": "no alternative to 'arm",
    "not-a-number": "not a number",
    "negative": "a negative value",
    "wrong-shape": "value of shape ()",
    "no-point": "a point that is not finite",
    "raising": "ZeroDivisionError",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder in which the liars are installed as a stranger's distribution."""
    site = tmp_path_factory.mktemp("site")
    for name in ("lying_oracles", "lying_rows"):
        (site / f"{name}.py").write_text((HERE / f"{name}.py").read_text())
    info = site / "liars-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: liars\nVersion: 1.5\n")
    (info / "entry_points.txt").write_text("[purex]\nlying = lying_oracles\n")
    return site


@pytest.fixture
def installed(site, monkeypatch):
    monkeypatch.syspath_prepend(str(site))
    registry.cache_clear()
    yield
    registry.cache_clear()


def test_an_oracle_from_elsewhere_is_not_chosen_by_itself(installed):
    """The liars demand more than the shipped oracles; yet the shipped ones answer."""
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=3)
    assert problem.oracle_name.startswith("purex-bandits:")
    assert problem.foreign_oracle is None
    assert problem.game.max_min(np.zeros(1, dtype=int), np.array([MU])).allocation.min() > 0
    named = Problem.from_names("bernoulli", "best-arm", n_arms=3, oracle="liars:honest")
    assert (named.oracle_name, named.oracle_version) == ("liars:honest", "1.5")
    assert named.compiled is None  # whole compiled rounds would not ask it
    bare = Problem.from_names("bernoulli", "best-arm", n_arms=3, oracle="honest")
    assert bare.oracle_name == "liars:honest"
    with pytest.raises(RefusedProblemError, match="'liars:honest' is not for this problem"):
        Problem.from_names("poisson", "best-arm", n_arms=3, oracle="liars:honest")


def test_an_honest_one_gives_the_runs_of_the_shipped_one(installed):
    shipped = Problem.from_names("bernoulli", "best-arm", n_arms=3)
    honest = Problem.from_names("bernoulli", "best-arm", n_arms=3, oracle="liars:honest")
    settings = {"deltas": [0.1, 0.01], "runs": 20, "seed": 3}
    ours, theirs = (simulate(problem, MU, "RR", **settings) for problem in (shipped, honest))
    np.testing.assert_array_equal(ours.tau, theirs.tau)


def explore(explorer, samples):
    rng = np.random.default_rng(5)
    for _ in range(samples):
        arm = explorer.ask()
        explorer.tell(arm, float(rng.random() < MU[arm]))


@pytest.mark.parametrize("name", SENTENCES)
def test_a_lie_is_noticed_in_simulations_and_experiments(installed, name):
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=3, oracle=f"liars:{name}")
    with pytest.raises(LyingOracleError) as caught:
        simulate(problem, MU, "RR", 0.1, runs=3, seed=1, max_rounds=2000)
    assert SENTENCES[name] in str(caught.value)
    assert f"'liars:{name}'" in str(caught.value)
    explorer = Explorer(problem, "RR", 0.1)
    with pytest.raises(LyingOracleError, match=f"'liars:{name}'"):
        explore(explorer, 2000)


def test_compiled_rows_from_elsewhere_are_checked_as_well(installed):
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=3, oracle="liars:rows")
    with pytest.raises(LyingOracleError, match="'liars:rows' stopped a run with the value"):
        simulate(problem, MU, "D-C", 0.1, runs=3, seed=1, max_rounds=2000, path="compiled")


def test_a_max_min_that_lies(installed):
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=3, oracle="liars:negative-weights")
    with pytest.raises(LyingOracleError, match="'liars:negative-weights' returned an allocation"):
        simulate(problem, MU, "T-C", 0.1, runs=2, seed=1, max_rounds=200)


def test_a_closed_form_that_lies(installed):
    problem = Problem.from_names("gaussian", "mine", n_arms=3)
    assert (problem.oracle_name, problem.oracle_version) == ("closed-form", "1.5")
    with pytest.raises(LyingOracleError, match="the oracle of 'liars:mine' stopped a run"):
        simulate(problem, MU, "RR", 0.1, runs=2, seed=1, max_rounds=200)


def test_the_certificate_names_the_oracle_and_its_version(installed):
    explorer = Explorer.from_names("bernoulli", "best-arm", "RR", 0.1, n_arms=2, oracle="liars:honest")
    for arm in (0, 1):
        explorer.tell(arm, 1 - arm)
    assert (explorer.certificate.oracle, explorer.certificate.oracle_version) == ("liars:honest", "1.5")
    again = Explorer.from_json(explorer.to_json())
    assert again.problem.oracle_name == "liars:honest"
    plain = Explorer.from_names("bernoulli", "best-arm", "RR", 0.1, n_arms=2)
    assert '"oracle"' not in plain.to_json()  # readable by purex 0.1


def test_nan_from_our_own_oracle_ends_a_simulation():
    """It used to go on for ever, whatever max_rounds said: the statistic was neither above nor below."""
    problem = Problem.from_names("gaussian", "best-arm", n_arms=2, oracle="closed-form")
    honest = problem.oracle

    def faulty(i, w, xi):
        found = honest(i, w, xi)
        return found._replace(value=np.where(w.sum(axis=1) > 10, np.nan, found.value))

    problem.oracle = faulty
    with pytest.raises(
        OracleFailureError, match="the oracle closed-form gives a statistic that is not a number"
    ):
        simulate(problem, [0.5, 0.4], "RR", 0.01, runs=3, seed=1, max_rounds=100, path="lock-step")


def run(site, *arguments):
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "purex.cli", *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=120)


def test_the_command_line_refuses_and_says_how_to_choose(site):
    problem = ["--family", "bernoulli", "--query", "best-arm", "--means", "0.6,0.5"]
    lying = run(site, "simulate", *problem, "--rule", "RR", "--runs", "2", "--oracle", "liars:not-a-number")
    assert lying.returncode == 2
    assert "liars:not-a-number" in lying.stderr
    assert "Traceback" not in lying.stderr
    shown = run(site, "show", "twenty-times", "--json")
    assert "by name only: --oracle liars:twenty-times" in json.loads(shown.stdout)["chosen"]
    listed = run(site, "plugins")
    assert (
        "The oracle liars:twenty-times is used only if it is named: --oracle liars:twenty-times"
        in listed.stdout
    )


def test_an_experiment_names_its_oracle(site, tmp_path):
    """A lie is noticed when the experiment would stop."""
    spec, state = tmp_path / "trial.toml", str(tmp_path / "trial.json")
    spec.write_text('family = "bernoulli"\nquery = "best-arm"\narms = 2\noracle = "liars:twenty-times"\n')
    assert run(site, "explore", str(spec), "--state", state).returncode == 0
    told = run(site, "explore", "tell", "--state", state, "0=1", "1=0")
    assert told.returncode == 2
    assert "the oracle 'liars:twenty-times' stopped a run with the value" in told.stderr
    assert told.stderr.count("\n") == 1
