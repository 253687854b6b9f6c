"""The bridge from a problem to a compiled best response: numba is loaded at the first call."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purex.families import Arms
from purex.model import Response

COMPILED_KINDS = frozenset({"gaussian", "bernoulli", "poisson", "gamma", "negative-binomial"})


class CompiledOracle:
    """A best response of `purex_plugins.kernels`, bound to arms, bounds and the query's numbers."""

    def __init__(self, name: str, arms: Arms, lower: float, upper: float, *numbers: float) -> None:
        self.name = name
        self.arguments = (arms.codes, arms.scales, arms.parameters, lower, upper, *numbers)

    @cached_property
    def _kernel(self) -> Any:
        return getattr(import_module(f"purex_plugins.kernels.{self.name}"), self.name)

    def __call__(self, i: NDArray[np.int64], w: NDArray[np.float64], xi: NDArray[np.float64]) -> Response:
        """Best responses to answers i (R,), weights w and points xi (R, K)."""
        with np.errstate(all="ignore"):  # the kernels look after 0/0 themselves
            return Response(*self._kernel(i, w, xi, *self.arguments))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_kernel"}
