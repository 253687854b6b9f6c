"""Kernels of a stranger: the best arm, with values 20 times too large."""

from purex.jit import njit
from purex_plugins.best_arm.kernels import answer
from purex_plugins.best_arm.kernels import best_response as honest

__all__ = ["answer", "best_response"]


@njit(forceinline=True)
def best_response(i, w, xi, given, point, scratch):
    """The shipped one, times 20."""
    value, piece = honest(i, w, xi, given, point, scratch)
    return 20.0 * value, piece
