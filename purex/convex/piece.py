"""A convex piece made ready for the solvers: bounds, order constraints, general linear rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.errors import RefusedProblemError
from purex.families.arms import Arms
from purex.model import Polyhedron
from purex.model.polyhedron import Coordinates


@dataclass(frozen=True, eq=False)
class Piece:
    r"""The intersection of polyhedra and bounds, sorted by what the solvers can exploit.

    Bounds $l_k \le \lambda_k \le u_k$ and orders $\lambda_a \le \lambda_b$ mean the same in every
    coordinate system, so they are kept apart from the general rows $A x \le b$ (and $A x = b$ where
    `equality`), which live in `coordinates`: the mean, the *base* natural parameter
    (natural / scale), or the log-mean.
    """

    arms: Arms
    lower: FloatArray
    upper: FloatArray
    orders: tuple[tuple[int, int], ...]
    A: FloatArray
    b: FloatArray
    equality: NDArray[np.bool_]
    coordinates: Coordinates

    @classmethod
    def of(
        cls,
        arms: Arms,
        polyhedra: Sequence[Polyhedron],
        lower: float | FloatArray,
        upper: float | FloatArray,
    ) -> Piece:
        """Intersect polyhedra, possibly of different coordinates, with bounds on the means."""
        K = arms.n_arms
        low = np.maximum(np.broadcast_to(lower, K), arms.lower_ends)
        high = np.minimum(np.broadcast_to(upper, K), arms.upper_ends)
        orders: dict[tuple[int, int], None] = {}
        rows: list[FloatArray] = []
        right: list[float] = []
        equal: list[bool] = []
        systems: set[Coordinates] = set()
        for polyhedron in polyhedra:
            system = polyhedron.coordinates
            stacked = np.vstack([polyhedron.A, polyhedron.A_eq])
            rights = np.concatenate([polyhedron.b, polyhedron.b_eq])
            for r, (row, c) in enumerate(zip(stacked, rights, strict=True)):
                is_equality = r >= len(polyhedron.A)
                if system == "natural":
                    row = row * arms.scales
                support = np.flatnonzero(row)
                if len(support) == 0:
                    if c < 0 or (is_equality and c != 0):
                        low, high = np.full(K, np.inf), np.full(K, -np.inf)  # 0 <= c fails
                elif len(support) == 1:
                    k = int(support[0])
                    level = _mean_of(arms, k, c / row[k], system)
                    if row[k] < 0 or is_equality:
                        low[k] = max(low[k], level)
                    if row[k] > 0 or is_equality:
                        high[k] = min(high[k], level)
                elif _is_order(arms, row, support, c, system):
                    a, b = (int(k) for k in support[np.argsort(-row[support])])
                    orders[(a, b)] = None
                    if is_equality:
                        orders[(b, a)] = None
                else:
                    rows.append(row)
                    right.append(float(c))
                    equal.append(is_equality)
                    systems.add(system)
        if len(systems) > 1:
            raise RefusedProblemError(
                f"linear constraints in {' and '.join(sorted(systems))} coordinates cannot be combined: "
                "state the query and the structure in the same coordinates"
            )
        return cls(
            arms,
            low,
            high,
            tuple(orders),
            np.array(rows).reshape(len(rows), K),
            np.array(right),
            np.array(equal, dtype=bool),
            systems.pop() if systems else "mean",
        )

    @cached_property
    def tied(self) -> NDArray[np.intp]:
        """The arms that occur in a constraint together with another one; the rest is only clipped."""
        used = (self.A != 0).any(axis=0)
        for pair in self.orders:
            used[list(pair)] = True
        return np.flatnonzero(used)

    @cached_property
    def components(self) -> tuple[tuple[int, ...], ...]:
        """The connected components of the tied arms under the orders alone."""
        group = {int(k): {int(k)} for k in self.tied}
        for a, b in self.orders:
            if group[a] is not group[b]:
                group[a] |= group[b]
                for k in group[b]:
                    group[k] = group[a]
        distinct = {id(members): tuple(sorted(members)) for members in group.values()}
        return tuple(sorted(distinct.values()))

    @cached_property
    def chains(self) -> tuple[tuple[int, ...], ...] | None:
        """The components as increasing chains of arms, or None if some component is not a chain."""
        after, before = dict(self.orders), {b: a for a, b in self.orders}
        if len(after) < len(self.orders) or len(before) < len(self.orders):
            return None
        chains = []
        for component in self.components:
            first = [k for k in component if k not in before]
            if len(first) != 1:
                return None  # a cycle
            chain = [first[0]]
            while chain[-1] in after:
                chain.append(after[chain[-1]])
            chains.append(tuple(chain))
        return tuple(chains)

    @property
    def is_order(self) -> bool:
        """Whether there are only bounds and orders."""
        return len(self.A) == 0

    @property
    def is_empty_box(self) -> bool:
        """Whether the bounds alone contradict each other."""
        return bool((self.lower > self.upper).any())

    @cached_property
    def core(self) -> Piece:
        """The same piece on the tied arms alone."""
        place = {int(k): position for position, k in enumerate(self.tied)}
        return Piece(
            Arms([self.arms.families[k] for k in self.tied]),
            self.lower[self.tied],
            self.upper[self.tied],
            tuple((place[a], place[b]) for a, b in self.orders),
            np.ascontiguousarray(self.A[:, self.tied]),
            self.b,
            self.equality,
            self.coordinates,
        )

    def order_rows(self) -> FloatArray:
        """The orders as rows of a matrix B with B lam <= 0."""
        B = np.zeros((len(self.orders), self.arms.n_arms))
        for r, (a, b) in enumerate(self.orders):
            B[r, a], B[r, b] = 1.0, -1.0
        return B

    def ties_one_kind(self, component: Sequence[int]) -> bool:
        """Whether all arms of a component share a family up to scale."""
        return len({self.arms.kinds[k] for k in component}) == 1


def _mean_of(arms: Arms, k: int, x: float, system: Coordinates) -> float:
    """The mean of arm k whose coordinate is x; coordinates beyond the family's range give its end."""
    if system == "mean":
        return float(x)
    if system == "log":
        return float(np.exp(x))
    family = arms.families[k]
    ends = np.array([family.natural(end) for end in family.domain]) / family.scale
    if x <= ends.min():
        return family.domain[0]
    if x >= ends.max():
        return family.domain[1]
    return float(family.mean(x * family.scale))


def _is_order(
    arms: Arms, row: FloatArray, support: NDArray[np.intp], right: float, system: Coordinates
) -> bool:
    """Whether a row says lam_a <= lam_b; natural parameters compare only within one kind."""
    if len(support) != 2 or right != 0 or row[support].sum() != 0:
        return False
    a, b = (int(k) for k in support)
    return system != "natural" or arms.same_kind(a, b)
