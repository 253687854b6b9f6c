"""Running claims: checks, controls, and one verdict."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from purex.engine.processes import check_jobs
from purex.errors import PurexError
from purex.verify.claim import Check, Claim, Context
from purex.verify.evidence import Evidence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Status = Literal["holds", "fails", "blind", "broken", "not applicable"]


@dataclass(frozen=True)
class Result:
    """How a claim fared: "blind" if a control stayed silent, "broken" if a check could not be carried out.

    `controls` are the breaches with what the check said of them; `reason` says why not, where it does not
    hold.
    """

    claim: Claim
    status: Status
    evidence: Evidence | None = None
    controls: tuple[tuple[str, Evidence], ...] = ()
    reason: str = ""
    seconds: float = 0.0

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the numbers of the evidence, if it has any; see `purex.figures.plot_claim`."""
        from purex.figures import plot_claim

        return plot_claim({} if self.evidence is None else self.evidence.data, ax, **options)

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against the claim or its check."""
        return self.status in ("holds", "not applicable")


@dataclass(frozen=True)
class Verdict:
    """All results; passed if none failed, no control stayed silent, and something was checked."""

    results: tuple[Result, ...]

    @property
    def passed(self) -> bool:
        """The verdict."""
        return all(r.passed for r in self.results) and any(r.status == "holds" for r in self.results)

    def count(self, what: Literal["checks", "trajectories", "rounds"]) -> int:
        """The checks, trajectories or rounds of all evidence, controls left out."""
        return sum(getattr(r.evidence, what) for r in self.results if r.evidence is not None)

    @property
    def fired(self) -> tuple[int, int]:
        """How many controls fired, of how many."""
        outcomes = [not evidence.passed for r in self.results for _, evidence in r.controls]
        return sum(outcomes), len(outcomes)

    def with_status(self, *status: Status) -> tuple[Result, ...]:
        """The results of this status."""
        return tuple(r for r in self.results if r.status in status)


def run_claim(claim: Claim, context: Context) -> Result:
    """Check one claim, and see that its controls fire."""
    reason = claim.applies(context)
    if reason:
        return Result(claim, "not applicable", reason=reason)
    began = time.perf_counter()
    evidence, trouble = _carry_out(claim.check, context)
    if evidence is None:
        return Result(claim, "broken", reason=f"the check failed: {trouble}", seconds=_since(began))
    controls: list[tuple[str, Evidence]] = []
    silent: list[str] = []
    for control in claim.controls:
        seen, trouble = _carry_out(control.check, context)
        if seen is None:
            return Result(
                claim,
                "broken",
                evidence,
                tuple(controls),
                f"the control '{control.breach}' failed: {trouble}",
                _since(began),
            )
        controls.append((control.breach, seen))
        if seen.passed or seen.checks == 0:
            silent.append(control.breach)
    status: Status = "holds"
    if not evidence.passed:
        status, reason = "fails", evidence.note or claim.violation
    elif silent:
        status, reason = "blind", f"the check did not notice: {'; '.join(silent)}"
    return Result(claim, status, evidence, tuple(controls), reason, _since(began))


def run_claims(
    claims: Sequence[Claim],
    context: Context,
    jobs: int = 1,
    progress: Callable[[Result], None] | None = None,
) -> Verdict:
    """Check claims, in `jobs` processes; `progress` gets each result as it comes."""
    check_jobs(jobs)
    results = {}
    for result in _results(claims, context, jobs):
        results[result.claim.id] = result
        if progress is not None:
            progress(result)
    return Verdict(tuple(results[claim.id] for claim in claims))


def _results(claims: Sequence[Claim], context: Context, jobs: int) -> Iterator[Result]:
    """Claims travel to other processes by their ids: a check may be any function."""
    from purex.verify.claims import claims as registered

    known = {claim.id: claim for claim in registered()} if jobs > 1 else {}
    here = [claim for claim in claims if known.get(claim.id) is not claim]
    if len(here) < len(claims):
        from joblib import Parallel, delayed

        away = [claim.id for claim in claims if known.get(claim.id) is claim]
        workers = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
        with warnings.catch_warnings():
            # a process that has grown is replaced by another
            warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
            for name, found in workers(delayed(_run_named)(name, context) for name in away):
                yield Result(known[name], **found)
    for claim in here:
        yield run_claim(claim, context)


def _run_named(name: str, context: Context) -> tuple[str, dict[str, Any]]:
    """A result without its claim: claims hold functions, which need not travel."""
    from purex.engine.processes import leave_interrupts_to_the_parent
    from purex.verify.claims import claims as registered

    leave_interrupts_to_the_parent()
    claim = next(claim for claim in registered() if claim.id == name)
    return name, {key: value for key, value in vars(run_claim(claim, context)).items() if key != "claim"}


def _carry_out(check: Check, context: Context) -> tuple[Evidence | None, str]:
    try:
        return check(context), ""
    except PurexError as refusal:
        return None, str(refusal)
    except Exception as error:  # a plugin's check may raise anything: the other claims go on
        return None, f"{type(error).__name__}: {error}"


def _since(began: float) -> float:
    return time.perf_counter() - began
