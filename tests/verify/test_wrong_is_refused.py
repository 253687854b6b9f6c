"""What is wrong does not pass: oracles, values and constants that are off make their claims fail."""

import copy
import json

import numpy as np
import pytest
from click.testing import CliRunner

from purex.cli.main import app
from purex.errors import RefusedProblemError
from purex.problem import Problem
from purex.verify import Context, Instance, instance
from purex.verify.claims import complexity, risk, select, stopping
from purex.verify.constants import GameConstants, several_answers
from purex.verify.exceedance import decide, mistakes
from purex.verify.instances import STRUCTURED
from purex.verify.path import Theory

EPSILON = "epsilon-best-arm(epsilon=0.1)"


def with_oracle(name, change):
    """An instance whose best responses are changed: change(i, value) -> value."""
    where = instance(name)
    problem = copy.copy(where.problem)
    honest = problem.oracle
    problem.oracle = lambda i, w, xi: (lambda found: found._replace(value=change(i, found.value)))(
        honest(i, w, xi)
    )
    return Instance("yours", problem, where.mu)


@pytest.mark.parametrize("name", ["B5", "TOP", "SUM", "MONO"])
def test_an_oracle_that_says_infinity_for_a_wrong_answer_fails(name):
    answer = instance(name).answer
    wrong = with_oracle(name, lambda i, value: np.where(i == answer, value, np.inf))
    for check in (stopping.s40, risk.s40b):
        assert check(Context(instance=instance(name))).passed
        found = check(Context(instance=wrong))
        assert found.violations > 0
        assert not found.passed


@pytest.mark.parametrize("name", ["B5", "LIP", "UNI", "RANK"])
def test_an_oracle_that_says_a_little_too_much_fails(name):
    assert not stopping.s40(Context(instance=with_oracle(name, lambda i, value: 1.001 * value))).passed
    assert not risk.s40b(Context(instance=with_oracle(name, lambda i, value: 3.0 * value))).passed


@pytest.mark.parametrize("name", STRUCTURED)
def test_structures_decide_by_their_own_best_response(name):
    """The answers, statistics and mistakes that S40b counts, one run at a time."""
    where = instance(name)
    problem, K, rng = where.problem, where.problem.n_arms, np.random.default_rng(5)
    from purex.engine.setting import Setting
    from purex.plugins import build

    setting = Setting(problem, build("rule", "RR"), build("threshold", "stylised", n_arms=K))
    assert setting.statistic == "model"
    N = rng.integers(1, 40, (40, K)).astype(float)
    mean = np.clip(where.mu + 0.3 * rng.normal(size=(40, K)), 0.01, 0.99)
    found = decide(setting, where.mu, N, mean)
    assert 3 < found.wrong.sum() < 40
    for r in range(40):
        model = problem.project(N[r], mean[r])
        assert found.answer[r] == problem.answer(model)[0]
        assert found.wrong[r] == (found.answer[r] != where.answer)
        if found.wrong[r]:
            raw = float(problem.best_response(int(found.answer[r]), N[r], mean[r]).value[0])
            expected = raw - float(problem.arms.cost(N[r], mean[r], model[0]))
            assert found.statistic[r] == pytest.approx(expected, rel=1e-6, abs=1e-9 * raw)


def test_mistakes_are_wrong_answers_beyond_the_threshold():
    where = instance("LIN")
    from purex.plugins import build

    stylised = build("threshold", "stylised", n_arms=3)
    options = {"runs": 300, "horizon": 200, "looks": 30, "rng": np.random.default_rng(1)}
    seen = mistakes(
        where.problem, where.mu, [stylised, stopping.Scaled(stylised, 1e-9)], (0.1,), "in turn", **options
    )
    assert seen.given[0].mean() < 0.3
    assert seen.given[1].mean() > 0.8  # without a threshold every wrong candidate is an answer
    assert (seen.statistic <= seen.truth * (1 + 1e-9)).all()
    assert len(seen.statistic) > 1000


@pytest.mark.parametrize("factor", [0.5, 0.8, 1.4, 2.0])
def test_a_wrong_value_of_the_game_is_noticed(factor):
    assert not stopping.s37(Context(), misvalue=factor).passed


def test_the_mean_is_not_its_own_bound():
    """S26 fails for stopping times that the theorem is not about: ones that come later, or another T_0."""
    assert not complexity.check_decomposition(Context(), early=0.6).passed
    assert not complexity.check_decomposition(Context(), other=0.2).passed


def test_stopping_times_that_are_late_are_noticed(monkeypatch):
    honest = complexity.simulate

    def late(*args, **options):
        result = honest(*args, **options)
        result.tau[:] = np.minimum(2 * result.tau, options["max_rounds"])
        return result

    monkeypatch.setattr(complexity, "simulate", late)
    assert not complexity.check_decomposition(Context()).passed


BOUND = ["bound", "--family", "gaussian", "--means", "1,0.5", "--box", "-1,2"]


def test_bound_refuses_several_correct_answers():
    result = CliRunner().invoke(app, [*BOUND, "--query", EPSILON])
    assert result.exit_code == 2
    assert "one correct answer" in result.stderr
    assert result.stderr.count("\n") == 1
    problem = Problem.from_names("gaussian", EPSILON, n_arms=2, box=(-1, 2))
    for means in ([1.0, 0.5], [1.0, 0.95]):  # one arm is correct, then both
        with pytest.raises(RefusedProblemError, match="one correct answer"):
            GameConstants.of(problem, means)
        with pytest.raises(RefusedProblemError, match="one correct answer"):
            Theory.of(problem, np.array(means), None)


def test_claims_about_T0_refuse_several_correct_answers():
    problem = Problem.from_names("gaussian", EPSILON, n_arms=2, box=(-1, 2))
    context = Context(instance=Instance("yours", problem, np.array([1.0, 0.5])))
    for claim in select(("S37", "S42", "S49", "S54", "S57", "PATH")):
        assert "one correct answer" in claim.applies(context), claim.id
    plain = Problem.from_names("gaussian", "best-arm", n_arms=2, box=(-1, 2))
    context = Context(instance=Instance("yours", plain, np.array([1.0, 0.5])))
    assert [claim.applies(context) for claim in select(("S54", "S57"))] == ["", ""]
    assert several_answers(plain, np.array([1.0, 0.5])) == ""


def test_bound_says_for_which_statistic_it_is_proved():
    found = json.loads(CliRunner().invoke(app, [*BOUND, "--query", "best-arm", "--json"]).stdout)
    assert found["statistic"] == {"proved": "raw", "default": "raw"}
    plain = CliRunner().invoke(app, [*BOUND, "--query", "best-arm"]).stdout
    assert "proved for" not in plain
    structured = [*BOUND, "--query", "best-arm", "--structure", "unit-sum(total=1.5)"]
    found = json.loads(CliRunner().invoke(app, [*structured, "--json"]).stdout)
    assert found["statistic"] == {"proved": "raw", "default": "model"}
    shown = CliRunner().invoke(app, structured).stdout
    assert "proved for        --statistic raw, not for this problem's default, model" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_S54_runs_on_the_statistic_that_it_is_about(monkeypatch):
    seen = []
    monkeypatch.setattr(complexity, "simulate", lambda *args, **options: seen.append(options["statistic"]))
    complexity.stopping_times(instance("SUM"), "D-C", (0.1,), 2, 0)
    assert seen == ["raw"]
