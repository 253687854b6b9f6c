r"""The optimistic gains of a round, from one end of an interval where the other cannot matter. Compiled.

$U^k = \max\{f/N,\ d(\alpha, \lambda),\ d(\beta, \lambda)\}$, and for most Bernoulli arms it is clear
beforehand which end is the farther one, or that the other is worth less than the floor: half of the bounds
and divergences need not be computed, and eight arms are computed at once. The maximum is the same to the
last bit as that of `optimistic_gains` after `kl_intervals`.
In plain numpy, with both ends: `optimism` of `purex.reference.round`.
"""

from __future__ import annotations

import math
from typing import Any

from purex.engine.kernels.round import clipped
from purex.families.compiled import lower_bound, upper_bound
from purex.families.compiled.bounds import FAINT, SHORT, shrink
from purex.families.compiled.divergence import are_within_reach, divergence_of_end, kl_of_normal
from purex.jit import njit
from purex.run_state import GAIN_ALPHA, GAIN_BETA, LAM, LANES, MU, N

gains: Any = None

CLEARLY = 1 + 1e-9  # so much farther an end must be than the other: rounding may not decide
ROUNDING = 1e-13  # of an end, with room to spare
SKEW = 1e-16  # of level (1 - 2 mu)^2/V: below it both ends may be equally far to a billionth


def gains_of_round(f, x, given, clip, lanes):
    """The gains of the oracle's point where the intervals were computed before it was asked."""
    gains(x, given)


@njit(forceinline=True)
def is_skew(mu, level):
    r"""Whether, of the ends of a Bernoulli interval around $\lambda = \mu$, that away from 1/2 cannot matter.

    It is worth less than the level, and so than the floor: 1/V grows towards it, and $d(\xi, \mu)$ weighs
    that most near $\mu$, while $d(\mu, \xi)$, which is the level, weighs it most near $\xi$.
    """
    skew = 1 - 2 * mu
    weight = level * skew * skew
    return (weight > SKEW * mu * (1 - mu)) & (weight > ROUNDING)


@njit(forceinline=True)
def is_farther(end, gain, mu, lam, level):
    r"""Whether the end of a Bernoulli interval away from lam, worth `gain`, is clearly the farther one.

    The other one lies within R of mu: V is concave, so $R^2/(V + sR)$ is at most twice the level, where s is
    the slope of V if it rises towards lam. Beyond lam, at a distance r, it is worth at most $r^2/2$ over the
    least V on its way, which is that at lam or at its last place.
    """
    V, gap = mu * (1 - mu), lam - mu
    slope = 1 - 2 * mu if gap > 0 else 2 * mu - 1
    rise = level * (slope if slope > 0 else 0.0)
    R = rise + math.sqrt(rise * rise + 2 * level * V)
    beyond = R - abs(gap) + ROUNDING
    last = mu + R if gap > 0 else mu - R
    V_lam, V_last = lam * (1 - lam), last * (1 - last)
    is_worth_less = CLEARLY * beyond * beyond < 2 * gain * (V_lam if V_lam < V_last else V_last)
    is_nearer = abs(lam - end) > CLEARLY * abs(gap) + ROUNDING
    return is_nearer if beyond <= 0 else is_worth_less


@njit
def end_and_gain(up, k, x, clip, given, level):
    """An end of the interval of arm k, and its divergence to the oracle's point at scale 1."""
    code, parameter, mu = given.codes[k], given.parameters[k], x[MU, k]
    bound = upper_bound(code, parameter, mu, level) if up else lower_bound(code, parameter, mu, level)
    end = clipped(bound, k, x, clip)
    return end, divergence_of_end(code, parameter, end, x[LAM, k])


@njit
def gains_of_ends(k, x, clip, given, level, gain):
    """What both ends are worth, where that of the first (nan if it is not known) is not enough."""
    mu, lam = x[MU, k], x[LAM, k]
    up = goes_up(mu, lam)
    if math.isnan(gain):
        end, gain = end_and_gain(up, k, x, clip, given, level)
        if is_skew(mu, level) if lam == mu else is_farther(end, gain, mu, lam, level):
            return gain, 0.0
    return gain, end_and_gain(not up, k, x, clip, given, level)[1]


@njit(forceinline=True)
def goes_up(mu, lam):
    """Whether of a Bernoulli interval the upper end is likely to be the farther one from lam."""
    return (lam < mu) | ((lam == mu) & (mu < 0.5))


@njit(forceinline=True)
def gains_of_lanes(lanes):
    """The ends of `LANES` arms that are likely to matter, what they are worth, and whether that is enough.

    `lanes` has a part for each of: levels, means, points; ends, gains, answers. There is neither a branch nor
    a call, so that all arms are computed at once; where that does not do, the gain is nan.
    """
    for j in range(LANES):
        level, mu, lam = lanes[j], lanes[LANES + j], lanes[2 * LANES + j]
        other = 1 - mu
        up = goes_up(mu, lam)
        b, a = (other if up else mu), (mu if up else other)
        gap, shrunk = shrink(b, a, level)
        end = mu + gap if up else shrunk
        gain = kl_of_normal(end, lam, lam - end) + kl_of_normal(1 - end, 1 - lam, end - lam)
        is_enough = is_skew(mu, level) if lam == mu else is_farther(end, gain, mu, lam, level)
        is_normal = (2 * level <= SHORT * (a * b)) & (a * b > FAINT) & (level > 0)
        is_normal &= are_within_reach(end, lam) & are_within_reach(1 - end, 1 - lam)
        lanes[3 * LANES + j] = end
        lanes[4 * LANES + j] = gain if is_normal else math.nan
        lanes[5 * LANES + j] = 1.0 if is_enough else 0.0


@njit(forceinline=True)
def gains_of_one_end(f, x, given, clip, lanes):
    r"""The larger of $d(\alpha, \lambda)$ and $d(\beta, \lambda)$; less if the floor is larger."""
    K = x.shape[1]
    for first in range(0, K, LANES):
        for j in range(LANES):  # behind the last arm, it comes again
            k = min(first + j, K - 1)
            lanes[j], lanes[LANES + j] = f / (x[N, k] * given.scales[k]), x[MU, k]
            lanes[2 * LANES + j] = x[LAM, k]
        gains_of_lanes(lanes)
        for j in range(min(LANES, K - first)):
            k, end, gain, other = first + j, lanes[3 * LANES + j], lanes[4 * LANES + j], 0.0
            gain = gain if clip.low[k] <= end <= clip.high[k] else math.nan
            if math.isnan(gain) or lanes[5 * LANES + j] == 0.0:
                gain, other = gains_of_ends(k, x, clip, given, lanes[j], gain)
            x[GAIN_ALPHA, k], x[GAIN_BETA, k] = given.scales[k] * gain, given.scales[k] * other
