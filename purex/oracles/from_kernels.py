"""Oracles of a problem made from a query's kernels: numba is loaded at the first call."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

import numpy as np

from purex.arrays import BoolArray, FloatArray, IntArray
from purex.convex import GenericOracle
from purex.families import Arms
from purex.families.specialisation import Known
from purex.model import MaxMin, Optimistic, Query, Response, Structure, any_weights, in_their_unit
from purex.model.kernels import Given, Kernel, QueryKernels, kernel_name


class FromKernels:
    """A kernel for whole batches, compiled for such arms alone (see `purex.families.specialisation`)."""

    def __init__(
        self,
        kernels: Callable[[], QueryKernels],
        arms: Arms,
        lower: float,
        upper: float,
        numbers: Any = (),
    ) -> None:
        self.kernels, self.known = kernels, Known.of(arms, lower, upper)
        self.given = Given.of(arms, lower, upper, numbers)

    @cached_property
    def scratch_size(self) -> int:
        """How many numbers the kernels need to work with."""
        return int(self.kernels().scratch_size(len(self.given.codes)))

    @property
    def scratch(self) -> FloatArray:
        """Room to work in, for one call: kernels run without the GIL, so that two threads may be at work."""
        return np.empty(self.scratch_size)

    def __getstate__(self) -> dict[str, Any]:  # compiled functions do not travel between processes
        return {name: value for name, value in vars(self).items() if name != "rows"}


class CompiledResponse(FromKernels):
    """A compiled best response."""

    @cached_property
    def rows(self) -> Kernel:
        """Of a batch."""
        from purex.oracles.batches import respond_rows

        return on_rows(respond_rows, self.known, best_response=self.kernels().best_response)

    @any_weights
    def __call__(self, i: IntArray, w: FloatArray, xi: FloatArray) -> Response:
        """Best responses to answers i (R,), weights w and points xi (R, K)."""
        return self.respond(i, w, xi)[0]

    def respond(self, i: IntArray, w: FloatArray, xi: FloatArray) -> tuple[Response, int]:
        """The same for weights that kernels take, and how many rows are left to others."""
        R = len(xi)
        response = Response(np.empty(R), np.empty(xi.shape), np.empty(R, dtype=np.int64))
        return response, self.rows(owned(i), owned(w), owned(xi), self.given, self.scratch, *response)


class ResponseOrGeneric(CompiledResponse):
    """A compiled best response under a structure; rows that it leaves (nan) go to the generic oracle."""

    def __init__(
        self,
        kernels: Callable[[], QueryKernels],
        query: Query,
        structure: Structure,
        arms: Arms,
        lower: float,
        upper: float,
        numbers: Any = (),
    ) -> None:
        super().__init__(kernels, arms, lower, upper, numbers)
        self.parts = (query, structure, arms, lower, upper)

    @any_weights
    def __call__(self, i: IntArray, w: FloatArray, xi: FloatArray) -> Response:
        """Best responses to answers i (R,), weights w and points xi (R, K)."""
        response, n_left = self.respond(i, w, xi)
        if n_left:
            left = np.flatnonzero(np.isnan(response.value))
            for mine, others in zip(response, self.generic(i[left], w[left], xi[left]), strict=True):
                mine[left] = others
        return response

    @cached_property
    def generic(self) -> GenericOracle:
        """The oracle that takes every row."""
        return GenericOracle(*self.parts)


class CompiledMaxMin(FromKernels):
    """A compiled max-min."""

    @cached_property
    def rows(self) -> Kernel:
        """Of a batch."""
        from purex.oracles.batches import max_min_rows

        return on_rows(max_min_rows, self.known, max_min=self.kernels().max_min)

    def __call__(self, i: IntArray, mu: FloatArray) -> MaxMin:
        """Values and allocations for answers i (R,) and means mu (R, K)."""
        R = len(mu)
        found = MaxMin(np.empty(R), np.empty(mu.shape), np.empty(R))
        self.rows(owned(i), owned(mu), self.given, self.scratch, *found)
        return found


class CompiledOptimistic(FromKernels):
    """A compiled max-max-min."""

    @cached_property
    def rows(self) -> Kernel:
        """Of a batch."""
        from purex.oracles.batches import optimistic_rows

        return on_rows(optimistic_rows, self.known, optimistic=self.kernels().optimistic)

    def __call__(self, lower: FloatArray, upper: FloatArray) -> Optimistic:
        """The most optimistic models of the boxes [lower, upper] (R, K)."""
        R, shape = len(lower), lower.shape
        answer, value, point, allocation = (
            np.empty(R, np.int64),
            np.empty(R),
            np.empty(shape),
            np.empty(shape),
        )
        self.rows((owned(lower), owned(upper)), self.given, self.scratch, answer, value, point, allocation)
        return Optimistic(answer, value, point, allocation, np.zeros(R))


class CompiledProjection(FromKernels):
    """A compiled projection onto the models, inside confidence boxes."""

    @cached_property
    def rows(self) -> Kernel:
        """Of a batch."""
        from purex.oracles.batches import project_rows

        return on_rows(project_rows, self.known, project=self.kernels().project)

    def __call__(
        self,
        N: FloatArray,
        mu: FloatArray,
        lower: FloatArray | None = None,
        upper: FloatArray | None = None,
    ) -> tuple[FloatArray, BoolArray]:
        """The projections (R, K), inside the boxes [lower, upper] if given, and which rows have one."""
        boxed = lower is not None and upper is not None
        box = (lower, upper) if lower is not None and upper is not None else (mu, mu)
        point, found = np.empty(mu.shape), np.empty(len(mu), dtype=np.bool_)
        self.rows(
            boxed, owned(in_their_unit(N)[0]), owned(mu), (owned(box[0]), owned(box[1])), self.given,
            self.scratch, point, found,
        )  # fmt: skip
        return point, found


def owned(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array as kernels take it, contiguous and writable: a copy, if it is not.

    numba would compile a kernel again for every other kind of array.
    """
    if array.flags.carray:  # a tenth of what `np.require` takes to see it
        return array
    return np.require(array, requirements=["C", "A", "W"])


def on_rows(template: Kernel, known: Known, **kernel: Any) -> Kernel:
    """A template of `purex.oracles.batches` for one kernel, compiled for such arms."""
    ((name, function),) = kernel.items()
    bound: Kernel = known.binding(_specialised(template, name, function))
    return bound


@cache
def _specialised(template: Kernel, name: str, function: Any) -> Any:
    from purex.jit import specialise

    parts = {name: function}
    return specialise(template, f"{template.__name__}_{kernel_name(function)}", **parts)
