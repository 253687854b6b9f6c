"""What the compiled best responses share: costs of moving one arm, and of tying two."""

from __future__ import annotations

from purex.families.compiled import divergence, tied_mean
from purex.jit import njit


@njit
def clip(x, lower, upper):  # type: ignore[no-untyped-def]
    """The nearest point of [lower, upper]."""
    return min(max(x, lower), upper)


@njit
def move(k, lam, w, xi, codes, scales, parameters):  # type: ignore[no-untyped-def]
    r"""The cost $w_k d(\xi_k, \lambda)$ of moving arm k to lam, with $0 \cdot \infty = 0$."""
    if w[k] == 0.0 or xi[k] == lam:
        return 0.0
    return w[k] * scales[k] * divergence(codes[k], parameters[k], xi[k], lam)


@njit
def catch_up(a, b, w, xi, codes, scales, parameters, lower, upper):  # type: ignore[no-untyped-def]
    """The cost of the piece lam_b >= lam_a, and the new means of a and b."""
    x, y = clip(xi[a], lower, upper), clip(xi[b], lower, upper)
    if y < x:
        x = y = tied_mean(
            codes[a], scales[a], parameters[a], w[a], xi[a],
            codes[b], scales[b], parameters[b], w[b], xi[b],
            lower, upper,
        )  # fmt: skip
    cost = move(a, x, w, xi, codes, scales, parameters)
    cost += move(b, y, w, xi, codes, scales, parameters)
    for k in range(len(xi)):
        if k != a and k != b and not lower <= xi[k] <= upper:
            cost += move(k, clip(xi[k], lower, upper), w, xi, codes, scales, parameters)
    return cost, x, y


@njit
def fill(a, x, b, y, xi, lower, upper, point):  # type: ignore[no-untyped-def]
    """The point where a and b have means x and y and the others are brought into the bounds."""
    for k in range(len(xi)):
        point[k] = clip(xi[k], lower, upper)
    point[a] = x
    point[b] = y
