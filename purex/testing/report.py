"""What the conformance kit returns: one record per law and case."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, Literal

from purex.notebook import table_html

Status = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True)
class Outcome:
    """How one law fared on one subject, and why."""

    law: str
    subject: str
    status: Status
    reason: str = ""


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        told = ", ".join(f"{count} {status}" for status, count in self.counts.items())
        lines = [f"<Report: {'passed' if self.passed else 'not passed'} ({told})"]
        lines += [f" {outcome.law} of {outcome.subject}: {outcome.reason}" for outcome in self.failures]
        return "\n".join(lines) + ">"

    def _repr_html_(self) -> str:
        rows = [(outcome.law, outcome.subject, outcome.status, outcome.reason) for outcome in self.outcomes]
        return table_html(repr(self).partition("\n")[0].strip("<>"), ("law", "of", "", "why"), rows)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for --json."""
        return {
            "passed": self.passed,
            "counts": self.counts,
            "outcomes": [asdict(outcome) for outcome in self.outcomes],
        }

    def __add__(self, other: Report) -> Report:
        return Report(self.outcomes + other.outcomes)
