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

    def __call__(
        self, i: NDArray[np.int64], w: NDArray[np.float64], xi: NDArray[np.float64], /
    ) -> Response: ...
