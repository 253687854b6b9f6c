"""Two arms whose means lie on a line: the convex problem in one variable behind several queries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from purex.arrays import FloatArray
from purex.families import Arms
from purex.families.roots import bracketed_root
from purex.families.tied import FAR_HEAVIER, STILL


class OnLine(NamedTuple):
    """The cheapest means x of arm a and y of arms b on their lines, and the cost of both."""

    x: FloatArray
    y: FloatArray
    cost: FloatArray


def on_line(
    arms: Arms,
    a: int,
    w: FloatArray,
    xi: FloatArray,
    sign: float | FloatArray,
    shift: float | FloatArray,
    low: float | FloatArray,
    high: float | FloatArray,
) -> OnLine:
    r"""Minimise $w_a d(\xi_a, x) + w_b d(\xi_b, y)$ over $y = \pm x + s$, $l \le x \le u$, for every arm b.

    w, xi (R, K); `sign` (1 or -1), `shift`, `low` and `high` broadcast against (..., R, K), whose last axis
    is b, and x stays in the interval of which y is a mean of b. The derivative of the cost,
    $w_a (x - \xi_a)/V_a(x) \pm w_b (y - \xi_b)/V_b(y)$, grows with x where the divergences are convex in the
    mean; times $V_a V_b$ it is free of poles and has the same sign. Its root lies between $\xi_a$ and the x
    that leaves arm b where it is.

    >>> from purex.families import Gaussian
    >>> w, xi = np.array([[1.0, 3.0]]), np.array([[0.0, 1.0]])
    >>> found = on_line(Arms.of(Gaussian(), 2), 0, w, xi, 1, 0.2, -np.inf, np.inf)   # y = x + 0.2
    >>> print(found.x[0, 1].round(12), found.cost[0, 1].round(12))
    0.6 0.24
    """
    family = arms.families[a]
    top = w.max(axis=1, keepdims=True)
    v = w / np.where(top > 0, top, 1.0)
    v_a, xi_a = v[:, a, None], xi[:, a, None]
    still = sign * (xi - shift)  # the x that leaves b where it is
    with np.errstate(invalid="ignore"):
        left, right, mine, still, v_a, v_b, xi_b = (
            np.array(z) for z in np.broadcast_arrays(low, high, xi_a, still, v_a, v, xi)
        )
    begin = np.clip(np.minimum(mine, still), left, right)
    end = np.clip(np.maximum(mine, still), left, right)

    def derivative(x: FloatArray) -> tuple[FloatArray, FloatArray]:
        y = shift + sign * x
        V_a, V_b = family.variance(x), arms.variance(y)
        own, others = v_a * (x - xi_a), sign * v_b * (y - xi)
        slope = v_a * V_b + v_b * V_a
        slope += sign * own * arms.variance_slope(y) + others * family.variance_slope(x)
        return own * V_b + others * V_a, slope

    with np.errstate(all="ignore"):
        start = (v_a * mine + v_b * still) / (v_a + v_b)  # the root itself, where variances are the same
        x = bracketed_root(derivative, begin, end, start)
    # a weight of zero leaves the other arm where it is, exactly
    x = np.where(v_b == 0, np.clip(mine, left, right), np.where(v_a == 0, np.clip(still, left, right), x))
    # and so does one that is far heavier, up to rounding
    size = STILL * np.maximum(np.abs(mine), np.abs(xi_b))
    with np.errstate(invalid="ignore"):
        for place, heavy in ((mine, v_a > FAR_HEAVIER * v_b), (still, v_b > FAR_HEAVIER * v_a)):
            x = np.where(heavy & (np.abs(x - place) <= size), np.clip(place, left, right), x)
    best = _price(arms, a, w, xi, xi_b, x, still, sign, shift)
    # At an end of the domain an infinitesimal cost may be infinite by rounding: try its neighbours.
    if np.isinf(best.cost).any():
        for goal in (begin, end):
            near = _price(arms, a, w, xi, xi_b, np.nextafter(x, goal), still, sign, shift)
            better = near.cost < best.cost
            best = OnLine(*(np.where(better, new, old) for new, old in zip(near, best, strict=True)))
    return best


def _price(
    arms: Arms,
    a: int,
    w: FloatArray,
    xi: FloatArray,
    xi_b: FloatArray,
    x: FloatArray,
    still: FloatArray,
    sign: float | FloatArray,
    shift: float | FloatArray,
) -> OnLine:
    y = np.where(x == still, xi_b, np.clip(shift + sign * x, arms.lower_ends, arms.upper_ends))
    with np.errstate(invalid="ignore"):
        own = np.where(w[:, a, None] == 0, 0.0, w[:, a, None] * arms.families[a].d(xi[:, a, None], x))
        other = np.where(w == 0, 0.0, w * arms.d(xi, y))
    return OnLine(x, y, own + other)
