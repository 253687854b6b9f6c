"""The pieces of best arm and top-M next to one model, all at once: two arms tie, the others stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.families import Arms


class TiedPairs:
    r"""The pieces $\{\lambda_b \ge \lambda_a\}$ for pairs (a, b), as `NearestPoints`.

    $\lambda_a = \lambda_b = m$, the weighted mean within one family; $\lambda = \mu$ where b is not behind.

    >>> from purex.families import Gaussian
    >>> arms, mu = Arms.of(Gaussian(), 2), np.array([1.0, 0.0])
    >>> TiedPairs(arms, mu, [(0, 1)]).points(np.array([[0.75, 0.25]]), np.arange(1))
    array([[[0.75, 0.75]]])
    """

    is_best_response = False  # the query's own is asked as well

    def __init__(self, arms: Arms, mu: FloatArray, pairs: Sequence[tuple[int, int]]) -> None:
        self.arms, self.mu = arms, mu
        self.pairs = np.array(pairs, dtype=np.intp).reshape(-1, 2)
        self.numbers = np.arange(len(self.pairs), dtype=np.int64)
        groups: dict[Any, list[int]] = {}  # a call of `tied_mean` for each pair of families
        for number, (a, b) in enumerate(self.pairs):
            groups.setdefault((arms.families[a], arms.families[b]), []).append(number)
        self._first = np.empty(len(self.pairs), dtype=np.intp)  # a pair of the same families
        for group in groups.values():
            self._first[group] = group[0]

    def points(self, w: FloatArray, pieces: NDArray[np.intp]) -> FloatArray:
        """The nearest points (P, R, K) of some pieces (P,) for weights w (R, K)."""
        a, b = self.pairs[pieces].T
        x, y = self.mu[a], self.mu[b]
        m = np.empty((len(w), len(pieces)))
        for first in np.unique(self._first[pieces]):
            one = np.flatnonzero(self._first[pieces] == first)
            first_a, first_b = (int(k) for k in self.pairs[first])
            m[:, one] = self.arms.tied_mean(first_a, first_b, w[:, a[one]], x[one], w[:, b[one]], y[one])
        point = np.broadcast_to(self.mu, (len(pieces), *w.shape)).copy()
        each = np.arange(len(pieces))
        point[each, :, a] = np.where(y < x, m, x).T
        point[each, :, b] = np.where(y < x, m, y).T
        return point

    def bend(self, w: FloatArray, q: FloatArray, points: FloatArray, pieces: NDArray[np.intp]) -> FloatArray:
        """How payoffs bend: all arms that a piece moves go together."""
        return bend_of_one_level(self.arms, self.mu, w, q, points)


def bend_of_one_level(
    arms: Arms,
    mu: FloatArray,
    w: FloatArray,
    q: FloatArray,
    points: FloatArray,
    signs: FloatArray | float = 1.0,
) -> FloatArray:
    r"""How payoffs bend where each piece moves its arms by one common amount x, up or (sign -1) down.

    $\lambda^k = \pm x + c_k$ for the arms that move, so $\partial x/\partial w^l = -d'_l/\sum_k w^k d''_k$
    with the derivatives of $d(\mu^k, \lambda^k)$ in x, and $\partial d_k/\partial \ln w^l = d'_k w^l\,
    \partial x/\partial w^l$.
    """
    moved = points != mu
    slopes = np.where(moved, signs * arms.slope(mu, points), 0.0)
    resistance = np.where(moved, w * arms.curvature(mu, points), 0.0).sum(axis=1)
    solid = resistance > 0
    return np.asarray(-(slopes[solid].T * (q[solid] / resistance[solid])) @ (slopes[solid] * w))
