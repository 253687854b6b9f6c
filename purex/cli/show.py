"""`purex show NAME`: everything about one name."""

from __future__ import annotations

import inspect
from typing import Any

import click

from purex.cli.claims import claim_named, show_claim
from purex.cli.output import emit_json, emit_table, json_option, shortened
from purex.cli.plain_formulas import plain, wrapped
from purex.errors import PurexError
from purex.plugins import Item, Parameter, build, kind_named, parameters, registry
from purex.plugins.building import example

MAX_DOC = 20_000  # characters of a docstring


def _default(parameter: Parameter) -> Any:
    """The default as JSON has it, or as Python writes it."""
    plain = isinstance(parameter.default, bool | int | float | str | None)
    return parameter.default if plain else repr(parameter.default)


def _in_words(parameter: Parameter) -> str:
    text = parameter.name
    if parameter.annotation:
        text += f": {parameter.annotation}"
    return text + (" (required)" if parameter.required else f" = {parameter.default!r}")


def _choice(item: Item) -> str:
    """How an oracle is chosen; nothing for other kinds."""
    from purex.plugins import OracleRecord
    from purex.problem.offer import is_automatic

    if not isinstance(item.record, OracleRecord):
        return ""
    if is_automatic(item.qualified, item.record.query, item.record.structure):
        return "by itself, for the problems that it fits"
    return f"by name only: --oracle {item.qualified}, or Problem(..., oracle='{item.qualified}')"


def _proof(item: Item) -> dict[str, str]:
    """Whether a threshold is proved, and for what; nothing for other kinds."""
    if item.kind.name != "threshold":
        return {}
    try:
        threshold = build("threshold", item.qualified, n_arms=2)
    except PurexError:  # one that needs arguments
        return {}
    return {"status": threshold.status, "scope": threshold.scope}


def _as_json(item: Item) -> dict[str, Any]:
    return {
        "name": item.name,
        "qualified": item.qualified,
        "kind": item.kind.name,
        "summary": shortened(item.record.summary),
        "reference": shortened(item.record.reference),
        "plugin": item.plugin,
        "version": item.version,
        "parameters": [
            {
                "name": parameter.name,
                "required": parameter.required,
                "default": _default(parameter),
                "annotation": parameter.annotation,
            }
            for parameter in parameters(item)
        ],
        "example": str(example(item)),
        "chosen": _choice(item),
        **_proof(item),
        "doc": shortened(inspect.getdoc(item.record.factory) or "", MAX_DOC),
    }


@click.command(epilog="Example: purex show best-arm")
@click.argument("name")
@click.option("--kind", help="Which thing is meant if a name has several: query, structure, rule, ...")
@json_option
def show(name: str, kind: str | None, as_json: bool) -> None:
    """Show everything about one name.

    NAME is bare or qualified, as in purex-bandits:best-arm, or the id of a claim, as S28.
    """
    chosen = None if kind is None else kind_named(kind).name
    claim = claim_named(name, chosen == "claim") if chosen in (None, "claim") else None
    if claim is None:
        item = registry().find(name) if chosen is None else registry().get(chosen, name)
        claim = claim_named(item.qualified, known=True) if item.kind.name == "claim" else None
    if claim is not None:
        show_claim(claim, as_json)
        return
    if as_json:
        emit_json(_as_json(item))
        return
    rows = [
        ("name", item.name),
        ("kind", item.kind.name),
        ("summary", shortened(item.record.summary)),
        ("reference", shortened(item.record.reference)),
        *_proof(item).items(),
        ("parameters", "\n".join(map(_in_words, parameters(item))) or "none"),
        ("example", str(example(item))),
        ("chosen", _choice(item)),
        ("plugin", f"{item.plugin} {item.version}"),
    ]
    emit_table(["", ""], [row for row in rows if row[1]])
    doc = inspect.getdoc(item.record.factory)
    if doc:
        click.echo(f"\n{wrapped(plain(shortened(doc, MAX_DOC)))}")
