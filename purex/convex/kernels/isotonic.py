"""Fits that never fall: pool-adjacent-violators for one row, compiled, in memory that is given."""

from __future__ import annotations

import numpy as np

from purex.convex.kernels.heavy import keep_heavy
from purex.jit import njit

FIT_SIZE = 8  # vectors of scratch that a fit needs


@njit
def increasing_fit(K, w, mu, lower, upper, fit, scratch):
    r"""Minimise $\sum_k w_k d(\mu_k, x_k)$ over $x_1 \le \dots \le x_K$, $l_k \le x_k \le u_k$; fills fit.

    The same for every Bregman divergence d (Robertson, Wright & Dykstra 1988, theorem 1.5.1): blocks take
    their weighted mean, clipped to the block's bounds, which must be nondecreasing. w are weights times
    scales. Only the first K entries count. Arms of weight zero never move the others: they get the feasible
    value nearest to their mean. `scratch` has FIT_SIZE numbers for each arm.
    """
    size = len(scratch) // FIT_SIZE
    weight, total, low, high = scratch[:size], scratch[size:], scratch[2 * size :], scratch[3 * size :]
    value, least, most, end = (
        scratch[4 * size :],
        scratch[5 * size :],
        scratch[6 * size :],
        scratch[7 * size :],
    )
    n = 0
    for k in range(K):
        if w[k] <= 0.0:
            continue
        weight[n], total[n], low[n], high[n], end[n] = w[k], w[k] * mu[k], lower[k], upper[k], k
        least[n] = most[n] = mu[k]
        value[n] = min(max(mu[k], lower[k]), upper[k])
        n += 1
        while n > 1 and value[n - 2] > value[n - 1]:
            n -= 1
            a, b = n - 1, n
            weight[a] += weight[b]
            total[a] += total[b]
            low[a], high[a] = max(low[a], low[b]), min(high[a], high[b])
            least[a], most[a] = min(least[a], least[b]), max(most[a], most[b])
            end[a] = end[b]
            mean = total[a] / weight[a]
            # A mean strictly between its members must not be rounded onto one of them: on the edge of
            # the domain an infinitesimal cost would become infinite.
            if mean >= most[a] > least[a]:
                mean = np.nextafter(most[a], least[a])
            elif mean <= least[a] < most[a]:
                mean = np.nextafter(least[a], most[a])
            value[a] = min(max(mean, low[a]), high[a])
    block, floor = 0, lower[0]
    for k in range(K):
        while block < n and k > end[block]:
            floor = value[block]
            block += 1
        if w[k] > 0.0:
            fit[k] = value[block]
        else:
            ceiling = upper[k]
            if block < n:
                ceiling = min(ceiling, value[block])
            fit[k] = min(max(mu[k], lower[k], floor), ceiling)
        floor = fit[k]
    keep_heavy(K, w, mu, fit)
