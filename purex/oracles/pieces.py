"""Oracles of the operation "pieces": the nearest points of all pieces next to a model inside the bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from purex.arrays import FloatArray
from purex.families import Arms
from purex.model import NearestPoints, Query, Structure
from purex.plugins import OracleRecord

# (query, structure, arms, i, mu) -> the pieces to i next to the model mu (K,), or None where it is not known
Nearest = Callable[[Any, Any, Arms, int, FloatArray], NearestPoints | None]


class PiecesInside:
    """What `nearest` knows of models inside the bounds, which they then do not notice: None outside."""

    def __init__(
        self, nearest: Nearest, query: Query, structure: Structure, arms: Arms, lower: float, upper: float
    ) -> None:
        self.nearest, self.parts, self.bounds = nearest, (query, structure, arms), (lower, upper)

    def __call__(self, i: int, mu: FloatArray) -> NearestPoints | None:
        """The pieces to answer i next to means mu (K,)."""
        lower, upper = self.bounds
        if mu.min() < lower or mu.max() > upper:
            return None
        return self.nearest(*self.parts, i, mu)


def pieces_oracle(
    name: str,
    query: type[Query] | None,
    nearest: Nearest,
    *,
    structure: type[Structure] | None = None,
    kinds: frozenset[str] | None = None,
    one_kind: bool = False,
    reference: str,
) -> OracleRecord:
    """The record by which a query (under a structure, or under bounds alone) offers its pieces."""

    def build(q: Query, s: Structure, arms: Arms, lower: float, upper: float) -> PiecesInside:
        return PiecesInside(nearest, q, s, arms, lower, upper)

    return OracleRecord(
        name=f"{name}-pieces",
        operation="pieces",
        factory=build,
        summary=f"the nearest points of all alternatives of {name} at once",
        reference=reference,
        query=query,
        structure=structure,
        bounds_only=structure is None,
        kinds=kinds,
        one_kind=one_kind,
    )
