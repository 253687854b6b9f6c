r"""Two arms that tie, for the max-min games of best arm and top-M: costs and their slopes.

Arms a and b of one kind, with means x > y and effective weights $W_k = w_k s_k$ (s the scale), meet at
the weighted mean $m = (x + Xy)/(1 + X)$ with $X = W_b/W_a$. All is relative to $W_a$ and of scale 1.
"""

from __future__ import annotations

from purex.families.compiled.divergence import BERNOULLI, GAMMA, GAUSSIAN, POISSON, kl
from purex.jit import njit

WHISPER = 1e-300  # a weight that changes no sum, yet makes an infinite divergence count


@njit
def moved(code, parameter, mu, lam, gap):
    """The divergence d(mu, lam) of all kinds but Bernoulli, from a gap = lam - mu that has all its digits."""
    if code == GAUSSIAN:
        return 0.5 * gap * gap
    if code == POISSON:
        return kl(mu, lam, gap)
    if code == GAMMA:
        return kl(lam, mu, -gap) / lam
    share = parameter / (lam + parameter)
    inner = lam * ((mu + parameter) / (lam + parameter))
    return share * kl(lam + parameter, mu + parameter, -gap) + kl(mu, inner, share * gap)


@njit
def tie_terms(code, parameter, x, y, X):
    r"""The divergences $a = d(x, m)$ and $b = d(y, m)$, and $h = -db/dX$.

    The cost of the tie is $g = a + Xb$ with $g' = b$ (m is the cheapest place to meet) and
    $da/dX = Xh$. Distances to m are taken from x - y, never from the rounded m: with means 1e-8 apart
    that would leave 8 digits.

    >>> a, b, h = tie_terms(0, 0.0, 1.0, 0.0, 1.0)
    >>> a, b, h
    (0.125, 0.125, 0.125)
    """
    t = 1 / (1 + X)
    v = (x - y) * t
    u = -X * v
    m = (x + X * y) * t
    if code == BERNOULLI:
        n = ((1 - x) + X * (1 - y)) * t  # 1 - m
        a = kl(x, m, u) + kl(1 - x, n, -u)
        b = kl(y, m, v) + kl(1 - y, n, -v)
        return a, b, v / m * (v / n) * t
    a = moved(code, parameter, x, m, u)
    b = moved(code, parameter, y, m, v)
    if code == GAUSSIAN:
        return a, b, v * v * t
    if code == POISSON:
        return a, b, v / m * v * t
    if code == GAMMA:
        return a, b, v / m * (v / m) * t
    return a, b, v / m * (v / (1 + m / parameter)) * t
