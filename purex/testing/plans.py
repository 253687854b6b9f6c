"""Which combinations of query, structure and family `purex check` tries for a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from purex.errors import InvalidInputError, UnknownNameError
from purex.families import Family
from purex.model import Query, Structure
from purex.plugins import Call, build, parse, registry
from purex.testing.report import Report
from purex.testing.runner import check_query

BOX = (0.2, 0.8)  # a box inside every shipped family's domain


@dataclass(frozen=True)
class Combination:
    """One query, family and structure (or box) to be checked together."""

    query: Query
    family: Family
    structure: Structure | None = None
    box: tuple[float, float] | None = None

    def check(self, **case: Any) -> Report:
        """Every law on this combination."""
        return check_query(self.query, self.family, self.structure, box=self.box, **case)


def plan_for(
    name: str, families: Sequence[str], structure: str | None, partner: str, n_arms: int
) -> list[Combination]:
    """All combinations to try for a query or a structure of this name."""
    call = parse(name)
    kind = _kind_of(call)
    laws = [build("family", text) for text in families] or _all_families()
    things = [build(kind, c, n_arms=n_arms) for c in _with_arguments(kind, call)]
    if kind == "structure":
        if structure is not None:
            raise InvalidInputError(f"'{name}' is a structure itself: leave --structure out")
        query = build("query", partner, n_arms=n_arms)
        return [Combination(query, law, thing) for thing in things for law in laws]
    if structure is not None:
        other = build("structure", structure, n_arms=n_arms)
        return [Combination(thing, law, other) for thing in things for law in laws]
    return [Combination(thing, law, None, box) for thing in things for law in laws for box in (None, BOX)]


def _kind_of(call: Call) -> str:
    """Whether the name is a query's or a structure's."""
    names = {kind: [item.name for item in registry().items(kind)] for kind in ("query", "structure")}
    for kind in names:
        try:
            registry().get(kind, call.name)
        except UnknownNameError:
            continue
        return kind
    raise UnknownNameError("query or structure", call.name, names["query"] + names["structure"])


def _with_arguments(kind: str, call: Call) -> list[Call]:
    """The call itself if it has arguments, else one call for each example of its record."""
    examples: tuple[dict[str, Any], ...] = getattr(registry().get(kind, call.name).record, "examples", ({},))
    return [call] if call.arguments else [Call(call.name, arguments) for arguments in examples]


def _all_families() -> list[Family]:
    """Every installed family, with each of its examples."""
    calls = (Call(item.name) for item in registry().items("family"))
    return [build("family", example) for call in calls for example in _with_arguments("family", call)]
