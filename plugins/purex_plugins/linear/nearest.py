"""Gaussian arms in a linear subspace: the nearest points of all half-spaces at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.families import Arms

REGULAR = 1e-9  # the least share of the information that every direction gets, or else
FLOOR = 1e-10  # each arm gets this part of the largest weight: otherwise some models would cost nothing


class HalfSpacesInSpan:
    r"""The pieces $\{a_p^\top \lambda \le b_p\}$ within the span of a basis B (K, d), as `NearestPoints`.

    With weights W (times the precisions of the arms) the nearest point to $\mu = B\theta$ is
    $\mu - \frac{(a^\top\mu - b)_+}{a^\top C a} C a$, where $C = B (B^\top W B)^{-1} B^\top$: weighted least
    squares with one constraint.

    >>> from purex.families import Gaussian
    >>> plane, mu = np.eye(2), np.array([1.0, 0.0])
    >>> nearest = HalfSpacesInSpan(Arms.of(Gaussian(), 2), mu, plane, np.arange(1), [[1.0, -1.0]], [0.0])
    >>> nearest.points(np.array([[0.75, 0.25]]), np.arange(1)).round(9)
    array([[[0.75, 0.75]]])
    """

    is_best_response = True  # that of the structure would go through all pieces where some weight is 0

    def __init__(
        self,
        arms: Arms,
        mu: FloatArray,
        basis: FloatArray,
        numbers: IntArray,
        normals: FloatArray,
        levels: FloatArray,
    ) -> None:
        self.arms, self.mu, self.basis, self.numbers = arms, mu, basis, np.asarray(numbers, dtype=np.int64)
        normals = np.asarray(normals, dtype=np.float64)
        self.along = normals @ basis  # (P, d): what the rows are in the span
        self.excess = np.maximum(normals @ mu - levels, 0.0)

    def points(self, w: FloatArray, pieces: NDArray[np.intp]) -> FloatArray:
        """The nearest points (P, R, K) of some pieces (P,) for weights w (R, K)."""
        found = np.empty((len(pieces), *w.shape))
        for r, row in enumerate(w):
            solved = np.linalg.solve(self._form(row), self.along[pieces].T).T  # (P, d)
            length = (solved * self.along[pieces]).sum(axis=1)
            found[:, r] = self.mu - (self.excess[pieces] / length)[:, None] * (solved @ self.basis.T)
        return found

    def _form(self, w: FloatArray) -> FloatArray:
        """The quadratic form $B^T W B$ on the span, as it is if it is regular."""
        form = self._weighed(w)
        pivots = np.linalg.eigvalsh(form)
        return form if pivots[0] > REGULAR * pivots[-1] else self._weighed(np.maximum(w, FLOOR * w.max()))

    def _weighed(self, w: FloatArray) -> FloatArray:
        return np.asarray((self.basis * (w * self.arms.scales)[:, None]).T @ self.basis)

    def bend(self, w: FloatArray, q: FloatArray, points: FloatArray, pieces: NDArray[np.intp]) -> FloatArray:
        r"""How payoffs bend: along the span and the face of the half-space.

        $-\sum_p q_p D_p (C - C a a^\top C / a^\top C a) D_p W$, with the slopes of the costs on the diagonal
        of $D_p$.
        """
        slopes = self.arms.slope(self.mu, points)
        inverse = np.linalg.inv(self._form(w))
        C = self.basis @ inverse @ self.basis.T
        across = self.along[pieces] @ inverse  # (P, d)
        length = (across * self.along[pieces]).sum(axis=1)
        one_way = slopes * (across @ self.basis.T)
        total = C * ((slopes.T * q) @ slopes) - (one_way.T * (q / length)) @ one_way
        return np.asarray(-total * w)
