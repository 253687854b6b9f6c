"""The decorator of compiled functions."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar, overload

import numba

from purex.jit.keeping import kept
from purex.jit.plain import in_python
from purex.jit.sources import calls_itself
from purex.numba_doors import (
    is_switched_off,
    without_c_entry,
    without_counting,
    without_literals,
    without_python_entry,
)

F = TypeVar("F", bound=Callable[..., Any])

COMPILES = not is_switched_off()
INNER = ".inner"  # ends the names of files of functions that only compiled ones call
IEEE = {"error_model": "numpy", "nogil": True, "fastmath": False}


@overload
def njit(function: F) -> F: ...
@overload
def njit(**options: Any) -> Callable[[F], F]: ...
def njit(function: Any = None, **options: Any) -> Any:
    """Compile a function on its first call: numba.njit with IEEE arithmetic, no GIL and the cache.

    A function that makes arrays must say so by `allocates`. The others do not count references to arrays,
    which would be most of the time in a round of 100 ns; one that allocates without saying so does not
    compile. With NUMBA_DISABLE_JIT=1 the function stays Python.

    >>> @njit
    ... def twice(x):
    ...     return 2 * x
    >>> twice(21)
    42
    """
    if function is None:
        return lambda f: njit(f, **options)
    if COMPILES:
        settings = {**IEEE, **without_c_entry(), **options}
        if not settings.pop("allocates", False):
            settings |= without_counting()

        def copy(options: dict[str, Any]) -> Any:
            if calls_itself(function):  # numba has to see it in the function itself
                return None
            return kept(function, lambda cached: numba.njit(**settings, **options, cache=cached), INNER)

        made = kept(function, lambda cached: numba.njit(**settings, cache=cached))
        made = without_literals(without_python_entry(made, copy))
    else:
        made = in_python(function)
    made.again = partial(njit, **options)  # how `Binding` compiles a copy
    return made


@contextmanager
def no_collector() -> Iterator[None]:
    """Compile without the garbage collector: it would take a tenth of the time to look at numba's tables."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
