"""Kernels in plain Python, with the arithmetic of compiled ones: NUMBA_DISABLE_JIT=1.

Compiled code divides by zero and takes the logarithm of it without complaint. Numpy's numbers do so too,
Python's do not. So in a kernel that stays Python every literal is a numpy float, and so is every number that
comes in; `math` is one that answers as C does; and numpy does not warn. The code is otherwise that of the
file, line by line: debuggers and coverage find it where it stands.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import wraps
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

import numpy as np

TYPE = re.compile(r"(\w+)(\[[^\]]*\])?")  # an argument in a signature of numba's, such as f8[:, :]


def in_python(function: FunctionType) -> Any:
    """The function itself, with the arithmetic of a compiled one; `py_func` is without the outermost care."""
    function.__code__ = _with_numpy_floats(function.__code__)
    function.__defaults__ = _as_numpy(function.__defaults__)
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if value is math:
            function.__globals__[name] = MATH
        elif isinstance(value, BuiltinFunctionType) and value.__module__ == "math":
            function.__globals__[name] = getattr(MATH, value.__name__)

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*map(_as_numpy, arguments), **{name: _as_numpy(x) for name, x in named.items()})

    call.py_func = function  # type: ignore[attr-defined]  # numba's name for it
    return call


def _with_numpy_floats(code: CodeType) -> CodeType:
    constants = tuple(
        _with_numpy_floats(constant) if isinstance(constant, CodeType) else _as_numpy(constant)
        for constant in code.co_consts
    )
    return code.replace(co_consts=constants)


def _as_numpy(value: Any) -> Any:
    """The same value, a float and those in a tuple as numpy's."""
    if type(value) is float:
        return np.float64(value)
    return tuple(map(_as_numpy, value)) if type(value) is tuple else value


class _Math:
    """The module `math` with C's answers where Python raises an exception: infinities and nan."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(math, name)
        found = _like_c(name, found) if callable(found) else _as_numpy(found)
        setattr(self, name, found)
        return found


def _like_c(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*numbers: Any) -> Any:
        try:
            return _as_numpy(function(*numbers))
        except (ValueError, OverflowError):
            with np.errstate(all="ignore"):
                return getattr(np, name)(*numbers)

    return call


MATH = _Math()


def on_elements(function: Any, signature: str) -> Any:
    """A ufunc of a function that stays Python."""
    returned = TYPE.match(signature)
    assert returned is not None
    elements = np.vectorize(in_python(function), otypes=[_dtype(returned[1])])
    return np.errstate(all="ignore")(elements)  # numpy looks once more, when all is done


def on_rows(function: Any, signature: str, layout: str) -> Any:
    """A gufunc of a function that stays Python: it fills the outputs, which are its last arguments."""
    kernel = in_python(function)
    types = TYPE.findall(signature[signature.index("(") :])
    shapes = [re.findall(r"\w+", shape) for shape in re.findall(r"\(([^)]*)\)", layout)]
    n_inputs = layout.partition("->")[0].count("(")
    dtypes = [_dtype(name) for name, _ in types]

    def row(*inputs: Any) -> Any:
        sizes = {
            name: size
            for shape, given in zip(shapes, inputs, strict=False)
            for name, size in zip(shape, np.shape(given), strict=True)
        }
        outputs = [
            np.empty([sizes[name] for name in shape] or 1, dtype=dtype)
            for shape, dtype in zip(shapes[n_inputs:], dtypes[n_inputs:], strict=True)
        ]
        # an array of no dimensions is one of one number, if the signature says that it is an array
        given = [np.atleast_1d(x) if is_array else x for x, (_, is_array) in zip(inputs, types, strict=False)]
        kernel(*given, *outputs)
        found = [out if shape else out[0] for shape, out in zip(shapes[n_inputs:], outputs, strict=True)]
        return found[0] if len(found) == 1 else tuple(found)

    rows = np.vectorize(row, otypes=dtypes[n_inputs:], signature=layout)
    return lambda *inputs: rows(*map(np.asarray, inputs, dtypes[:n_inputs]))


def _dtype(name: str) -> np.dtype[Any]:
    return np.dtype({"boolean": "bool"}.get(name, name))
