"""Claims on the command line, where other things come from the registry: `list claims`, `show S28`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from purex.cli.output import emit_json, emit_table
from purex.cli.plain_formulas import plain_formula
from purex.errors import UnknownNameError
from purex.extras import need
from purex.plugins import registry

if TYPE_CHECKING:
    from purex.verify import Claim

SHIPPED = re.compile(r"(?:S\d+[a-z]?|PATH)", re.IGNORECASE)  # the ids of claims that come with purex


def all_claims() -> tuple[Claim, ...]:
    """The shipped claims and those of plugins."""
    need("verify", "a claim of the theory")
    from purex.verify.claims import claims

    return claims()


def claim_named(name: str, known: bool = False) -> Claim | None:
    """The claim with this id, or of the plugin's record of this name; None if it is not `known` to be one.

    The theory is imported only for what is a claim or looks like the id of one.
    """
    if not known and not SHIPPED.fullmatch(name):
        return None
    found = all_claims()
    for item in registry().items("claim"):
        if name in (item.name, item.qualified):
            name = item.record.factory().id
    for claim in found:
        if claim.id.casefold() == name.casefold():
            return claim
    raise UnknownNameError("claim", name, [claim.id for claim in found])


def list_claims(as_json: bool) -> None:
    """Write all claims, by group."""
    found = all_claims()
    if as_json:
        emit_json([_facts(claim) for claim in found])
        return
    emit_table(["claim", "group", "says that"], [(claim.id, claim.group, claim.title) for claim in found])
    click.echo("\npurex show S28 shows one; purex verify checks one or a group: purex verify S28")


def show_claim(claim: Claim, as_json: bool) -> None:
    """Write a claim with all that it consists of."""
    if as_json:
        emit_json(_facts(claim))
        return
    rows = [
        ("name", claim.id),
        ("kind", f"claim, {claim.kind}"),
        ("group", claim.group),
        ("says that", claim.title),
        ("formula", plain_formula(claim.statement)),
        ("if", claim.hypotheses),
        ("source", claim.source),
        ("refuted by", claim.violation),
        ("controls", "\n".join(control.breach for control in claim.controls)),
        ("check it", f"purex verify {claim.id}"),
    ]
    emit_table(["", ""], [row for row in rows if row[1]])


def _facts(claim: Claim) -> dict[str, Any]:
    return {
        "name": claim.id,
        "kind": "claim",
        "group": claim.group,
        "summary": claim.title,
        "statement": claim.statement,
        "hypotheses": claim.hypotheses,
        "reference": claim.source,
        "evidence": claim.kind,
        "violation": claim.violation,
        "controls": [control.breach for control in claim.controls],
    }
