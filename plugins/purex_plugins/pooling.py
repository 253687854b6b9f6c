"""Alternatives in which some arms go below a common level and others above it, for every family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.errors import RefusedProblemError
from purex.families import Arms, Family
from purex.families.convexity import NAMED, not_convex
from purex.families.roots import bracketed_root
from purex.families.tied import FAR_HEAVIER, STILL
from purex.model import Polyhedron, Response

DOWN, AT, UP = -1, 0, 1  # what an arm has to do: get at most to the level, exactly to it, at least to it
CHUNK = 1 << 21  # numbers in the largest array at a time


class Pools(NamedTuple):
    r"""Pieces $\{\lambda_a \le t \le \lambda_b,\ a \in A_p,\ b \in B_p,$ for some level t$\}$.

    members (P, m) are the arms of each piece and roles (P, m) whether they go `DOWN`, `AT` or `UP`; a row
    is filled up with arms of role `AT` that do not count (used (P, m) is False).
    """

    members: IntArray
    roles: IntArray
    used: NDArray[np.bool_]

    @classmethod
    def of(cls, pieces: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Pools:
        """From pairs (A, B); an arm in both has to be at the level exactly.

        >>> Pools.of([([0], [1, 2]), ([0, 1], [1])]).roles
        array([[-1,  1,  1],
               [-1,  0,  0]])
        """
        table = [
            {**dict.fromkeys(down, DOWN), **{b: AT if b in down else UP for b in up}} for down, up in pieces
        ]
        width = max((len(row) for row in table), default=0)
        rows = [[*row.items(), *[(next(iter(row)), AT)] * (width - len(row))] for row in table]
        both = np.array(rows, dtype=np.int64).reshape(len(rows), width, 2)
        used = np.arange(width) < np.array([len(row) for row in table], dtype=np.int64)[:, None]
        return cls(both[..., 0], both[..., 1], used)


def pool_polyhedron(n_arms: int, down: Sequence[int], up: Sequence[int]) -> Polyhedron:
    r"""The same piece by its orders $\lambda_a \le \lambda_b$, without those that follow from others."""
    both = [k for k in down if k in up]
    pairs = [(a, b) for a in down for b in up if a != b]
    if both:  # everything is compared with the arm at the level
        pairs = [(a, b) for a, b in pairs if a in both or b in both]
    rows = np.zeros((len(pairs), n_arms))
    for row, (a, b) in zip(rows, pairs, strict=True):
        row[a], row[b] = 1.0, -1.0
    return Polyhedron(rows, np.zeros(len(pairs)), n_arms=n_arms)


def check_one_level(query: str, arms: Arms) -> None:
    """Refuse arms for which the best level may be one of several local minima."""
    if not arms.is_homogeneous and not_convex(arms.families):
        raise RefusedProblemError(
            f"{query} pools the means of several arms, which is a convex problem for arms of one family or "
            f"of families convex in the mean {NAMED['mean']}, not for this mix"
        )


def pooled_response(
    arms: Arms,
    pools: Callable[[int], Pools],
    i: IntArray,
    w: FloatArray,
    xi: FloatArray,
    lower: float,
    upper: float,
) -> Response:
    r"""The best response over the union of the pieces of `pools(i)`.

    Given the level t, an arm that has to be below goes to $\min(\xi_a, t)$ and one that has to be above to
    $\max(\xi_b, t)$; what remains is the best t. Bounds clip it, like a fit by pooling adjacent violators.
    """
    own = np.clip(xi, lower, upper)
    value, point = np.full(len(xi), np.inf), xi.copy()
    piece = np.full(len(xi), -1, dtype=np.int64)
    for code in np.unique(i):
        table = pools(int(code))
        P, m = table.members.shape
        if P == 0:
            continue
        rows = np.flatnonzero(i == code)
        for some in np.array_split(rows, max(1, -(-len(rows) * P * m * m // CHUNK))):
            x = xi[some]
            level, cost = levels(arms, table, w[some], x, own[some], lower, upper)
            inside = np.isnan(level)  # where own has the piece's order
            stays = inside & (own[some] == x).all(axis=1)[:, None]
            p = np.where(stays.any(axis=1), np.argmax(stays, axis=1), np.argmin(cost, axis=1))
            t = level[np.arange(len(some)), p]
            piece[some], point[some] = p, place(table, p, t, own[some])
    found = piece >= 0
    value[found] = arms.cost(w[found], xi[found], point[found])
    return Response(value, point, piece)


def place(table: Pools, p: IntArray, t: FloatArray, own: FloatArray) -> FloatArray:
    """The points of these pieces at these levels (nan: nothing moves)."""
    point, r = own.copy(), np.arange(len(own))
    for members, roles, used in zip(table.members[p].T, table.roles[p].T, table.used[p].T, strict=True):
        goal = np.where(
            roles == DOWN,
            np.minimum(own[r, members], t),
            np.where(roles == UP, np.maximum(own[r, members], t), t),
        )
        moves = used & ~np.isnan(t)
        point[r[moves], members[moves]] = goal[moves]
    return point


def levels(
    arms: Arms,
    table: Pools,
    w: FloatArray,
    xi: FloatArray,
    own: FloatArray,
    lower: float,
    upper: float,
) -> tuple[FloatArray, FloatArray]:
    """The best level (R, P) of each piece and its cost; the level is nan where own has the piece's order."""
    members, roles, used = table
    mine = own[:, members]  # (R, P, m)
    highest = np.where((roles <= AT) & used, mine, -np.inf).max(axis=2)
    lowest = np.where((roles >= AT) & used, mine, np.inf).min(axis=2)
    inside = highest <= lowest
    x, v = xi[:, members], np.where(used, w[:, members], 0.0)
    top = v.max(axis=2, keepdims=True)
    v = v / np.where(top > 0, top, 1.0)
    if arms.is_homogeneous:
        t = _weighted_mean(roles, v * arms.scales[members], x)
    else:
        t = _root(arms, table, v, x)
    t = _held(arms, table, v * arms.scales[members], x, t)
    t = np.where(inside, np.nan, np.clip(t, lower, upper))
    goal = np.where(roles == DOWN, np.minimum(mine, t[..., None]), np.maximum(mine, t[..., None]))
    goal = np.where(roles == AT, t[..., None], goal)
    goal = np.where(inside[..., None], mine, goal)
    way = _costs(arms, members, w, xi, mine)  # into the bounds; where that is infinite, nothing is more
    moved = used & np.isfinite(way)
    extra = np.where(moved, _costs(arms, members, w, xi, goal), 0.0) - np.where(moved, way, 0.0)
    return t, arms.cost(w, xi, own)[:, None] + extra.sum(axis=2)


def _weighted_mean(roles: IntArray, c: FloatArray, x: FloatArray) -> FloatArray:
    r"""The root of $F(t) = \sum_{k\ active} c_k (x_k - t)$, a broken line that falls; within one family.

    An arm is active at t if it has to be at t, or is on the wrong side of it. F is evaluated at its breaks
    $t = x_l$; the root lies between the last with $F \ge 0$ and the first with $F \le 0$, where the active
    arms do not change and take their weighted mean.
    """
    breaks, member = x[:, :, :, None], x[:, :, None, :]  # (R, P, break, member)
    role, weight = roles[:, None, :], c[:, :, None, :]
    active = (role == AT) | ((role == DOWN) & (member > breaks)) | ((role == UP) & (member < breaks))
    F = np.where(active, weight * (member - breaks), 0.0).sum(axis=3)
    left = np.where(F >= 0, x, -np.inf).max(axis=2)
    right = np.where(F <= 0, x, np.inf).min(axis=2)
    active = (roles == AT) | ((roles == DOWN) & (x >= right[..., None]))
    active |= (roles == UP) & (x <= left[..., None])
    weight = np.where(active, c, 0.0)
    least = np.where(weight > 0, x, np.inf).min(axis=2)
    most = np.where(weight > 0, x, -np.inf).max(axis=2)
    with np.errstate(invalid="ignore"):
        rise = np.where(weight > 0, weight * (x - least[..., None]), 0.0).sum(axis=2)
        mean = least + rise / weight.sum(axis=2)
        # A mean strictly between its members may round onto one of them; on the edge of the domain (a mean
        # of exactly 1) that would make an infinitesimal cost infinite.
        mean = np.where((mean >= most) & (most > least), np.nextafter(most, least), mean)
        mean = np.where((mean <= least) & (most > least), np.nextafter(least, most), mean)
        return np.asarray(np.where(left < right, np.clip(mean, left, right), right))


def _held(arms: Arms, table: Pools, c: FloatArray, x: FloatArray, t: FloatArray) -> FloatArray:
    """The levels t (R, P), moved to the mean of a member that is far heavier than others and that near to t.

    Such a member would pay more for the rounding of t than others do for all; not on an edge of the domain,
    where they would pay infinitely much.
    """
    c = np.where(table.used, c, 0.0)
    least = np.where(c > 0, c, np.inf).min(axis=2, keepdims=True)
    if not (c > FAR_HEAVIER * least).any():
        return t
    first, last = arms.lower_ends[table.members].max(axis=1), arms.upper_ends[table.members].min(axis=1)
    holds = (c > FAR_HEAVIER * least) & (np.abs(x - t[..., None]) <= STILL * np.abs(x).max(axis=2)[..., None])
    holds &= (x > first[:, None]) & (x < last[:, None])
    heaviest = np.argmax(np.where(holds, c, 0.0), axis=2)[..., None]
    found = np.take_along_axis(holds, heaviest, axis=2)[..., 0]
    return np.where(found, np.take_along_axis(x, heaviest, axis=2)[..., 0], t)


def _root(arms: Arms, table: Pools, v: FloatArray, x: FloatArray) -> FloatArray:
    """The same for arms of different families, all convex in the mean."""
    members, roles, used = table

    def rise(t: FloatArray) -> tuple[FloatArray, FloatArray]:
        at = np.broadcast_to(t[..., None], x.shape)
        active = (roles == AT) | ((roles == DOWN) & (x > at)) | ((roles == UP) & (x < at))
        active &= used & (v > 0)
        slope, curvature = np.zeros_like(x), np.zeros_like(x)
        for family, mask in _by_family(arms, members):
            slope[:, mask] = family.slope(x[:, mask], at[:, mask])
            curvature[:, mask] = family.curvature(x[:, mask], at[:, mask])
        return np.where(active, v * slope, 0.0).sum(axis=2), np.where(active, v * curvature, 0.0).sum(axis=2)

    first, last = arms.lower_ends[members].max(axis=1), arms.upper_ends[members].min(axis=1)
    low, high = np.clip(x.min(axis=2), first, last), np.clip(x.max(axis=2), first, last)
    with np.errstate(all="ignore"):
        return bracketed_root(rise, low, high, low + 0.5 * (high - low))


def _costs(arms: Arms, members: IntArray, w: FloatArray, xi: FloatArray, lam: FloatArray) -> FloatArray:
    """The cost (R, P, m) of moving each member from xi to lam."""
    x, v, d = xi[:, members], w[:, members], np.empty(lam.shape)
    for family, mask in _by_family(arms, members):
        d[:, mask] = family.d(x[:, mask], lam[:, mask])
    with np.errstate(invalid="ignore"):
        return np.where(v == 0, 0.0, v * d)


def _by_family(arms: Arms, members: IntArray) -> list[tuple[Family, NDArray[np.bool_]]]:
    """Each distinct family, and where in the table of members its arms are."""
    columns = {
        family: [k for k, other in enumerate(arms.families) if other == family]
        for family in dict.fromkeys(arms.families)
    }
    return [(family, np.isin(members, ks)) for family, ks in columns.items()]
