"""What a round does with families: confidence intervals, gains, the witness, pulls. Rows, compiled.

In plain numpy: `clip`, `intervals` and `optimism` of `purex.reference.round`.
"""

from __future__ import annotations

import math

import numpy as np

from purex.families.compiled import divergence, lower_bound, upper_bound
from purex.families.compiled.divergence import divergence_of_end
from purex.families.compiled.rewards import reward
from purex.jit import njit
from purex.run_state import (
    ALPHA,
    ASIDE,
    BETA,
    COST,
    GAIN_ALPHA,
    GAIN_BETA,
    LAM,
    LAMBERT,
    LOGARITHM,
    MEAN,
    MODEL,
    MU,
    READY,
    TOTAL,
    WITNESS,
    N,
)
from purex.streams import REWARDS, uniforms


@njit(forceinline=True)
def bonus(kind, factor, n):
    r"""The exploration bonus f(n): ln n; or `proved_bonus` at x = factor times ln n."""
    return math.log(n) if kind == LOGARITHM else proved_bonus(kind, factor * math.log(n))


@njit
def proved_bonus(kind, x):
    r"""$\overline W(x)$, the root z >= 1 of z - ln z = x (1 if x < 1), or its bound $x + \ln x + 1/2$.

    The root by Newton's method from above.
    """
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
def least_mean(k, x, clip):
    """The lower end of the clip of arm k: half a success in its pulls, if that is less than the usual end."""
    return min(clip.low[k], max(clip.floor[k], clip.start[k] + clip.half[k] / x[N, k]))


@njit
def most_mean(k, x, clip):
    """The upper end of the clip of arm k."""
    return max(clip.high[k], min(clip.ceiling[k], clip.end[k] - clip.half[k] / x[N, k]))


@njit(forceinline=True)
def clipped(value, k, x, clip):
    """A mean of arm k as the sampling rule sees it."""
    if value < clip.low[k]:
        return max(value, least_mean(k, x, clip))
    if value > clip.high[k]:
        return min(value, most_mean(k, x, clip))
    return value


@njit(forceinline=True)
def kl_intervals(f, x, given, clip):
    r"""Line 3 of Algorithm 1: the ends of $\{\xi : N d(\mu, \xi) \le f\}$, clipped."""
    for k in range(x.shape[1]):
        level = f / (x[N, k] * given.scales[k])
        x[ALPHA, k] = clipped(lower_bound(given.codes[k], given.parameters[k], x[MU, k], level), k, x, clip)
        x[BETA, k] = clipped(upper_bound(given.codes[k], given.parameters[k], x[MU, k], level), k, x, clip)


@njit(forceinline=True)
def gaussian_intervals(f, x, given, clip):
    r"""The ends of $\{\xi : N (\mu - \xi)^2/(2\sigma^2) \le f\}$, clipped."""
    for k in range(x.shape[1]):
        radius = math.sqrt(2 * clip.sigma2[k] * f / x[N, k])
        x[ALPHA, k] = clipped(x[MU, k] - radius, k, x, clip)
        x[BETA, k] = clipped(x[MU, k] + radius, k, x, clip)


@njit(inline="always")
def no_intervals(f, x, given, clip):
    """For rules that need none."""


@njit(forceinline=True)
def optimistic_gains(x, given):
    """The divergences of both ends of the intervals to the oracle's point."""
    for k in range(x.shape[1]):
        code, scale, parameter, lam = given.codes[k], given.scales[k], given.parameters[k], x[LAM, k]
        x[GAIN_ALPHA, k] = scale * divergence_of_end(code, parameter, x[ALPHA, k], lam)
        x[GAIN_BETA, k] = scale * divergence_of_end(code, parameter, x[BETA, k], lam)


@njit(forceinline=True)
def plain_gains(x, given):
    """The divergences of the means to the oracle's point."""
    for k in range(x.shape[1]):
        x[GAIN_ALPHA, k] = 0.0
        if x[MU, k] != x[LAM, k]:
            d = divergence(given.codes[k], given.parameters[k], x[MU, k], x[LAM, k])
            x[GAIN_ALPHA, k] = given.scales[k] * d


@njit(inline="always")
def no_gains(x, given):
    """For rules that need none."""


@njit(forceinline=True)
def cost_of_witness(k, x, given):
    """The cost N d(mean, witness) of arm k."""
    cost = 0.0
    if x[MEAN, k] != x[WITNESS, k]:
        d = divergence(given.codes[k], given.parameters[k], x[MEAN, k], x[WITNESS, k])
        cost = x[N, k] * given.scales[k] * d
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


@njit
def is_quiet(level, x, given):
    """Whether the alternative in ASIDE keeps the statistic without the structure at or below a level."""
    total = 0.0
    for k in range(x.shape[1]):
        if x[MEAN, k] != x[ASIDE, k]:
            d = divergence(given.codes[k], given.parameters[k], x[MEAN, k], x[ASIDE, k])
            total += x[N, k] * given.scales[k] * d
    return total <= level


@njit(inline="always")
def take(k, value, x, clip):
    """Count a reward of arm k."""
    x[N, k] += 1.0
    x[TOTAL, k] += value
    x[MEAN, k] = x[TOTAL, k] / x[N, k]
    x[MU, k] = clipped(x[MEAN, k], k, x, clip)
    x[MODEL, k] = min(max(x[MEAN, k], clip.floor[k]), clip.ceiling[k])


@njit
def draw_four(block, run, k, x, given, rewards):
    """Write the rewards 4 * block, ..., 4 * block + 3 of arm k: functions of (seed, run, arm, number)."""
    code, scale, truth = given.codes[k], given.scales[k], rewards.truth[k]
    a, b, c, d = uniforms(rewards.key, REWARDS, run, k, block)
    x[READY, k], x[READY + 1, k] = reward(code, scale, truth, a), reward(code, scale, truth, b)
    x[READY + 2, k], x[READY + 3, k] = reward(code, scale, truth, c), reward(code, scale, truth, d)


@njit(forceinline=True)
def draw(run, k, x, given, rewards):
    """The next reward of arm k.

    Rewards of an arm are drawn in order. The next four are made when the last of four is taken: no round has
    to wait for them.
    """
    number = np.int64(x[N, k])
    if number == 0:
        draw_four(0, run, k, x, given, rewards)
    value = x[READY + (number & 3), k]
    if number & 3 == 3:
        draw_four((number >> 2) + 1, run, k, x, given, rewards)
    return value
