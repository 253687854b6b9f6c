"""Kernels that are wrong in one place each; the comparison with the reference must find them."""

from __future__ import annotations

from purex.engine.kernels.optimism import gains_of_one_end
from purex.engine.kernels.round import kl_intervals
from purex.jit import njit
from purex.learners import adahedge
from purex.run_state import BETA, PLAY, XI, N, W
from purex_plugins.best_arm import kernels as best_arm
from purex_plugins.minimum_threshold import kernels as minimum_threshold

update, weights = adahedge.update, adahedge.weights
respond_best_arm, respond_minimum_threshold = best_arm.best_response, minimum_threshold.best_response


@njit(forceinline=True)
def learn_backwards(memory, w, gain):
    """AdaHedge with gains of the wrong sign."""
    for k in range(len(gain)):
        gain[k] = -gain[k]
    update(memory, w, gain)


@njit(inline="always")
def ask_at_the_upper_ends(call, now, x, memory, numbers):
    """Rule D, whose oracle answers at the upper ends of the intervals instead of the means."""
    if call > 0:
        return False
    weights(memory, x[PLAY])
    for k in range(x.shape[1]):
        x[XI, k] = x[BETA, k]
    return True


@njit(forceinline=True)
def track_late(mode, n, x):
    """Cumulative tracking without the weights of this round."""
    arm, least = 0, 0.0
    for k in range(x.shape[1]):
        score = x[N, k] / x[W, k]
        x[W, k] += x[PLAY, k]
        if k == 0 or score < least:
            arm, least = k, score
    return arm


@njit(inline="always")
def keep_intervals(f, x, given, clip):
    """The intervals of the first round, for ever; x[BETA] is zero before it."""
    if x[BETA, 0] == 0.0:
        kl_intervals(f, x, given, clip)


@njit(inline="always")
def keep_bonus(f, x, given, clip, lanes):
    """The ends of intervals whose bonus is that of the first round, for ever; x[BETA] is zero before it."""
    if x[BETA, 0] == 0.0:
        x[BETA, 0] = f
    gains_of_one_end(x[BETA, 0], x, given, clip, lanes)


@njit
def half_best_arm(i, w, xi, given, point, scratch):
    """The best response of best arm at half of its value."""
    value, piece = respond_best_arm(i, w, xi, given, point, scratch)
    return 0.5 * value, piece


@njit
def half_minimum_threshold(i, w, xi, given, point, scratch):
    """The best response of minimum threshold at half of its value."""
    value, piece = respond_minimum_threshold(i, w, xi, given, point, scratch)
    return 0.5 * value, piece
