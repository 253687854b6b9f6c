"""`purex check NAME`: the laws a plugin must keep, tried on random instances."""

from __future__ import annotations

from typing import Any

import click

from purex.cli.output import emit_json, emit_paragraph, emit_table, json_option
from purex.cli.progress import saying_if_compiled, steps_bar


@click.command(epilog="Example: purex check 'top-m(m=2)' --family bernoulli --arms 5")
@click.argument("name")
@click.option("--kind", help="Which thing is meant if a name has several: query, structure, rule, ...")
@click.option(
    "--family",
    "families",
    multiple=True,
    help="A family to try; may be given several times. All are tried if left out, for a rule two.",
)
@click.option("--structure", help="A structure to try the query with; if left out, none and a box.")
@click.option(
    "--query",
    "partner",
    default="best-arm",
    show_default=True,
    help="The query a structure or a rule is tried with.",
)
@click.option("--arms", default=4, show_default=True, help="The number of arms.")
@click.option("--size", type=click.IntRange(1), default=60, show_default=True, help="Instances per law.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="The seed of all random numbers."
)
@json_option
def check(
    name: str,
    kind: str | None,
    families: tuple[str, ...],
    structure: str | None,
    partner: str,
    arms: int,
    size: int,
    seed: int,
    as_json: bool,
) -> int:
    """Try a plugin against the laws it must keep.

    NAME is a query, a structure, a rule, a threshold, a family or actions. It may carry arguments, as in
    'top-m(m=2)'; without them its examples are tried. Or it is a claim: it must hold, and its controls, which
    are deliberate breaches, must be noticed. Exit status 1 if a law is broken.
    """
    from purex.cli.claims import claim_named
    from purex.testing import Report
    from purex.testing.plans import is_claim, plan_for

    known = is_claim(name, kind)
    claim = claim_named(name, known) if known or kind is None else None
    if claim is not None:
        from purex.verify import check_claim

        with saying_if_compiled():
            report = check_claim(claim, seed=seed)
        return _tell(name, report, as_json)
    report, done = Report(()), 0
    plan = plan_for(name, families, structure, partner, arms, kind)
    with saying_if_compiled(), steps_bar(sum(trial.laws for trial in plan), "laws", quiet=as_json) as tell:

        def after() -> None:
            nonlocal done
            done += 1
            tell(done)

        ended = 0
        for trial in plan:
            report += trial.check(size=size, seed=seed, after=after)
            ended += trial.laws
            done = ended  # a problem that is refused tries none
    return _tell(name, report, as_json)


def _tell(name: str, report: Any, as_json: bool) -> int:
    if as_json:
        emit_json({"name": name, **report.as_dict()})
    else:
        _show(report)
    return 0 if report.passed else 1


def _show(report: Any) -> None:
    """Broken laws first, then what was skipped, then the count."""
    subjects: dict[str, dict[str, int]] = {}
    for outcome in report.outcomes:
        row = subjects.setdefault(outcome.subject, {"passed": 0, "failed": 0, "skipped": 0})
        row[outcome.status] += 1
    emit_table(
        ["subject", "passed", "failed", "skipped"],
        [(subject, *row.values()) for subject, row in subjects.items()],
    )
    failures: dict[str, list[Any]] = {}  # a fault of the plugin breaks many laws for one reason
    for outcome in report.failures:
        failures.setdefault(outcome.reason, []).append(outcome)
    for reason, (first, *others) in failures.items():
        click.echo(f"\nFAILED {first.law} · {first.subject}\n  {reason}")
        if others:
            names = ", ".join(sorted({other.law for other in others}))
            emit_paragraph(f"  (the same {len(others)} times more: {names})", indent=3)
    skipped = {(o.law, o.reason) for o in report.outcomes if o.status == "skipped"}
    if failures and skipped:
        click.echo()
    for law, reason in sorted(skipped):
        emit_paragraph(f"skipped {law}: {reason}", indent=2)
    counts = report.counts
    click.echo(
        f"\n{counts['passed'] + counts['failed']} laws ran: {counts['passed']} passed, "
        f"{counts['failed']} failed; {counts['skipped']} skipped"
    )
