"""What an oracle of the operation "pieces" returns: all pieces of an alternative, next to one model."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class NearestPoints(Protocol):
    r"""The pieces p of the alternative to one answer, seen from one model mu (K,): each one's nearest point.

    $\lambda_p(w) = \arg\min_{\lambda \in p} \sum_k w^k d(\mu^k, \lambda^k)$, for all pieces in one call.
    Pieces that are never nearer than others may be left out: the value of a game is certified by the best
    response.
    """

    numbers: NDArray[np.int64]  # (J,): which of the declared pieces they are, as in `Response.piece`
    is_best_response: bool  # whether the nearest of all points may stand for the best response to the answer

    def points(self, w: NDArray[np.float64], pieces: NDArray[np.intp]) -> NDArray[np.float64]:
        """The nearest points (P, R, K) of some pieces (P,) for weights w (R, K), of which some may be 0."""
        ...

    def bend(
        self,
        w: NDArray[np.float64],
        q: NDArray[np.float64],
        points: NDArray[np.float64],
        pieces: NDArray[np.intp],
    ) -> NDArray[np.float64]:
        r"""How payoffs bend: $\sum_p q_p\, \partial d(\mu^k, \lambda_p^k(w)) / \partial \ln w^l$ at [k, l].

        For weights w (K,) > 0, shares q (P,) and the points (P, K) of some pieces (P,) at w.
        """
        ...
