"""The cheapest common mean of two arms as a compiled scalar function."""

from __future__ import annotations

import math

import numpy as np

from purex.families.arm import Arm
from purex.families.compiled.divergence import (
    BERNOULLI,
    GAUSSIAN,
    Triple,
    divergence,
    variance_coefficients,
)
from purex.families.compiled.arm_kinds import kind, same_kind
from purex.families.roots import MAX_STEPS, NOISE, TINY, TOLERANCE
from purex.families.tied import FAR_HEAVIER
from purex.jit import njit


@njit
def tied_mean(a: Arm, b: Arm, lower: float = -math.inf, upper: float = math.inf) -> float:
    """The m in [lower, upper] that minimises w_a d_a(mu_a, m) + w_b d_b(mu_b, m), globally.

    See `purex.families.tied.tied_mean`, which it follows step by step.

    >>> m = tied_mean(Arm(3, 1.0, 0.0, 1.0, 0.1), Arm(0, 1.0, 0.0, 0.3, 5.0))   # exponential and Gaussian
    >>> print(f"{m:.6f}")
    4.230738
    """
    w_a, mu_a, w_b, mu_b = a.weight, a.mean, b.weight, b.mean
    first, last = (
        max(lower_end(a.code), lower_end(b.code)),
        min(upper_end(a.code), upper_end(b.code)),
    )
    bottom, top = max(first, lower), min(last, upper)
    if w_b == 0:
        return min(max(mu_a, bottom), top)
    if w_a == 0:
        return min(max(mu_b, bottom), top)
    low, high = min(mu_a, mu_b), max(mu_a, mu_b)
    if same_kind(a.code, a.parameter, b.code, b.parameter):
        W_a, W_b = w_a * a.scale, w_b * b.scale
        total = W_a + W_b
        over, under = (W_a, W_b) if mu_a > mu_b else (W_b, W_a)
        if over > FAR_HEAVIER * under:
            m = high - under / total * (high - low)
        else:
            m = low + (0.5 if total == 0 else over / total) * (high - low)
        m = min(max(m, low), high)
        if low < high and (m == first or m == last):  # noqa: SIM109 (numba has no quick `in`)
            m = float(np.nextafter(m, low if m == high else high))  # off the end of infinite cost
        return min(max(m, bottom), top)
    low, high = min(max(low, bottom), top), min(max(high, bottom), top)
    v_a = variance_coefficients(a.code, a.scale, a.parameter)
    v_b = variance_coefficients(b.code, b.scale, b.parameter)
    largest = max(w_a, w_b)
    r_a, r_b = w_a / largest, w_b / largest
    cut_1, cut_2 = critical_points(r_a, mu_a, v_a, r_b, mu_b, v_b, low, high)
    best, cheapest = low, math.inf
    cuts = (low, cut_1, cut_2, high)
    for part in range(7):
        if part < 3:
            left, right = cuts[part], cuts[part + 1]
            if (
                cubic(left, r_a, mu_a, v_a, r_b, mu_b, v_b)[0] > 0
                or cubic(right, r_a, mu_a, v_a, r_b, mu_b, v_b)[0] < 0
            ):
                continue
            m = cubic_root(r_a, mu_a, v_a, r_b, mu_b, v_b, left, right)
        elif part < 5:
            m = low if part == 3 else high
        else:
            m = np.nextafter(low, high) if part == 5 else np.nextafter(high, low)
        cost = w_a * a.scale * divergence(a.code, a.parameter, mu_a, m)
        cost += w_b * b.scale * divergence(b.code, b.parameter, mu_b, m)
        if cost < cheapest:
            best, cheapest = m, cost
    return best


@njit(forceinline=True)
def lower_end(code: int) -> float:
    """The lower end of the domain."""
    return -math.inf if kind(code) == GAUSSIAN else 0.0


@njit(forceinline=True)
def upper_end(code: int) -> float:
    """The upper end of the domain."""
    return 1.0 if kind(code) == BERNOULLI else math.inf


@njit
def cubic(
    m: float, w_a: float, mu_a: float, v_a: Triple, w_b: float, mu_b: float, v_b: Triple
) -> tuple[float, float]:
    """Value and slope of w_a (m - mu_a) V_b(m) + w_b (m - mu_b) V_a(m)."""
    V_a, V_b = v_a[0] + m * (v_a[1] + v_a[2] * m), v_b[0] + m * (v_b[1] + v_b[2] * m)
    value = w_a * (m - mu_a) * V_b + w_b * (m - mu_b) * V_a
    slope = w_a * (V_b + (m - mu_a) * (v_b[1] + 2 * v_b[2] * m))
    return value, slope + w_b * (V_a + (m - mu_b) * (v_a[1] + 2 * v_a[2] * m))


@njit
def critical_points(
    w_a: float,
    mu_a: float,
    v_a: Triple,
    w_b: float,
    mu_b: float,
    v_b: Triple,
    low: float,
    high: float,
) -> tuple[float, float]:
    """Where the cubic turns, moved into [low, high]; low if it does not."""
    c1 = w_a * (v_b[0] - mu_a * v_b[1]) + w_b * (v_a[0] - mu_b * v_a[1])
    c2 = w_a * (v_b[1] - mu_a * v_b[2]) + w_b * (v_a[1] - mu_b * v_a[2])
    c3 = w_a * v_b[2] + w_b * v_a[2]
    t = -(c2 + math.copysign(math.sqrt(c2 * c2 - 3 * c3 * c1), c2))
    first, second = t / (3 * c3), c1 / t
    first = min(first, high) if first > low else low
    second = min(second, high) if second > low else low
    return min(first, second), max(first, second)


@njit
def cubic_root(
    w_a: float,
    mu_a: float,
    v_a: Triple,
    w_b: float,
    mu_b: float,
    v_b: Triple,
    low: float,
    high: float,
) -> float:
    """The root of the rising cubic in [low, high] (see `roots.bracketed_root`)."""
    if not low < high:
        return low
    x = low + 0.5 * (high - low)
    previous = high - low
    for _ in range(MAX_STEPS):
        value, slope = cubic(x, w_a, mu_a, v_a, w_b, mu_b, v_b)
        if value == 0:
            break
        if value < 0:
            low = x
        else:
            high = x
        newton = x - value / slope
        step = abs(newton - x)
        halving = step <= 0.5 * previous
        if high - low <= max(TOLERANCE * abs(x), TINY):
            break
        if math.isfinite(slope) and step <= (TOLERANCE if halving else NOISE) * abs(x):
            break
        if newton > low and newton < high and halving:
            following = newton
        elif high > 4 * low and high > TINY:
            following = math.sqrt(max(low, TINY)) * math.sqrt(high)
        else:
            following = low + 0.5 * (high - low)
        previous = abs(following - x)
        x = following
    return x
