"""The records by which a plugin offers the oracles that its kernels make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from purex.families import Arms
from purex.model import Query, Structure
from purex.model.kernels import CompiledQuery, QueryKernels
from purex.oracles.from_kernels import (
    CompiledMaxMin,
    CompiledOptimistic,
    CompiledProjection,
    CompiledResponse,
    ResponseOrGeneric,
)
from purex.plugins import OracleRecord

# families that compiled code knows, and those of them whose divergence is convex in the second mean
COMPILED_KINDS = frozenset({"gaussian", "bernoulli", "poisson", "gamma", "negative-binomial"})
CONVEX_KINDS = frozenset({"gaussian", "bernoulli", "poisson"})

GAME = "Garivier & Kaufmann (2016), section 2; Degenne, Koolen & Ménard (2019), section 4"
PAPER = "Degenne, Koolen & Ménard (2019), "


def query_oracles(
    name: str,
    query: type[Query],
    kernels: Callable[[], QueryKernels],
    *,
    numbers: Callable[[Any], Sequence[float]] = lambda query: (),
    max_min: bool = True,
    rounds: bool = True,
    optimistic: bool = True,
    one_kind: bool = False,
) -> Iterator[OracleRecord]:
    """The oracles of a query without a structure, from its kernels.

    `numbers` are what the kernels need to know of a query, such as its threshold. `max_min` and `optimistic`
    say whether there are such kernels (the kernels themselves are imported at the first use), `one_kind`
    whether these two are for arms of one kind only, `rounds` whether there are compiled rounds, which a query
    with a `candidate` of its own has not: they play the answer of the means. Best responses and rounds are
    for the arms of the closed form (`Query.closed_for`).
    """

    def respond(q: Query, s: Structure, arms: Arms, lower: float, upper: float) -> CompiledResponse | None:
        return CompiledResponse(kernels, arms, lower, upper, numbers(q)) if q.closed_for(arms) else None

    def solve(q: Query, s: Structure, arms: Arms, lower: float, upper: float) -> CompiledMaxMin:
        return CompiledMaxMin(kernels, arms, lower, upper, numbers(q))

    def hope(q: Query, s: Structure, arms: Arms, lower: float, upper: float) -> CompiledOptimistic:
        return CompiledOptimistic(kernels, arms, lower, upper, numbers(q))

    def play(q: Query, s: Structure, arms: Arms, lower: float, upper: float) -> CompiledQuery | None:
        return CompiledQuery(kernels, tuple(numbers(q))) if q.closed_for(arms) else None

    fits: dict[str, Any] = {"query": query, "kinds": COMPILED_KINDS, "bounds_only": True}
    yield OracleRecord(
        name=f"{name}-compiled",
        factory=respond,
        summary=f"the best response of {name} in closed form, compiled",
        reference=PAPER + "section 2",
        **fits,
    )
    if max_min:
        yield OracleRecord(
            name=f"{name}-max-min",
            operation="max-min",
            factory=solve,
            summary=f"the game of {name}, compiled",
            reference=GAME,
            one_kind=one_kind,
            **fits,
        )
    if rounds:
        yield OracleRecord(
            name=f"{name}-rounds",
            operation="rounds",
            factory=play,
            summary=f"{name} inside a compiled round",
            reference=PAPER + "Algorithm 1",
            **fits,
        )
    if optimistic:
        yield OracleRecord(
            name=f"{name}-optimistic",
            operation="optimistic",
            factory=hope,
            summary=f"the most optimistic game of {name} over a confidence box, compiled",
            reference=PAPER + "section 4",
            one_kind=one_kind,
            **fits,
        )


def structured_oracles(
    name: str,
    query: type[Query],
    structure: type[Structure],
    kernels: Callable[[], QueryKernels],
    numbers: Callable[[Any, Any], Sequence[float]],
    *,
    kinds: frozenset[str],
    reference: str,
    is_compiled: Callable[[Any], bool] = lambda structure: True,
    otherwise: Callable[..., Any] | None = None,
) -> Iterator[OracleRecord]:
    """The oracles of a query under a structure, from their kernels.

    `name` is that of the query. Structures that are not `is_compiled` get the best response that `otherwise`
    builds, and no compiled rounds.
    """

    def respond(q: Query, s: Structure, arms: Arms, lower: float, upper: float) -> Any:
        if not is_compiled(s):
            return None if otherwise is None else otherwise(q, s, arms, lower, upper)
        return ResponseOrGeneric(kernels, q, s, arms, lower, upper, numbers(q, s))

    def rounds(q: Query, s: Structure, arms: Arms, lower: float, upper: float) -> CompiledQuery | None:
        return CompiledQuery(kernels, tuple(numbers(q, s))) if is_compiled(s) else None

    kind = structure.__name__.lower()
    fits: dict[str, Any] = {"query": query, "structure": structure, "kinds": kinds, "one_kind": True}
    yield OracleRecord(
        name=f"{kind}-{name}-compiled",
        factory=respond,
        summary=f"the best response of {name} under {kind} means, compiled",
        reference=reference,
        **fits,
    )
    yield OracleRecord(
        name=f"{kind}-{name}-rounds",
        operation="rounds",
        factory=rounds,
        summary=f"{name} under {kind} means inside a compiled round",
        reference=PAPER + "Algorithm 1",
        **fits,
    )


def projection_oracle(
    structure: type[Structure],
    kernels: Callable[[], QueryKernels],
    numbers: Callable[[Any], Sequence[float]],
    *,
    kinds: frozenset[str],
    reference: str,
    is_compiled: Callable[[Any], bool] = lambda structure: True,
) -> OracleRecord:
    """The projection onto a structure, from the kernel `project` of any query under it."""

    def build(q: Query, s: Structure, arms: Arms, lower: float, upper: float) -> CompiledProjection | None:
        return CompiledProjection(kernels, arms, lower, upper, numbers(s)) if is_compiled(s) else None

    kind = structure.__name__.lower()
    return OracleRecord(
        name=f"{kind}-projection",
        operation="projection",
        factory=build,
        summary=f"the likeliest point of the {kind} means, compiled",
        reference=reference,
        structure=structure,
        kinds=kinds,
        one_kind=True,
    )
