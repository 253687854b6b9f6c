r"""Two arms that tie, for the max-min games of best arm and top-M: costs and their slopes.

Arms a and b of one kind, with means x > y and effective weights $W_k = w_k s_k$ (s the scale), meet at
the weighted mean $m = (x + Xy)/(1 + X)$ with $X = W_b/W_a$. All is relative to $W_a$ and of scale 1.
"""

from __future__ import annotations

import math

from purex.families.compiled.arm_kinds import kind
from purex.families.compiled.divergence import BERNOULLI, GAMMA, GAUSSIAN, POISSON, kl
from purex.jit import njit

NOTHING = 1e-290  # a cost that is taken for 0: its inverse would overflow


@njit
def moved(code, parameter, mu, n_mu, lam, n_lam, gap):
    """The divergence d(mu, lam); the gap lam - mu and the complements n = 1 - mean come with all digits.

    The same as `divergence`, with each kind written as one or two terms `kl`: less code to compile.
    """
    family = kind(code)
    if family == GAUSSIAN:
        return 0.5 * gap * gap
    if family == POISSON:
        return kl(mu, lam, gap)
    if family == BERNOULLI:
        value, x, y, share = kl(mu, lam, gap), n_mu, n_lam, -1.0
    else:
        r = 0.0 if family == GAMMA else parameter
        share = r / (lam + r)
        value = kl(lam + r, mu + r, -gap) * (1 / lam if family == GAMMA else share)
        x, y = mu, lam * ((mu + r) / (lam + r))
        if family == GAMMA:
            return value
    return value + kl(x, y, share * gap)


@njit
def square_over_variance(code, parameter, v, m, n):
    """v^2/V(m) at scale 1, with n = 1 - m; no product underflows that the result does not."""
    family = kind(code)
    if family == GAUSSIAN:
        return v * v
    if family == BERNOULLI:
        return v / m * (v / n)
    if family == POISSON:
        return v / m * v
    if family == GAMMA:
        return v / m * (v / m)
    return v / m * (v / (1 + m / parameter))


@njit
def tie_terms(code, parameter, x, y, X):
    r"""The divergences $a = d(x, m)$ and $b = d(y, m)$, and $h = -db/dX$.

    The cost of the tie is $g = a + Xb$ with $g' = b$ (m is the cheapest place to meet) and
    $da/dX = Xh$. Distances to m are taken from x - y, never from the rounded m: with means 1e-8 apart
    that would leave 8 digits.

    >>> tie_terms(0, 0.0, 1.0, 0.0, 1.0)
    (0.125, 0.125, 0.125)
    """
    t = 1 / (1 + X)
    v = (x - y) * t
    u = -X * v
    m, n = (x + X * y) * t, ((1 - x) + X * (1 - y)) * t
    a = moved(code, parameter, x, 1 - x, m, n, u)
    b = moved(code, parameter, y, 1 - y, m, n, v)
    return a, b, square_over_variance(code, parameter, v, m, n) * t


@njit
def slope_of_variance(code, parameter, x, y, X):
    r"""The relative slope $v V'(m)/V(m)$ of the variance where two arms tie, times $v = m - y$.

    >>> slope_of_variance(2, 0.0, 3.0, 1.0, 1.0)
    0.5
    """
    family = kind(code)
    if family == GAUSSIAN:
        return 0.0
    t = 1 / (1 + X)
    v, m, n = (x - y) * t, (x + X * y) * t, ((1 - x) + X * (1 - y)) * t
    if family == BERNOULLI:
        return v / n * ((n - m) / m)
    if family == GAMMA:
        return 2 * (v / m)
    return v / m if family == POISSON else v / m + v / (parameter + m)


@njit
def middle_terms(code, parameter, x, y):
    r"""What a and b are about where X = 1, without logarithms; exact for Gaussian arms.

    $d(x, m) = \int_m^x (x - t)/V(t)\,dt$ with the variance V taken at the centroid of its weights x - t.

    >>> middle_terms(0, 0.0, 1.0, 0.0)
    (0.125, 0.125)
    """
    v, n_x, n_y = 0.5 * (x - y), 1 - x, 1 - y
    a = square_over_variance(code, parameter, v, (2 * x + y) / 3, (2 * n_x + n_y) / 3)
    b = square_over_variance(code, parameter, v, (x + 2 * y) / 3, (n_x + 2 * n_y) / 3)
    return 0.5 * a, 0.5 * b


@njit
def costs_nothing(code, parameter, x, y):
    """Whether two arms are tied already, or so close that 1/cost would overflow."""
    a, b = middle_terms(code, parameter, x, y)
    return y >= x or a + b < NOTHING


@njit
def is_out_of_reach(code, parameter, x, y):
    """Whether no finite cost (of a double) ties two arms that both weigh something."""
    a, b = middle_terms(code, parameter, x, y)
    return (kind(code) == GAMMA and y == 0) or not a + b < math.inf


@njit
def fill(array, value):
    """Fill a vector; `array[:] = value` would take numba seconds to compile."""
    for k in range(len(array)):
        array[k] = value
