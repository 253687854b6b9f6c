"""`purex list KIND`: the names of one kind."""

from __future__ import annotations

import click

from purex.cli.output import emit_json, emit_table, json_option, shortened
from purex.plugins import kind_named, registry


@click.command("list", epilog="Example: purex list queries")
@click.argument("kind")
@json_option
def list_kind(kind: str, as_json: bool) -> None:
    """List what the plugins offer of one kind.

    KIND is one of families, queries, structures, oracles, rules, thresholds and claims.
    """
    chosen = kind_named(kind)  # before plugins are loaded: a misspelt kind is refused at once
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
