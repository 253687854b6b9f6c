"""Run the laws on queries, structures, actions, rules, thresholds and families."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from purex.errors import RefusedProblemError
from purex.families import Arms, Family
from purex.model import Actions, Query, Structure, Threshold
from purex.problem import Problem
from purex.rules import Rule
from purex.rules.rule import check_playable
from purex.testing.action_laws import ACTION_LAWS, ActionsCase
from purex.testing.case import Case
from purex.testing.family_laws import FAMILY_LAWS, FamilyCase
from purex.testing.laws import LAWS, LawBrokenError, NotApplicableError
from purex.testing.query_laws import QUERY_LAWS
from purex.testing.report import Outcome, Report
from purex.testing.rule_laws import RULE_LAWS, RuleCase
from purex.testing.threshold_laws import THRESHOLD_LAWS, ThresholdCase

Law = Callable[[Any], None]


def check_case(
    case: Any,
    subject: str,
    laws: Iterable[Law] = LAWS,
    after: Callable[[], None] | None = None,
) -> Report:
    """Every law on one case; `after` is called when a law has been tried."""
    outcomes = []
    for law in laws:
        outcomes.append(_try(law, case, subject))
        if after is not None:
            after()
    return Report(tuple(outcomes))


def _try(law: Law, case: Any, subject: str) -> Outcome:
    try:
        law(case)
    except NotApplicableError as reason:
        return Outcome(law.__name__, subject, "skipped", str(reason))
    except LawBrokenError as reason:
        return Outcome(law.__name__, subject, "failed", str(reason))
    except Exception as error:  # a plugin may raise anything: that too is a broken law
        cause = error.__cause__ or error  # what a plugin raised, where purex says that it failed
        where = traceback.extract_tb(cause.__traceback__)[-1]
        told = f"{type(cause).__name__}: {cause} ({where.name}, line {where.lineno})"
        return Outcome(law.__name__, subject, "failed", told)
    return Outcome(law.__name__, subject, "passed")


def subject_of(query: Query, family: Family, structure: Structure | None, box: Any = None) -> str:
    """How a case is called in reports."""
    parts = [type(query).__name__, family.name]
    if structure is not None:
        parts.append(type(structure).__name__)
    if box is not None:
        parts.append(f"box {box[0]:g} to {box[1]:g}")
    return " · ".join(parts)


def check_query(
    query: Query,
    family: Family,
    structure: Structure | None = None,
    *,
    box: tuple[float, float] | None = None,
    oracle: str = "auto",
    laws: Iterable[Law] = (*LAWS, *QUERY_LAWS),
    after: Callable[[], None] | None = None,
    **settings: Any,
) -> Report:
    """Every law on a query with arms of one family; further keywords go to `Case`.

    `after` is called when a law has been tried. A combination that purex refuses (no exact oracle) is one
    skipped record with the reason.
    """
    subject = subject_of(query, family, structure, box)
    try:
        problem = Problem(Arms.of(family, query.n_arms), query, structure, box=box, oracle=oracle)
        case = Case(problem, **settings)
        _ask_once(case)
    except RefusedProblemError as refusal:
        return Report((Outcome("problem", subject, "skipped", str(refusal)),))
    return check_case(case, subject, laws, after=after)


def check_rule(
    rule: Rule,
    query: Query,
    family: Family,
    *,
    box: tuple[float, float] | None = None,
    after: Callable[[], None] | None = None,
    **settings: Any,
) -> Report:
    """Every law on a sampling rule for one question; further keywords go to `RuleCase`.

    A problem that the rule refuses is one skipped record with the reason.
    """
    subject = f"{type(rule).__name__} · {subject_of(query, family, None, box)}"
    try:
        problem = Problem(Arms.of(family, query.n_arms), query, box=box)
        check_playable(rule, problem)
    except RefusedProblemError as refusal:
        return Report((Outcome("problem", subject, "skipped", str(refusal)),))
    return check_case(RuleCase(problem, rule, **settings), subject, RULE_LAWS, after)


def check_threshold(
    threshold: Threshold,
    problem: Problem | None = None,
    *,
    after: Callable[[], None] | None = None,
    **settings: Any,
) -> Report:
    """Every law on a stopping threshold; further keywords go to `ThresholdCase`.

    With a problem it is the threshold for that (`Threshold.for_problem`), and the answers are the problem's,
    which have to be the numbers from 0 on.
    """
    subject = f"{type(threshold).__name__} · {threshold.n_arms} arms"
    if problem is not None:
        threshold = problem.threshold(threshold)
        settings["n_answers"] = len(problem.query.answers() or (0,))
        subject += f" · {subject_of(problem.query, problem.arms.families[0], problem.structure)}"
    return check_case(ThresholdCase(threshold, **settings), subject, THRESHOLD_LAWS, after)


def check_actions(
    actions: Actions, n_arms: int, *, after: Callable[[], None] | None = None, **settings: Any
) -> Report:
    """Every law on actions that were asked for n_arms arms; further keywords go to `ActionsCase`."""
    subject = f"{actions.n_actions} actions · {n_arms} arms"
    return check_case(ActionsCase(actions, n_arms, **settings), subject, ACTION_LAWS, after)


def check_family(family: Family, *, after: Callable[[], None] | None = None, **settings: Any) -> Report:
    """Every law on an exponential family; further keywords go to `FamilyCase`."""
    return check_case(FamilyCase(family, **settings), family.name, FAMILY_LAWS, after)


def _ask_once(case: Case) -> None:
    """Let a problem without an exact oracle refuse; any other failure is for the laws to name."""
    try:
        case.problem.oracle(*case.instances("first", 1))
    except RefusedProblemError:
        raise
    except Exception:
        return


def parametrize_with_checks(
    queries: Sequence[Query],
    families: Sequence[Family],
    structures: Sequence[Structure | None] = (None,),
) -> Any:
    """A pytest decorator: one test ``def test_laws(check): check()`` per query, family and law."""
    import pytest

    parameters = [
        pytest.param(
            _Check(law, query, family, structure),
            id=f"{law.__name__}-{subject_of(query, family, structure)}",
        )
        for query in queries
        for family in families
        for structure in structures
        for law in LAWS
    ]
    return pytest.mark.parametrize("check", parameters)


class _Check:
    """One law on one combination, as a test."""

    def __init__(
        self, law: Callable[[Case], None], query: Query, family: Family, structure: Structure | None
    ) -> None:
        self.law, self.query, self.family, self.structure = law, query, family, structure

    def __call__(self) -> None:
        import pytest

        problem = Problem(Arms.of(self.family, self.query.n_arms), self.query, self.structure)
        try:
            self.law(Case(problem))
        except NotApplicableError as reason:
            pytest.skip(str(reason))
