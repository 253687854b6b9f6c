"""Transport costs, compiled: what it costs to move one arm, and to tie two. Importing this imports numba."""

from __future__ import annotations

from purex.families.arm import Arm
from purex.families.compiled import divergence, tied_mean
from purex.families.compiled.arm_kinds import kind, same_kind
from purex.families.compiled.divergence import BERNOULLI, kl
from purex.families.tied import FAR_HEAVIER
from purex.jit import njit

WHISPER = 1e-300  # a weight that changes no sum, yet makes an infinite divergence count


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


@njit(inline="always")
def arm_of(k, w, xi, given):
    """Arm k in scalars."""
    return Arm(given.codes[k], given.scales[k], given.parameters[k], w[k], xi[k])


@njit(inline="always")
def move_arm(k, w, xi, given, lam):
    """The cost of moving arm k from xi to lam."""
    return move(given.codes[k], given.scales[k], given.parameters[k], w[k], xi[k], lam)


@njit
def tie(a, b, lower, upper):
    """The best common mean within the bounds of two arms, b below a, and what it costs."""
    x, y, W_a, W_b = a.mean, b.mean, a.weight * a.scale, b.weight * b.scale
    m = y + W_a / (W_a + W_b) * (x - y)
    if W_a > FAR_HEAVIER * W_b:  # from the heavy arm, which may stay where it is
        m = x - W_b / (W_a + W_b) * (x - y)
    # The quick way, unless a weight is zero, a bound is met or something is rounded away.
    quick = same_kind(a.code, a.parameter, b.code, b.parameter) and W_a > 0.0 and W_b > 0.0
    if quick and y < m < x and lower <= m <= upper:
        if kind(a.code) == BERNOULLI:  # in one go: a call for each arm would take half the time again
            u, v = m - x, m - y
            d_a, d_b = kl(x, m, u) + kl(1 - x, 1 - m, -u), kl(y, m, v) + kl(1 - y, 1 - m, -v)
        else:
            d_a, d_b = divergence(a.code, a.parameter, x, m), divergence(b.code, b.parameter, y, m)
        return m, W_a * d_a + W_b * d_b
    m = tied_mean(a, b, lower, upper)
    cost_a = move(a.code, a.scale, a.parameter, a.weight, x, m)
    return m, cost_a + move(b.code, b.scale, b.parameter, b.weight, y, m)


@njit
def meet(a, b, w, xi, given):
    """What the arms a and b cost in the piece lam_b >= lam_a for any xi, and their new means."""
    lower, upper = given.lower, given.upper
    x, y = clip(xi[a], lower, upper), clip(xi[b], lower, upper)
    if y < x:
        x, cost = tie(arm_of(a, w, xi, given), arm_of(b, w, xi, given), lower, upper)
        y = x
    else:
        cost = move_arm(a, w, xi, given, x)
        cost += move_arm(b, w, xi, given, y)
    return cost, x, y


@njit
def catch_up(a, b, w, xi, given):
    """The cost of the piece lam_b >= lam_a for any xi, and the new means of a and b."""
    cost, x, y = meet(a, b, w, xi, given)
    for k in range(len(xi)):
        if k != a and k != b:
            cost += move_arm(k, w, xi, given, clip(xi[k], given.lower, given.upper))
    return cost, x, y


@njit
def place_pair(a, x, b, y, xi, given, point):
    """The point where a and b have means x and y and the others are brought into the bounds."""
    for k in range(len(xi)):
        point[k] = clip(xi[k], given.lower, given.upper)
    point[a] = x
    point[b] = y
