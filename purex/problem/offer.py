"""Which registered oracles a problem may choose from: those of others only where they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

from purex.errors import AmbiguousNameError, InvalidInputError, RefusedProblemError
from purex.families import Arms
from purex.model import Query, Structure
from purex.plugins.origin import is_shipped
from purex.plugins.records import OracleRecord, Record
from purex.problem.selection import Level, comes_with_purex, fits

Offer = Sequence[tuple[str, Record]]


def offered(
    oracle: str, query: Query, structure: Structure, arms: Arms, records: Offer
) -> tuple[str, list[tuple[str, Record]]]:
    """The level at which oracles are chosen, and the records to choose from.

    `oracle` is a level, such as "auto", or the name of an oracle, bare or as `distribution:name`. An oracle
    from elsewhere is not chosen by itself where query and structure come with purex. One that is named
    replaces the others of its operation, and whole compiled rounds, in which it would not be asked.
    """
    if oracle in get_args(Level):
        return oracle, [(name, record) for name, record in records if is_automatic(name, query, structure)]
    name, record = _named(oracle, records)
    if not fits(record, query, structure, arms):
        raise RefusedProblemError(
            f"the oracle '{name}' is not for this problem: see `purex show {name} --kind oracle`"
        )
    replaced = {record.operation, "rounds"}
    others = [
        (other, given)
        for other, given in records
        if is_automatic(other, query, structure)
        and isinstance(given, OracleRecord)
        and given.operation not in replaced
    ]
    return "auto", [*others, (name, replace(record, factory=_Insisting(name, record)))]


def is_automatic(name: str, query: object, structure: object) -> bool:
    """Whether the oracle of this qualified name may be chosen for such a problem without being named.

    It may if it comes with purex, or if the query or the structure does not: then nobody else knows them
    better. Both are objects or classes; None, in a record, fits anything.
    """
    return comes_with_purex(name) or not all(part is None or is_shipped(part) for part in (query, structure))


class _Insisting:
    """The factory of an oracle that was named: it may not leave the problem to others."""

    def __init__(self, name: str, record: OracleRecord) -> None:
        self.name, self.record = name, record

    def __call__(self, *problem: Any) -> Any:
        oracle = self.record.factory(*problem)
        if oracle is None:
            raise RefusedProblemError(f"the oracle '{self.name}' declines this problem: choose another")
        return oracle


def _named(oracle: str, records: Offer) -> tuple[str, OracleRecord]:
    matches = [
        (name, record)
        for name, record in records
        if isinstance(record, OracleRecord) and oracle in (name, record.name)
    ]
    if not matches:
        raise InvalidInputError(
            f"an oracle is one of {', '.join(get_args(Level))}, or a name that `purex list oracles` shows, "
            f"not {oracle!r}"
        )
    if len(matches) > 1:
        listing = " or ".join(f"'{name}'" for name, _ in matches)
        raise AmbiguousNameError(f"several plugins have an oracle named '{oracle}'; write {listing}")
    return matches[0]
