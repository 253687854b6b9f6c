"""The pieces of the alternative to a Pareto set, side by side, for the closed form in numpy.

A piece says of some pairs of options that the one is no better than the other in an objective. In each
objective that is at most one pool: some options come down to a level, and one comes up to it
(`purex_plugins.pooling`). Pieces share their pools: all of s options beside another one have p^s, of 2^s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.families import Arms
from purex_plugins.pooling import Pools, levels, place

Triples = list[tuple[int, int, int]]


class PieceTable(NamedTuple):
    """pools (J) are the different ones; uses (P, p) which of them each piece has, J for none."""

    pools: Pools
    uses: IntArray

    @classmethod
    def of(cls, pieces: Sequence[Triples], objectives: int) -> PieceTable:
        """Of each piece the triples (low, high, c): `low` is no better than `high` in objective c.

        >>> PieceTable.of([[(0, 1, 0), (0, 1, 1)], [(0, 2, 0), (1, 2, 0)]], 2).uses
        array([[0, 0],
               [1, 2]])
        """
        numbers: dict[tuple[int, ...], int] = {}  # of pools: the option that comes up, and the others
        uses = [[-1] * objectives for _ in pieces]
        for row, triples in zip(uses, pieces, strict=True):
            for c in range(objectives):
                highs = {high for _, high, objective in triples if objective == c}
                lows = [low for low, _, objective in triples if objective == c]
                if lows:
                    row[c] = numbers.setdefault((*highs, *lows), len(numbers))
        pools = Pools.of([(lows, (high,)) for high, *lows in numbers])
        table = np.array(uses, dtype=np.int64).reshape(len(pieces), objectives)
        return cls(pools, np.where(table < 0, len(numbers), table))

    @property
    def size(self) -> int:
        """How many numbers a row takes."""
        J, m = self.pools.members.shape
        return int(max(J * m * m, self.uses.size))

    def nearest(
        self, arms: Arms, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> tuple[FloatArray, IntArray]:
        """The nearest points (R, K) of all pieces to xi, and which pieces these are."""
        J, (P, p) = len(self.pools.used), self.uses.shape
        own, rows = np.clip(xi, lower, upper), np.arange(len(xi))
        cost, inside = np.zeros((len(xi), P)), np.ones((len(xi), P), dtype=np.bool_)
        level = np.full((p, len(xi), J + 1), np.nan)  # nothing moves where a piece has no pool
        for c in range(p):
            arms_of_c, mine = Arms(arms.families[c::p]), np.s_[:, c::p]
            costs = np.empty((len(xi), J + 1))
            costs[:, J] = arms_of_c.cost(w[mine], xi[mine], own[mine])
            level[c, :, :J], costs[:, :J] = levels(
                arms_of_c, self.pools, w[mine], xi[mine], own[mine], lower, upper
            )
            cost += costs[:, self.uses[:, c]]
            inside &= np.isnan(level[c])[:, self.uses[:, c]]
        stays = inside & (own == xi).all(axis=1)[:, None]
        piece = np.where(stays.any(axis=1), np.argmax(stays, axis=1), np.argmin(cost, axis=1))
        point = own.copy()
        for c in range(p):
            number = self.uses[piece, c]
            t, pool = level[c, rows, number], np.minimum(number, J - 1)
            point[:, c::p] = place(self.pools, pool, t, own[:, c::p])
        return point, piece
