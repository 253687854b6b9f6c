"""The conformance kit passes what is right and names the law that is broken."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from purex.families import Arms, Bernoulli, Exponential, Gaussian, Poisson
from purex.model import Polyhedron, Query, Structure
from purex.problem import Problem
from purex.testing import LAWS, QUERY_LAWS, Case, check_case, check_query, parametrize_with_checks
from purex_plugins.best_arm import BestArm
from purex_plugins.minimum_threshold import MinimumThreshold
from purex_plugins.thresholding import Thresholding
from purex_plugins.top_m import TopM
from tests.testing.wrong_responses import ALittleFar, Forgetful, Stumbles

HERE = Path(__file__).parent

CAUGHT = {
    "wrong-value": "check_value_is_the_cost_of_the_point",
    "point-outside": "check_point_lies_in_the_alternative",
    "tie-by-guard": "check_exact_ties_go_to_the_lowest_index",
    "state-between-calls": "check_calls_leave_no_trace",
    "mutated-input": "check_inputs_are_not_mutated",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder in which the wrong plugins are installed as a stranger's distribution."""
    site = tmp_path_factory.mktemp("site")
    (site / "wrong.py").write_text((HERE / "wrong_responses.py").read_text())
    info = site / "wrong-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wrong\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[purex]\nwrong = wrong\n")
    return site


@pytest.mark.parametrize(("name", "law"), CAUGHT.items())
def test_purex_check_names_the_law_that_a_wrong_plugin_breaks(site, name, law):
    command = [sys.executable, "-m", "purex.cli", "check", name, "--family", "bernoulli"]
    run = subprocess.run(
        command,
        env={"PYTHONPATH": str(site), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1, run.stderr
    assert "FAILED " in run.stdout
    assert law in run.stdout  # a fault that breaks many laws for one reason is told once, with their names


def test_purex_check_passes_for_a_right_one_and_counts(site):
    command = [
        sys.executable,
        "-m",
        "purex.cli",
        "check",
        "best-arm",
        "--family",
        "gaussian",
        "--json",
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    report = json.loads(run.stdout)
    assert report["passed"]
    assert report["counts"] == {"passed": 2 * (len(LAWS) + len(QUERY_LAWS)), "failed": 0, "skipped": 0}


@parametrize_with_checks(
    [BestArm(5), MinimumThreshold(3, threshold=0.4), TopM(6, m=3), Thresholding(4, threshold=0.5)],
    [Gaussian(2.0), Bernoulli(), Exponential()],
)
def test_laws(check):
    check()


class Increasing(Structure):
    def cells(self):
        rows = np.eye(self.n_arms)[:-1] - np.eye(self.n_arms)[1:]
        return [Polyhedron(rows, np.zeros(len(rows)))]


@pytest.mark.parametrize("family", [Gaussian(), Bernoulli(), Exponential()], ids=lambda f: f.name)
def test_laws_with_a_structure(family):
    report = check_query(Thresholding(4, threshold=0.5), family, Increasing(4), size=30)
    assert report.passed, report.failures
    assert report.counts["passed"] >= len(LAWS) - 2


def test_laws_with_arms_of_different_families():
    arms = Arms([Bernoulli(), Exponential(), Poisson(), Gaussian(0.25)])
    for query in (BestArm(4), TopM(4, m=2), MinimumThreshold(4, threshold=0.5)):
        report = check_case(Case(Problem(arms, query)), "mixed")
        assert report.passed, report.failures
        # cvxpy has no common coordinates for a tied pair of different families
        assert report.counts["skipped"] <= 1


def test_a_wrong_declaration_is_caught():
    report = check_query(Forgetful(3), Gaussian())
    broken = {outcome.law for outcome in report.failures}
    assert "check_alternatives_match_answers" in broken
    assert "check_no_sampled_alternative_is_better" in broken


def outcomes(query, *laws):
    """How some laws fare on a query with Gaussian arms."""
    chosen = [law for law in LAWS if law.__name__ in laws]
    case = Case(Problem(Arms.of(Gaussian(), query.n_arms), query))
    return {outcome.law: outcome for outcome in check_case(case, "gaussian", chosen).outcomes}


def test_the_solver_of_cvxpy_may_fail_on_a_flat_set():
    """Symmetric means of four arms: the best two are tied, and no alternative has an interior."""

    class Symmetric(Structure):
        def cells(self):
            return [Polyhedron(A_eq=[[1, 0, 0, -1], [0, 1, -1, 0]], b_eq=[0, 0])]

    (law,) = (law for law in LAWS if law.__name__ == "check_agrees_with_cvxpy")
    report = check_query(BestArm(4), Gaussian(), Symmetric(4), laws=[law], size=60)
    assert report.passed, report.failures
    far = check_case(Case(Problem(Arms.of(Gaussian(), 3), ALittleFar(3))), "gaussian", [law])
    assert not far.passed  # a wrong value is still one


def test_a_value_that_is_larger_by_a_hundred_thousandth_is_caught():
    laws = "check_agrees_with_the_generic_oracle", "check_value_is_the_cost_of_the_point"
    found = outcomes(ALittleFar(3), *laws)
    assert [found[law].status for law in laws] == ["failed", "passed"]
    assert {outcome.status for outcome in outcomes(BestArm(3), *laws).values()} == {"passed"}


def test_whatever_a_plugin_raises_is_a_broken_law():
    found = outcomes(Stumbles(3), "check_zero_weights", "check_gradient_in_w_is_the_divergence")
    assert found["check_zero_weights"].status == "failed"
    assert "ValueError: a weight is zero (best_response, line" in found["check_zero_weights"].reason
    assert found["check_gradient_in_w_is_the_divergence"].status == "passed"  # it has no weights of zero


def test_a_refused_combination_is_skipped_with_its_reason():
    class Average(Query):
        def answer(self, mu):
            return (mu.mean(axis=1) >= 0.5).astype(np.int64)

        def alternatives(self, i):
            sign = 1.0 if i else -1.0
            return [Polyhedron(np.full(self.n_arms, sign / self.n_arms), sign * 0.5)]

    report = check_query(Average(3), Exponential())
    assert not report.passed
    assert report.counts == {"passed": 0, "failed": 0, "skipped": 1}
    assert "convex" in report.outcomes[0].reason
