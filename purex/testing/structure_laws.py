"""The laws of a structure, the set M of possible means, each a function that raises when a case breaks it."""

from __future__ import annotations

import pickle

import numpy as np

from purex.arrays import FloatArray
from purex.families import Arms
from purex.model import Polyhedron
from purex.testing.case import Case
from purex.testing.laws import LawBrokenError, NotApplicableError
from purex.testing.units import check_units_do_not_matter

INSIDE = 1e-6  # how far, relative to the terms of a constraint, a point of M may break it
OUTSIDE = 1e-3  # a point that breaks a constraint by this much is not in M
CLOSER = 1e-6  # how much closer, relatively, another point of M may be


def _excess(arms: Arms, cell: Polyhedron, mu: FloatArray) -> FloatArray:
    """By how much each row of mu (R, K) breaks a cell, relative to the terms of the constraint."""
    with np.errstate(divide="ignore", invalid="ignore"):
        x = mu
        if cell.coordinates != "mean":
            x = arms.natural(mu) if cell.coordinates == "natural" else np.log(mu)
        worst = np.zeros(len(mu))
        for A, b, is_equal in ((cell.A, cell.b, False), (cell.A_eq, cell.b_eq, True)):
            terms = A[None] * x[:, None, :]
            over = terms.sum(axis=2) - b
            size = np.maximum(np.abs(terms).max(axis=2, initial=0.0), np.abs(b))
            excess = (np.abs(over) if is_equal else over) / np.where(size > 0, size, 1.0)
            worst = np.maximum(worst, np.nan_to_num(excess, nan=0.0).max(axis=1, initial=0.0))
    return worst


def _from_cells(case: Case, mu: FloatArray) -> FloatArray:
    """By how much each row breaks the nearest cell."""
    cells = case.problem.structure.cells()
    return np.asarray(np.min([_excess(case.problem.arms, cell, mu) for cell in cells], axis=0))


def check_cells_are_polyhedra(case: Case) -> None:
    """There is at least one cell, each about the K arms, and the same at every call."""
    structure = case.problem.structure
    first, again = list(structure.cells()), list(structure.cells())
    if not first or not all(
        isinstance(cell, Polyhedron) and cell.n_arms == structure.n_arms for cell in first
    ):
        raise LawBrokenError(
            f"cells() gives {first!r}, where polyhedra of {structure.n_arms} arms are required"
        )
    names = ("A", "b", "A_eq", "b_eq")
    same = len(first) == len(again) and all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for a, b in zip(first, again, strict=False)
        for name in names
    )
    if not same:
        raise LawBrokenError("cells() differs when it is called again")


def check_contains_agrees_with_cells(case: Case) -> None:
    """A point lies in M if and only if it lies in a cell and in the bounds."""
    problem = case.problem
    if problem.structure.is_cvxpy:
        raise NotApplicableError("the structure is stated in cvxpy, not by its cells")
    mu = case.means(case.rng("contains"), 4 * case.size)
    outside = _from_cells(case, mu)
    inside = problem.contains(mu)
    in_bounds = ((problem.lower <= mu) & (mu <= problem.upper)).all(axis=1)
    for wrong, what in (
        (inside & (outside > OUTSIDE), "contains says yes, but no cell holds it"),
        (inside & ~in_bounds & (outside <= OUTSIDE), "contains says yes, but it leaves the bounds"),
        (~inside & (outside == 0) & in_bounds, "contains says no, but a cell holds it"),
    ):
        if wrong.any():
            raise LawBrokenError(f"{what}: {mu[wrong][0].tolist()}")


def check_projections_lie_in_the_structure(case: Case) -> None:
    """project(N, mu) lies in M, and projecting it again changes nothing."""
    rng = case.rng("projections")
    problem, mu = case.problem, case.means(rng, case.size)
    N = case.weights(rng, case.size, zeros=0.0)
    point = problem.project(N, mu)
    if not problem.structure.is_cvxpy:
        off = _from_cells(case, point) > INSIDE
        if off.any():
            raise LawBrokenError(f"project({mu[off][0].tolist()}) = {point[off][0].tolist()} is not in M")
    again = problem.project(N, point)
    size = np.maximum(np.abs(point), np.ptp(point, axis=1, keepdims=True))
    moved = (np.abs(again - point) > INSIDE * size).any(axis=1)
    if moved.any():
        raise LawBrokenError(
            f"project is not idempotent: {point[moved][0].tolist()}, then {again[moved][0].tolist()}"
        )


def check_no_sampled_point_of_the_structure_is_closer(case: Case) -> None:
    """Of all sampled points of M none is likelier than the projection."""
    rng = case.rng("closer")
    problem, mu = case.problem, case.means(rng, case.size)
    N = case.weights(rng, case.size, zeros=0.0)
    point = problem.project(N, mu)
    value = problem.arms.cost(N, mu, point)
    pool = problem.project(np.ones_like(mu), case.means(rng, case.size))
    for r in range(len(mu)):
        t = rng.random((len(pool), 1)) ** 3  # most rivals near the projection
        near = problem.project(np.ones_like(pool), point[r] + t * (pool - point[r]))
        for rivals in (pool, near):
            cost = problem.arms.cost(
                np.broadcast_to(N[r], rivals.shape), np.broadcast_to(mu[r], rivals.shape), rivals
            )
            best = int(np.argmin(cost))
            if not value[r] <= cost[best] * (1 + CLOSER) + 1e-12 * N[r].max():
                raise LawBrokenError(
                    f"the projection of {mu[r].tolist()} with N = {N[r].tolist()} costs {value[r]:g}, but "
                    f"{rivals[best].tolist()} costs {cost[best]:g}"
                )


def check_bounds_are_the_cells(case: Case) -> None:
    """Where `bounds` are stated, M is just these bounds: closed forms are used then."""
    structure = case.problem.structure
    if structure.bounds is None:
        raise NotApplicableError("the structure is more than bounds")
    lower, upper = structure.bounds
    low, high = case.interval
    rng = case.rng("bounds")
    mu = rng.uniform(low - 0.5, high + 0.5, (4 * case.size, structure.n_arms))
    ends = np.clip(mu, lower, upper)
    if (_from_cells(case, ends) > INSIDE).any():
        raise LawBrokenError(f"bounds are [{lower:g}, {upper:g}], but the cells leave out a point of them")
    beyond = ((mu < lower - OUTSIDE) | (mu > upper + OUTSIDE)).any(axis=1)
    if (beyond & (_from_cells(case, mu) == 0)).any():
        raise LawBrokenError(f"bounds are [{lower:g}, {upper:g}], but a cell holds a point outside")


def check_pickles(case: Case) -> None:
    """A pickled copy has the same projections."""
    rng = case.rng("pickle")
    mu = case.means(rng, 10)
    N = case.weights(rng, 10, zeros=0.0)
    copy = pickle.loads(pickle.dumps(case.problem))
    if not np.array_equal(copy.project(N, mu), case.problem.project(N, mu)):
        raise LawBrokenError("a pickled copy projects differently")


STRUCTURE_LAWS = (
    check_cells_are_polyhedra,
    check_contains_agrees_with_cells,
    check_projections_lie_in_the_structure,
    check_no_sampled_point_of_the_structure_is_closer,
    check_bounds_are_the_cells,
    check_pickles,
    check_units_do_not_matter,
)
