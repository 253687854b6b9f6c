"""Unimodal means, compiled: projection, and the best response of best arm. Importing this imports numba."""

from __future__ import annotations

import math

import numpy as np

from purex.convex.kernels.heavy import keep_heavy
from purex.convex.kernels.isotonic import FIT_SIZE, increasing_fit
from purex.jit import njit
from purex_plugins.transport import move_arm

VECTORS = 4  # of a fit: weights, bounds, and the fit itself
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
    least, is_found = math.inf, False
    for mode in range(K):
        if mode_fit(mode, v, mu, floor, ceiling, fit, rest):
            cost = cost_of(fit, N, mu, given)
            if cost < least or not is_found:
                least, is_found = cost, True
                for k in range(K):
                    point[k] = fit[k]
    return is_found


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
        for mode in range(K):
            if mode == i or (is_model and abs(mode - i) > 1):
                continue
            if mode_fit(mode, v, xi, floor, ceiling, fit, rest):
                cost = cost_of(fit, w, xi, given)
                if cost < value or best < 0:
                    value, best = cost, mode
                    for k in range(K):
                        point[k] = fit[k]
    return value, (best - (best > i)) * K + best if best >= 0 else -1
