"""What the conformance kit returns: one record per law and case."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, Literal

Status = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True)
class Outcome:
    """How one law fared on one subject, and why."""

    law: str
    subject: str
    status: Status
    reason: str = ""


@dataclass(frozen=True)
class Report:
    """All outcomes; `passed` is whether no law was broken and at least one ran.

    >>> Report((Outcome("check_pickles", "best-arm", "passed"),)).passed
    True
    """

    outcomes: tuple[Outcome, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many laws passed, failed and were skipped."""
        counted = Counter(outcome.status for outcome in self.outcomes)
        return {status: counted[status] for status in ("passed", "failed", "skipped")}

    @property
    def passed(self) -> bool:
        """Whether no law was broken and at least one ran."""
        return self.counts["failed"] == 0 and self.counts["passed"] > 0

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """The broken laws."""
        return tuple(outcome for outcome in self.outcomes if outcome.status == "failed")

    def as_dict(self) -> dict[str, Any]:
        """Plain data for --json."""
        return {
            "passed": self.passed,
            "counts": self.counts,
            "outcomes": [asdict(outcome) for outcome in self.outcomes],
        }

    def __add__(self, other: Report) -> Report:
        return Report(self.outcomes + other.outcomes)
