"""What a query gives to be compiled: its functions of one row, and the values that they are handed.

Nothing here imports numba. A plugin imports its kernels inside a function, so that ``import purex`` stays
light:

    def kernels() -> QueryKernels:
        from acme.any_above_kernels import answer, best_response
        return QueryKernels(answer=answer, best_response=best_response)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.errors import LyingPluginError
from purex.families import Arms

Kernel = Callable[..., Any]  # a function compiled by `purex.jit.njit`


class Given(NamedTuple):
    """What kernels know of a problem: the same for all rows and all rounds.

    Arm k has the family `codes[k]` with `parameters[k]` (see `purex.families.compiled`), and its divergence
    is `scales[k]` times that of the family's base. All means lie in [lower, upper]. `numbers` are the query's
    and the structure's own, such as a threshold; never empty.
    """

    codes: IntArray
    scales: FloatArray
    parameters: FloatArray
    lower: float
    upper: float
    numbers: FloatArray

    @classmethod
    def of(cls, arms: Arms, lower: float, upper: float, numbers: Any = ()) -> Given:
        """The values for a problem, in arrays that kernels are compiled for: contiguous and writable."""
        own = np.array(numbers, dtype=np.float64).ravel()
        return cls(
            np.array(arms.codes),
            np.array(arms.scales),
            np.array(arms.parameters),
            float(lower),
            float(upper),
            own if own.size else np.zeros(1),
        )


@dataclass(frozen=True)
class QueryKernels:
    """A query's functions of one row, compiled by `purex.jit.njit`; a structure's, where there is one.

    - ``answer(mu, given) -> code``
    - ``best_response(i, w, xi, given, point, scratch) -> (value, piece)`` fills `point`
    - ``max_min(i, mu, given, allocation, scratch) -> (value, gap)`` fills `allocation`
    - ``optimistic(lower, upper, given, point, allocation, scratch) -> (answer, value)`` fills both
    - ``project(boxed, N, mu, low, high, given, point, scratch) -> found`` fills `point` with the likeliest
      model, in the box [low, high] if `boxed`, else anywhere; only under a structure

    A value of nan says that a row is not solved here and is left to the problem's other oracles. Rules that
    need what is missing run in lock-step. `scratch` is a vector to work with, of ``scratch_size(n_arms)``
    numbers.
    """

    answer: Kernel
    best_response: Kernel
    max_min: Kernel | None = None
    optimistic: Kernel | None = None
    project: Kernel | None = None
    scratch_size: Callable[[int], int] = lambda n_arms: 1

    def __post_init__(self) -> None:
        for field in fields(self):
            kernel = getattr(self, field.name)
            if kernel is not None:
                check_arguments(field.name, kernel, ARGUMENTS[field.name])

    @property
    def name(self) -> str:
        """A name for what is compiled from these."""
        return kernel_name(self.best_response)


ARGUMENTS = {
    "answer": "mu, given",
    "best_response": "i, w, xi, given, point, scratch",
    "max_min": "i, mu, given, allocation, scratch",
    "optimistic": "lower, upper, given, point, allocation, scratch",
    "project": "boxed, N, mu, low, high, given, point, scratch",
    "scratch_size": "n_arms",
}


def check_arguments(role: str, kernel: Kernel, expected: str) -> None:
    """Raise if a kernel takes another number of arguments than its role requires."""
    given = len(signature(getattr(kernel, "py_func", kernel)).parameters)
    if given != len(expected.split(", ")):
        name = f"{kernel.__module__}.{kernel.__name__}"
        raise LyingPluginError(f"the kernel {name} takes {given} arguments, but {role} takes ({expected})")


@dataclass(frozen=True)
class CompiledQuery:
    """What an oracle of the operation "rounds" is: a query inside compiled rounds.

    `kernels` makes the record, and imports numba by that; `numbers` are for `Given`.
    """

    kernels: Callable[[], QueryKernels]
    numbers: tuple[float, ...] = ()


def kernel_name(kernel: Kernel) -> str:
    """The name of a compiled function as a part of other names.

    >>> kernel_name(np.linalg.norm)
    'numpy_linalg_norm'
    """
    return f"{kernel.__module__}_{kernel.__name__}".replace(".", "_")
