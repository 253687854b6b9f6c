"""The conformance kit: laws that every plugin obeys, for plugin authors and for us."""

from purex.extras import need

need("verify", "a check of the laws")

from purex.testing.action_laws import ACTION_LAWS
from purex.testing.case import Case, Instances
from purex.testing.family_laws import FAMILY_LAWS
from purex.testing.laws import LAWS, LawBrokenError, NotApplicableError
from purex.testing.query_laws import QUERY_LAWS
from purex.testing.report import Outcome, Report
from purex.testing.rule_laws import RULE_LAWS
from purex.testing.runner import (
    check_actions,
    check_case,
    check_family,
    check_query,
    check_rule,
    check_threshold,
    parametrize_with_checks,
)
from purex.testing.structure_laws import STRUCTURE_LAWS
from purex.testing.threshold_laws import THRESHOLD_LAWS

__all__ = [
    "ACTION_LAWS",
    "FAMILY_LAWS",
    "LAWS",
    "QUERY_LAWS",
    "RULE_LAWS",
    "STRUCTURE_LAWS",
    "THRESHOLD_LAWS",
    "Case",
    "Instances",
    "LawBrokenError",
    "NotApplicableError",
    "Outcome",
    "Report",
    "check_actions",
    "check_case",
    "check_family",
    "check_query",
    "check_rule",
    "check_threshold",
    "parametrize_with_checks",
]
