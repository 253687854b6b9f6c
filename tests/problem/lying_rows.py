"""Compiled rows of a stranger: the best arm, with values 20 times too large."""

from purex.jit import njit
from purex_plugins.kernels.rounds import best_arm

answer = best_arm.answer
honest = best_arm.best_response


@njit(forceinline=True)
def best_response(i, w, xi, codes, scales, parameters, lower, upper, query, point):
    """The shipped one, times 20."""
    value, piece = honest(i, w, xi, codes, scales, parameters, lower, upper, query, point)
    return 20.0 * value, piece
