"""The exact minimiser on one piece: which method applies, and the call to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from purex.arrays import BoolArray, FloatArray
from purex.convex import newton_in_numpy
from purex.convex.arguments import (
    LOG,
    LOST,
    MEAN,
    NEWTON_IN_LOGS,
    NEWTON_IN_MEANS,
    QUADRATIC,
    SOLVED,
    Costs,
    Domains,
    Feasible,
    own,
)
from purex.convex.cvx import Constraints, ConvexProgram, coordinates_for
from purex.convex.piece import Piece
from purex.convex.qp import project
from purex.errors import RefusedProblemError

Method = Literal["auto", "pav", "qp", "newton", "cvxpy"]


class PieceSolver:
    r"""Minimise $\sum_k w_k d(\mu_k, \lambda_k)$ over one piece, whole batch at once.

    `method` is "auto" or one of the exact methods by name:

    - "pav": chains of orders, any family (and single ties between arms of different families);
    - "qp": one quadratic program, for Gaussian arms, and for any orders within a family, since the
      minimiser under order and bound constraints is the same for every Bregman divergence
      (Robertson, Wright & Dykstra 1988, theorem 1.5.1);
    - "newton": a sequence of quadratic programs, where costs and constraints are convex together;
    - "cvxpy": the same programs by an independent route.
    """

    def __init__(self, piece: Piece, method: Method = "auto", constraints: Constraints | None = None) -> None:
        self.piece = piece
        self.constraints = constraints
        self.method = _choose(piece, method, constraints is not None)
        self._programs: dict[tuple[bool, float], ConvexProgram] = {}  # by confidence box or none, and unit

    @property
    def tied(self) -> NDArray[np.intp]:
        """The arms on whose weights the minimiser depends: those that constraints tie to others."""
        return self.piece.tied if self.constraints is None else np.arange(self.piece.arms.n_arms)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_programs": {}}  # compiled programs do not travel between processes

    def minimise(
        self,
        w: FloatArray,
        mu: FloatArray,
        lower: FloatArray | None = None,
        upper: FloatArray | None = None,
    ) -> tuple[FloatArray, BoolArray]:
        """The minimisers (R, K) for w, mu (R, K) and which rows have one.

        lower, upper (R, K) restrict each row further (the confidence box of line 4 of Algorithm 1).
        """
        piece, tied = self.piece, self.piece.tied
        low = np.broadcast_to(piece.lower, mu.shape) if lower is None else np.maximum(piece.lower, lower)
        high = np.broadcast_to(piece.upper, mu.shape) if upper is None else np.minimum(piece.upper, upper)
        feasible: BoolArray = np.all(low <= high, axis=1)
        point = np.where(feasible[:, None], np.clip(mu, low, np.maximum(low, high)), mu)
        rows = np.flatnonzero(feasible)
        if self.constraints is not None:
            tied = np.arange(piece.arms.n_arms)
        if len(tied) == 0 or len(rows) == 0:
            return point, feasible
        at = np.ix_(rows, tied)
        c = w[at] * piece.arms.scales[tied]
        point[at], feasible[rows] = self._solve_tied(c, mu[at], low[at], high[at])
        return point, feasible

    @cached_property
    def _solve_tied(
        self,
    ) -> Callable[[FloatArray, FloatArray, FloatArray, FloatArray], tuple[FloatArray, BoolArray]]:
        return {"pav": self._pav, "qp": self._qp, "newton": self._newton, "cvxpy": self._cvxpy}[self.method]

    def _pav(
        self, c: FloatArray, mu: FloatArray, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        from purex.convex import pav

        chain_fit: Any = pav.chain_fit
        core = self.piece.core
        point, feasible = mu.copy(), np.ones(len(mu), dtype=bool)
        for chain in core.chains or ():
            columns = list(chain)
            floor, ceiling = bounds_along(chain, low, high)
            feasible &= (floor <= ceiling).all(axis=1)
            if core.ties_one_kind(chain):
                point[:, columns] = chain_fit(c[:, columns], mu[:, columns], floor, ceiling)
            else:
                point[:, columns] = self._mixed_pair(columns, c, mu, floor, ceiling)
        return point, feasible

    def _mixed_pair(
        self,
        columns: list[int],
        c: FloatArray,
        mu: FloatArray,
        floor: FloatArray,
        ceiling: FloatArray,
    ) -> FloatArray:
        """Two arms of different families: if each one's own optimum is out of order, they tie."""
        a, b = columns
        arms = self.piece.core.arms
        own = np.clip(mu[:, columns], floor, np.maximum(floor, ceiling))
        tie = arms.tied_mean(
            a,
            b,
            c[:, a] / arms.scales[a],
            mu[:, a],
            c[:, b] / arms.scales[b],
            mu[:, b],
            lower=floor[:, 1],
            upper=ceiling[:, 0],
        )
        return np.where((own[:, :1] <= own[:, 1:]), own, tie[:, None])

    @cached_property
    def system(self) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Orders and general rows of the tied arms as one linear system."""
        if len(self.piece.tied) == 0:
            return np.zeros((0, 0)), np.zeros(0), np.zeros(0, dtype=bool)
        core = self.piece.core
        n = len(core.orders)
        return (
            np.vstack([core.order_rows(), core.A]),
            np.concatenate([np.zeros(n), core.b]),
            np.concatenate([np.zeros(n, dtype=bool), core.equality]),
        )

    def _qp(
        self, c: FloatArray, mu: FloatArray, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        return project(c, mu, *self.system, low, high)

    @cached_property
    def _chart(self) -> newton_in_numpy.Chart:
        return newton_in_numpy.Chart(self.piece.core.arms, coordinates_for(self.piece, False))

    def _newton(
        self, c: FloatArray, mu: FloatArray, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        """Compiled where kernels know families and coordinates; numpy for the others and for lost rows."""
        if not self._is_compiled:
            return self._newton_in_numpy(c, mu, low, high)
        from purex.convex.kernels import newton

        minimise_rows: Any = newton.minimise_rows
        codes, parameters, starts, ends = self._compiled_arms
        costs, domains = Costs(own(c), own(mu), codes, parameters), Domains(starts, ends)
        within = Feasible._make(own(x) for x in (*self.system, low, high))
        system = LOG if self._chart.coordinates == "log" else MEAN
        point, status = np.empty(mu.shape), np.empty(len(mu), dtype=np.int64)
        minimise_rows(costs, domains, within, system, point, status)
        feasible = status == SOLVED
        point = np.where(feasible[:, None], point, mu)
        lost = np.flatnonzero(status == LOST)
        if len(lost):
            point[lost], feasible[lost] = self._newton_in_numpy(c[lost], mu[lost], low[lost], high[lost])
        return point, feasible

    @cached_property
    def kernel(self) -> int | None:
        """How compiled kernels solve this piece (see `purex.convex.arguments`); None if they do not."""
        piece = self.piece
        if self.constraints is not None or not piece.arms.is_compiled or self.method == "cvxpy":
            return None
        if self.method == "newton" and len(piece.tied):
            return {"mean": NEWTON_IN_MEANS, "log": NEWTON_IN_LOGS}.get(self._chart.coordinates)
        one_kind = all(piece.ties_one_kind(component) for component in piece.components)
        return QUADRATIC if self.method == "qp" or one_kind else None

    @cached_property
    def _is_compiled(self) -> bool:
        return self._chart.coordinates != "natural" and self._chart.arms.is_compiled

    @cached_property
    def _compiled_arms(self) -> tuple[Any, ...]:
        """What kernels know of the tied arms: codes, parameters, and the ends of their domains."""
        arms = self.piece.core.arms
        return tuple(own(x) for x in (arms.codes, arms.parameters, arms.lower_ends, arms.upper_ends))

    def _newton_in_numpy(
        self, c: FloatArray, mu: FloatArray, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        A, b, equality = self.system
        point, feasible = mu.copy(), np.ones(len(mu), dtype=bool)
        slack = b - np.einsum("mk,rk->rm", A, self._chart.place(mu))
        inside = ((low <= mu) & (mu <= high)).all(axis=1)
        inside &= np.where(equality, slack == 0, slack >= 0).all(axis=1)
        out = np.flatnonzero(~inside)
        if len(out):
            point[out], feasible[out] = newton_in_numpy.minimise(
                self._chart, c[out], mu[out], A, b, equality, low[out], high[out]
            )
            point[out] = np.clip(point[out], low[out], high[out])
        return point, feasible

    def _cvxpy(
        self, c: FloatArray, mu: FloatArray, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        piece = self.piece if self.constraints else self.piece.core
        boxed = bool((low > piece.lower).any() or (high < piece.upper).any())
        units = newton_in_numpy.Chart(piece.arms, "mean").units(mu, mu, piece.A, piece.b)[0][:, 0]
        point, feasible = mu.copy(), np.ones(len(mu), dtype=bool)
        for unit in np.unique(units):
            rows = np.flatnonzero(units == unit)
            key = boxed, float(unit)
            if key not in self._programs:
                self._programs[key] = ConvexProgram(piece, self.constraints, boxed, float(unit))
            found = self._programs[key].minimise(c[rows], mu[rows], low[rows], high[rows])
            point[rows], feasible[rows] = found
        return point, feasible


def bounds_along(chain: Sequence[int], low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The bounds (..., n) of an increasing chain: a lower one also holds for all that follow.

    >>> floor, ceiling = bounds_along([2, 0], np.array([0.0, 0.0, 0.5]), np.array([0.7, 1.0, 1.0]))
    >>> floor.tolist(), ceiling.tolist()
    ([0.5, 0.5], [0.7, 0.7])
    """
    arms = list(chain)
    floor = np.maximum.accumulate(low[..., arms], axis=-1)
    return floor, np.minimum.accumulate(high[..., arms[::-1]], axis=-1)[..., ::-1]


def _choose(piece: Piece, method: Method, has_constraints: bool) -> Method:
    """The method that is exact for this piece, or a refusal."""
    if has_constraints:
        if method not in ("auto", "cvxpy"):
            raise RefusedProblemError(f"a structure stated in cvxpy needs the method 'cvxpy', not '{method}'")
        coordinates_for(piece, mean_only=True)  # refuses what is not convex
        return "cvxpy"
    one_kind = [piece.ties_one_kind(component) for component in piece.components]
    pairs = [len(component) == 2 for component in piece.components]
    gaussian = all(piece.arms.kinds[k] == "gaussian" for k in piece.tied)
    chains = piece.is_order and piece.chains is not None
    is_exact = {
        "pav": chains and all(one or pair for one, pair in zip(one_kind, pairs, strict=True)),
        "qp": (piece.is_order and all(one_kind)) or (piece.coordinates == "mean" and gaussian),
    }
    if method == "auto":
        method = "pav" if is_exact["pav"] else "qp" if is_exact["qp"] else "newton"
    if not is_exact.get(method, True):
        raise RefusedProblemError(f"the method '{method}' is not exact for these constraints")
    if method in ("newton", "cvxpy"):
        coordinates_for(piece, mean_only=False)
    return method
