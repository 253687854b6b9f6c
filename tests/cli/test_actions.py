"""Actions on the command line, in files of studies and of experiments."""

import json

import numpy as np
import pytest

from purex.engine import simulate
from purex.experiments import run_study
from purex.experiments.specification import Specification, parse_specification
from purex.problem import Problem

ARMS = ["--family", "gaussian", "--query", "best-arm", "--means", "0.5,0.3,0.0"]
COSTS = ["--actions", "costs(costs=[1, 1, 5])"]


def test_solve_speaks_of_cost(purex, tmp_path):
    figure = tmp_path / "game.svg"
    result = purex("solve", *ARMS, *COSTS, "--plot", str(figure))
    assert "practical cost" in result.stdout
    assert "arm 2 at 5" in result.stdout
    assert figure.stat().st_size > 0
    solution = json.loads(purex("solve", *ARMS, *COSTS, "--json").stdout)
    assert solution["actions"][2] == {"arms": [2], "cost": 5.0}
    game = Problem.from_names("gaussian", "best-arm", n_arms=3, actions=COSTS[1]).solve([0.5, 0.3, 0.0])
    assert solution["value"] == game.value[0]
    plain = json.loads(purex("solve", *ARMS, "--json").stdout)
    assert "actions" not in plain


def test_costs_of_two_double_the_practical_cost(purex):
    one, two = (
        json.loads(purex("solve", *ARMS, "--json", *more).stdout)
        for more in ([], ["--actions", "costs(costs=[2, 2, 2])"])
    )
    for name in ("lower_bound", "practical"):
        assert two[name] == pytest.approx(2 * one[name], rel=1e-9)


def test_simulate_reports_the_cost(purex):
    options = ["--rule", "D-C", "--runs", "20", "--seed", "1", "--max-rounds", "400"]
    result = purex("simulate", *ARMS, *COSTS, *options)
    assert "total cost" in result.stdout
    assert "action 2" in result.stdout
    (summary,) = json.loads(purex("simulate", *ARMS, *COSTS, *options, "--json").stdout)["results"]
    problem = Problem.from_names("gaussian", "best-arm", n_arms=3, actions=COSTS[1])
    runs = simulate(problem, [0.5, 0.3, 0.0], "D-C", 0.1, runs=20, seed=1, max_rounds=400)
    assert summary["cost"] == pytest.approx(runs.cost.mean(), rel=1e-12)
    (plain,) = json.loads(purex("simulate", *ARMS, *options, "--json").stdout)["results"]
    assert "cost" not in plain


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        ("costs(costs=[1, 1])", "3 actions need 3 costs, but there are 2"),
        ("[[0], [1]]", "no action shows arm 2"),
        ("cost(costs=[1, 1, 5])", "there is no action named 'cost'; did you mean 'costs'?"),
        ("[[0], [1], [2", "cannot be read"),
    ],
)
def test_bad_actions_are_one_sentence(purex, actions, sentence):
    result = purex("solve", *ARMS, "--actions", actions)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_an_experiment_from_the_shell(purex, tmp_path):
    state, spec = tmp_path / "trial.json", tmp_path / "trial.toml"
    spec.write_text('family = "bernoulli"\nquery = "best-arm"\narms = 3\nactions = "[[0, 1], [2]]"\n')
    purex("explore", "start", str(spec), "--state", str(state))
    assert purex("explore", "ask", "--state", str(state), "-n", "2").stdout.split() == ["0", "1"]
    purex("explore", "tell", "--state", str(state), "0=1,0", "1=0")
    told = tmp_path / "told.csv"
    told.write_text("0,1,0\n1,1\n")
    purex("explore", "tell", "--state", str(state), "--file", str(told))
    facts = json.loads(purex("explore", "status", "--state", str(state), "--json").stdout)
    assert facts["samples"] == 4
    assert facts["counts"] == [2, 2, 2]
    result = purex("explore", "tell", "--state", str(state), "0=1")
    assert result.exit_code == 2
    assert "action 0 shows arms 0, 1: tell 2 rewards, not 1" in result.stderr


STUDY = """
runs = 12
seed = 5
chunk = 6
rules = ["D-C", "RR"]
deltas = [0.1]
[[problem]]
name = "priced"
family = "gaussian"
query = "best-arm"
actions = "[[0, 1], [2], [0]]"
means = [1.0, 0.2, 0.0]
[[problem]]
name = "plain"
family = "gaussian"
query = "best-arm"
means = [1.0, 0.2, 0.0]
"""


def test_a_study_keeps_the_counts_of_actions(tmp_path):
    specification = parse_specification(STUDY)
    study = run_study(specification, tmp_path / "out")
    problem = Problem.from_names("gaussian", "best-arm", n_arms=3, actions="[[0, 1], [2], [0]]")
    direct = simulate(problem, [1.0, 0.2, 0.0], "D-C", 0.1, runs=12, seed=5)
    (cell,) = (cell for cell in study.cells if (cell.entry.name, cell.rule) == ("priced", "D-C"))
    stored = study.runs(cell)
    assert np.array_equal(stored.counts, direct.counts)
    assert np.array_equal(stored.cost, direct.cost)
    assert (
        "action purex-bandits:sets" in json.loads((tmp_path / "out" / "manifest.json").read_text())["plugins"]
    )


def test_the_keys_of_older_studies_stay():
    """A specification without actions does not mention them."""
    plain = parse_specification(STUDY).as_dict()["problems"]
    assert "actions" in plain[0]
    assert "actions" not in plain[1]
    assert Specification.from_dict(parse_specification(STUDY).as_dict()) == parse_specification(STUDY)
