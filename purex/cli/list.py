"""`purex list KIND`: the names of one kind; without KIND the kinds."""

from __future__ import annotations

import click

from purex.cli.output import emit_json, emit_table, json_option, shortened
from purex.plugins import KINDS, kind_named, registry

MEANINGS = {
    "family": "laws of the rewards: --family",
    "query": "questions about the means: --query",
    "structure": "sets of possible means: --structure",
    "action": "what a round shows, and its cost: --actions",
    "oracle": "best responses of some problems, made fast: --oracle",
    "rule": "which arm to sample next: --rule",
    "threshold": "when the answer is certain enough: --threshold",
    "claim": "statements of the theory: purex verify",
}


@click.command("list", epilog="Example: purex list queries")
@click.argument("kind", required=False)
@json_option
def list_kind(kind: str | None, as_json: bool) -> None:
    """List what the plugins offer of one kind.

    KIND is one of families, queries, structures, actions, oracles, rules, thresholds and claims; without
    it, the kinds are listed.
    """
    if kind is None:
        _list_kinds(as_json)
        return
    chosen = kind_named(kind)  # before plugins are loaded: a misspelt kind is refused at once
    if chosen.name == "claim":
        from purex.cli.claims import list_claims

        list_claims(as_json)
        return
    items = registry().items(chosen.name)
    if as_json:
        emit_json(
            [
                {
                    "name": item.name,
                    "qualified": item.qualified,
                    "kind": chosen.name,
                    "summary": shortened(item.record.summary),
                    "reference": shortened(item.record.reference),
                    "plugin": item.plugin,
                    "version": item.version,
                }
                for item in items
            ]
        )
        return
    if not items:
        click.echo(f"no plugin offers {chosen.plural}")
        return
    emit_table(
        ["name", "summary, reference, plugin"],
        [
            (
                item.name,
                "\n".join(
                    filter(
                        None,
                        (shortened(item.record.summary), shortened(item.record.reference), item.plugin),
                    )
                ),
            )
            for item in items
        ],
    )


def _list_kinds(as_json: bool) -> None:
    """Write the kinds, with how many there are of each; claims are counted only when they are listed."""
    counts = {name: len(registry().items(name)) for name in KINDS if name != "claim"}
    if as_json:
        emit_json([{"kind": kind.plural, "summary": MEANINGS[name], "count": counts.get(name)}
                   for name, kind in KINDS.items()])  # fmt: skip
        return
    emit_table(
        ["kind", "number", "what"],
        [(kind.plural, counts.get(name, ""), MEANINGS[name]) for name, kind in KINDS.items()],
    )
    click.echo("\npurex list queries lists one kind, purex show best-arm shows one of them.")
