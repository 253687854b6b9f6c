"""The bridge from structured problems to their gufuncs: numba is loaded at the first call."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.families import Arms
from purex.families.known import Known

COMPILED_KINDS = frozenset({"gaussian", "bernoulli", "poisson", "gamma", "negative-binomial"})


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
