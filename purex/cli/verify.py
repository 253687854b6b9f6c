"""`purex verify`: the claims of the theory against simulations, with controls that must fire."""

from __future__ import annotations

from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

import click

from purex.cli.output import emit_json, emit_paragraph, emit_table, json_option
from purex.cli.problem import optional_problem_options
from purex.cli.progress import steps_bar
from purex.errors import InvalidInputError


@click.command(epilog="Example: purex verify tracking regret S54 --report out/")
@click.argument("claims", nargs=-1, metavar="[CLAIM]...")
@optional_problem_options
@click.option("--full", is_flag=True, help="Try harder: 12 minutes on two cores.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="The seed of all random numbers."
)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="How many processes.")
@click.option(
    "--report",
    type=click.Path(file_okay=False, path_type=Path),
    help="Also write a page with figures into DIRECTORY.",
)
@json_option
def verify(
    claims: tuple[str, ...],
    family: str | None,
    query: str | None,
    structure: str | None,
    box: tuple[float, float] | None,
    means: list[float] | None,
    full: bool,
    seed: int,
    jobs: int,
    report: Path | None,
    as_json: bool,
) -> int:
    """Check the claims of the theory against simulations.

    CLAIM is an id such as S27 or a group (divergences, concentration, tracking, game, regret, complexity);
    all claims if left out. With --family, --query and --means the claims that hold for any problem are
    checked on yours. Exit status 1 if a claim fails or a control, a deliberate breach, stays silent.
    """
    from purex.verify.claim import Context
    from purex.verify.claims import select
    from purex.verify.report import counts, headline, write_report
    from purex.verify.runner import run_claims

    instance = _instance(family, query, structure, box, means)
    context = Context(profile="full" if full else "quick", seed=seed, instance=instance)
    chosen = select(claims)
    with steps_bar(len(chosen), "claims", quiet=as_json) as tell:
        done = count(1)
        verdict = run_claims(chosen, context, jobs, lambda result: tell(next(done)))
    page = None if report is None else write_report(verdict, context, report)
    if as_json:
        emit_json(
            {
                "passed": verdict.passed,
                "checks": verdict.count("checks"),
                "trajectories": verdict.count("trajectories"),
                "rounds": verdict.count("rounds"),
                "controls": dict(zip(("fired", "all"), verdict.fired, strict=True)),
                "claims": [_plain(result) for result in verdict.results],
            }
        )
        return 0 if verdict.passed else 1
    _show(verdict)
    click.echo(f"\n{headline(verdict)}\n{counts(verdict)}")
    if page is not None:
        click.echo(f"report: {page}")
    return 0 if verdict.passed else 1


def _instance(
    family: str | None,
    query: str | None,
    structure: str | None,
    box: tuple[float, float] | None,
    means: list[float] | None,
) -> Any:
    """The user's problem, if one was given."""
    from purex.problem import Problem
    from purex.verify.instances import instance_of

    if family is None and query is None and means is None:
        if structure is not None or box is not None:
            raise InvalidInputError(
                "a structure or a box needs a problem: give --family, --query and --means"
            )
        return None
    if family is None or query is None or means is None:
        raise InvalidInputError("a problem needs all of --family, --query and --means")
    return instance_of(Problem.from_names(family, query, structure, n_arms=len(means), box=box), means)


def _plain(result: Any) -> dict[str, Any]:
    """A result as plain data."""

    def seen(evidence: Any) -> dict[str, Any] | None:
        if evidence is None:
            return None
        plain = {name: value for name, value in asdict(evidence).items() if name != "data"}
        return plain | {"passed": evidence.passed, "slack": evidence.slack}

    claim = result.claim
    return {
        "id": claim.id,
        "group": claim.group,
        "title": claim.title,
        "statement": claim.statement,
        "source": claim.source,
        "kind": claim.kind,
        "status": result.status,
        "reason": result.reason,
        "evidence": seen(result.evidence),
        "controls": [{"breach": breach, **(seen(e) or {})} for breach, e in result.controls],
        "seconds": result.seconds,
    }


def _show(verdict: Any) -> None:
    """The claims that were checked, then why the others were not, then what is wrong."""
    rows = []
    for result in verdict.results:
        e = result.evidence
        if e is None:
            continue
        seen = f"{e.checks:,} checks" + (f", {e.trajectories:,} paths" if e.trajectories else "")
        fired = sum(not evidence.passed for _, evidence in result.controls)
        seen += f", {fired}/{len(result.controls)} controls" if result.controls else ""
        note = f"; {e.note}" if e.note else ""
        rows.append((result.claim.id, result.status, f"{e.slack:.3g}", f"{result.claim.title}: {seen}{note}"))
    emit_table(["claim", "status", "slack", "evidence"], rows)
    reasons: dict[str, list[str]] = {}
    for result in verdict.with_status("not applicable"):
        reasons.setdefault(result.reason, []).append(result.claim.id)
    for reason, ids in reasons.items():
        click.echo()
        emit_paragraph(f"not applicable, {reason}: {', '.join(ids)}", indent=2)
    for result in verdict.with_status("fails", "blind", "broken"):
        click.echo(f"\n{result.claim.id} {result.status.upper()}: {result.reason}")
