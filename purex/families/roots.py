"""A vectorised root finder that cannot fail: Newton's method inside a shrinking bracket."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from purex.arrays import FloatArray

TOLERANCE = 4e-16  # relative: two units in the last place
NOISE = 4e-15  # relative: steps below this that do not halve are the rounding of the function
TINY = 1e-308  # stands for 0: brackets are halved on a logarithmic scale down to it
MAX_STEPS = 120  # 11 halvings of the exponent, 54 of the significand, and Newton's steps between


def midpoint(low: FloatArray, high: FloatArray) -> FloatArray:
    """The middle of a bracket: of the logarithms while its ends differ by a factor beyond 4.

    >>> print(midpoint(np.array([1e-100, 1.0, -1.0]), np.array([1.0, 2.0, 1.0])))
    [1.0e-50 1.5e+00 0.0e+00]
    """
    near, far = np.minimum(np.abs(low), np.abs(high)), np.maximum(np.abs(low), np.abs(high))
    wide = (far > 4 * near) & ((low >= 0) | (high <= 0)) & (far > TINY)
    geometric = np.sqrt(np.maximum(near, TINY)) * np.sqrt(far)
    return np.where(wide, np.where(high > 0, geometric, -geometric), low + 0.5 * (high - low))


def bracketed_root(
    function: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
    low: FloatArray,
    high: FloatArray,
    start: FloatArray,
) -> FloatArray:
    """A root in [low, high] of a function that is <= 0 at low and >= 0 at high, elementwise.

    `function` gives value and slope (a slope of 0 or nan is replaced by halving). Newton's step is
    taken if it stays inside the bracket and the bracket shrinks fast enough. Every element takes
    its own path, so that a row does not depend on its neighbours.

    >>> square = lambda x: (x * x - 2, 2 * x)
    >>> float(bracketed_root(square, np.array(0.0), np.array(1e300), np.array(1.0)))
    1.4142135623730951
    """
    low, high, x = (np.array(a, dtype=np.float64) for a in np.broadcast_arrays(low, high, start))
    x = np.where((x > low) & (x < high), x, midpoint(low, high))
    previous = high - low
    done = ~(low < high)
    x = np.where(done, low, x)
    for _ in range(MAX_STEPS):
        value, slope = function(x)
        low, high = np.where(value <= 0, x, low), np.where(value >= 0, x, high)
        newton = x - value / slope
        step = np.abs(newton - x)
        # Newton's steps must halve every time, or the bracket is halved instead
        halving = step <= 0.5 * previous
        accept = (newton > low) & (newton < high) & halving
        following = np.where(accept, newton, midpoint(low, high))
        converged = (value == 0) | (high - low <= np.maximum(TOLERANCE * np.abs(x), TINY))
        converged |= np.isfinite(slope) & (step <= np.where(halving, TOLERANCE, NOISE) * np.abs(x))
        previous = np.where(done, previous, np.abs(following - x))
        x = np.where(done | converged, x, following)
        done = done | converged
        if done.all():
            break
    return x
