"""The law of units: what a problem says does not depend on whether means are in seconds or in nanoseconds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.errors import RefusedProblemError
from purex.families import Arms, Bounded, Family, Gaussian
from purex.problem import Problem
from purex.problem.selection import base_kind
from purex.testing.case import Case
from purex.testing.laws import VALUE, LawBrokenError, NotApplicableError

FACTORS = (2.0**-40, 2.0**40)  # powers of two: every number of the problem is the same but for its exponent
PLACE = 1e-7  # how far, relative to the largest mean, a projection may move
GAMES = 2  # models whose games are solved in each unit
CERTIFIED = 1e-6  # relative gap up to which a game is solved

# By kind: the family in another unit, and the power of the factor by which divergences grow with it.
SCALES: dict[str, tuple[Callable[[Family, float], Family], int]] = {
    "gaussian": (lambda family, factor: Gaussian(float(family.variance(0.0)) * factor**2), 0),
    "bounded": (lambda family, factor: Bounded(*(factor * end for end in family.domain)), 0),
    "gamma": (lambda family, factor: family, 0),
    "poisson": (lambda family, factor: family, 1),
}


def in_unit(problem: Problem, factor: float) -> tuple[Problem, float]:
    """The same problem with all means multiplied by a factor, and by what its values are multiplied.

    >>> from purex_plugins.thresholding import Thresholding
    >>> problem = Problem(Arms.of(Gaussian(4.0), 2), Thresholding(2, threshold=0.5))
    >>> other, growth = in_unit(problem, 1000.0)
    >>> float(other.query.threshold), other.arms.families[0].name, growth
    (500.0, 'gaussian(variance=4000000.0)', 1.0)
    """
    kinds = {base_kind(kind) for kind in problem.arms.kinds}
    powers = {SCALES[kind][1] for kind in kinds & SCALES.keys()}
    if not kinds <= SCALES.keys() or len(powers) > 1:
        raise NotApplicableError(f"arms of {', '.join(sorted(kinds))} have no common scale")
    families = [SCALES[base_kind(family.kind)][0](family, factor) for family in problem.arms.families]
    box = None
    if problem.structure.bounds != (problem.lower, problem.upper):
        ends = factor * problem.lower, factor * problem.upper
        box = None if np.isinf(ends).all() else ends
    structure = problem.structure.rescaled(factor)
    other = Problem(Arms(families), problem.query.rescaled(factor), structure, box=box)
    return other, factor ** powers.pop()


def check_units_do_not_matter(case: Case) -> None:
    """Values, nearest models and games are the same when all means are in another unit."""
    problem = case.problem
    at = case.instances("units")
    value = problem.oracle(at.i.copy(), at.w.copy(), at.xi.copy()).value
    place = problem.project(at.w + 1.0, at.xi)
    mu = at.xi[problem.contains(at.xi)][:GAMES]
    games = problem.equilibrium(mu) if len(mu) else None
    for factor in FACTORS:
        try:
            other, growth = in_unit(problem, factor)
        except RefusedProblemError as refusal:
            raise NotApplicableError(f"the problem has no other unit: {refusal}") from refusal
        _demand_same(
            other.query.answer(factor * at.xi), problem.query.answer(at.xi), "the answer", factor, at.xi
        )
        found = other.oracle(at.i.copy(), at.w.copy(), factor * at.xi).value / growth
        # a value next to 0 is a square of rounding errors of the means, which are relative to them
        floor = 1e-24 * problem.arms.cost(at.w, at.xi, _elsewhere(case, at.xi))
        _demand_close(found, value, VALUE, floor, "the best response", factor, at.xi)
        size = np.abs(at.xi).max(axis=1, keepdims=True)
        there = other.project(at.w + 1.0, factor * at.xi) / factor
        _demand_close(there / size, place / size, 0.0, PLACE, "the projection", factor, at.xi)
        if games is not None:
            again = other.equilibrium(factor * mu)
            slack = CERTIFIED + games.gap + again.gap
            _demand_close(
                again.value / growth, games.value, VALUE + slack, 0.0, "the value of the game", factor, mu
            )


def _elsewhere(case: Case, xi: FloatArray) -> FloatArray:
    """Means at a distance of order one: the largest change an instance can make."""
    low, high = case.interval
    return np.where(xi > 0.5 * (low + high), low, high)


def _demand_same(
    x: NDArray[np.int64], y: NDArray[np.int64], what: str, factor: float, mu: FloatArray
) -> None:
    if not np.array_equal(x, y):
        r = int(np.flatnonzero(x != y)[0])
        raise LawBrokenError(f"{what} at {mu[r].tolist()} is {y[r]}, and {x[r]} in units of {1 / factor:g}")


def _demand_close(
    x: FloatArray,
    y: FloatArray,
    relative: float | FloatArray,
    floor: float | FloatArray,
    what: str,
    factor: float,
    mu: FloatArray,
) -> None:
    with np.errstate(invalid="ignore"):
        near = (x == y) | (np.abs(x - y) <= relative * np.abs(y) + floor)
    good = near if near.ndim == 1 else near.all(axis=1)
    if not good.all():
        r = int(np.flatnonzero(~good)[0])
        raise LawBrokenError(
            f"{what} at {mu[r].tolist()} is {np.array2string(np.asarray(y[r]))}, and "
            f"{np.array2string(np.asarray(x[r]))} in units of {1 / factor:g}"
        )
