"""Compiled oracles, made from the kernels of a query or a structure (`purex.model.QueryKernels`).

A plugin calls `query_oracles` or `structured_oracles` in its hook `purex_oracles`, and gets the best
response, the games and whole compiled rounds.
"""

from purex.oracles.from_kernels import (
    CompiledMaxMin,
    CompiledOptimistic,
    CompiledProjection,
    CompiledResponse,
    ResponseOrGeneric,
)
from purex.oracles.pieces import pieces_oracle
from purex.oracles.records import (
    COMPILED_KINDS,
    CONVEX_KINDS,
    GAME,
    projection_oracle,
    query_oracles,
    structured_oracles,
)

__all__ = [
    "COMPILED_KINDS",
    "CONVEX_KINDS",
    "GAME",
    "CompiledMaxMin",
    "CompiledOptimistic",
    "CompiledProjection",
    "CompiledResponse",
    "ResponseOrGeneric",
    "pieces_oracle",
    "projection_oracle",
    "query_oracles",
    "structured_oracles",
]
