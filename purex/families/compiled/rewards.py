"""Rewards by inverse transform as compiled scalar functions, one uniform each."""

from __future__ import annotations

import math

from purex.families.compiled.divergence import BERNOULLI, GAMMA, GAUSSIAN, NEGATIVE_BINOMIAL
from purex.families.compiled.arm_kinds import kind
from purex.jit import njit

CENTRAL, NEAR_TAIL = 0.425, 5.0  # where the approximations of AS 241 change
SPLIT_1, SPLIT_2 = 0.180625, 1.6


@njit(forceinline=True)
def normal_quantile(u: float) -> float:
    """The standard normal quantile of u in (0, 1), to 1e-15: Wichura (1988), algorithm AS 241.

    >>> print(f"{normal_quantile(0.975):.12f}")
    1.959963984540
    """
    q = u - 0.5
    if abs(q) <= CENTRAL:
        r = SPLIT_1 - q * q
        top = 2509.0809287301226727 * r + 33430.575583588128105
        top = (top * r + 67265.770927008700853) * r + 45921.953931549871457
        top = (top * r + 13731.693765509461125) * r + 1971.5909503065514427
        top = (top * r + 133.14166789178437745) * r + 3.387132872796366608
        bottom = 5226.495278852545925 * r + 28729.085735721942674
        bottom = (bottom * r + 39307.89580009271061) * r + 21213.794301586595867
        bottom = (bottom * r + 5394.1960214247511077) * r + 687.1870074920579083
        bottom = (bottom * r + 42.313330701600911252) * r + 1.0
        return q * top / bottom
    r = math.sqrt(-math.log(u if q < 0 else 1 - u))
    if r <= NEAR_TAIL:
        r -= SPLIT_2
        top = 7.7454501427834140764e-4 * r + 0.0227238449892691845833
        top = (top * r + 0.24178072517745061177) * r + 1.27045825245236838258
        top = (top * r + 3.64784832476320460504) * r + 5.7694972214606914055
        top = (top * r + 4.6303378461565452959) * r + 1.42343711074968357734
        bottom = 1.05075007164441684324e-9 * r + 5.475938084995344946e-4
        bottom = (bottom * r + 0.0151986665636164571966) * r + 0.14810397642748007459
        bottom = (bottom * r + 0.68976733498510000455) * r + 1.6763848301838038494
        bottom = (bottom * r + 2.05319162663775882187) * r + 1.0
    else:
        r -= NEAR_TAIL
        top = 2.01033439929228813265e-7 * r + 2.71155556874348757815e-5
        top = (top * r + 0.0012426609473880784386) * r + 0.026532189526576123093
        top = (top * r + 0.29656057182850489123) * r + 1.7848265399172913358
        top = (top * r + 5.4637849111641143699) * r + 6.6579046435011037772
        bottom = 2.04426310338993978564e-15 * r + 1.4215117583164458887e-7
        bottom = (bottom * r + 1.8463183175100546818e-5) * r + 7.868691311456132591e-4
        bottom = (bottom * r + 0.0148753612908506148525) * r + 0.13692988092273580531
        bottom = (bottom * r + 0.59983220655588793769) * r + 1.0
    return -top / bottom if q < 0 else top / bottom


@njit(forceinline=True)
def reward(code: int, scale: float, mu: float, u: float) -> float:
    """The reward of mean mu at the uniform u in (0, 1), for the families of `can_draw`.

    >>> reward(BERNOULLI, 1.0, 0.3, 0.71), reward(GAUSSIAN, 4.0, 1.0, 0.5)
    (1.0, 1.0)
    """
    family = kind(code)
    if family == GAUSSIAN:
        return mu + normal_quantile(u) / math.sqrt(scale)
    if family == BERNOULLI:
        return 1.0 if u > 1 - mu or mu == 1 else 0.0
    if family == GAMMA:  # exponential
        return -mu * math.log1p(-u)
    if mu == 0:  # geometric: failures before a success of probability 1/(1 + mu)
        return 0.0
    return math.ceil(math.log1p(-u) / -math.log1p(1 / mu)) - 1.0


def can_draw(code: int, scale: float, parameter: float) -> bool:
    """Whether `reward` knows a family: Gaussian, Bernoulli, exponential, geometric."""
    if code in (GAUSSIAN, BERNOULLI):
        return True
    return (code == GAMMA and scale == 1) or (code == NEGATIVE_BINOMIAL and parameter == 1)
