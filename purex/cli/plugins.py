"""`purex plugins`: which plugins there are, what they offer, what is wrong with them."""

from __future__ import annotations

from typing import Any

import click

from purex.cli.output import emit_json, emit_table, json_option
from purex.plugins import KINDS, OracleRecord, Plugin, registry


def _offer(plugin: Plugin) -> dict[str, int]:
    counts = {kind.plural: len(plugin.records.get(kind.name, ())) for kind in KINDS.values()}
    return {plural: count for plural, count in counts.items() if count}


def _in_words(offer: dict[str, int]) -> str:
    singular = {kind.plural: kind.name for kind in KINDS.values()}
    return ", ".join(
        f"{count} {singular[plural] if count == 1 else plural}" for plural, count in offer.items()
    )


def _by_name_only(plugin: Plugin) -> list[str]:
    """The oracles of a plugin that are not chosen by themselves, since their problems come with purex."""
    from purex.problem.offer import is_automatic

    records = [record for record in plugin.records.get("oracle", ()) if isinstance(record, OracleRecord)]
    names = {f"{plugin.distribution}:{record.name}": record for record in records}
    return [name for name, record in names.items() if not is_automatic(name, record.query, record.structure)]


def _as_json(plugin: Plugin) -> dict[str, Any]:
    return {
        "id": plugin.id,
        "distribution": plugin.distribution,
        "entry": plugin.entry,
        "version": plugin.version,
        "api": plugin.api,
        "status": plugin.status,
        "hooks": plugin.hooks,
        "records": _offer(plugin),
        "by_name_only": _by_name_only(plugin),
        "problems": [str(problem) for problem in plugin.problems],
    }


@click.command(epilog="Example: purex plugins --json")
@json_option
def plugins(as_json: bool) -> None:
    """List the plugins and what is wrong with them.

    Problems are also written to stderr, one sentence each; the exit status stays 0, since the
    other plugins work. PUREX_DISABLE_PLUGINS leaves plugins out; PUREX_STRICT_PLUGINS=1 makes any
    problem an error.
    """
    found = registry()
    if as_json:
        emit_json(
            {
                "plugins": [_as_json(plugin) for plugin in found.plugins],
                "problems": [str(problem) for problem in found.problems],
            }
        )
        return
    mixed = len({plugin.api for plugin in found.plugins}) > 1  # else a column of ones
    emit_table(
        ["plugin", "version", "status", *(["api"] if mixed else []), "offers"],
        [
            (
                plugin.id,
                plugin.version,
                plugin.status,
                *(["-" if plugin.api is None else plugin.api] if mixed else []),
                _in_words(_offer(plugin)),
            )
            for plugin in found.plugins
        ],
    )
    for name in (name for plugin in found.plugins for name in _by_name_only(plugin)):
        click.echo(f"The oracle {name} is used only if it is named: --oracle {name}")
