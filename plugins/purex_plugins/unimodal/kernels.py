"""Unimodal means, compiled: projection, and the best response of best arm. Importing this imports numba."""

from __future__ import annotations

import math

import numpy as np

from purex.convex.kernels.heavy import keep_heavy
from purex.convex.kernels.isotonic import FIT_SIZE, increasing_fit
from purex.families.compiled.divergence import divergence
from purex.jit import njit
from purex_plugins.transport import move_arm

VECTORS = 5  # of a fit: weights, bounds, the fit itself, and what each mode costs at least
SURE = 1e-10  # a bound that exceeds a cost by this fraction does so for certain
NOISE = 1e-22  # of costs at weight and mean 1
SIDE_VECTORS = 5  # of one side of it: weights, means, bounds, fit


def scratch_size(n_arms):
    """How many numbers the functions of this module need to work with."""
    return (VECTORS + SIDE_VECTORS + FIT_SIZE) * n_arms


@njit
def side_fit(mode, step, v, x, low, high, fit, scratch):
    """The best rising fit of the arms on one side of the mode: before it (step 1) or after it (step -1).

    Bounds hold along the order: a lower one for all arms nearer to the mode, an upper one for all farther.
    Fills the entries of `fit` on this side; returns the largest lower bound, and whether there is a fit.
    """
    size = len(v)
    n = mode if step > 0 else size - 1 - mode
    first = 0 if step > 0 else size - 1
    weight, mean, floor, ceiling, found = (
        scratch[:size], scratch[size : 2 * size], scratch[2 * size : 3 * size],
        scratch[3 * size : 4 * size], scratch[4 * size : 5 * size],
    )  # fmt: skip
    least = -math.inf
    for p in range(n):
        k = first + step * p
        weight[p], mean[p] = v[k], x[k]
        least = max(least, low[k])
        floor[p] = least
    most = high[mode]
    is_possible = True
    for q in range(n):
        p = n - 1 - q
        most = min(most, high[first + step * p])
        ceiling[p] = most
        is_possible &= floor[p] <= most
    if n > 0 and is_possible:
        increasing_fit(n, weight, mean, floor, ceiling, found, scratch[SIDE_VECTORS * size :])
        for p in range(n):
            fit[first + step * p] = found[p]
    return least, is_possible


@njit
def mode_fit(mode, v, x, low, high, fit, scratch):
    """The best fit with its mode here, within bounds of each arm; returns whether there is one.

    Both sides are fitted by themselves. Then the mode takes in, from the top, what would be above it: it is
    the mean of all that it has taken in.
    """
    K = len(v)
    floor_left, left = side_fit(mode, 1, v, x, low, high, fit, scratch)
    floor_right, right = side_fit(mode, -1, v, x, low, high, fit, scratch)
    floor, ceiling = max(low[mode], floor_left, floor_right), high[mode]
    if not (left and right and floor <= ceiling):
        return False
    weight, total, least, most = v[mode], v[mode] * x[mode], x[mode], x[mode]
    top = min(max(x[mode], floor), ceiling)
    a, b = mode - 1, mode + 1
    while True:
        from_left = fit[a] if a >= 0 else -math.inf
        from_right = fit[b] if b < K else -math.inf
        height = max(from_left, from_right)
        if not height > top:
            break
        if from_left >= from_right:
            k = a
            a -= 1
        else:
            k = b
            b += 1
        if weight + v[k] == 0.0:
            top = height
            continue
        if weight == 0.0:
            least = most = x[k]
        if v[k] > 0.0:
            least, most = min(least, x[k]), max(most, x[k])
        weight += v[k]
        total += v[k] * x[k]
        mean = total / weight
        if mean >= most > least:  # see `increasing_fit`
            mean = np.nextafter(most, least)
        elif mean <= least < most:
            mean = np.nextafter(least, most)
        # above the height that was taken in it goes only where bounds keep the side down
        top = min(max(mean, floor), height)
    for k in range(K):
        if k == mode or fit[k] > top:
            fit[k] = top
    keep_heavy(K, v, x, fit)
    return True


@njit
def rising_costs(step, v, x, given, costs, scratch):
    r"""What a fit that rises costs at least, for the arms from an end up to each: first (step 1) or last.

    Adjacent violators are pooled as in `increasing_fit`, without bounds. A pool at its mean m costs what its
    parts do at theirs, and $\sum_j W_j d(m_j, m)$ more.
    """
    K = len(v)
    weight, mean, total = scratch[:K], scratch[K : 2 * K], scratch[2 * K : 3 * K]
    n, sum_before = 0, 0.0
    for p in range(K):
        k = p if step > 0 else K - 1 - p
        if v[k] > 0.0:
            weight[n], mean[n] = v[k], x[k]
            total[n] = sum_before
            n += 1
            while n > 1 and mean[n - 2] > mean[n - 1]:
                n -= 1
                a, b = n - 1, n
                both = weight[a] + weight[b]
                m = mean[b] + weight[a] / both * (mean[a] - mean[b])
                code, parameter = given.codes[0], given.parameters[0]
                rise = weight[a] * divergence(code, parameter, mean[a], m)
                rise += weight[b] * divergence(code, parameter, mean[b], m)
                total[a], weight[a], mean[a] = total[b] + rise, both, m
            sum_before = total[n - 1]
        costs[k] = sum_before


@njit
def mode_costs(v, x, given, least, scratch):
    """What a fit with its mode at each arm costs at least, into `least`: those of its two sides.

    The mode belongs to either: to the arms before it, or to those after it.
    """
    K = len(v)
    from_first, from_last = scratch[:K], scratch[K : 2 * K]
    rising_costs(1, v, x, given, from_first, scratch[2 * K :])
    rising_costs(-1, v, x, given, from_last, scratch[2 * K :])
    for mode in range(K):
        before = from_first[mode] + (from_last[mode + 1] if mode + 1 < K else 0.0)
        after = from_last[mode] + (from_first[mode - 1] if mode > 0 else 0.0)
        least[mode] = max(before, after)


@njit
def next_mode(least, value, noise):
    """The mode that costs least at least, and never again; -1 if all that are left cost more than `value`."""
    mode = 0
    for k in range(1, len(least)):
        if least[k] < least[mode]:
            mode = k
    if least[mode] == math.inf or least[mode] > value * (1.0 + SURE) + noise:
        return -1
    least[mode] = math.inf
    return mode


@njit
def rounding_of_costs(v, x):
    """What rounding errors of means may add to costs, next to a small part of them."""
    most = size = 0.0
    for k in range(len(v)):
        most, size = max(most, v[k]), max(size, abs(x[k]))
    return NOISE * most * size * size


@njit
def cost_of(fit, w, xi, given):
    """What it costs to move to a fit."""
    cost = 0.0
    for k in range(len(xi)):
        cost += move_arm(k, w, xi, given, fit[k])
    return cost


@njit
def project(boxed, N, mu, low, high, given, point, scratch):
    """The likeliest unimodal point, in the box [low, high] if `boxed`; returns whether there is one."""
    K = len(mu)
    v, floor, ceiling, fit = scratch[:K], scratch[K : 2 * K], scratch[2 * K : 3 * K], scratch[3 * K : 4 * K]
    rest = scratch[VECTORS * K :]
    inside = True
    for k in range(K):
        v[k] = N[k] * given.scales[k]
        floor[k] = max(given.lower, low[k]) if boxed else given.lower
        ceiling[k] = min(given.upper, high[k]) if boxed else given.upper
        inside &= floor[k] <= mu[k] <= ceiling[k]
    first, last = plateau(mu)
    if inside and first <= last:
        for k in range(K):
            point[k] = mu[k]
        return True
    least = scratch[4 * K : 5 * K]
    mode_costs(v, mu, given, least, rest)
    value, best, mode = math.inf, -1, next_mode(least, math.inf, 0.0)
    noise = rounding_of_costs(v, mu)
    while mode >= 0:
        if mode_fit(mode, v, mu, floor, ceiling, fit, rest):
            cost = cost_of(fit, N, mu, given)
            if best < 0 or cost < value or (cost == value and mode < best):
                value, best = cost, mode
                for k in range(K):
                    point[k] = fit[k]
        mode = next_mode(least, value, noise)
    return best >= 0


@njit
def plateau(x):
    """The first and the last of the modes; the first is larger if means are not unimodal."""
    K = len(x)
    first = 0
    for k in range(1, K):
        if x[k] > x[first]:
            first = k
    last = first
    while last + 1 < K and x[last + 1] == x[first]:
        last += 1
    for k in range(1, first + 1):
        if x[k] < x[k - 1]:
            return K, -1
    for k in range(last + 1, K):
        if x[k] > x[k - 1]:
            return K, -1
    return first, last


@njit
def best_response(i, w, xi, given, point, scratch):
    """Best arm: the cheapest fit whose mode is another arm; next to a unimodal xi only neighbours count.

    Fills point, returns value and piece: that of the mode's being as good, in the mode's cell.
    """
    K = len(xi)
    v, floor, ceiling, fit = scratch[:K], scratch[K : 2 * K], scratch[2 * K : 3 * K], scratch[3 * K : 4 * K]
    rest = scratch[VECTORS * K :]
    inside = True
    for k in range(K):
        v[k], floor[k], ceiling[k] = w[k] * given.scales[k], given.lower, given.upper
        point[k] = xi[k]
        inside &= given.lower <= xi[k] <= given.upper
    first, last = plateau(xi)
    is_model = inside and first <= last
    value, best = math.inf, -1
    if is_model and not first == last == i:  # xi is an alternative
        value, best = 0.0, first if first != i else first + 1
    else:
        least = scratch[4 * K : 5 * K]
        if is_model:
            for mode in range(K):
                least[mode] = 0.0 if abs(mode - i) == 1 else math.inf
        else:
            mode_costs(v, xi, given, least, rest)
            least[i] = math.inf
        noise = rounding_of_costs(v, xi)
        mode = next_mode(least, value, noise)
        while mode >= 0:
            if mode_fit(mode, v, xi, floor, ceiling, fit, rest):
                cost = cost_of(fit, w, xi, given)
                if best < 0 or cost < value or (cost == value and mode < best):
                    value, best = cost, mode
                    for k in range(K):
                        point[k] = fit[k]
            mode = next_mode(least, value, noise)
    return value, (best - (best > i)) * K + best if best >= 0 else -1
