"""The conformance kit: laws that every query and oracle obeys, for plugin authors and for us."""

from purex.testing.case import Case, Instances
from purex.testing.laws import LAWS, LawBrokenError, NotApplicableError
from purex.testing.report import Outcome, Report
from purex.testing.runner import check_case, check_query, parametrize_with_checks

__all__ = [
    "LAWS",
    "Case",
    "Instances",
    "LawBrokenError",
    "NotApplicableError",
    "Outcome",
    "Report",
    "check_case",
    "check_query",
    "parametrize_with_checks",
]
