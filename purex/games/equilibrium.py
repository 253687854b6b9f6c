r"""The solution of the game between the k-player and the $\lambda$-player, and its certificate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.families import Arms
from purex.games.opponent import PieceByPiece, Pieces


class Mixture(NamedTuple):
    r"""A mixed strategy q of the $\lambda$-player: finitely many models, each with its probability.

    weights (M,) sum to one; points (M, K) are models of the alternative; pieces (M,) say which of the
    declared pieces each lies in. At most K points are needed "due to dimension constraints" (section 1 of
    the paper): $q^*$ chooses a boundary point of a convex hull in $R^K$.
    """

    weights: FloatArray
    points: FloatArray
    pieces: IntArray

    @classmethod
    def empty(cls, n_arms: int) -> Mixture:
        """No model at all: the alternative is empty, or out of reach."""
        return cls(np.zeros(0), np.zeros((0, n_arms)), np.zeros(0, dtype=np.int64))

    def payoff(self, arms: Arms, mu: FloatArray) -> FloatArray:
        r"""What each arm earns against this mixture, $E_{\lambda \sim q}\, d(\mu^k, \lambda^k)$, (K,)."""
        d = arms.d(mu, self.points)
        return np.asarray(np.einsum("m,mk->k", self.weights, d))


class Equilibrium(NamedTuple):
    r"""The saddle point $D_\mu = \max_w \inf_{\lambda \in \neg i} \sum_k w^k d(\mu^k, \lambda^k)$, by rows.

    Section 1 of the paper, equation 1. value (R,): the certified lower bound, what the allocation
    guarantees against every alternative; allocation (R, K): $w^*$; mixture: one $q^*$ per row; gap (R,):
    the relative duality gap `|upper - value|/upper`, where $\max_k E_{\lambda \sim q} d(\mu^k, \lambda^k)$,
    the upper side, bounds $D_\mu$ from above (rounding may turn the sides around where gaps of means are
    tiny); iterations (R,): linear programs and Newton steps it took.

    Without alternatives the value is infinite, and where mu lies in the closure of its own alternative
    it is 0: then the allocation is uniform and the gap 0.
    """

    value: FloatArray
    allocation: FloatArray
    mixture: tuple[Mixture, ...]
    gap: FloatArray
    iterations: IntArray

    @classmethod
    def stack(cls, rows: Sequence[Equilibrium]) -> Equilibrium:
        """Several equilibria as one batch."""
        return cls(
            np.concatenate([row.value for row in rows]),
            np.concatenate([row.allocation for row in rows]),
            tuple(q for row in rows for q in row.mixture),
            np.concatenate([row.gap for row in rows]),
            np.concatenate([row.iterations for row in rows]),
        )


def certificate(
    solvers: Pieces, arms: Arms, mu: FloatArray, w: FloatArray, mixture: Mixture
) -> tuple[float, float]:
    r"""Both sides of weak duality, computed afresh from the strategies (S35 of `purex verify`).

    $\inf_{\lambda \in \neg i} \sum_k w^k d(\mu^k, \lambda^k) \;\le\; D_\mu \;\le\;
    \max_k E_{\lambda \sim q}\, d(\mu^k, \lambda^k)$ for every w and every q.

    >>> from purex.families import Gaussian
    >>> from purex.problem import Problem
    >>> from purex_plugins.minimum_threshold import MinimumThreshold
    >>> problem = Problem(Arms.of(Gaussian(), 2), MinimumThreshold(2, threshold=0.6), oracle="generic")
    >>> q = Mixture(np.ones(1), np.array([[0.6, 0.6]]), np.zeros(1, dtype=np.int64))
    >>> lower, upper = certificate(problem.oracle.solvers(1), problem.arms, np.array([0.5, 0.6]),
    ...                            np.array([0.9, 0.1]), q)
    >>> round(lower, 6), round(upper, 6)
    (0.0045, 0.005)
    """
    lower = float(PieceByPiece(solvers, arms, mu).respond(w).value.min(initial=np.inf))
    upper = float(mixture.payoff(arms, mu).max()) if len(mixture.weights) else np.inf
    return lower, upper
