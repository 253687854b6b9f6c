"""The theory as executable claims: statements, checks that could refute them, breaches they must catch."""

from purex.extras import need

need("verify", "a check of the theory")

from purex.verify.claim import Check, Claim, Context, Control, any_problem, bounded_problem
from purex.verify.conformance import check_claim
from purex.verify.evidence import Evidence, Tally, holds
from purex.verify.instances import Instance, instance
from purex.verify.runner import Result, Verdict, run_claim, run_claims
from purex.verify.trajectory import Trajectory, trajectories

__all__ = [
    "Check",
    "Claim",
    "Context",
    "Control",
    "Evidence",
    "Instance",
    "Result",
    "Tally",
    "Trajectory",
    "Verdict",
    "any_problem",
    "bounded_problem",
    "check_claim",
    "holds",
    "instance",
    "run_claim",
    "run_claims",
    "trajectories",
]
