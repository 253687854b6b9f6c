"""Copies of compiled functions in which global names mean something else."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from purex.jit.decorators import njit
from purex.jit.sources import names_in, source_of


def specialise(
    function: Any, name: str, *, inline: bool = False, allocates: bool = False, **parts: Any
) -> Any:
    """A compiled copy of a function in whose body the global names `parts` mean these compiled functions.

    numba caches neither closures nor functions that get functions as arguments. A copy under its own
    `name` with its own globals is cached like any function of a module, and the parts are inlined.

    >>> def total(x):
    ...     return sum_of(x) + 1
    >>> @njit
    ... def double(x):
    ...     return 2 * x
    >>> specialise(total, "total_double", sum_of=double)(3)
    7
    """
    source = getattr(function, "py_func", function)
    return njit(allocates=allocates, inline="always" if inline else "never")(_copy(source, name, parts))


class Binding:
    """Copies of compiled functions in which some functions are replaced, however deep they are called.

    `name` distinguishes the copies from others of the same functions; each is made, and compiled, once.

    >>> @njit
    ... def step(x):
    ...     return x + 1
    >>> @njit
    ... def two_steps(x):
    ...     return step(step(x))
    >>> @njit
    ... def big_step(x):
    ...     return x + 10
    >>> Binding("big", {step: big_step})(two_steps)(0), two_steps(0)
    (20, 2)
    """

    def __init__(self, name: str, replaced: dict[Any, Any]) -> None:
        self.name, self.copies = name, dict(replaced)

    def __call__(self, function: Any) -> Any:
        """The copy of a compiled function, or the function itself if none of those replaced is behind it."""
        if function in self.copies:
            return self.copies[function]
        source, again = source_of(function), getattr(function, "again", None)
        if source is None or source.__closure__ or again is None:
            return function
        self.copies[function] = function  # for one that calls itself
        used = {
            name: source.__globals__[name] for name in names_in(source.__code__) if name in source.__globals__
        }
        parts = {name: self(value) for name, value in used.items() if source_of(value) is not None}
        if any(copy is not used[name] for name, copy in parts.items()):
            self.copies[function] = again(_copy(source, f"{source.__name__}_{self.name}", parts))
        return self.copies[function]


def _copy(source: FunctionType, name: str, parts: dict[str, Any]) -> FunctionType:
    """A function with the same code in whose globals these names mean something else."""
    copy = FunctionType(source.__code__, {**source.__globals__, **parts}, name, source.__defaults__)
    copy.__module__, copy.__qualname__, copy.__doc__ = source.__module__, name, source.__doc__
    return copy
