"""The frozen records that plugin hooks yield."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from purex.model import Query, Structure


@dataclass(frozen=True, kw_only=True)
class Record:
    """A named thing a plugin offers: `factory` builds it, `summary` says what it is in one line."""

    name: str
    factory: Callable[..., Any]
    summary: str
    reference: str = ""


@dataclass(frozen=True, kw_only=True)
class FamilyRecord(Record):
    """An exponential family: ``factory(**parameters) -> Family``.

    `examples` are parameter sets with which `purex check` tries it.
    """

    examples: tuple[dict[str, Any], ...] = ({},)


@dataclass(frozen=True, kw_only=True)
class QueryRecord(Record):
    """A question about the means: ``factory(n_arms, **parameters) -> Query``.

    `examples` are parameter sets with which `purex check` tries the query; `example_arms` is the number of
    arms that they are about, where it cannot be any.
    """

    examples: tuple[dict[str, Any], ...] = ({},)
    example_arms: int | None = None


@dataclass(frozen=True, kw_only=True)
class StructureRecord(Record):
    """A set of possible means: ``factory(n_arms, **parameters) -> Structure``."""

    examples: tuple[dict[str, Any], ...] = ({},)


@dataclass(frozen=True, kw_only=True)
class ActionsRecord(Record):
    """What can be done in a round: ``factory(n_arms, **parameters) -> Actions``."""

    examples: tuple[dict[str, Any], ...] = ({},)


@dataclass(frozen=True, kw_only=True)
class OracleRecord(Record):
    """A special oracle: ``factory(query, structure, arms, lower, upper)`` builds it.

    `operation` says what it computes: "best-response" (a `BestResponse`), "max-min" (the value and the
    allocation of the game, ``oracle(i, mu) -> MaxMin``) or "optimistic" (the same over a confidence box,
    ``oracle(lower, upper) -> Optimistic``); "projection" the likeliest point of M in a confidence box
    (``oracle(N, mu, lower, upper) -> (point, found)``; without bounds in all of M); "pieces" the nearest
    points of all pieces next to one model (``oracle(i, mu) -> NearestPoints``, or None where it does not
    apply), with which large games are solved; "rounds" is for queries whose rows are compiled, so that whole
    rounds are (the factory returns `CompiledQuery`). A factory that returns None leaves the problem to the
    others.

    It is offered the problems whose query and structure are of exactly these classes and whose
    arms have kinds in `kinds`; None fits anything. `bounds_only` asks for a structure that is just
    bounds on the means, `one_kind` for arms that share a family up to scale. Of several that fit,
    the one with the most demands is taken.
    """

    operation: Literal["best-response", "max-min", "optimistic", "pieces", "projection", "rounds"] = (
        "best-response"
    )
    query: type[Query] | None = None
    structure: type[Structure] | None = None
    kinds: frozenset[str] | None = None
    bounds_only: bool = False
    one_kind: bool = False


@dataclass(frozen=True, kw_only=True)
class RuleRecord(Record):
    """A sampling rule."""


@dataclass(frozen=True, kw_only=True)
class ThresholdRecord(Record):
    """A stopping threshold: ``factory(n_arms, **parameters) -> Threshold``."""


@dataclass(frozen=True, kw_only=True)
class ClaimRecord(Record):
    """A checkable statement."""
