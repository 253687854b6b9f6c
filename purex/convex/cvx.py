"""The generic oracle and referee: a best response as a convex program in cvxpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.convex.newton_in_numpy import Chart
from purex.convex.piece import Piece
from purex.errors import OracleFailureError, RefusedProblemError
from purex.extras import need
from purex.families.arms import Arms
from purex.families.convexity import NAMED, not_convex
from purex.families.family import Family
from purex.model.polyhedron import Coordinates

# Clarabel's default tolerance (1e-8) gives the argmin only to 5e-5, so a tighter one is tried first;
# it is out of reach for some programs.
TOLERANCES = (1e-13, 1e-11, 1e-9, 1e-8)
# Clarabel regularises its linear systems by 1e-8, and then an accurate value is out of reach: on a
# Bernoulli response of value 6e-6 the error falls from 1e-4 to 5e-8 relative with these.
REGULARISATION = {
    "static_regularization_constant": 1e-13,
    "static_regularization_proportional": 1e-30,
    "dynamic_regularization_eps": 1e-16,
    "dynamic_regularization_delta": 1e-10,
}
# A structure's own constraints are in another unit than the variables: it may scale by more than 1e4.
EQUILIBRATION = {
    "equilibrate_min_scaling": 1e-20,
    "equilibrate_max_scaling": 1e20,
    "equilibrate_max_iter": 50,
}
FAR = 1e4  # stands for an infinite bound on a coordinate: a number the solver can still scale

Constraints = Callable[[Any, Any], list[Any]]


class ConvexProgram:
    """The best response on one piece, compiled once with DPP parameters and solved row by row.

    `boxed` programs have bounds on every coordinate, for problems inside a confidence box. The solver, whose
    tolerances are absolute, gets the means in this `unit`.

    >>> from purex.families import Arms, Gaussian
    >>> from purex.model import Polyhedron
    >>> arms = Arms.of(Gaussian(), 2)
    >>> piece = Piece.of(arms, [Polyhedron.order(2, low=0, high=1)], -np.inf, np.inf)
    >>> program = ConvexProgram(piece)
    >>> free = np.full((1, 2), np.inf)
    >>> point, feasible = program.minimise(np.ones((1, 2)), np.array([[1.0, 0.0]]), -free, free)
    >>> point.round(6)
    array([[0.5, 0.5]])
    """

    def __init__(
        self, piece: Piece, constraints: Constraints | None = None, boxed: bool = False, unit: float = 1.0
    ) -> None:
        need("cvxpy", "a best response by cvxpy")
        import cvxpy as cp

        self.piece = piece
        self.coordinates = coordinates_for(piece, constraints is not None)
        self.chart = Chart(piece.arms, self.coordinates)
        scales = self.coordinates == "mean" and all(_has_scale(family) for family in piece.arms.families)
        self.unit = unit if scales else 1.0
        self.y = cp.Variable(piece.arms.n_arms)
        objective, self._coefficients = _objective(cp, piece.arms, self.coordinates, self.y)
        rows = _constraints(cp, piece, self.y, self.unit)
        self._bounds = _bounds(cp, piece, self.coordinates, self.y, boxed)
        rows += [constraint for *_, constraint in self._bounds]
        if constraints is not None:
            rows += _stated(cp, constraints, self.y, self.unit)
        self.problem = cp.Problem(cp.Minimize(objective), rows)
        if not self.problem.is_dcp(dpp=True):
            raise RefusedProblemError(
                "the constraints of this structure are not convex by the rules of cvxpy (DCP)"
            )

    def minimise(
        self, c: FloatArray, mu: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        """The minimising means (R, K) for weights times scales c, means mu and bounds (R, K)."""
        point, feasible = mu.copy(), np.ones(len(mu), dtype=bool)
        if self.unit != 1.0:  # d(mu, lam) is this times d(mu/unit, lam/unit)
            c = c * (self.unit**2 / (self.piece.arms.scales * self.piece.arms.variance(self.unit)))
        for r in range(len(mu)):
            top = c[r].max()
            for columns, parameter, coefficient in self._coefficients:
                # Divided by the largest, the weights are numbers the solver likes.
                parameter.value = coefficient(c[r, columns] / (top or 1.0), mu[r, columns] / self.unit)
            for columns, parameter, is_lower, _ in self._bounds:
                bound = self.chart.place(lower[r] if is_lower else upper[r])
                parameter.value = np.clip(bound[columns] / self.unit, -FAR, FAR)
            x = self._solve()
            feasible[r] = x is not None
            if x is not None:
                point[r] = np.clip(self.chart.mean(x), lower[r], upper[r])
        return point, feasible

    def _solve(self) -> FloatArray | None:
        """Solve with the present parameters; None if infeasible."""
        import warnings

        import cvxpy as cp

        status = "none"
        for tolerance in TOLERANCES:
            names = ("tol_gap_abs", "tol_gap_rel", "tol_feas")
            settings: dict[str, Any] = dict.fromkeys(names, tolerance) | REGULARISATION
            settings |= {f"reduced_{name}": 10 * tolerance for name in names}
            settings |= EQUILIBRATION if self.unit != 1.0 else {}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # "may be inaccurate": the status says the same
                try:
                    self.problem.solve(solver=cp.CLARABEL, max_iter=200, **settings)
                except cp.error.SolverError:
                    status = "solver error"
                    continue
            status = self.problem.status
            if self.problem.status in (cp.INFEASIBLE, cp.INFEASIBLE_INACCURATE):
                return None
            if self.problem.status in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE):
                return self.unit * np.asarray(self.y.value, dtype=np.float64)
        raise OracleFailureError(
            f"cvxpy ended a best response without a solution (status {status!r}): "
            "use the generic oracle, which needs no interior-point solver"
        )


def _stated(cp: Any, constraints: Constraints, y: Any, unit: float) -> list[Any]:
    """A structure's own constraints on means in this unit; inequalities and equations are divided by it."""
    if unit == 1.0:
        return constraints(cp, y)
    rows: list[Any] = []
    for row in constraints(cp, unit * y):
        if isinstance(row, cp.constraints.Inequality):
            rows.append(row.args[0] / unit <= row.args[1] / unit)
        elif isinstance(row, cp.constraints.Equality):
            rows.append(row.args[0] / unit == row.args[1] / unit)
        else:
            rows.append(row)
    return rows


def _has_scale(family: Family) -> bool:
    """Whether the divergence in another unit of the means is a multiple of itself: V is a power."""
    coefficients = family.variance_coefficients
    return coefficients is not None and sum(v != 0 for v in coefficients) == 1


def coordinates_for(piece: Piece, mean_only: bool) -> Coordinates:
    """The coordinates in which costs and constraints of a piece are both convex; refuse if none."""
    arms, tied = piece.arms, piece.tied
    families = [arms.families[k] for k in tied] if not mean_only else list(arms.families)
    if (piece.is_order or piece.coordinates == "mean") and not not_convex(families):
        return "mean"
    if mean_only:
        raise RefusedProblemError(_not_convex(arms, "cvxpy constraints on the means"))
    orders_are_linear = all(piece.ties_one_kind(component) for component in piece.components)
    if (piece.is_order or piece.coordinates == "natural") and orders_are_linear:
        return "natural"
    if piece.coordinates == "log" and not not_convex(families, "log"):
        return "log"
    raise RefusedProblemError(_not_convex(arms, f"these constraints in {piece.coordinates} coordinates"))


def _not_convex(arms: Arms, what: str) -> str:
    names = ", ".join(dict.fromkeys(family.name for family in arms.families))
    return (
        f"{what} with {names} arms do not make a convex problem: use families convex in the mean "
        f"{NAMED['mean']} or order and bound constraints within one family"
    )


def _objective(
    cp: Any, arms: Arms, coordinates: Coordinates, x: Any
) -> tuple[Any, list[tuple[NDArray[np.intp], Any, Callable[..., FloatArray]]]]:
    """The cost as a cvxpy expression in x, with its parameters and what they are made of."""
    parts, parameters = [], []
    for family in dict.fromkeys(arms.families):
        columns = np.array([k for k, f in enumerate(arms.families) if f == family])
        terms = family.convex_terms(coordinates)
        if terms is None:
            raise RefusedProblemError(
                f"the family {family.name} has no cvxpy expression in {coordinates} coordinates: "
                "supply convex_terms, or use the Newton oracle"
            )
        for term in terms:
            expression = term.expression(cp, x[columns])
            parameter = cp.Parameter(len(columns), nonneg=not expression.is_affine())
            parts.append(cp.sum(cp.multiply(parameter, expression)))
            parameters.append((columns, parameter, term.coefficient))
    return sum(parts), parameters


def _bounds(
    cp: Any, piece: Piece, coordinates: Coordinates, x: Any, boxed: bool
) -> list[tuple[NDArray[np.intp], Any, bool, Any]]:
    """Parameters for the bounds of a row: (columns, parameter, is it a lower bound, constraint).

    Edges of the domain are constraints in mean coordinates only: elsewhere they lie at infinity.
    """
    bounds = []
    for bound, edge, is_lower in (
        (piece.lower, piece.arms.lower_ends, True),
        (piece.upper, piece.arms.upper_ends, False),
    ):
        needed = np.isfinite(bound) & ((coordinates == "mean") | (bound != edge))
        columns = np.flatnonzero(needed | boxed)
        if len(columns):
            parameter = cp.Parameter(len(columns))
            constraint = x[columns] >= parameter if is_lower else x[columns] <= parameter
            bounds.append((columns, parameter, is_lower, constraint))
    return bounds


def _constraints(cp: Any, piece: Piece, x: Any, unit: float) -> list[Any]:
    """The orders and general rows of a piece on the coordinates x, in this unit."""
    rows = []
    if piece.orders:
        rows.append(piece.order_rows() @ x <= 0)
    if (~piece.equality).any():
        rows.append(piece.A[~piece.equality] @ x <= piece.b[~piece.equality] / unit)
    if piece.equality.any():
        rows.append(piece.A[piece.equality] @ x == piece.b[piece.equality] / unit)
    return rows
