"""Pool-adjacent-violators: best responses on chains, exact for every exponential family."""

from __future__ import annotations

import numpy as np

from purex.convex.kernels.isotonic import FIT_SIZE, increasing_fit
from purex.jit import guvectorize


@guvectorize(["(f8[:], f8[:], f8[:], f8[:], f8[:])"], "(k),(k),(k),(k)->(k)")
def chain_fit(w, mu, lower, upper, fit):
    r"""Minimise $\sum_k w_k d(\mu_k, x_k)$ over $x_1 \le \dots \le x_K$, $l_k \le x_k \le u_k$, row by row.

    Bounds must be nondecreasing along the chain.
    """
    increasing_fit(len(w), w, mu, lower, upper, fit, np.empty(FIT_SIZE * len(w)))
