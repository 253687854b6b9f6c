"""The decorators of functions that numpy applies to whole arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from types import FunctionType
from typing import Any, TypeVar

import numba
import numpy as np

from purex.jit.decorators import COMPILES, no_collector
from purex.jit.keeping import kept
from purex.jit.plain import on_elements, on_rows

F = TypeVar("F", bound=Callable[..., Any])


def vectorize(signatures: Sequence[str], **options: Any) -> Callable[[F], F]:
    """Make a scalar function a numpy ufunc, compiled now for these signatures (or found cached)."""
    if not COMPILES:
        return lambda f: on_elements(f, signatures[0])
    settings = {"nopython": True, **options}
    return lambda f: kept(f, lambda cached: numba.vectorize(signatures, **settings, cache=cached))


def guvectorize(signatures: Sequence[str], layout: str, **options: Any) -> Callable[[F], F]:
    """Make a function of rows a numpy gufunc, compiled for these signatures at the first call.

    The signatures are required: numba chooses where to cache a gufunc when it compiles it.
    """
    settings = {"nopython": True, **options}

    def make(function: Any) -> Any:
        if not COMPILES:
            return on_rows(function, signatures[0], layout)
        with no_collector():
            return kept(
                function, lambda cached: numba.guvectorize(signatures, layout, **settings, cache=cached)
            )

    def lazy(function: Any) -> Any:
        return LazyGufunc(function, make)

    return lazy


class LazyGufunc:
    """A gufunc that is compiled (or found cached) at its first call.

    A module may hold several and import others: only those that are used cost anything.
    """

    def __init__(self, function: FunctionType, make: Callable[[Any], Any]) -> None:
        self.__wrapped__, self.__doc__, self.__name__ = function, function.__doc__, function.__name__
        self.__module__ = function.__module__
        self.make = make

    def again(self, function: FunctionType) -> LazyGufunc:
        """Another function, made a gufunc in the same way."""
        return LazyGufunc(function, self.make)

    @cached_property
    def _gufunc(self) -> Any:
        return self.make(self.__wrapped__)

    @property
    def ufunc(self) -> Any:
        """Numpy's own object, for callers to whom numba's wrapper around it is too slow."""
        return getattr(self._gufunc, "ufunc", self._gufunc)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """The results for these arguments.

        Kernels look after 0/0 themselves; vectorised code may divide by zero where the result is not used.
        """
        with np.errstate(all="ignore"):
            return self._gufunc(*arguments, **options)
