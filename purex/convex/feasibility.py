"""How a piece of an alternative meets a cell of M: openly, in ties that M forces, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from purex.arrays import BoolArray, FloatArray
from purex.convex.cvx import Constraints, coordinates_for
from purex.convex.newton_in_numpy import Chart
from purex.convex.piece import Piece
from purex.errors import OracleFailureError
from purex.extras import need
from purex.families.arms import Arms
from purex.model import Polyhedron
from purex.model.polyhedron import Coordinates

# A slack is sought in a box around the last point, and is told from none where it exceeds this fraction of
# the box: solvers of linear programs are accurate to 1e-7 of the numbers they are given.
VISIBLE = 1e-6
# The sizes of these boxes, in units of the constraints' own numbers: slack is concave, so a smaller box shows
# a larger fraction of itself, down to where the rounding of the point would be taken for slack.
ZOOMS = (2.0**-10, 2.0**-20, 2.0**-30)
FAR = (1.0, 2.0**10, 2.0**20, 2.0**30)  # the first box: the first of these that holds a point
ROUNDING = 64 * 2.0**-52  # of a row at a point, relative to the point
REACH = 8.0  # of logarithms and natural parameters, beyond the constraints' own: e^8 is far


class Meeting(NamedTuple):
    """What a piece and a cell have in common, if it is more than a part of the cell's edge.

    `point` lies in the relative interior of what they share, where exactly the rows of the piece that are
    `forced` hold with equality: those that do so in all of the cell. None is, if the piece is open. There is
    no point if they share nothing, or only ties on the edge of the cell, which no model with another answer
    approaches.
    """

    point: FloatArray | None
    forced: BoolArray

    @property
    def is_open(self) -> bool:
        """Whether some model of the cell satisfies all inequalities of the piece strictly."""
        return self.point is not None and not self.forced.any()


def is_openly_ordered(arms: Arms, piece: Polyhedron, lower: float, upper: float) -> bool:
    """Whether orders and bounds alone, without a structure, leave room: no cycle and no squeezed bounds."""
    whole = Piece.of(arms, [piece], lower, upper)
    if not whole.is_order:
        return False
    low = whole.lower.copy()
    for _ in range(arms.n_arms):
        before = low.copy()
        for a, b in whole.orders:
            low[b] = max(low[b], low[a])
        if (low == before).all():
            break
    return bool((low < whole.upper).all()) and _is_acyclic(whole.orders)


def _is_acyclic(orders: Sequence[tuple[int, int]]) -> bool:
    left = set(orders)
    while left:
        heads = {b for _, b in left}
        sources = {pair for pair in left if pair[0] not in heads}
        if not sources:
            return False
        left -= sources
    return True


@dataclass(frozen=True, eq=False)
class Region:
    r"""The models of a cell in a piece: $A x \le b$ of the piece, $B x \le c$ and $E x = e$ of all else.

    In coordinates x whose unit is the largest number among the constraints, so that no result depends on
    whether means are in seconds or in nanoseconds. All rows have length one.
    """

    arms: Arms
    coordinates: Coordinates
    unit: float
    reach: float
    A: FloatArray
    b: FloatArray
    B: FloatArray
    c: FloatArray
    E: FloatArray
    e: FloatArray
    lower: FloatArray
    upper: FloatArray
    constraints: Constraints | None = None

    @classmethod
    def of(
        cls,
        arms: Arms,
        piece: Polyhedron,
        cell: Polyhedron,
        lower: float,
        upper: float,
        constraints: Constraints | None = None,
    ) -> Region:
        """Sort the constraints by whether the query asks for them."""
        whole = Piece.of(arms, [piece, cell], lower, upper)
        if constraints is not None:
            coordinates_for(whole, True)  # refuses what is not convex
        system: Coordinates = "mean" if constraints is not None else whole.coordinates
        equations = Polyhedron(
            A_eq=piece.A_eq, b_eq=piece.b_eq, n_arms=arms.n_arms, coordinates=piece.coordinates
        )
        rest = Piece.of(arms, [equations, cell], lower, upper)
        A, b = _of_length_one(*_own_rows(arms, piece, system))
        B, c = _of_length_one(
            np.vstack([rest.order_rows(), rest.A[~rest.equality]]),
            np.concatenate([np.zeros(len(rest.orders)), rest.b[~rest.equality]]),
        )
        E, e = _of_length_one(rest.A[rest.equality], rest.b[rest.equality])
        low, high = _bounds(rest, system)
        numbers = np.abs(np.concatenate([b, c, e, low[np.isfinite(low)], high[np.isfinite(high)]]))
        largest = float(numbers[np.isfinite(numbers)].max(initial=0.0))
        if system != "mean":
            unit, reach = 1.0, REACH + 4.0 * largest
        else:
            unit, reach = (2.0 ** np.ceil(np.log2(largest)) if largest > 0 else _spread(arms)), np.inf
        scaled = (x / unit for x in (b, c, e, low, high))
        b, c, e, low, high = scaled
        return cls(arms, system, unit, reach, A, b, B, c, E, e, low, high, constraints)

    def means(self, x: FloatArray) -> FloatArray:
        """The means at coordinates x."""
        return Chart(self.arms, self.coordinates).mean(self.unit * x)

    def meeting(self) -> Meeting:
        """Which of the piece's own rows hold strictly somewhere: all at once, or each for itself."""
        own: BoolArray = np.any(self.A != 0, axis=1)  # a row of zeros is true everywhere, or nowhere
        nothing = np.zeros(len(own), dtype=np.bool_)
        slack, start = self.roomiest(own)
        if start is None or slack < 0:
            return Meeting(None, nothing)
        if slack > 0:
            return Meeting(start, nothing)
        forced, points = own.copy(), [start]
        for r in np.flatnonzero(own):
            slack, x = self.roomiest(np.arange(len(own)) == r)
            if slack > 0 and x is not None:
                forced[r] = False
                points.append(x)
        if not all(self._is_constant(int(r)) for r in np.flatnonzero(forced)):
            return Meeting(None, nothing)
        return Meeting(np.mean(points, axis=0), forced)

    def _is_constant(self, r: int) -> bool:
        """Whether a row of the piece has one value in all of the cell."""
        row, level, counted = self.A[r : r + 1], self.b[r : r + 1], np.array([True])
        sides = (replace(self, A=sign * row, b=sign * level) for sign in (1.0, -1.0))
        return all(side.roomiest(counted)[0] <= 0 for side in sides)

    def roomiest(self, rows: BoolArray) -> tuple[float, FloatArray | None]:
        """The largest common slack of these rows, and where; 0 if it cannot be told from rounding."""
        centre = np.clip(np.zeros(self.arms.n_arms), self.lower, self.upper)
        slack, x = -np.inf, None
        for size in FAR if np.isinf(self.reach) else (self.reach,):
            slack, x = self._solve(rows, centre, size)
            if slack > -VISIBLE:
                break
        for size in ZOOMS:
            if x is None or abs(slack) > VISIBLE:
                return slack, x
            if VISIBLE * size <= ROUNDING * np.abs(x).max():
                return 0.0, x
            slack, x = self._solve(rows, np.clip(x, self.lower, self.upper), size)
        return (slack if abs(slack) > VISIBLE else 0.0), x

    def furthest(self, direction: FloatArray, centre: FloatArray) -> FloatArray | None:
        """The point furthest in a direction, within the first box around a centre."""
        A, b = np.vstack([self.A, self.B]), np.concatenate([self.b, self.c])
        return self._program(direction, A, b, np.zeros(len(A)), centre, min(FAR[0], self.reach))[1]

    def _solve(self, rows: BoolArray, centre: FloatArray, size: float) -> tuple[float, FloatArray | None]:
        """The largest slack t <= 1 of some rows in the box of this size, in units of it."""
        A, b = np.vstack([self.A, self.B]), np.concatenate([self.b, self.c])
        counted = np.concatenate([rows.astype(np.float64), np.zeros(len(self.B))])
        return self._program(np.zeros(self.arms.n_arms), A, b, counted, centre, size)

    def _program(
        self,
        direction: FloatArray,
        A: FloatArray,
        b: FloatArray,
        t: FloatArray,
        centre: FloatArray,
        size: float,
    ) -> tuple[float, FloatArray | None]:
        """Maximise direction' z + the slack t over x = centre + size z, |z| <= 1."""
        low = np.maximum((self.lower - centre) / size, -1.0)
        high = np.minimum((self.upper - centre) / size, 1.0)
        right, equal = (b - A @ centre) / size, (self.e - self.E @ centre) / size
        if (low > high).any():
            return -np.inf, None
        if self.constraints is not None:
            found = self._by_cvxpy(direction, A, right, t, equal, (low, high), centre, size)
        else:
            found = _by_linear_program(direction, A, right, t, self.E, equal, (low, high))
        return (-np.inf, None) if found is None else (found[0], centre + size * found[1])

    def _by_cvxpy(
        self,
        direction: FloatArray,
        A: FloatArray,
        right: FloatArray,
        counted: FloatArray,
        equal: FloatArray,
        bounds: tuple[FloatArray, FloatArray],
        centre: FloatArray,
        size: float,
    ) -> tuple[float, FloatArray] | None:
        """The same with the structure's cvxpy constraints."""
        need("cvxpy", "a structure stated in cvxpy")
        import cvxpy as cp

        assert self.constraints is not None
        z, t = cp.Variable(self.arms.n_arms), cp.Variable()
        rows = [t <= 1, z >= bounds[0], z <= bounds[1]]
        rows += [A @ z + counted * t <= right] if len(A) else []
        rows += [self.E @ z == equal] if len(self.E) else []
        stated = self.constraints(cp, self.unit * (centre + size * z))
        rows += [_in_units(constraint, self.unit * size) for constraint in stated]
        program = cp.Problem(cp.Maximize(direction @ z + t), rows)
        program.solve(solver=cp.CLARABEL)
        if program.status not in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE):
            return None
        return float(t.value), np.asarray(z.value, dtype=np.float64)


def _in_units(constraint: object, unit: float) -> object:
    """A constraint divided by a unit, where its form allows that: solvers have absolute tolerances."""
    from cvxpy.constraints import Equality, Inequality

    if isinstance(constraint, Inequality):
        return constraint.args[0] / unit <= constraint.args[1] / unit
    if isinstance(constraint, Equality):
        return constraint.args[0] / unit == constraint.args[1] / unit
    return constraint


def _by_linear_program(
    direction: FloatArray,
    A: FloatArray,
    right: FloatArray,
    counted: FloatArray,
    E: FloatArray,
    equal: FloatArray,
    bounds: tuple[FloatArray, FloatArray],
) -> tuple[float, FloatArray] | None:
    from scipy.optimize import linprog

    result = linprog(
        -np.append(direction, 1.0),
        A_ub=np.column_stack([A, counted]) if len(A) else None,
        b_ub=right if len(A) else None,
        A_eq=np.column_stack([E, np.zeros(len(E))]) if len(E) else None,
        b_eq=equal if len(E) else None,
        bounds=[*zip(*bounds, strict=True), (None, 1.0)],
    )
    if result.status == 2:  # infeasible
        return None
    if result.status != 0 or result.x is None:
        raise OracleFailureError(
            f"the linear program that looks for a model in an alternative failed: {result.message}"
        )
    return float(result.x[-1]), np.asarray(result.x[:-1])


def _own_rows(arms: Arms, piece: Polyhedron, system: Coordinates) -> tuple[FloatArray, FloatArray]:
    """The inequalities of the query's piece, row for row, in the coordinates of the whole."""
    rows, right = np.zeros_like(piece.A), np.zeros(len(piece.b))
    chart = Chart(arms, system)
    for r in range(len(piece.A)):
        alone = Polyhedron(piece.A[r], piece.b[r], coordinates=piece.coordinates)
        own = Piece.of(arms, [alone], -np.inf, np.inf)
        if own.orders:
            rows[r] = own.order_rows()[0]
        elif len(own.A):
            rows[r], right[r] = own.A[0], own.b[0]
        elif (k := np.flatnonzero(piece.A[r])).size == 1:
            sign, bound = (1.0, own.upper) if piece.A[r, k[0]] > 0 else (-1.0, own.lower)
            rows[r, k], right[r] = sign, sign * chart.place(bound)[k[0]]
        else:
            right[r] = piece.b[r]  # 0 <= b: true or false, whatever x is
    return rows, right


def _bounds(piece: Piece, system: Coordinates) -> tuple[FloatArray, FloatArray]:
    """Bounds in the coordinates; edges of the domain are bounds of means, and elsewhere far away."""
    chart, keep = Chart(piece.arms, system), system == "mean"
    return (
        np.where((piece.lower > piece.arms.lower_ends) | keep, chart.place(piece.lower), -np.inf),
        np.where((piece.upper < piece.arms.upper_ends) | keep, chart.place(piece.upper), np.inf),
    )


def _of_length_one(rows: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    length = np.sqrt((rows**2).sum(axis=1))
    length = np.where(length > 0, length, 1.0)
    return rows / length[:, None], right / length


def _spread(arms: Arms) -> float:
    """A unit for means where no constraint has a number: only constraints that cvxpy knows need it."""
    spreads = [float(np.sqrt(f.variance(0.0))) for f in arms.families if f.kind == "gaussian"]
    spreads += [f.unit for f in arms.families if f.unit != 1]
    return max(spreads, default=1.0)
