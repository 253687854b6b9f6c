"""What max-min and max-max-min oracles return."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray


class MaxMin(NamedTuple):
    r"""The game $D_{\mu,i} = \max_w \inf_{\lambda \in \neg i} \sum_k w_k d(\mu_k, \lambda_k)$, row by row.

    value (R,); allocation (R, K): the maximiser w; gap (R,): the relative gap to an upper bound, 0 for a
    closed form. A special oracle that cannot solve a row gives the value nan, and the generic one takes over.
    """

    value: FloatArray
    allocation: FloatArray
    gap: FloatArray


class Optimistic(NamedTuple):
    r"""$\max_i \max_{\xi \in [a, b]} D_{\xi,i}$ over a confidence box, row by row.

    answer (R,), value (R,), point (R, K): the model $\mu^+$; allocation (R, K): its w; gap (R,): the relative
    distance of the value to its certified upper bound.
    """

    answer: NDArray[np.int64]
    value: FloatArray
    point: FloatArray
    allocation: FloatArray
    gap: FloatArray
