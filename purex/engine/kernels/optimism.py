r"""The optimistic gains of a round, from one end of an interval where the other cannot matter. Rows, compiled.

$U^k = \max\{f/N,\ d(\alpha, \lambda),\ d(\beta, \lambda)\}$, and for most Bernoulli arms it is clear beforehand
which end is the farther one, or that the other is worth less than the floor: half of the bounds and
divergences need not be computed. The maximum is the same to the last bit as that of `optimistic_gains`
after `kl_intervals`.
In plain numpy, with both ends: `optimism` of `purex.reference.round`.
"""

from __future__ import annotations

import math
from typing import Any

from purex.engine.kernels.round import clipped
from purex.families.compiled import divergence, lower_bound, upper_bound
from purex.families.compiled.arm_kinds import kind
from purex.families.compiled.divergence import BERNOULLI
from purex.jit import njit
from purex.run_state import GAIN_ALPHA, GAIN_BETA, LAM, MU, N

gains: Any = None

CLEARLY = 1 + 1e-9  # so much farther an end must be than the other: rounding may not decide
SKEW = 1e-16  # of level (1 - 2 mu)^2/V: below it both ends may be equally far to a billionth


def gains_of_round(f, x, given, clip):
    """The gains of the oracle's point where the intervals were computed before it was asked."""
    gains(x, given)


@njit(forceinline=True)
def is_skew(mu, level):
    r"""Whether, of the ends of a Bernoulli interval around $\lambda = \mu$, that away from 1/2 cannot matter.

    It is worth less than the level, and so than the floor: 1/V grows towards it, and $d(\xi, \mu)$ weighs
    that most near $\mu$, while $d(\mu, \xi)$, which is the level, weighs it most near $\xi$.
    """
    skew = 1 - 2 * mu
    return level * skew * skew > SKEW * mu * (1 - mu)


@njit(forceinline=True)
def is_farther(end, gain, mu, lam, level):
    r"""Whether the end of a Bernoulli interval away from lam, worth `gain`, is clearly the farther one.

    The other one lies within R of mu: V is concave, so $R^2/(V + sR)$ is at most twice the level, where s is the
    slope of V if it rises towards lam. Beyond lam, at a distance r, it is worth at most $r^2/2$ over the least V
    on its way, which is that at lam or at its last place.
    """
    V, gap = mu * (1 - mu), lam - mu
    slope = max(1 - 2 * mu if gap > 0 else 2 * mu - 1, 0.0)
    R = level * slope + math.sqrt(level * (level * slope * slope + 2 * V))
    beyond = R - abs(gap)
    if beyond <= 0:
        return abs(lam - end) > CLEARLY * abs(gap)
    last = mu + R if gap > 0 else mu - R
    return CLEARLY * beyond * beyond < 2 * gain * min(lam * (1 - lam), last * (1 - last))


@njit
def end_and_gain(up, k, x, clip, given, level):
    """An end of the interval of arm k, and its divergence to the oracle's point at scale 1."""
    code, parameter, mu = given.codes[k], given.parameters[k], x[MU, k]
    bound = upper_bound(code, parameter, mu, level) if up else lower_bound(code, parameter, mu, level)
    end = clipped(bound, k, x, clip)
    return end, divergence(code, parameter, end, x[LAM, k])


@njit(forceinline=True)
def gains_of_one_end(f, x, given, clip):
    r"""The larger of $d(\alpha, \lambda)$ and $d(\beta, \lambda)$; less if the floor is larger."""
    for k in range(x.shape[1]):
        scale, mu, lam = given.scales[k], x[MU, k], x[LAM, k]
        level = f / (x[N, k] * scale)
        is_bernoulli = kind(given.codes[k]) == BERNOULLI
        up = lam < mu or (is_bernoulli and lam == mu and mu < 0.5)  # first the end that is likely to matter
        end, gain = end_and_gain(up, k, x, clip, given, level)
        enough = False
        if is_bernoulli:
            enough = is_skew(mu, level) if lam == mu else is_farther(end, gain, mu, lam, level)
        x[GAIN_ALPHA, k] = scale * gain
        x[GAIN_BETA, k] = 0.0
        if not enough:
            _, other = end_and_gain(not up, k, x, clip, given, level)
            x[GAIN_BETA, k] = scale * other
