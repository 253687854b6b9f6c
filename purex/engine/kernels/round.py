"""What a round does with families: confidence intervals, gains, the witness, pulls. Rows, compiled."""

from __future__ import annotations

import math

import numpy as np

from purex.families.compiled import divergence, lower_bound, upper_bound
from purex.families.compiled.rewards import reward
from purex.jit import njit
from purex.rows import (
    ALPHA,
    BETA,
    CEILING,
    COST,
    END,
    FLOOR,
    GAIN_ALPHA,
    GAIN_BETA,
    HIGH,
    LAM,
    LAMBERT,
    LOGARITHM,
    LOW,
    MEAN,
    MODEL,
    MU,
    PARAMETER,
    SCALE,
    SIGMA2,
    SPARE_1,
    SPARE_2,
    SPARE_3,
    START,
    TOTAL,
    WITNESS,
    N,
)
from purex.streams import REWARDS, uniforms


@njit
def bonus(kind, c, n):
    r"""The exploration bonus f(n): ln n, or with $x = c \ln n$ either $\overline W(x)$ or $x + \ln x + 1/2$.

    $\overline W(x)$ is the root z >= 1 of z - ln z = x (1 if x < 1), by Newton's method from above.
    """
    x = math.log(n)
    if kind == LOGARITHM:
        return x
    x *= c
    if x <= 1.0:
        return 1.0 if kind == LAMBERT else 1.5
    z = x + math.log(x) + 0.5
    if kind == LAMBERT:
        for _ in range(20):
            step = z * (z - math.log(z) - x) / (z - 1.0)
            z -= step
            if abs(step) <= 1e-12 * z:
                break
    return z


@njit
def least_mean(k, x, laws):
    """The lower end of the clip of arm k: half a success in its pulls, if that is less than the usual end."""
    return min(laws[LOW, k], max(laws[FLOOR, k], laws[START, k] + 0.5 / x[N, k]))


@njit
def most_mean(k, x, laws):
    """The upper end of the clip of arm k."""
    return max(laws[HIGH, k], min(laws[CEILING, k], laws[END, k] - 0.5 / x[N, k]))


@njit(forceinline=True)
def clipped(value, k, x, laws):
    """A mean of arm k as the sampling rule sees it."""
    if value < laws[LOW, k]:
        return max(value, least_mean(k, x, laws))
    if value > laws[HIGH, k]:
        return min(value, most_mean(k, x, laws))
    return value


@njit(forceinline=True)
def kl_intervals(f, x, codes, laws):
    r"""Line 3 of Algorithm 1: the ends of $\{\xi : N d(\mu, \xi) \le f\}$, clipped."""
    for k in range(x.shape[1]):
        level = f / (x[N, k] * laws[SCALE, k])
        x[ALPHA, k] = clipped(lower_bound(codes[k], laws[PARAMETER, k], x[MU, k], level), k, x, laws)
        x[BETA, k] = clipped(upper_bound(codes[k], laws[PARAMETER, k], x[MU, k], level), k, x, laws)


@njit(forceinline=True)
def gaussian_intervals(f, x, codes, laws):
    r"""The ends of $\{\xi : N (\mu - \xi)^2/(2\sigma^2) \le f\}$, clipped."""
    for k in range(x.shape[1]):
        radius = math.sqrt(2 * laws[SIGMA2, k] * f / x[N, k])
        x[ALPHA, k] = clipped(x[MU, k] - radius, k, x, laws)
        x[BETA, k] = clipped(x[MU, k] + radius, k, x, laws)


@njit(inline="always")
def no_intervals(f, x, codes, laws):
    """For rules that need none."""


@njit(forceinline=True)
def optimistic_gains(x, codes, laws):
    """The divergences of both ends of the intervals to the oracle's point."""
    for k in range(x.shape[1]):
        code, scale, parameter, lam = codes[k], laws[SCALE, k], laws[PARAMETER, k], x[LAM, k]
        x[GAIN_ALPHA, k] = scale * divergence(code, parameter, x[ALPHA, k], lam)
        x[GAIN_BETA, k] = scale * divergence(code, parameter, x[BETA, k], lam)


@njit(forceinline=True)
def plain_gains(x, codes, laws):
    """The divergences of the means to the oracle's point."""
    for k in range(x.shape[1]):
        x[GAIN_ALPHA, k] = 0.0
        if x[MU, k] != x[LAM, k]:
            d = divergence(codes[k], laws[PARAMETER, k], x[MU, k], x[LAM, k])
            x[GAIN_ALPHA, k] = laws[SCALE, k] * d


@njit(inline="always")
def no_gains(x, codes, laws):
    """For rules that need none."""


@njit(forceinline=True)
def cost_of_witness(k, x, codes, laws):
    """The cost N d(mean, witness) of arm k."""
    cost = 0.0
    if x[MEAN, k] != x[WITNESS, k]:
        d = divergence(codes[k], laws[PARAMETER, k], x[MEAN, k], x[WITNESS, k])
        cost = x[N, k] * laws[SCALE, k] * d
    return cost


@njit(inline="always")
def is_held(barrier, x):
    r"""Whether the witness alone keeps the statistic at or below the barrier.

    Any $\lambda \in \neg i$ bounds the statistic, the infimum over $\neg i$ of
    $\sum_k N^k d(\mu^k, \lambda^k)$. The costs of the arms stand in x[COST]: only that of
    the arm pulled changes.
    """
    total = 0.0
    for k in range(x.shape[1]):
        total += x[COST, k]
    return total <= barrier


@njit(inline="always")
def take(k, value, x, laws):
    """Count a reward of arm k."""
    x[N, k] += 1.0
    x[TOTAL, k] += value
    x[MEAN, k] = x[TOTAL, k] / x[N, k]
    x[MU, k] = clipped(x[MEAN, k], k, x, laws)
    x[MODEL, k] = min(max(x[MEAN, k], laws[FLOOR, k]), laws[CEILING, k])


@njit(forceinline=True)
def draw(key, run, k, x, codes, laws, truth):
    """The next reward of arm k: a function of (seed, run, arm, number).

    Rewards of an arm are drawn in order, so three of the four numbers of a block wait in the table.
    """
    number = np.int64(x[N, k])
    lane = number & 3
    if lane == 0:
        u, x[SPARE_1, k], x[SPARE_2, k], x[SPARE_3, k] = uniforms(key, REWARDS, run, k, number >> 2)
    else:
        u = x[SPARE_1 + lane - 1, k]
    return reward(codes[k], laws[SCALE, k], truth[k], u)
