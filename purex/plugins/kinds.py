"""The kinds of things a plugin may offer, each with its hook and its record."""

from __future__ import annotations

from dataclasses import dataclass

from purex.errors import UnknownNameError
from purex.families import Family
from purex.model import Actions, Query, Structure, Threshold
from purex.plugins.records import (
    ActionsRecord,
    ClaimRecord,
    FamilyRecord,
    OracleRecord,
    QueryRecord,
    Record,
    RuleRecord,
    StructureRecord,
    ThresholdRecord,
)


@dataclass(frozen=True)
class Kind:
    """One kind: its name, the type its hook yields, and what its factories take and build.

    `context` are the arguments that purex itself hands to a factory; `product` is the type that
    a factory must return (None: not checked).
    """

    name: str
    plural: str
    record: type[Record]
    context: tuple[str, ...] = ()
    product: type | None = None

    @property
    def hook(self) -> str:
        """The hook that yields the records of this kind."""
        return f"purex_{self.plural}"


KINDS = {
    kind.name: kind
    for kind in (
        Kind("family", "families", FamilyRecord, (), Family),
        Kind("query", "queries", QueryRecord, ("n_arms",), Query),
        Kind("structure", "structures", StructureRecord, ("n_arms",), Structure),
        Kind("action", "actions", ActionsRecord, ("n_arms",), Actions),
        Kind("oracle", "oracles", OracleRecord, ("query", "structure", "arms", "lower", "upper")),
        Kind("rule", "rules", RuleRecord),
        Kind("threshold", "thresholds", ThresholdRecord, ("n_arms",), Threshold),
        Kind("claim", "claims", ClaimRecord),
    )
}


def kind_named(name: str) -> Kind:
    """The kind of this name, in the singular or the plural.

    >>> kind_named("queries").hook
    'purex_queries'
    """
    for kind in KINDS.values():
        if name.casefold() in (kind.name, kind.plural):
            return kind
    raise UnknownNameError("kind", name, [kind.plural for kind in KINDS.values()])
