"""What a kernel may know about its arms before it is compiled.

Kernels ask these functions instead of comparing codes, parameters and bounds themselves. In a kernel for arms
of one kind without bounds, `purex.jit.Binding` puts constants in their place: what the arms cannot need is
then never compiled, which is most of what the families have (docs/decisions/0009).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from purex.arrays import FloatArray
from purex.jit import njit, specialise

CODE = -1  # bound by `kind_is`


@njit(forceinline=True)
def kind(code: int) -> int:
    """The code of an arm's family."""
    return code


@njit(forceinline=True)
def same_kind(code_a: int, parameter_a: float, code_b: int, parameter_b: float) -> bool:
    """Whether two arms are of one kind; they may differ in scale."""
    return code_a == code_b and parameter_a == parameter_b


@njit(forceinline=True)
def is_inside(xi: FloatArray, lower: float, upper: float) -> bool:
    """Whether all means lie in the bounds."""
    inside = True
    for k in range(len(xi)):
        inside &= lower <= xi[k] <= upper
    return inside


@njit(forceinline=True)
def only_gaussian() -> bool:
    """Whether all arms are known to be Gaussian: then all costs are quadratic."""
    return False


def the_kind(code: int) -> int:
    """The kind of all arms."""
    return CODE


@njit(inline="always")
def always_same_kind(code_a: int, parameter_a: float, code_b: int, parameter_b: float) -> bool:
    """All arms are of one kind."""
    return True


@njit(inline="always")
def always_inside(xi: FloatArray, lower: float, upper: float) -> bool:
    """There are no bounds but those of the families."""
    return True


@njit(inline="always")
def always_gaussian() -> bool:
    """All arms are Gaussian."""
    return True


@cache
def kind_is(code: int) -> Any:
    """The function in place of `kind` where all arms have this code."""
    return specialise(the_kind, f"kind_{code}", inline=True, CODE=code)
