"""`purex check` of a claim: that it holds, and that each of its controls fires."""

from __future__ import annotations

from purex.testing.report import Outcome, Report
from purex.verify.claim import Claim, Context
from purex.verify.runner import run_claim


def check_claim(claim: Claim, *, seed: int = 0) -> Report:
    """The claim on the shipped instances, quickly, and its controls, each of which must be noticed."""
    result = run_claim(claim, Context(seed=seed))
    status = result.status
    if status == "not applicable":
        return Report((Outcome("check_it_holds", claim.id, "skipped", result.reason),))
    noticed = [
        Outcome("check_the_control_fires", f"{claim.id} · {breach}", "failed" if silent else "passed",
                "the check did not notice this breach" * silent)
        for breach, seen in result.controls
        for silent in (seen.passed or seen.checks == 0,)
    ]  # fmt: skip
    wrong = status in ("fails", "broken")
    first = Outcome("check_it_holds", claim.id, "failed" if wrong else "passed", result.reason * wrong)
    return Report((first, *noticed))
