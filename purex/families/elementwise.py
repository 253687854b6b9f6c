"""The decorator that makes a formula a vectorised float64 method that never warns."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray

S = TypeVar("S")
R = TypeVar("R")


@overload
def elementwise(method: Callable[[S, FloatArray], R]) -> Callable[[S, ArrayLike], R]: ...
@overload
def elementwise(
    method: Callable[[S, FloatArray, FloatArray], R],
) -> Callable[[S, ArrayLike, ArrayLike], R]: ...
def elementwise(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method written for float64 arrays take anything array-like, in silence.

    Scalars in, a numpy scalar out. Limits such as log 0 or 1/0 are values here, not accidents, so
    numpy's warnings are off. Arguments are made contiguous: numpy may round `exp` and `log`
    differently on strided data, and a row must not depend on the array it stands in.

    >>> class Half:
    ...     @elementwise
    ...     def inverse(self, mu): return 1 / mu
    >>> Half().inverse([2, 0])
    array([0.5, inf])
    """

    @wraps(method)
    def wrapped(self: Any, *arguments: ArrayLike) -> Any:
        arrays = [np.asarray(x, dtype=np.float64, order="C") for x in arguments]
        with np.errstate(all="ignore"):
            return method(self, *arrays)[()]

    return wrapped
