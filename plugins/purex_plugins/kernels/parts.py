"""What the compiled best responses share: costs of moving one arm, and of tying two."""

from __future__ import annotations

from purex.families.arm import Arm
from purex.families.compiled import divergence, tied_mean
from purex.families.compiled.divergence import BERNOULLI, kl
from purex.families.compiled.known import kind, same_kind
from purex.families.tied import FAR_HEAVIER
from purex.jit import njit


@njit
def clip(x, lower, upper):
    """The nearest point of [lower, upper]."""
    if x < lower:
        return lower
    return upper if x > upper else x


@njit
def move(code, scale, parameter, w, mu, lam):
    r"""The cost $w d(\mu, \lambda)$ of moving an arm, with $0 \cdot \infty = 0$."""
    if w == 0.0 or mu == lam:
        return 0.0
    return w * scale * divergence(code, parameter, mu, lam)


@njit
def tie(code_a, s_a, p_a, w_a, x, code_b, s_b, p_b, w_b, y, lower, upper):
    """The best common mean of two arms with y < x within the bounds, and what it costs."""
    W_a, W_b = w_a * s_a, w_b * s_b
    m = y + W_a / (W_a + W_b) * (x - y)
    if W_a > FAR_HEAVIER * W_b:  # from the heavy arm, which may stay where it is
        m = x - W_b / (W_a + W_b) * (x - y)
    # The quick way, unless a weight is zero, a bound is met or something is rounded away.
    quick = same_kind(code_a, p_a, code_b, p_b) and W_a > 0.0 and W_b > 0.0
    if quick and y < m < x and lower <= m <= upper:
        if kind(code_a) == BERNOULLI:  # in one go: a call for each arm would take half the time again
            u, v = m - x, m - y
            a, b = kl(x, m, u) + kl(1 - x, 1 - m, -u), kl(y, m, v) + kl(1 - y, 1 - m, -v)
        else:
            a, b = divergence(code_a, p_a, x, m), divergence(code_b, p_b, y, m)
        return m, W_a * a + W_b * b
    m = tied_mean(Arm(code_a, s_a, p_a, w_a, x), Arm(code_b, s_b, p_b, w_b, y), lower, upper)
    return m, move(code_a, s_a, p_a, w_a, x, m) + move(code_b, s_b, p_b, w_b, y, m)


@njit
def catch_up(a, b, w, xi, codes, scales, parameters, lower, upper):
    """The cost of the piece lam_b >= lam_a for any xi, and the new means of a and b."""
    x, y = clip(xi[a], lower, upper), clip(xi[b], lower, upper)
    if y < x:
        x, cost = tie(
            codes[a], scales[a], parameters[a], w[a], xi[a],
            codes[b], scales[b], parameters[b], w[b], xi[b],
            lower, upper,
        )  # fmt: skip
        y = x
    else:
        cost = move(codes[a], scales[a], parameters[a], w[a], xi[a], x)
        cost += move(codes[b], scales[b], parameters[b], w[b], xi[b], y)
    for k in range(len(xi)):
        if k != a and k != b:
            lam = clip(xi[k], lower, upper)
            cost += move(codes[k], scales[k], parameters[k], w[k], xi[k], lam)
    return cost, x, y


@njit
def fill(a, x, b, y, xi, lower, upper, point):
    """The point where a and b have means x and y and the others are brought into the bounds."""
    for k in range(len(xi)):
        point[k] = clip(xi[k], lower, upper)
    point[a] = x
    point[b] = y
