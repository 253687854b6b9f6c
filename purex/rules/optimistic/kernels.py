"""Optimistic Track-and-Stop, rule O: the oracle weights of the most optimistic model of the intervals.

In plain numpy: `purex.reference.rules.O`.
"""

from __future__ import annotations

from purex.jit import njit


@njit(inline="always")
def ask(call, now, x, memory, numbers):
    """The oracle gets the confidence intervals."""
    return call == 0


@njit(inline="always")
def hear(call, now, x, memory, numbers):
    """The oracle has written its allocation into the play."""
