"""The bridge from a problem to its compiled oracles: numba is loaded at the first call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.arrays import FloatArray, IntArray
from purex.families import Arms
from purex.families.known import Known
from purex.model import CompiledRows, MaxMin, Optimistic, Query, Response, Structure, any_weights
from purex.plugins import OracleRecord

COMPILED_KINDS = frozenset({"gaussian", "bernoulli", "poisson", "gamma", "negative-binomial"})
UNSOLVED = 2  # the status of a row that a kernel leaves to the generic solver


class Kernel:
    """A gufunc `module.name` of `purex_plugins.kernels`, bound to arms, their bounds and to numbers.

    It is compiled for such arms alone (see `purex.families.known`).
    """

    takes_bounds = True  # as arguments, after the arms

    def __init__(
        self, module: str, name: str, arms: Arms, lower: float, upper: float, *numbers: ArrayLike
    ) -> None:
        self.module, self.name, self.known = module, name, Known.of(arms, lower, upper)
        rest = (lower, upper, *numbers) if self.takes_bounds else numbers
        # arrays, which numpy need not make of the numbers at every call
        self.arguments = (arms.codes, arms.scales, arms.parameters, *(np.array(x) for x in rest))

    @cached_property
    def _gufunc(self) -> Any:
        gufunc = getattr(import_module(f"purex_plugins.kernels.{self.module}"), self.name)
        return self.known.binding(gufunc).ufunc

    def run(self, *rows: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """The results for a batch of rows."""
        with np.errstate(all="ignore"):  # the kernels look after 0/0 themselves
            results: tuple[NDArray[Any], ...] = self._gufunc(*rows, *self.arguments)
        return results

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_gufunc"}


class CompiledOracle(Kernel):
    """A compiled best response."""

    @any_weights
    def __call__(self, i: IntArray, w: FloatArray, xi: FloatArray) -> Response:
        """Best responses to answers i (R,), weights w and points xi (R, K)."""
        return Response(*self.run(i, w, xi))


class CompiledMaxMin(Kernel):
    """A compiled max-min; its kernel gives value, allocation, perhaps a gap, and a status."""

    takes_bounds = False

    def __call__(self, i: IntArray, mu: FloatArray) -> MaxMin:
        """Values and allocations for answers i (R,) and means mu (R, K)."""
        value, allocation, *gap, status = self.run(i, mu)
        if gap:  # without a gap, what is not solved is nan already
            return MaxMin(np.where(status == UNSOLVED, np.nan, value), allocation, gap[0])
        return MaxMin(value, allocation, np.zeros(len(value)))


class CompiledOptimistic(Kernel):
    """A compiled max-max-min; its kernel gives answer, value, point, allocation and a status."""

    takes_bounds = False

    def __call__(self, lower: FloatArray, upper: FloatArray) -> Optimistic:
        """The most optimistic models of the boxes [lower, upper] (R, K)."""
        answer, value, point, allocation, status = self.run(lower, upper)
        solved = np.where(status == UNSOLVED, np.nan, value)
        return Optimistic(answer, solved, point, allocation, np.zeros(len(value)))


def compiled_oracles(
    name: str,
    query: type[Query],
    *,
    max_min: str,
    optimistic: str | None = None,
    one_kind: bool = False,
    numbers: Callable[[Any], tuple[float, ...]] = lambda query: (),
    rounds_numbers: Callable[[Any], tuple[float, ...]] | None = None,
) -> Iterator[OracleRecord]:
    """The records of a query's compiled oracles.

    `max_min` and `optimistic` name the modules of their kernels, which are for arms of one kind if `one_kind`
    says so; `numbers` are what the kernels need to know of a query, such as its threshold; `rounds_numbers`
    what the rows of compiled rounds need, if it is more.
    """
    kernel = name.replace("-", "_")

    def best_response(q: Query, structure: Structure, arms: Arms, lower: float, upper: float) -> Kernel:
        return CompiledOracle(kernel, kernel, arms, lower, upper, *numbers(q))

    def game(q: Query, structure: Structure, arms: Arms, lower: float, upper: float) -> Kernel:
        return CompiledMaxMin(max_min, f"equilibrium_{kernel}", arms, lower, upper, *numbers(q))

    def optimism(q: Query, structure: Structure, arms: Arms, lower: float, upper: float) -> Kernel:
        return CompiledOptimistic(str(optimistic), f"optimistic_{kernel}", arms, lower, upper, *numbers(q))

    def rounds(q: Query, structure: Structure, arms: Arms, lower: float, upper: float) -> CompiledRows:
        return CompiledRows(f"purex_plugins.kernels.rounds.{kernel}", (rounds_numbers or numbers)(q))

    fits: dict[str, Any] = {"query": query, "kinds": COMPILED_KINDS, "bounds_only": True}
    yield OracleRecord(
        name=f"{name}-compiled",
        factory=best_response,
        summary=f"the best response of {name} in closed form, compiled",
        reference="Degenne, Koolen & Ménard (2019), section 2",
        **fits,
    )
    yield OracleRecord(
        name=f"{name}-max-min",
        operation="max-min",
        factory=game,
        summary=f"the game of {name}, compiled",
        reference="Garivier & Kaufmann (2016), section 2; Degenne, Koolen & Ménard (2019), section 4",
        one_kind=one_kind,
        **fits,
    )
    yield OracleRecord(
        name=f"{name}-rounds",
        operation="rounds",
        factory=rounds,
        summary=f"{name} inside a compiled round",
        reference="Degenne, Koolen & Ménard (2019), Algorithm 1",
        **fits,
    )
    if optimistic is not None:
        yield OracleRecord(
            name=f"{name}-optimistic",
            operation="optimistic",
            factory=optimism,
            summary=f"the most optimistic game of {name} over a confidence box, compiled",
            reference="Degenne, Koolen & Ménard (2019), section 4",
            one_kind=one_kind,
            **fits,
        )
