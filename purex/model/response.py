"""What a best-response oracle returns."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Response(NamedTuple):
    r"""The $\lambda$-player's best response, row by row.

    value (R,): $\inf_{\lambda \in \neg i} \sum_k w^k d(\xi^k, \lambda^k)$; point (R, K): the minimiser;
    piece (R,): its index among the declared alternatives (-1 when there is none: the value is infinite).
    With a structure of several cells, piece = alternative * number of cells + cell.
    """

    value: NDArray[np.float64]
    point: NDArray[np.float64]
    piece: NDArray[np.int64]


class BestResponse(Protocol):
    """A best-response oracle: answers i (R,), weights w (R, K), points xi (R, K) -> `Response`."""

    def __call__(self, i: NDArray[np.int64], w: NDArray[np.float64], xi: NDArray[np.float64], /) -> Response:
        """The best responses."""
        ...


class Projection(Protocol):
    r"""The likeliest point of M, $\arg\min_{\lambda \in M} \sum_k N_k d(\mu_k, \lambda_k)$, row by row."""

    def __call__(
        self,
        N: NDArray[np.float64],
        mu: NDArray[np.float64],
        lower: NDArray[np.float64] | None = None,
        upper: NDArray[np.float64] | None = None,
        /,
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The points (R, K), inside the boxes [lower, upper] (R, K) if given, and which rows have one."""
        ...


class Cheapest:
    """The cheapest of several candidates, row by row: what every best response ends with.

    Exact ties go to the candidate offered first; but where xi itself is a candidate, the response is
    xi, also if pieces with weights of zero are reached at no cost.

    >>> best = Cheapest(np.zeros((2, 1)))
    >>> for piece, cost in enumerate(([1.0, 2.0], [3.0, 2.0])):
    ...     best.offer(piece, np.array(cost), np.full((2, 1), 0.5))
    >>> best.response().piece
    array([0, 0])
    """

    def __init__(self, xi: NDArray[np.float64]) -> None:
        self.xi = xi
        self.value = np.full(len(xi), np.inf)
        self.point = xi.copy()
        self.piece = np.full(len(xi), -1, dtype=np.int64)
        self._stays = np.zeros(len(xi), dtype=bool)

    def offer(
        self,
        piece: int,
        cost: NDArray[np.float64],
        point: NDArray[np.float64],
        rows: NDArray[np.intp] | slice = slice(None),
        feasible: NDArray[np.bool_] | bool = True,
    ) -> None:
        """Offer one candidate for each of these rows, at this cost; an infeasible one is passed over."""
        stays = (point == self.xi[rows]).all(axis=1)
        better = (cost < self.value[rows]) | (self.piece[rows] < 0)
        better |= stays & ~self._stays[rows] & (cost <= self.value[rows])
        at = np.arange(len(self.xi))[rows][better & feasible]
        chosen = better & feasible
        self.value[at], self.point[at], self.piece[at] = cost[chosen], point[chosen], piece
        self._stays[at] = stays[chosen]

    def response(self) -> Response:
        """The responses."""
        return Response(self.value, self.point, self.piece)
