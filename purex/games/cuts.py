r"""The game against finitely many alternatives: a linear program and its dual."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.games.opponent import Answers

TOLERANCE = 1e-10  # the smallest that HiGHS takes
LARGEST_COEFFICIENT = 1e12  # HiGHS refuses 1e15; a weight of 1e-12 more is asked for at most
LOOSE = 2.0  # a cut is loose if it allows this many times the value of the game


class Vertex(NamedTuple):
    """Optimal strategies w (K,) and q (M,) of the game against the points of M cuts."""

    w: FloatArray
    q: FloatArray


class Cuts(NamedTuple):
    r"""Points (M, K) of the alternative, the pieces they are `of` (M,), and their divergences G (M, K).

    Each row $G_{mk} = d(\mu^k, \lambda_m^k)$ is a cut: an allocation w is worth no more than
    $\sum_k w^k G_{mk}$.
    """

    G: FloatArray
    points: FloatArray
    of: NDArray[np.intp]

    @classmethod
    def among(cls, answers: Answers) -> Cuts:
        """The cuts that answers give."""
        J, R, K = answers.d.shape
        G, points = answers.d.reshape(-1, K), answers.points.reshape(J * R, -1)
        # A point at the edge of the domain may be infinitely far from an arm of weight zero: that says
        # nothing about other weights.
        finite = np.isfinite(G).all(axis=1) & np.isfinite(answers.value).reshape(-1)
        return cls(G[finite], points[finite], np.repeat(np.arange(J), R)[finite])

    def join(self, other: Cuts) -> Cuts:
        """These cuts and others."""
        return Cuts(
            np.concatenate([self.G, other.G]),
            np.concatenate([self.points, other.points]),
            np.concatenate([self.of, other.of]),
        )

    def tight(self, w: FloatArray, value: float) -> Cuts:
        """The cuts that are not loose at w, where the game against all of them has this value."""
        keep = self.G @ w <= LOOSE * value
        return Cuts(self.G[keep], self.points[keep], self.of[keep])

    def solve(self, v: float) -> Vertex | None:
        r"""The solution of $\min \sum_k w^k$ over $\sum_k w^k G_{mk} \ge v$, normalised; None if HiGHS fails.

        That is the game in homogeneous form. In units of v, about the value of the game, its rows are of
        order one where they are tight, so that HiGHS' tolerances are relative ones.

        >>> G = np.array([[4.0, 0.0], [0.0, 1.0]])   # two arms with thresholds at distances 4 and 1
        >>> w, q = Cuts(G, G, np.arange(2)).solve(1.0)
        >>> w.round(9), q.round(9)                   # w is proportional to 1/d
        (array([0.2, 0.8]), array([0.2, 0.8]))
        """
        from scipy.optimize import linprog

        M, K = self.G.shape
        result = linprog(
            np.ones(K),
            A_ub=-np.minimum(self.G / v, LARGEST_COEFFICIENT),
            b_ub=np.full(M, -1.0),
            method="highs-ds",
            options={
                "presolve": False,
                "primal_feasibility_tolerance": TOLERANCE,
                "dual_feasibility_tolerance": TOLERANCE,
            },
        )
        if result.x is None:
            return None
        w, q = np.maximum(result.x, 0.0), np.maximum(-result.ineqlin.marginals, 0.0)
        return Vertex(w / w.sum(), q / q.sum()) if w.any() and q.any() else None


def natural_size(w: FloatArray, G: FloatArray, v: float) -> FloatArray:
    r"""How large weights w on the columns of G (M, K) should be: at least $v / \max_m G_{mk}$, at most 1.

    Where gaps differ, so do the weights of $w^*$ (1e-7 for an arm 0.1 below two arms 1e-4 apart); in
    units of their sizes all equations of the game are of order one.

    >>> print(natural_size(np.array([1.0, 0.0]), np.array([[1.0, 50.0], [1.0, 100.0]]), 1.0))
    [1.   0.01]
    """
    return np.asarray(np.minimum(1.0, np.maximum(w, v / np.maximum(G.max(axis=0), v))))
