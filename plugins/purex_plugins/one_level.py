"""Structures in which a piece is reached by one level x that other arms follow, all pieces at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.families import Arms
from purex_plugins.tied_pairs import bend_of_one_level

ROUNDS = 100  # of Newton's method in a bracket; it is halved at least every other time


class OneLevel:
    r"""Pieces whose nearest point is $\lambda_k = \min(\max(\mu_k, x - r_k), x + s_k)$ for the best level x.

    `below` = r and `above` = s (P, K) say how far each arm may be from the level, infinite where it does not
    care; the arms with 0 and 0 are at it. The level of piece p lies in [low_p, high_p]. The cost is convex in
    x; where `is_order` (r and s are 0 or infinite and arms share a family) its slope has the sign of
    $\sum_k w_k s_k (\lambda_k - \mu_k)$ for every family.

    >>> from purex.families import Gaussian
    >>> free = np.array([[0.0, 0.0, 0.1]])   # arms 0 and 1 tie, arm 2 may be 0.1 away
    >>> arms, mu = Arms.of(Gaussian(), 3), np.array([1.0, 0.0, 0.8])
    >>> nearest = OneLevel(arms, mu, np.arange(1), free, free, mu[1:2], mu[:1])
    >>> nearest.points(np.full((1, 3), 1 / 3), np.arange(1)).round(6)
    array([[[0.566667, 0.566667, 0.666667]]])
    """

    is_best_response = False  # the query's own is asked as well

    def __init__(
        self,
        arms: Arms,
        mu: FloatArray,
        numbers: IntArray,
        below: FloatArray,
        above: FloatArray,
        low: FloatArray,
        high: FloatArray,
        is_order: bool = False,
    ) -> None:
        self.arms, self.mu, self.numbers = arms, mu, np.asarray(numbers, dtype=np.int64)
        self.below, self.above, self.is_order = below, above, is_order
        self.low, self.high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)

    def points(self, w: FloatArray, pieces: NDArray[np.intp]) -> FloatArray:
        """The nearest points (P, R, K) of some pieces (P,) for weights w (R, K)."""
        return np.stack([self._at(self._level(row, pieces), pieces) for row in w], axis=1)

    def _at(self, x: FloatArray, pieces: NDArray[np.intp]) -> FloatArray:
        """The nearest points (P, K) whose levels are x (P,)."""
        return np.minimum(
            np.maximum(self.mu, x[:, None] - self.below[pieces]), x[:, None] + self.above[pieces]
        )

    def _level(self, w: FloatArray, pieces: NDArray[np.intp]) -> FloatArray:
        """The best levels (P,) for weights w (K,): roots of the slope by Newton's method in a bracket."""
        low, high = self.low[pieces].copy(), self.high[pieces].copy()
        x = 0.5 * (low + high)
        active = np.flatnonzero(low < high)
        for attempt in range(ROUNDS):
            if len(active) == 0:
                break
            with np.errstate(all="ignore"):  # at the edge of a domain, where costs end
                slope, curvature = self._slope(w, x[active], pieces[active])
            high[active] = np.where(slope >= 0, x[active], high[active])
            low[active] = np.where(slope <= 0, x[active], low[active])
            with np.errstate(divide="ignore", invalid="ignore"):
                step = slope / curvature
            middle = 0.5 * (low[active] + high[active])
            new = x[active] - step
            inside = (new > low[active]) & (new < high[active])
            # every third step halves the bracket: Newton's method might go to and fro between kinks
            new = np.where(inside & (attempt % 3 < 2), new, middle)
            still = (low[active] < middle) & (middle < high[active]) & (new != x[active])
            x[active] = np.where(still, new, x[active])
            active = active[still]
        return x

    def _slope(self, w: FloatArray, x: FloatArray, pieces: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        """Slope and curvature in x (P,) of the costs."""
        lam = self._at(x, pieces)
        moved = lam != self.mu
        if self.is_order:
            W = np.where(moved, w * self.arms.scales, 0.0)
            return (W * (lam - self.mu)).sum(axis=1), W.sum(axis=1)
        slopes = np.where(moved, w * self.arms.slope(self.mu, lam), 0.0)
        return slopes.sum(axis=1), np.where(moved, w * self.arms.curvature(self.mu, lam), 0.0).sum(axis=1)

    def bend(self, w: FloatArray, q: FloatArray, points: FloatArray, pieces: NDArray[np.intp]) -> FloatArray:
        """How payoffs bend: all arms that a piece moves go together."""
        return bend_of_one_level(self.arms, self.mu, w, q, points)
