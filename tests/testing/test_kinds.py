"""The laws of rules, thresholds, families, structures, queries: kept by ours, each broken by a wrong one."""

import json

import numpy as np
import pytest
import sympy
from click.testing import CliRunner

from purex.cli.main import app
from purex.errors import AmbiguousNameError, InvalidInputError, UnknownNameError
from purex.families import Bernoulli, Gaussian, SymbolicFamily
from purex.plugins import FamilyRecord, build, registry
from purex.problem import Problem
from purex.testing import (
    ACTION_LAWS,
    FAMILY_LAWS,
    LAWS,
    QUERY_LAWS,
    RULE_LAWS,
    STRUCTURE_LAWS,
    THRESHOLD_LAWS,
    Report,
    check_actions,
    check_family,
    check_query,
    check_rule,
    check_threshold,
)
from purex.testing.plans import plan_for
from purex_plugins.best_arm import BestArm
from tests.strangers import install
from tests.testing.wrong_actions import ACTIONS
from tests.testing.wrong_families import FAMILIES, SpreadOut
from tests.testing.wrong_queries import QUERIES
from tests.testing.wrong_responses import RESPONSES
from tests.testing.wrong_rules import RULES, Uniform
from tests.testing.wrong_structures import STRUCTURES, Increasing
from tests.testing.wrong_thresholds import THRESHOLDS, Crowded, HalfHearted, Plain

BOX = (0.2, 0.8)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The wrong plugins as a stranger's distribution."""
    info = tmp_path / "wrong-2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wrong\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text("[purex]\nwrong = tests.testing.wrong_plugins\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry.cache_clear()
    yield
    registry.cache_clear()


def laws_of(report):
    return {outcome.law for outcome in report.failures}


def named(laws):
    return {law.__name__ for law in laws}


def test_every_law_has_a_wrong_plugin():
    assert set(RULES) == named(RULE_LAWS)
    assert set(THRESHOLDS) == named(THRESHOLD_LAWS)
    assert set(FAMILIES) == named(FAMILY_LAWS)
    assert set(STRUCTURES) == named(STRUCTURE_LAWS)
    assert set(QUERIES) == named(QUERY_LAWS)
    assert set(RESPONSES) == named(LAWS)
    assert set(ACTIONS) == named(ACTION_LAWS)


@pytest.mark.parametrize("law", ACTIONS)
def test_wrong_actions_break_their_law(law):
    assert laws_of(check_actions(ACTIONS[law](3), 3)) == {law}


@pytest.mark.parametrize("name", ["sets", "costs", "graph", "vector", "observable"])
def test_shipped_actions_keep_the_laws(name):
    (trial,) = plan_for(name, (), None, "best-arm", 4)
    report = trial.check(size=20)
    assert report.passed, report.failures
    assert report.counts["passed"] == len(ACTION_LAWS)


@pytest.mark.parametrize("law", RESPONSES)
def test_a_wrong_best_response_breaks_its_law(law):
    (only,) = (known for known in LAWS if known.__name__ == law)
    assert laws_of(check_query(RESPONSES[law](3), Gaussian(), size=30, laws=[only])) == {law}
    report = check_query(BestArm(3), Gaussian(), size=30, laws=[only])
    assert report.passed, report.failures


@pytest.mark.parametrize("law", RULES)
def test_a_wrong_rule_breaks_its_law(law):
    report = check_rule(RULES[law](), BestArm(3), Gaussian(), box=BOX, size=20)
    assert law in laws_of(report)


@pytest.mark.parametrize("law", THRESHOLDS)
def test_a_wrong_threshold_breaks_its_law(law):
    assert law in laws_of(check_threshold(THRESHOLDS[law](3)))


def test_a_proof_with_half_of_the_logarithm_is_none():
    assert laws_of(check_threshold(HalfHearted(3))) == {"check_delta_counts"}


def test_values_of_answers_must_not_depend_on_other_rows():
    assert laws_of(check_threshold(Crowded(3))) == {"check_rows_are_independent"}


BOUND = [
    ("rank-aware", "bernoulli", "best-arm", None),
    ("rank-aware", "gaussian", "minimum-threshold(threshold=0.5)", None),
    ("rank-aware", "poisson", "top-m(m=1)", None),
    ("auto", "gaussian", "best-arm", "unit-sum(total=1)"),
    ("auto", "gaussian", "best-arm", "linear(features=[[1, 0], [0, 1], [1, 1], [1, -1]])"),
    ("linear-mixture", "gaussian", "best-arm", "linear(features=[[1, 0], [0, 1], [1, 1], [1, -1]])"),
]


@pytest.mark.parametrize(("name", "family", "query", "structure"), BOUND)
def test_thresholds_for_a_problem_keep_the_laws(name, family, query, structure):
    problem = Problem.from_names(family, query, structure, n_arms=4)
    threshold = build("threshold", name, n_arms=4)
    bound = problem.threshold(threshold)
    assert bound is not threshold
    report = check_threshold(threshold, problem, size=40)
    assert report.passed, report.failures
    skipped = {outcome.law for outcome in report.outcomes if outcome.status == "skipped"}
    about_rising = {"check_monotone_in_time", "check_monotone_in_counts", "check_time_bounds_counts"}
    about_means = set() if bound.by_means else {"check_values_of_means"}
    assert skipped == about_means | (set() if bound.rises else about_rising)


def test_a_threshold_is_tried_on_problems_where_it_is_another():
    assert len(plan_for("stylised", (), None, "best-arm", 4)) == 1
    assert len(plan_for("rank-aware", (), None, "best-arm", 4)) > 3


@pytest.mark.parametrize("law", FAMILIES)
def test_a_wrong_family_breaks_its_law(law):
    assert law in laws_of(check_family(FAMILIES[law]))


def test_a_class_of_laws_is_simulated_by_none_that_is_harder_than_its_hardest():
    narrow, wide = (SpreadOut(factor) for factor in (0.5, 1.1))
    assert check_family(narrow).passed
    assert laws_of(check_family(wide)) == {"check_samples_have_the_mean_and_the_variance"}


@pytest.mark.parametrize("law", STRUCTURES)
def test_a_wrong_structure_breaks_its_law(law, installed):
    structure = STRUCTURES[law](3)
    report = check_query(BestArm(3), Gaussian(), structure, size=20, laws=STRUCTURE_LAWS)
    assert law in laws_of(report)


@pytest.mark.parametrize("law", QUERIES)
def test_a_wrong_query_breaks_its_law_and_no_other(law):
    report = check_query(QUERIES[law](3), Gaussian(), size=20, laws=QUERY_LAWS)
    assert laws_of(report) == {law}


def test_right_ones_keep_all_laws():
    assert check_rule(Uniform(), BestArm(3), Gaussian(), box=BOX, size=20).passed
    assert check_threshold(Plain(3)).passed
    report = check_query(BestArm(3), Gaussian(), Increasing(3), size=20, laws=STRUCTURE_LAWS)
    assert report.passed, report.failures


@pytest.mark.parametrize("kind", ["threshold", "family"])
def test_shipped_thresholds_and_families_keep_their_laws(kind):
    for item in registry().items(kind):
        for trial in plan_for(item.qualified, (), None, "best-arm", 4, kind):
            report = trial.check(size=40, seed=1)
            assert report.passed, report.failures


SOME_RULES = ["RR", "D-C", "IDS", "EB-TCI", "LUCB", "TTTS"]


@pytest.mark.parametrize(
    "name", [*SOME_RULES, *(pytest.param(i.name, marks=pytest.mark.full) for i in registry().items("rule"))]
)
def test_shipped_rules_keep_their_laws(name):
    rule = build("rule", name)
    report = check_rule(rule, BestArm(3), Bernoulli(), box=BOX, size=20)
    assert report.passed, report.failures
    in_experiments = 1 + rule.eliminates  # laws that may not apply: elimination is refused in experiments
    assert report.counts["passed"] >= len(RULE_LAWS) - in_experiments


@pytest.mark.parametrize(
    "name", ["monotone", "box(lower=0.2, upper=0.9)", "unimodal", "same-side(threshold=0.5)"]
)
def test_shipped_structures_keep_their_own_laws(name):
    structure = build("structure", name, n_arms=4)
    report = check_query(BestArm(4), Bernoulli(), structure, size=15, laws=STRUCTURE_LAWS)
    assert report.passed, report.failures


@pytest.mark.full
@pytest.mark.parametrize("kind", ["query", "structure"])
def test_all_shipped_queries_and_structures_keep_all_laws(kind):
    for item in registry().items(kind):
        for trial in plan_for(item.qualified, (), None, "best-arm", 4, kind):
            report = trial.check(size=30, seed=0)
            assert not report.failures, report.failures


def test_examples_have_the_number_of_arms_that_they_are_about():
    """Three items have three matches, and no number of items has the four arms that are tried by default."""
    trial, _ = plan_for("condorcet", ("gaussian",), None, "best-arm", 4)
    assert trial.check(size=5, seed=0).passed
    with pytest.raises(InvalidInputError, match="3 items have 3 pairs"):
        plan_for("condorcet(items=3)", ("gaussian",), None, "best-arm", 4)


def check(*arguments):
    registry.cache_clear()
    return CliRunner().invoke(app, ["check", *arguments], prog_name="purex")


def test_the_command_finds_the_kind_of_a_name(installed):
    assert json.loads(check("stylised", "--json").stdout)["counts"]["passed"] == len(THRESHOLD_LAWS) - 2
    assert json.loads(check("poisson", "--json").stdout)["counts"]["passed"] == len(FAMILY_LAWS)
    result = check("twice")
    assert result.exit_code == 2
    assert "the name 'twice' may mean the rule or the threshold; say which by --kind" in result.stderr
    result = check("twice", "--kind", "threshold")
    assert result.exit_code == 1
    assert "FAILED check_monotone_in_time" in result.stdout
    result = check("twice", "--kind", "rule", "--family", "gaussian", "--size", "10")
    assert "FAILED check_runs_do_not_depend_on_each_other" in result.stdout


def test_names_and_kinds_that_have_no_laws():
    with pytest.raises(UnknownNameError, match="did you mean 'stylised'"):
        plan_for("stylized", (), None, "best-arm", 3)
    with pytest.raises(InvalidInputError, match="not for claim"):
        plan_for("D-C", (), None, "best-arm", 3, "claim")
    with pytest.raises(InvalidInputError, match="leave --structure out"):
        plan_for("D-C", (), "monotone", "best-arm", 3)
    with pytest.raises(UnknownNameError):
        plan_for("D-C", (), None, "best-arm", 3, "query")
    assert issubclass(AmbiguousNameError, LookupError)


def from_one_on():
    """Trials until a success: a family whose means start at 1, outside of the box that the kit tries."""
    theta = sympy.Symbol("theta", real=True)
    return SymbolicFamily(
        theta - sympy.log(1 - sympy.exp(theta)),
        theta,
        name="trials",
        natural_domain=(-np.inf, 0.0),
        domain=(1.0, np.inf),
    )


def test_a_query_is_tried_with_families_that_live_elsewhere_and_without_those_that_are_broken(monkeypatch):
    def broken():
        raise InvalidInputError("it has no second derivative")

    install(
        monkeypatch,
        "1.0",
        ("family", FamilyRecord(name="broken", factory=broken, summary="broken")),
        ("family", FamilyRecord(name="trials", factory=from_one_on, summary="from one on")),
    )
    strangers = [item for item in registry().items("family") if item.plugin == "acme:plugin"]
    monkeypatch.setitem(registry()._items, "family", strangers)
    report = Report(())
    for trial in plan_for("best-arm", (), None, "best-arm", 3):
        report += trial.check(size=10)
    assert report.passed, report.failures
    boxed = {outcome.subject for outcome in report.outcomes if outcome.status == "passed"}
    assert boxed == {"BestArm · trials", "BestArm · trials · box 1.2 to 1.8"}
    (left_out,) = (outcome for outcome in report.outcomes if outcome.law == "all laws")
    assert left_out.status == "skipped"
    assert "acme:broken cannot be built: it has no second derivative" in left_out.reason
    with pytest.raises(InvalidInputError, match="no second derivative"):
        plan_for("best-arm", ("broken",), None, "best-arm", 3)
