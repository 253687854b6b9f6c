"""Lipschitz means on a line, compiled: projection and best arm. Importing this imports numba.

The numbers of `given` are the arms from left to right, then the K - 1 gaps between neighbours.
"""

from __future__ import annotations

import math

from purex.convex.kernels.heavy import keep_heavy
from purex.families.compiled.arm_kinds import is_inside
from purex.jit import njit
from purex_plugins.lipschitz.chain import (
    LEFT,
    Chain,
    Messages,
    Reached,
    Side,
    Within,
    chain_fit,
    follow,
    sweep,
    tie_fit,
)
from purex_plugins.lipschitz.rivals import Free, bound, price, rounding_of_costs, survey
from purex_plugins.transport import clip, move_arm

SURE = 1e-10  # a bound that exceeds a cost by this fraction does so for certain
VECTORS = 12  # of scratch, one number for each arm


def scratch_size(n_arms):
    """How many numbers the functions of this module need to work with."""
    return VECTORS * n_arms


@njit
def chain_of(w, xi, given, scratch):
    """The line at such weights and means; both are put in order in the first two vectors of `scratch`."""
    K = len(xi)
    chain = Chain(given.codes[0], scratch[:K], scratch[K : 2 * K], given.numbers[K:])
    for p in range(K):
        k = int(given.numbers[p])
        chain.weights[p], chain.means[p] = w[k] * given.scales[k], xi[k]
    return chain


@njit
def project(boxed, N, mu, low, high, given, point, scratch):
    """The likeliest point on a line, in the box [low, high] if `boxed`; returns whether there is one."""
    K = len(mu)
    z, floor, ceiling, lam, bottom, top = (
        scratch[2 * K : 3 * K], scratch[3 * K : 4 * K], scratch[4 * K : 5 * K],
        scratch[5 * K : 6 * K], scratch[6 * K : 7 * K], scratch[7 * K : 8 * K],
    )  # fmt: skip
    chain = chain_of(N, mu, given, scratch)
    for p in range(K):
        k = int(given.numbers[p])
        bottom[p] = max(given.lower, low[k]) if boxed else given.lower
        top[p] = min(given.upper, high[k]) if boxed else given.upper
    found = chain_fit(bottom, top, chain, Reached(z, floor, ceiling), lam)
    if found:
        for p in range(K):
            # by rounding it may be outside
            point[int(given.numbers[p])] = clip(lam[p], bottom[p], top[p])
    return found


@njit
def cost_of(lam, w, xi, given):
    """What it costs to move to a fit in the order of the line."""
    cost = 0.0
    for p in range(len(xi)):
        cost += move_arm(int(given.numbers[p]), w, xi, given, lam[p])
    return cost


@njit
def best_response(i, w, xi, given, point, scratch):
    """Best arm on a line: the free fit if another arm is as good there, else the cheapest tie.

    The cost of a fit with given means for two arms is submodular (even L-natural-convex). So the common mean
    of a tie lies between those of the free fit; and a tie costs at least as much as pinning either arm to
    that mean alone, together, less what the free fit costs: most rivals are ruled out by that bound, see
    `rivals`, and only the others are solved.
    Outside the bounds the value is nan: left to others. Fills point, returns value and piece.
    """
    K, order = len(xi), given.numbers
    left, right, z, floor, ceiling, lam, free, known, guess, priced = (
        scratch[2 * K : 3 * K], scratch[3 * K : 4 * K], scratch[4 * K : 5 * K], scratch[5 * K : 6 * K],
        scratch[6 * K : 7 * K], scratch[7 * K : 8 * K], scratch[8 * K : 9 * K], scratch[9 * K : 10 * K],
        scratch[10 * K : 11 * K], scratch[11 * K : 12 * K],
    )  # fmt: skip
    for k in range(K):
        point[k] = xi[k]
    if not is_inside(xi, given.lower, given.upper):
        return math.nan, -1
    chain, messages, between = (
        chain_of(w, xi, given, scratch), Messages(left, right), Reached(z, floor, ceiling)
    )  # fmt: skip
    own = 0
    for p in range(K):
        own = p if int(order[p]) == i else own
    sweep(LEFT, chain, left)
    free[K - 1] = left[K - 1]
    follow(K - 1, LEFT, chain.gaps, left, free)
    keep_heavy(K, chain.weights, chain.means, free)
    rival = -1
    for p in range(K):
        k = int(order[p])
        if p != own and free[p] >= free[own]:
            rival = k if rival < 0 else min(rival, k)
    least = cost_of(free, w, xi, given)
    if rival >= 0:
        for p in range(K):
            point[int(order[p])] = free[p]
        return least, rival - (rival > i)
    sweep(Side(1, K), chain, right)
    for p in range(K):
        priced[p] = price(p, free[p], chain)
    fit, noise = Free(free, priced), rounding_of_costs(chain)
    first = survey(own, chain, messages, fit, known, guess)
    value = math.inf
    for turn in range(-1, K):  # the most promising first
        p = first if turn < 0 else turn
        if p == own or turn == first:
            continue
        if turn >= 0:
            limit = value * (1.0 + SURE) - least + noise
            if known[p] <= limit:
                found = bound(own, p, guess[p], limit, chain, messages, fit)
                known[p], guess[p] = found.least, found.mean
            if known[p] > limit:
                continue
        j = int(order[p])
        within = Within(free[p], guess[p], free[own])
        tie_fit(min(p, own), max(p, own), within, chain, messages, between, lam)
        cost = cost_of(lam, w, xi, given)
        if rival < 0 or cost < value or (cost == value and j < rival):
            value, rival = cost, j
            for q in range(K):
                point[int(order[q])] = lam[q]
    return value, rival - (rival > i)
