"""Pareto set, compiled: its functions of one row. Its number is p, how many objectives an option has.

Option a has the arms pa, ..., pa + p - 1, one for each objective; within an objective all arms are of one
kind. Importing this imports numba.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from purex.arrays import FloatArray
from purex.families.compiled.arm_kinds import is_inside
from purex.families.compiled.tied import lower_end, upper_end
from purex.families.tied import FAR_HEAVIER, STILL
from purex.jit import njit
from purex_plugins.set_kernels import has
from purex_plugins.transport import clip, move_arm

__all__ = ["answer", "best_response", "scratch_size"]


class Room(NamedTuple):
    """Scratch of a search: options that stand above one, and in which objective each comes down to it."""

    above: FloatArray  # the options
    choice: FloatArray  # an objective for each of them, as far as the search has come
    best: FloatArray  # the cheapest choice so far
    lows: FloatArray  # arms that come down in one objective
    spent: FloatArray  # what each objective costs, at each depth of the search


def scratch_size(n_arms):
    """Room for a search: at most K/2 options, and K + p costs."""
    return 4 * n_arms


@njit
def room_of(options, scratch):
    """The parts of the scratch."""
    n = options
    return Room(
        scratch[:n], scratch[n : 2 * n], scratch[2 * n : 3 * n], scratch[3 * n : 4 * n], scratch[4 * n :]
    )


@njit
def answer(mu, given):
    """The options that no other one dominates, as a bit mask; of two that are the same neither does."""
    p, mask = int(given.numbers[0]), 0
    for a in range(len(mu) // p):
        free = True
        for b in range(len(mu) // p):
            no_worse, better = True, False
            for c in range(p):
                no_worse &= mu[p * b + c] >= mu[p * a + c]
                better |= mu[p * b + c] > mu[p * a + c]
            free &= not (no_worse and better)
        mask |= int(free) << a
    return mask


@njit
def meeting_level(high, lows, n, w, xi, given):
    r"""The mean of arm `high` that minimises its cost and that of the n arms that may not be above it.

    $\arg\min_{x \ge \xi_h} w_h d(\xi_h, x) + \sum_k w_k d(\xi_k, \min(\xi_k, x))$: the weighted mean of
    `high` and of the lows above it, taken in from the top. Arms of weight 0 move nobody.
    """
    bottom, W = xi[high], w[high] * given.scales[high]
    x, total, most, last, taken = bottom, 0.0, bottom, math.inf, -1
    least, heaviest = W if W > 0.0 else math.inf, high
    while True:
        following = -1  # the largest that is left: ties in their order
        for j in range(n):
            k = int(lows[j])
            is_left = xi[k] < last or (xi[k] == last and k > taken)
            if w[k] > 0.0 and is_left and (following < 0 or xi[k] > xi[following]):
                following = k
        if following < 0 or not xi[following] > x:
            break
        if W == 0.0:  # moves at no cost
            return xi[following]
        k, last, taken = following, xi[following], following
        v = w[k] * given.scales[k]
        W += v
        total += v * (xi[k] - bottom)
        x, most, least = bottom + total / W, max(most, xi[k]), min(least, v)
        if v > w[heaviest] * given.scales[heaviest]:
            heaviest = k
        # A mean strictly between its members must not be rounded onto one of them: on the edge of the domain
        # an infinitesimal cost would become infinite.
        if x >= most:
            x = np.nextafter(most, bottom)
        elif x <= bottom:
            x = np.nextafter(bottom, most)
    y = xi[heaviest]  # one that is far heavier than others would pay for the rounding of x
    if w[heaviest] * given.scales[heaviest] > FAR_HEAVIER * least:
        size = max(abs(bottom), abs(most))
        is_inner = lower_end(given.codes[heaviest]) < y < upper_end(given.codes[heaviest])
        if is_inner and abs(y - x) <= STILL * size:
            return y
    return x


@njit
def come_down(high, n, w, xi, given, room):
    """What it costs, beyond the way into the bounds, that n arms are not above `high`; its new mean."""
    lower, upper = given.lower, given.upper
    own = clip(xi[high], lower, upper)
    x = max(own, clip(meeting_level(high, room.lows, n, w, xi, given), lower, upper))
    cost = move_arm(high, w, xi, given, x) - move_arm(high, w, xi, given, own)
    for j in range(n):
        k = int(room.lows[j])
        y = clip(xi[k], lower, upper)
        if y > x:
            cost += move_arm(k, w, xi, given, x) - move_arm(k, w, xi, given, y)
    return cost, x


@njit
def be_dominated(a, b, w, xi, given, room):
    """What it costs, beyond the way into the bounds, that b is as good as a everywhere; whether it is not."""
    p, cost, is_better = int(given.numbers[0]), 0.0, False
    for c in range(p):
        x = clip(xi[p * a + c], given.lower, given.upper)
        if x > clip(xi[p * b + c], given.lower, given.upper):
            room.lows[0] = p * a + c
            cost += come_down(p * b + c, 1, w, xi, given, room)[0]
            is_better = True
    return cost, is_better


@njit
def find_above(i, a, xi, given, room):
    """Fill `above` with the options of the set that are better than a in all objectives; returns how many."""
    p, n = int(given.numbers[0]), 0
    for s in range(len(xi) // p):
        if has(i, s):
            is_above = True
            for c in range(p):
                x = clip(xi[p * a + c], given.lower, given.upper)
                is_above &= clip(xi[p * s + c], given.lower, given.upper) > x
            if is_above:
                room.above[n] = s
                n += 1
    return n


@njit
def gather(c, p, n, choice, room):
    """Fill `lows` with the arms of the first n options above that come down in objective c: how many."""
    m = 0
    for d in range(n):
        if choice[d] == c:
            room.lows[m] = p * room.above[d] + c
            m += 1
    return m


@njit
def stand_beside(a, n, most, w, xi, given, room):
    """The least that it costs, if below `most`, that none of the n options above a dominates it.

    Fills `best`. Each of them comes down to a in some objective; the more arms come down in one, the more it
    costs, so that a choice that costs too much is not followed further.
    """
    p, depth, value = int(given.numbers[0]), 0, most
    for c in range(p):
        room.spent[c] = 0.0
    room.choice[0] = -1.0
    while depth >= 0:
        room.choice[depth] += 1.0
        c = int(room.choice[depth])
        if c == p:
            depth -= 1
            continue
        m = gather(c, p, depth + 1, room.choice, room)
        cost, before, total = come_down(p * a + c, m, w, xi, given, room)[0], p * depth, 0.0
        for e in range(p):
            room.spent[before + p + e] = cost if e == c else room.spent[before + e]
            total += room.spent[before + p + e]
        if not total < value:
            continue
        if depth + 1 < n:
            depth += 1
            room.choice[depth] = -1.0
            continue
        value = total
        for d in range(n):
            room.best[d] = room.choice[d]
    return value


@njit
def cheapest_piece(i, w, xi, given, room):
    """The two options of the cheapest piece, the second -1 where none dominates the first; what it costs.

    It is 0 where xi is in the piece. Costs are those beyond the way into the bounds.
    """
    options, inside = len(xi) // int(given.numbers[0]), is_inside(xi, given.lower, given.upper)
    value, first, second = math.inf, -1, -1
    for a in range(options):
        for b in range(options):
            if has(i, a) and b != a:
                cost, is_better = be_dominated(a, b, w, xi, given, room)
                if inside and not is_better:
                    return a, b, 0.0
                if cost < value or first < 0:
                    value, first, second = cost, a, b
    for a in range(options):
        if not has(i, a):
            n = find_above(i, a, xi, given, room)
            if inside and n == 0:
                return a, -1, 0.0
            cost = stand_beside(a, n, value, w, xi, given, room) if n > 0 else 0.0
            if cost < value:
                value, first, second = cost, a, -1
    return first, second, value


@njit
def number_of(i, a, b, p, point):
    """The number of the piece with these options, as it is declared; b is -1 for one that nobody dominates.

    Where an option of the set is no better than a in several objectives at the point, the first one counts.
    """
    options, size, before, choice, ways = len(point) // p, 0, 0, 0, 1
    for s in range(options):
        if has(i, s):
            size += 1
            before += s < a
            if b < 0:
                c = 0
                while c < p - 1 and point[p * s + c] > point[p * a + c]:
                    c += 1
                choice, ways = choice * p + c, ways * p
    if b >= 0:
        return before * (options - 1) + b - (b > a)
    return size * (options - 1) + (a - before) * ways + choice


@njit
def best_response(i, w, xi, given, point, scratch):
    """Fill point, return value and piece: an option of the set is dominated, or one outside by none of it."""
    p = int(given.numbers[0])
    room = room_of(len(xi) // p, scratch)
    a, b, value = cheapest_piece(i, w, xi, given, room)
    for k in range(len(xi)):
        point[k] = clip(xi[k], given.lower, given.upper) if a >= 0 else xi[k]
    if a < 0:  # a single option
        return math.inf, -1
    n = 0
    if b < 0:
        n = find_above(i, a, xi, given, room)
        if n > 0:  # once more, for the choice
            stand_beside(a, n, np.nextafter(value, math.inf), w, xi, given, room)
    for c in range(p):
        high = p * (a if b < 0 else b) + c
        m = gather(c, p, n, room.best, room)
        if b >= 0 and point[p * a + c] > point[high]:
            room.lows[0], m = p * a + c, 1
        if m > 0:
            x = come_down(high, m, w, xi, given, room)[1]
            point[high] = x
            for j in range(m):
                k = int(room.lows[j])
                point[k] = min(point[k], x)
    total = 0.0
    for k in range(len(xi)):
        total += move_arm(k, w, xi, given, point[k])
    return total, number_of(i, a, b, p, point)
