"""Optimistic Track-and-Stop, rule O: the oracle weights of the most optimistic model of the intervals."""

from __future__ import annotations

from purex.jit import njit


@njit(inline="always")
def ask(c, i, n, f, key, run, x, w, gain, memory, numbers):
    """The oracle gets the confidence intervals."""
    return c == 0


@njit(inline="always")
def hear(c, i, n, f, key, run, x, w, gain, memory, numbers):
    """The oracle has written its allocation into the play."""
