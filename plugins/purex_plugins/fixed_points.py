"""The pieces of thresholding and minimum threshold next to one model: fixed points, whatever the weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray


class FixedPoints:
    """Pieces that are intervals in each arm, as `NearestPoints`: the same points (P, K) for all weights.

    >>> nearest = FixedPoints(np.array([[0.5, 0.2], [0.7, 0.5]]))  # of means 0.7 and 0.2, a threshold at 0.5
    >>> nearest.points(np.array([[0.9, 0.1]]), np.array([1]))
    array([[[0.7, 0.5]]])
    """

    is_best_response = False  # the query's own is asked as well

    def __init__(self, points: FloatArray) -> None:
        self._points = points
        self.numbers = np.arange(len(points), dtype=np.int64)

    def points(self, w: FloatArray, pieces: NDArray[np.intp]) -> FloatArray:
        """The nearest points (P, R, K) of some pieces (P,) for weights w (R, K)."""
        chosen = self._points[pieces]
        return np.repeat(chosen[:, None], len(w), axis=1)

    def bend(self, w: FloatArray, q: FloatArray, points: FloatArray, pieces: NDArray[np.intp]) -> FloatArray:
        """Payoffs do not bend."""
        return np.zeros((len(w), len(w)))
