r"""The cheapest common mean of two arms of unknown variance.

The cost $w_a d(\mu_a, x) + w_b d(\mu_b, x)$ with $d(\mu, x) = \tfrac12\ln(1 + (x-\mu)^2/\sigma^2)$ is not
convex: between the two means it may have two local minima. Its derivative has the sign of a cubic, all of
whose roots are found.
"""

from __future__ import annotations

import numpy as np

from purex.arrays import FloatArray
from purex.families.student import divergence
from purex.families.tied import cubic_minima


def common_mean(
    w: tuple[FloatArray, FloatArray],
    mu: tuple[FloatArray, FloatArray],
    deviation: tuple[FloatArray, FloatArray],
    low: FloatArray,
    high: FloatArray,
) -> FloatArray:
    r"""The x in [low, high] of the least cost, for two arms with $\mu_1 < \mu_2$, elementwise.

    Distances are counted from the first mean in units of the gap, so that the unit of the means does not
    matter. With both weights zero, or only the second, it is the allowed point nearest to the first mean.

    >>> one = np.ones(1)
    >>> x = common_mean((one, 3 * one), (0 * one, 4 * one), (one, one), -np.inf * one, np.inf * one)
    >>> print(x.round(9))
    [3.91963957]
    """
    with np.errstate(all="ignore"):
        gap = mu[1] - mu[0]
        start, end = (np.clip((x - mu[0]) / gap, 0.0, 1.0) for x in (low, high))
        unit = deviation[0] / gap, deviation[1] / gap
        A, B = unit[0] ** 2, unit[1] ** 2
        one, zero = np.ones_like(gap), np.zeros_like(gap)
        minima = cubic_minima((A, zero, one), (B + 1, -2 * one, one), w[0], zero, w[1], one, start, end)
        points = np.stack([*minima, start, end])
        costs = _cost(w[0], zero, points, unit[0]) + _cost(w[1], one, points, unit[1])
        best = np.argmin(np.where(np.isnan(costs), np.inf, costs), axis=0)[None]
        share = np.take_along_axis(points, best, axis=0)[0]
        share = np.where(w[1] == 0, start, np.where(w[0] == 0, end, share))
        # from the nearer end, so that an arm that hardly moves keeps its digits
        x = np.where(share <= 0.5, mu[0] + share * gap, mu[1] - (1 - share) * gap)
        return np.asarray(np.clip(np.clip(x, mu[0], mu[1]), low, high))


def _cost(w: FloatArray, mu: FloatArray, x: FloatArray, deviation: FloatArray) -> FloatArray:
    return np.asarray(np.where(w == 0, 0.0, w * divergence(mu, x, deviation)))
