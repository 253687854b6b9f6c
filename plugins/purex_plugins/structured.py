"""The bridge from structured problems to their compiled oracles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.convex import GenericOracle
from purex.families import Arms
from purex.model import CompiledRows, Query, Response, Structure, any_weights, in_their_unit
from purex.plugins import OracleRecord
from purex_plugins.compiled import Kernel

# families whose divergence is convex in the second mean: sums and differences of means may be constrained
CONVEX_KINDS = frozenset({"gaussian", "bernoulli", "poisson"})


class StructuredOracle(Kernel):
    """A compiled best response; rows that its kernel leaves (nan) go to the generic oracle."""

    def __init__(
        self,
        module: str,
        name: str,
        numbers: Any,
        query: Query,
        structure: Structure,
        arms: Arms,
        lower: float,
        upper: float,
    ) -> None:
        super().__init__(module, name, arms, lower, upper, numbers)
        self.parts = (query, structure, arms, lower, upper)

    @any_weights
    def __call__(self, i: IntArray, w: FloatArray, xi: FloatArray) -> Response:
        """Best responses to answers i (R,), weights w and points xi (R, K)."""
        response = Response(*self.run(i, w, xi))
        left = np.flatnonzero(np.isnan(response.value))
        if len(left):
            for mine, others in zip(response, self.generic(i[left], w[left], xi[left]), strict=True):
                mine[left] = others
        return response

    @cached_property
    def generic(self) -> GenericOracle:
        """The oracle that takes every row."""
        return GenericOracle(*self.parts)


class CompiledProjection(Kernel):
    """A compiled projection onto the models, inside confidence boxes."""

    def __call__(
        self,
        N: FloatArray,
        mu: FloatArray,
        lower: FloatArray | None = None,
        upper: FloatArray | None = None,
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        """The projections (R, K), inside the boxes [lower, upper] if given, and which rows have one."""
        boxed = np.array(lower is not None)
        low, high = (mu, mu) if lower is None or upper is None else (lower, upper)
        point, found = self.run(boxed, in_their_unit(N)[0], mu, low, high)
        return point, found


def structured_oracles(
    query: type[Query],
    structure: type[Structure],
    kernel: str,
    numbers: Callable[[Any, Any], Sequence[float]],
    *,
    kinds: frozenset[str],
    reference: str,
    is_compiled: Callable[[Any], bool] = lambda structure: True,
    otherwise: Callable[..., StructuredOracle] | None = None,
) -> Iterator[OracleRecord]:
    """The records of a query's compiled oracles under a structure.

    `kernel` is "module.name", of a gufunc of `purex_plugins.kernels`; ``kernels/rounds/module_name.py`` has
    the rows of whole rounds. `numbers` are what both need to know. Structures that are not `is_compiled` get
    the best response that `otherwise` builds, and no compiled rounds.
    """
    module, _, name = kernel.partition(".")

    def best_response(
        q: Query, s: Structure, arms: Arms, lower: float, upper: float
    ) -> StructuredOracle | None:
        if not is_compiled(s):
            return None if otherwise is None else otherwise(q, s, arms, lower, upper)
        return StructuredOracle(module, name, numbers(q, s), q, s, arms, lower, upper)

    def rounds(q: Query, s: Structure, arms: Arms, lower: float, upper: float) -> CompiledRows | None:
        if not is_compiled(s):
            return None
        return CompiledRows(f"purex_plugins.kernels.rounds.{module}_{name}", tuple(numbers(q, s)))

    what, means = name.replace("_", "-"), f"{structure.__name__.lower()} means"
    title = f"{structure.__name__.lower()}-{what}"
    fits: dict[str, Any] = {"query": query, "structure": structure, "kinds": kinds, "one_kind": True}
    yield OracleRecord(
        name=f"{title}-compiled",
        factory=best_response,
        summary=f"the best response of {what} under {means}, compiled",
        reference=reference,
        **fits,
    )
    yield OracleRecord(
        name=f"{title}-rounds",
        operation="rounds",
        factory=rounds,
        summary=f"{what} under {means} inside a compiled round",
        reference="Degenne, Koolen & Ménard (2019), Algorithm 1",
        **fits,
    )


def projection_oracle(
    structure: type[Structure],
    module: str,
    numbers: Callable[[Any], Sequence[float]],
    *,
    kinds: frozenset[str],
    reference: str,
    is_compiled: Callable[[Any], bool] = lambda structure: True,
) -> OracleRecord:
    """The record of a compiled projection: the gufunc `project` of a kernel module."""

    def build(q: Query, s: Structure, arms: Arms, lower: float, upper: float) -> CompiledProjection | None:
        if not is_compiled(s):
            return None
        return CompiledProjection(module, "project", arms, lower, upper, numbers(s))

    return OracleRecord(
        name=f"{structure.__name__.lower()}-projection",
        operation="projection",
        factory=build,
        summary=f"the likeliest point of the {structure.__name__.lower()} means, compiled",
        reference=reference,
        structure=structure,
        kinds=kinds,
        one_kind=True,
    )
