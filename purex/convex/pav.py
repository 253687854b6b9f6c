"""Pool-adjacent-violators: best responses on chains, exact for every exponential family."""

from __future__ import annotations

import numpy as np

from purex.jit import guvectorize


@guvectorize(["(f8[:], f8[:], f8[:], f8[:], f8[:])"], "(k),(k),(k),(k)->(k)")
def chain_fit(w, mu, lower, upper, fit):
    r"""Minimise $\sum_k w_k d(\mu_k, x_k)$ over $x_1 \le \dots \le x_K$, $l_k \le x_k \le u_k$.

    The minimiser is the same for every Bregman divergence d (Robertson, Wright & Dykstra 1988,
    theorem 1.5.1): blocks take their weighted mean, clipped to the block's bounds. Bounds must be
    nondecreasing along the chain. Arms of weight zero are left out and filled in afterwards with the
    feasible value nearest to their mean; so they never move the others.
    """
    K = len(w)
    weight, total = fit.copy(), fit.copy()  # scratch of the right size and type
    low, high, value = fit.copy(), fit.copy(), fit.copy()
    least, most = fit.copy(), fit.copy()  # the extreme means of each block
    end = [0] * K  # the last arm of each block
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
            weight[n - 1] += weight[n]
            total[n - 1] += total[n]
            low[n - 1] = max(low[n - 1], low[n])
            high[n - 1] = min(high[n - 1], high[n])
            end[n - 1] = end[n]
            least[n - 1] = min(least[n - 1], least[n])
            most[n - 1] = max(most[n - 1], most[n])
            mean = total[n - 1] / weight[n - 1]
            # A mean strictly between its members may round onto one of them; on the edge of the
            # domain (a mean of exactly 1) that would make an infinitesimal cost infinite.
            if mean >= most[n - 1] > least[n - 1]:
                mean = np.nextafter(most[n - 1], least[n - 1])
            elif mean <= least[n - 1] < most[n - 1]:
                mean = np.nextafter(least[n - 1], most[n - 1])
            value[n - 1] = min(max(mean, low[n - 1]), high[n - 1])
    block, floor = 0, lower[0]
    for k in range(K):
        while block < n and k > end[block]:
            floor = value[block]
            block += 1
        if w[k] > 0.0:
            fit[k] = value[block]
            floor = fit[k]
        else:
            ceiling = upper[k]
            if block < n:
                ceiling = min(ceiling, value[block])
            fit[k] = min(max(mu[k], lower[k], floor), ceiling)
            floor = fit[k]
