"""The pieces of closest-to next to one model, all at once: a rival comes as near to the level as arm i is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.families import Arms
from purex_plugins.tied_pairs import bend_of_one_level
from purex_plugins.two_arms_on_line import on_line


class MirroredPairs:
    r"""The two cones of each rival j, as `NearestPoints`: $\lambda_j$ is $\lambda_i$ or $2g - \lambda_i$.

    Piece 2n is the cone of the n-th rival where arm i is too high, piece 2n + 1 that where it is too low.

    >>> from purex.families import Gaussian
    >>> nearest = MirroredPairs(Arms.of(Gaussian(), 2), np.array([0.1, 1.0]), 0, 0.0)  # which is nearer to 0?
    >>> nearest.points(np.array([[0.5, 0.5]]), np.arange(2)).round(6)
    array([[[ 0.55,  0.55]],
    <BLANKLINE>
           [[-0.45,  0.45]]])
    """

    is_best_response = False  # the query's own is asked as well

    def __init__(self, arms: Arms, mu: FloatArray, i: int, level: float) -> None:
        self.arms, self.mu, self.i, self.level = arms, mu, i, level
        self.rivals = np.array([j for j in range(len(mu)) if j != i], dtype=np.intp)
        self.numbers = np.arange(2 * len(self.rivals), dtype=np.int64)

    def points(self, w: FloatArray, pieces: NDArray[np.intp]) -> FloatArray:
        """The nearest points (P, R, K) of some pieces (P,) for weights w (R, K)."""
        g, i, arms = self.level, self.i, self.arms
        low, high, j = arms.lower_ends, arms.upper_ends, self.rivals[pieces // 2]
        mu = np.ascontiguousarray(np.broadcast_to(self.mu, w.shape))
        up = pieces % 2 == 0
        best = np.full((len(pieces), len(w)), np.inf)
        point = np.repeat(mu[None], len(pieces), axis=0)
        for sign, shift in ((1.0, 0.0), (-1.0, 2.0 * g)):
            ends = (low, high) if sign > 0 else (2.0 * g - high, 2.0 * g - low)
            bottom, top = np.maximum(low[i], ends[0]), np.minimum(high[i], ends[1])
            above = on_line(arms, i, w, mu, sign, shift, np.full_like(top, g), top)
            below = on_line(arms, i, w, mu, sign, shift, bottom, np.full_like(bottom, g))
            x, y, cost = (np.where(up, u[:, j], v[:, j]).T for u, v in zip(above, below, strict=True))
            nearer = np.argwhere(cost < best)
            at = tuple(nearer.T)
            best[at] = cost[at]
            point[(*at, np.full(len(nearer), i))] = x[at]
            point[(*at, j[at[0]])] = y[at]
        inside = np.where(up, self.mu[i] - self.mu[j], self.mu[j] - self.mu[i]) >= 0
        inside &= np.where(up, 1.0, -1.0) * (self.mu[i] + self.mu[j] - 2.0 * g) >= 0
        point[inside] = self.mu
        return point

    def bend(self, w: FloatArray, q: FloatArray, points: FloatArray, pieces: NDArray[np.intp]) -> FloatArray:
        """How payoffs bend: both arms go up together, or one up and one down."""
        j, each = self.rivals[pieces // 2], np.arange(len(pieces))
        signs = np.ones(points.shape)
        signs[each, j] = np.where(points[each, j] == points[:, self.i], 1.0, -1.0)
        return bend_of_one_level(self.arms, self.mu, w, q, points, signs)
