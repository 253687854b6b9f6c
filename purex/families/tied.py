r"""The cheapest common mean of two arms: the heart of every order constraint.

Between arms of one kind it is a weighted mean, $m = (w_a \mu_a + w_b \mu_b)/(w_a + w_b)$. Between different
kinds the cost $w_a d_a(\mu_a, m) + w_b d_b(\mu_b, m)$ may have two local minima: the search is global.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray
from purex.families.family import Family
from purex.families.roots import bracketed_root

Triple = tuple[FloatArray | float, FloatArray | float, FloatArray | float]

# The weighted mean of two arms is counted up from the smaller mean, unless the arm of the larger mean weighs
# so many times more that rounding would take it off its mean: a rounding error of 1e-16 costs it 1e-32 times
# its weight, which may be all there is.
FAR_HEAVIER = 2.0**40
STILL = 1e-14  # a move of less, relative to the largest mean, is none
GRID = 513  # points of the search for families without a quadratic variance, denser at the ends


def tied_mean(
    a: Family,
    b: Family,
    w_a: ArrayLike,
    mu_a: ArrayLike,
    w_b: ArrayLike,
    mu_b: ArrayLike,
    lower: ArrayLike = -np.inf,
    upper: ArrayLike = np.inf,
) -> FloatArray:
    r"""The m in both domains that minimises $w_a d_a(\mu_a, m) + w_b d_b(\mu_b, m)$, elementwise.

    m is sought in [lower, upper] and lies between the two means if it can; with both weights zero
    it is the point allowed that is nearest to mu_a. A mean that rounds onto an end of the domain,
    where the other arm's cost would be infinite, is moved to the nearest number inside.

    >>> from purex.families import Bernoulli, Exponential, Gaussian
    >>> float(tied_mean(Bernoulli(), Bernoulli(), 1.0, 0.5, 3.0, 0.1))
    0.2
    >>> m = tied_mean(Exponential(), Gaussian(), 1.0, 0.1, 0.3, 5.0)   # the other minimum is 3.588
    >>> print(f"{m:.6f} {Exponential().d(0.1, m) + 0.3 * Gaussian().d(5.0, m):.6f}")
    4.230738 2.857363
    """
    w_a, mu_a, w_b, mu_b, bottom, top = (
        np.array(x, dtype=np.float64) for x in np.broadcast_arrays(w_a, mu_a, w_b, mu_b, lower, upper)
    )
    ends = max(a.domain[0], b.domain[0]), min(a.domain[1], b.domain[1])
    bottom, top = np.maximum(bottom, ends[0]), np.minimum(top, ends[1])
    with np.errstate(all="ignore"):
        if a.kind == b.kind and not a.unknown_variance:
            m = _weighted_mean(w_a * a.scale, mu_a, w_b * b.scale, mu_b)
            for end, inside in ((ends[0], np.inf), (ends[1], -np.inf)):
                pinned = ((w_a > 0) & (mu_a != end)) | ((w_b > 0) & (mu_b != end))
                m = np.where((m == end) & pinned, np.nextafter(end, inside), m)
            m = np.clip(m, bottom, top)
        else:
            low = np.clip(np.minimum(mu_a, mu_b), bottom, top)
            high = np.clip(np.maximum(mu_a, mu_b), bottom, top)
            borders = [low, high, np.nextafter(low, high), np.nextafter(high, low)]
            v_a, v_b = a.variance_coefficients, b.variance_coefficients
            if v_a is None or v_b is None:
                inner = _grid_minimum(a, b, w_a, mu_a, w_b, mu_b, low, high)
            else:
                inner = cubic_minima(v_a, v_b, w_a, mu_a, w_b, mu_b, low, high)
            points = np.stack([*inner, *borders])
            costs = _cost(a, w_a, mu_a, points) + _cost(b, w_b, mu_b, points)
            best = np.argmin(costs, axis=0)[None]
            m = np.take_along_axis(points, best, axis=0)[0]
        m = np.where(w_b == 0, np.clip(mu_a, bottom, top), m)
        m = np.where((w_a == 0) & (w_b > 0), np.clip(mu_b, bottom, top), m)
    return m[()]


def _weighted_mean(W_a: FloatArray, mu_a: FloatArray, W_b: FloatArray, mu_b: FloatArray) -> FloatArray:
    """From the smaller mean up: no cancellation near 0, and no product of weights underflows.

    Where the other arm is far heavier it goes from there down, so that the heavy arm may stay where it is.
    """
    low, high = np.minimum(mu_a, mu_b), np.maximum(mu_a, mu_b)
    total = W_a + W_b
    # weights below 1e-323 may vanish in the product with the scale: then they count the same
    upper, lower = np.where(mu_a > mu_b, W_a, W_b), np.where(mu_a > mu_b, W_b, W_a)
    share = np.where(total == 0, 0.5, upper / total)
    m = low + share * (high - low)
    m = np.where(upper > FAR_HEAVIER * lower, high - lower / total * (high - low), m)
    return np.asarray(np.clip(m, low, high))


def _cost(family: Family, w: FloatArray, mu: FloatArray, m: FloatArray) -> FloatArray:
    return np.where(w == 0, 0.0, w * family.d(mu, m))


def cubic_minima(
    v_a: Triple,
    v_b: Triple,
    w_a: FloatArray,
    mu_a: FloatArray,
    w_b: FloatArray,
    mu_b: FloatArray,
    low: FloatArray,
    high: FloatArray,
) -> list[FloatArray]:
    r"""Every local minimum in (low, high) when both variances are quadratic (Morris, 1982).

    The derivative of the cost has the sign of $w_a (m - \mu_a) V_b(m) + w_b (m - \mu_b) V_a(m)$, a
    cubic; its critical points cut the interval into three monotone parts.
    """
    (a0, a1, a2), (b0, b1, b2) = v_a, v_b
    largest = np.maximum(w_a, w_b)
    w_a, w_b = w_a / largest, w_b / largest

    def cubic(m: FloatArray) -> tuple[FloatArray, FloatArray]:
        V_a, V_b = a0 + m * (a1 + a2 * m), b0 + m * (b1 + b2 * m)
        value = w_a * (m - mu_a) * V_b + w_b * (m - mu_b) * V_a
        slope = w_a * (V_b + (m - mu_a) * (b1 + 2 * b2 * m))
        return value, slope + w_b * (V_a + (m - mu_b) * (a1 + 2 * a2 * m))

    c1 = w_a * (b0 - mu_a * b1) + w_b * (a0 - mu_b * a1)
    c2 = w_a * (b1 - mu_a * b2) + w_b * (a1 - mu_b * a2)
    c3 = w_a * b2 + w_b * a2
    # the roots of c1 + 2 c2 m + 3 c3 m^2, without cancellation
    t = -(c2 + np.copysign(np.sqrt(c2 * c2 - 3 * c3 * c1), c2))
    critical = np.stack([t / (3 * c3), c1 / t])
    critical = np.sort(np.where(critical > low, np.minimum(critical, high), low), axis=0)
    cuts = [low, critical[0], critical[1], high]
    minima = []
    for left, right in pairwise(cuts):
        rising = (cubic(left)[0] <= 0) & (cubic(right)[0] >= 0)
        # where the cost has no minimum in this part, the bracket is a point
        right = np.where(rising, right, left)
        minima.append(bracketed_root(cubic, left, right, left + 0.5 * (right - left)))
    return minima


def _grid_minimum(
    a: Family,
    b: Family,
    w_a: FloatArray,
    mu_a: FloatArray,
    w_b: FloatArray,
    mu_b: FloatArray,
    low: FloatArray,
    high: FloatArray,
) -> list[FloatArray]:
    """The best of GRID points, refined between its neighbours (for families of any variance)."""

    def derivative(m: FloatArray) -> tuple[FloatArray, FloatArray]:
        value = w_a * a.slope(mu_a, m) + w_b * b.slope(mu_b, m)
        return value, w_a * a.curvature(mu_a, m) + w_b * b.curvature(mu_b, m)

    share = 0.5 - 0.5 * np.cos(np.linspace(0, np.pi, GRID))
    grid = low + share.reshape(-1, *(1,) * low.ndim) * (high - low)
    costs = _cost(a, w_a, mu_a, grid) + _cost(b, w_b, mu_b, grid)
    best = np.argmin(costs, axis=0)[None]
    left, middle, right = (
        np.take_along_axis(grid, np.clip(best + shift, 0, GRID - 1), axis=0)[0] for shift in (-1, 0, 1)
    )
    return [bracketed_root(derivative, left, right, middle), middle]
