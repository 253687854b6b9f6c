"""Best responses against all other sets: exact where they are listed, bounded where they are too many."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from purex.arrays import BoolArray, FloatArray, IntArray
from purex.families import Arms
from purex.families.tied import FAR_HEAVIER, STILL
from purex.model import sum_over_arms
from purex_plugins.nearest_in_half_space import nearest, pulled
from purex_plugins.set_families import ABSENT, SetFamily

CHUNK = 1 << 21  # numbers in the largest array at a time
ROUNDING = 1e-12  # relative: a bound that is larger by more than this is really larger
GOLDEN, STEPS = (5**0.5 - 1) / 2, 60  # a golden section to 3e-13 of its first interval


class Bracket(NamedTuple):
    """Bounds lower <= value <= upper on a best response, the rival set of the upper one, the relative gap."""

    lower: float
    upper: float
    rival: tuple[int, ...]
    gap: float


def scores(mu: FloatArray, members: BoolArray) -> FloatArray:
    """The sums (R, S) of means, or of terms that may be infinite, (R, K) over sets (S, K), arm by arm."""
    total = np.zeros((len(mu), len(members)))
    for k in range(mu.shape[1]):
        total += np.where(members[:, k], mu[:, k, None], 0.0)
    return total


def cheapest_sets(
    arms: Arms, members: BoolArray, code: int, w: FloatArray, xi: FloatArray, lower: float, upper: float
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Value (R,), point (R, K) and piece (R,) of the best responses to the set `code`."""
    rows = np.arange(len(xi))
    value, point = np.empty(len(xi)), np.empty_like(xi)
    piece = np.empty(len(xi), dtype=np.int64)
    others = np.delete(members, code, axis=0)
    a = others.astype(np.float64) - members[code]  # 1: joins, -1: leaves
    can_win = _can_win(arms, a, lower, upper)
    for some in np.array_split(rows, max(1, -(-len(xi) * a.size // CHUNK))):
        free = lower == -np.inf and upper == np.inf and set(arms.kinds) == {"gaussian"}
        find = _gaussian if free else _by_multipliers
        own = np.clip(xi[some], lower, upper)
        totals = scores(own, members)
        short = totals[:, [code]] - np.delete(totals, code, axis=1)  # what each rival lacks, (R, S-1)
        is_own = (own == xi[some]).all(axis=1)
        p, lam = find(arms, a, short, w[some], xi[some], own, lower, upper)
        # where xi is an alternative itself the response is xi, also if others cost nothing
        reached = (short <= 0) & can_win
        stays = reached.any(axis=1) & is_own
        p = np.where(stays, np.argmax(reached, axis=1), p)
        point[some], piece[some] = np.where(stays[:, None], xi[some], lam), p
    value = np.where(piece >= 0, arms.cost(w, xi, point), np.inf)
    return value, point, piece


def _can_win(arms: Arms, a: FloatArray, lower: float, upper: float) -> BoolArray:
    """Which rivals may have a larger sum in some model: one that can only tie is no alternative."""
    bottom, top = np.maximum(lower, arms.lower_ends), np.minimum(upper, arms.upper_ends)
    with np.errstate(invalid="ignore"):
        found: BoolArray = sum_over_arms(np.where(a > 0, top, np.where(a < 0, -bottom, 0.0))) > 0
    return found


def _gaussian(
    arms: Arms,
    a: FloatArray,
    short: FloatArray,
    w: FloatArray,
    xi: FloatArray,
    own: FloatArray,
    lower: float,
    upper: float,
) -> tuple[IntArray, FloatArray]:
    """The cheapest rival and its point in closed form, for Gaussian arms without bounds."""
    with np.errstate(all="ignore"):
        spread = np.where(w > 0, 1.0 / (arms.scales * w), 0.0)
        total = scores(spread, a != 0)
        is_free = scores(np.where(w > 0, 0.0, 1.0), a != 0) > 0  # an arm without weight moves for nothing
        gap = np.maximum(short, 0.0)
        cost = np.where(is_free | (gap == 0), 0.0, gap * gap / (2.0 * total))
    p = np.argmin(cost, axis=1)
    return p, nearest(arms, a[p], w, xi, arms.lower_ends, arms.upper_ends)


def _by_multipliers(
    arms: Arms,
    a: FloatArray,
    short: FloatArray,
    w: FloatArray,
    xi: FloatArray,
    own: FloatArray,
    lower: float,
    upper: float,
) -> tuple[IntArray, FloatArray]:
    r"""The same for the other families, and with bounds: one multiplier for each set that is not ruled out.

    By weak duality the price $\inf_\lambda \sum_k w_k d(\xi_k, \lambda_k) - \nu \sum_k a_k \lambda_k$ of a
    set at any multiplier is a lower bound of its cost, and linear in the set: at the multiplier of a
    promising set, all sets whose price exceeds its cost are out.
    """
    bottom, top = np.maximum(lower, arms.lower_ends), np.minimum(upper, arms.upper_ends)
    R, S = short.shape
    feasible = _can_win(arms, a, lower, upper)
    with np.errstate(all="ignore"):
        spread = np.where(w > 0, arms.variance(xi) / w, np.inf)
        guess = np.maximum(short, 0.0) ** 2 / (2.0 * scores(spread, a != 0))
    guess = np.where(feasible, np.where(np.isnan(guess), 0.0, guess), np.inf)
    first = np.argmin(guess, axis=1)
    r = np.arange(R)
    best_point = nearest(arms, a[first], w, xi, bottom, top)
    best = arms.cost(w, xi, best_point)
    price = _prices(arms, a, w, xi, own, best_point, bottom, top)
    open_pairs = feasible & (price <= (best * (1.0 + ROUNDING))[:, None])
    open_pairs |= feasible & ~np.isfinite(price)
    open_pairs[r, first] = False
    at, which = np.nonzero(open_pairs)
    best = np.where(feasible[first], best, np.inf)
    step = max(1, CHUNK // (8 * a.shape[1]))
    costs = np.full((R, S), np.inf)
    costs[r, first] = best
    for begin in range(0, len(at), step):
        rows, sets = at[begin : begin + step], which[begin : begin + step]
        lam = nearest(arms, a[sets], w[rows], xi[rows], bottom, top)
        costs[rows, sets] = arms.cost(w[rows], xi[rows], lam)
    winner = np.argmin(costs, axis=1)
    changed = winner != first
    best_point[changed] = nearest(arms, a[winner[changed]], w[changed], xi[changed], bottom, top)
    piece = np.where(feasible[winner], winner, -1)
    return piece, np.where((piece >= 0)[:, None], best_point, xi)


def _prices(
    arms: Arms,
    a: FloatArray,
    w: FloatArray,
    xi: FloatArray,
    own: FloatArray,
    point: FloatArray,
    bottom: FloatArray,
    top: FloatArray,
) -> FloatArray:
    """The dual prices (R, S) of all sets at the multipliers of these points, plus what bounds cost anyway."""
    with np.errstate(all="ignore"):
        pull = np.abs(np.where(w > 0, w * arms.slope(xi, point), 0.0))
        nu = np.nanmax(np.where(np.isfinite(pull) & (point > bottom) & (point < top), pull, 0.0), axis=1)
        joins, leaves = (_gain(arms, w, xi, own, sign * nu, bottom, top) for sign in (1.0, -1.0))
        return arms.cost(w, xi, own)[:, None] + scores(joins, a > 0) + scores(leaves, a < 0)


def _gain(
    arms: Arms,
    w: FloatArray,
    xi: FloatArray,
    own: FloatArray,
    u: FloatArray,
    bottom: FloatArray,
    top: FloatArray,
) -> FloatArray:
    r"""$\inf_\lambda w d(\xi, \lambda) - u \lambda$ within the bounds, minus the cost of the own point."""
    pulls = np.broadcast_to(u[:, None], xi.shape)
    lam = np.empty_like(xi)
    for family in dict.fromkeys(arms.families):
        ks = [k for k, other in enumerate(arms.families) if other == family]
        lam[:, ks] = pulled(family, np.where(w[:, ks] > 0, w[:, ks], 1.0), xi[:, ks], pulls[:, ks])
    lam = np.clip(lam, bottom, top)
    # what a far heavier arm gains is less than what rounding would make it pay
    least = np.where(w > 0, w, np.inf).min(axis=1, keepdims=True, initial=np.inf)
    still = np.abs(lam - own) <= STILL * np.abs(own).max(axis=1, keepdims=True)
    lam = np.where(still & (w > FAR_HEAVIER * least), own, lam)
    lam = np.where(w > 0, lam, np.where(pulls > 0, top, np.where(pulls < 0, bottom, own)))
    with np.errstate(invalid="ignore"):
        cost = np.where(w > 0, w * (arms.d(xi, lam) - arms.d(xi, own)), 0.0)
        gain = np.where(pulls == 0, cost, cost - pulls * lam)
    return np.where(np.isinf(lam), -np.inf, gain)  # a pull that no cost holds back


def bracket(arms: Arms, family: SetFamily, inside: tuple[int, ...], w: FloatArray, xi: FloatArray) -> Bracket:
    r"""Bounds on $\min_{S' \ne S} \inf \{\sum_k w_k d(\xi_k, \lambda_k) : \lambda(S') \ge \lambda(S)\}$.

    The dual price of S' at a multiplier is linear in S' (see `_by_multipliers`), so one linear maximisation
    finds the cheapest. As no set of the family contains another, S' misses some arm k of S: for each k the
    price is minimised over the sets without k, and maximised over the multiplier (it is concave there). The
    smallest of these is the lower bound; the upper one is the exact cost of the cheapest set met on the way.
    Both agree unless different sets are cheapest on the two sides of the best multiplier.
    """
    bottom, top, K = arms.lower_ends, arms.upper_ends, arms.n_arms
    in_set = np.zeros(K, dtype=bool)
    in_set[list(inside)] = True
    W, X = w[None], xi[None]
    met: dict[tuple[int, ...], float] = {}

    def exact(rival: tuple[int, ...]) -> float:
        if rival not in met:
            a = -in_set.astype(np.float64)
            a[list(rival)] += 1.0
            met[rival] = float(arms.cost(W, X, nearest(arms, a[None], W, X, bottom, top))[0])
        return met[rival]

    def priced(nu: float, without: int) -> tuple[float, tuple[int, ...] | None]:
        u = np.array([nu])
        joins = _gain(arms, W, X, X, u, bottom, top)[0]
        leaves = _gain(arms, W, X, X, -u, bottom, top)[0]
        reward = np.where(in_set, leaves, -joins)
        reward[without] = ABSENT
        rival = family.largest(reward)
        if rival is None:
            return np.inf, None
        price = sum(leaves[j] for j in inside if j not in rival)
        price += sum(joins[j] for j in rival if j not in inside)
        return float(price), rival

    lowest = np.inf
    for k in inside:
        price, rival = priced(0.0, k)
        if rival is None:
            continue
        exact(rival)
        # the multiplier of the cheapest set so far, and four times it, until the price falls
        high = max(_scale(w, xi, arms), 1e-300)
        for _ in range(200):
            value, rival = priced(high, k)
            if rival is not None and np.isfinite(value):
                exact(rival)
            if value < 0 or not np.isfinite(value):
                break
            high *= 4.0
        low, best = 0.0, max(price, 0.0)
        for _ in range(STEPS):
            left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
            (at_left, s_left), (at_right, s_right) = priced(left, k), priced(right, k)
            for value, rival in ((at_left, s_left), (at_right, s_right)):
                if rival is not None and np.isfinite(value):
                    exact(rival)
                    best = max(best, value)
            low, high = (left, high) if at_left < at_right else (low, right)
        lowest = min(lowest, best)
    if not met:
        return Bracket(np.inf, np.inf, (), 0.0)
    rival = min(met, key=lambda s: met[s])
    upper = met[rival]
    lower = min(lowest, upper)
    return Bracket(lower, upper, rival, 0.0 if upper == 0 else 1.0 - lower / upper)


def _scale(w: FloatArray, xi: FloatArray, arms: Arms) -> float:
    """A multiplier of the right order of magnitude to start from."""
    spread = np.abs(xi[:, None] - xi[None, :]).max() if len(xi) > 1 else 1.0
    return float(spread * np.max(w) * np.max(arms.scales)) or 1.0
