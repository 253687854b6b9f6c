"""Rules and thresholds that lie are named in the first rounds, and nothing hangs."""

import os
import subprocess
import sys

import numpy as np
import pytest

from purex.engine import simulate
from purex.errors import LyingPluginError
from purex.explorer import Explorer
from purex.model import Threshold
from purex.problem import Problem
from purex.rules import BatchRule, CompiledRule, RuleKernels

MU = [0.6, 0.5, 0.3]


@pytest.fixture(scope="module")
def problem():
    return Problem.from_names("bernoulli", "best-arm", n_arms=3)


class Playing(BatchRule):
    """Plays whatever it is told to."""

    def __init__(self, weights):
        self.weights = weights

    def play(self, now):
        return self.weights(*now.N.shape)


def later(R, K):
    """Uniform weights, with a nan in the last run."""
    w = np.full((R, K), 1 / K)
    w[-1, 0] = np.nan
    return w


RULES = {
    "not numbers": lambda R, K: np.full((R, K), np.nan),
    "not numbers: [nan": later,
    "negative weights": lambda R, K: np.tile([2.0, -1.0, 0.0], (R, 1)),
    "do not add up to 1": lambda R, K: np.full((R, K), 0.5),
    "weights of shape (3,)": lambda R, K: np.full(K, 1 / K),
    "weights of shape (4, 2)": lambda R, K: np.full((R, K - 1), 1 / (K - 1)),
    "weights of shape ()": lambda R, K: None,
}


@pytest.mark.parametrize("sentence", RULES)
def test_rules_that_lie(problem, sentence):
    rule = Playing(RULES[sentence])
    with pytest.raises(LyingPluginError) as caught:
        simulate(problem, MU, rule, 0.1, runs=4, seed=1, max_rounds=200)
    assert str(caught.value).startswith("the rule Playing plays ")
    assert sentence in str(caught.value)


def test_a_rule_that_lies_to_an_experiment(problem):
    explorer = Explorer(problem, Playing(RULES["do not add up to 1"]), 0.1)
    for arm in range(3):
        explorer.tell(arm, 1)
    with pytest.raises(LyingPluginError, match="the rule Playing plays weights that do not add up to 1"):
        explorer.ask()


class Parts(CompiledRule):
    """A compiled rule that plays twice as much as it should."""

    def kernels(self):
        from tests.engine.lying_parts import ask, hear

        return RuleKernels(ask, hear)


class LongParts(CompiledRule):
    """A compiled rule whose `hear` is of another form."""

    def kernels(self):
        from tests.engine.lying_parts import ask, hear_too_much

        return RuleKernels(ask, hear_too_much)


def test_parts_of_another_form_are_refused_when_they_are_made(problem):
    with pytest.raises(
        LyingPluginError, match=r"hear_too_much takes 6 arguments, but hear takes \(call, now,"
    ):
        simulate(problem, MU, LongParts(), 0.1, runs=1, max_rounds=10)


@pytest.mark.parametrize("path", ["compiled", "lock-step"])
def test_a_compiled_rule_that_lies(problem, path, monkeypatch):
    with pytest.raises(LyingPluginError, match="the rule Parts plays weights that do not add up to 1"):
        simulate(problem, MU, Parts(), 0.1, runs=4, seed=1, max_rounds=200, path=path)


class Odd(Playing):
    tracking = "backwards"


class Forgetful(Playing):
    def memory_size(self, problem):
        return 2

    def start(self, problem):
        return np.zeros(3)


@pytest.mark.parametrize(
    ("rule", "sentence"), [(Odd, "tracking = 'backwards'"), (Forgetful, "memory of shape (3,)")]
)
def test_rules_whose_attributes_make_no_sense(problem, rule, sentence):
    with pytest.raises(LyingPluginError) as caught:
        simulate(problem, MU, rule(lambda R, K: np.full((R, K), 1 / K)), 0.1, runs=2, max_rounds=50)
    assert sentence in str(caught.value)


class Given(Threshold):
    """A threshold from a function of the number of samples and of log(1/delta)."""

    status = "heuristic"

    def __init__(self, n_arms, of):
        super().__init__(n_arms)
        self.of = of

    def of_time(self, t, log_inverse_delta):
        return np.asarray(self.of(np.asarray(t, dtype=float), np.asarray(log_inverse_delta)))


class Boasting(Given):
    status = "proved"


class Worded(Boasting):
    scope = "everything"


class Covering(Boasting):
    def covers(self, arms, query, structure):
        return True


def sound(t, x):
    return x + np.log(1 + np.log(t))


THRESHOLDS = {
    "Given falls from": Given(3, lambda t, x: x + 10 / t),
    "Given does not grow when the risk delta falls": Given(3, lambda t, x: np.log(t) + 0 * x),
    "Given is not a number": Given(3, lambda t, x: x + np.log(t - 10.0)),
    "Given gives values of shape ()": Given(3, lambda t, x: np.float64(3.0)),
    "Given failed (ZeroDivisionError": Given(3, lambda t, x: 1 // 0),
    "Boasting says that it is proved, but not for which problems": Boasting(3, sound),
    "Worded says that it is proved, but not for which problems": Worded(3, sound),
    "Covering says that it is proved, but not for which problems": Covering(3, sound),
}


@pytest.mark.parametrize("sentence", THRESHOLDS)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_thresholds_that_lie(problem, sentence):
    threshold = THRESHOLDS[sentence]
    for use in (
        lambda: simulate(problem, MU, "RR", 0.1, runs=2, seed=1, threshold=threshold, max_rounds=200),
        lambda: Explorer(problem, "RR", 0.1, threshold),
    ):
        with pytest.raises(LyingPluginError) as caught:
            use()
        assert f"the threshold {sentence}" in str(caught.value)


@pytest.mark.parametrize("path", ["compiled", "lock-step"])
def test_thresholds_that_lie_where_nobody_looked_before(problem, path):
    """Sound at the counts that are tried first; nan, or lower, elsewhere: nan used to go on for ever."""
    tried = {3 * t for t in (1, 2, 3, 5, 10, 30, 100, 1000, 10**4, 10**6)}

    def elsewhere(t, x, otherwise):
        return np.where(np.isin(t, list(tried)), sound(t, x), otherwise)

    settings = {"runs": 3, "seed": 1, "max_rounds": 2000, "path": path}
    with pytest.raises(LyingPluginError, match="the threshold Given is not a number at the counts"):
        simulate(problem, MU, "RR", 0.1, threshold=Given(3, lambda t, x: elsewhere(t, x, np.nan)), **settings)
    falling = Given(3, lambda t, x: np.where(t > 40, 0.1, 1.0) + 1e-6 * x)
    honest = Given(3, lambda t, x: np.where(np.isin(t, list(tried)), t + x, falling.of(t, x)))
    with pytest.raises(LyingPluginError, match="the threshold Given falls during a run"):
        simulate(problem, [0.9, 0.3, 0.1], "RR", 0.1, threshold=honest, **settings)


def test_a_proof_without_a_scope_is_no_proof(problem):
    assert problem.label(Worded(3, sound)) == "heuristic"


PLUGIN = """
import numpy as np
from purex.plugins import RuleRecord, hookimpl
from purex.rules import BatchRule

class Half(BatchRule):
    def play(self, now):
        return np.full(now.N.shape, 0.5)

@hookimpl
def purex_rules():
    yield RuleRecord(name="half", factory=lambda: Half(), summary="plays half of everything")
"""


def test_the_command_line_names_the_record_with_status_2(tmp_path):
    (tmp_path / "half.py").write_text(PLUGIN)
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[purex]\nhalf = half\n")
    question = ["--family", "bernoulli", "--query", "best-arm", "--means", "0.6,0.5,0.3"]
    run = subprocess.run(
        [sys.executable, "-m", "purex.cli", "simulate", *question, "--rule", "half", "--runs", "3"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.returncode == 2
    assert run.stderr.splitlines()[-1].startswith(
        "purex: the rule 'acme:half' plays weights that do not add up to 1: [0.5, 0.5, 0.5]"
    )
    assert "Traceback" not in run.stderr
