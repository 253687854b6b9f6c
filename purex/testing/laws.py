"""The laws of a best-response oracle, each a function that raises when a case breaks it."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.convex import GenericOracle
from purex.errors import OracleFailureError, RefusedProblemError
from purex.model import Response
from purex.problem import Problem
from purex.testing.case import Case, Instances

VALUE = 1e-7  # relative accuracy of a value
SOLVER = 1e-6  # relative accuracy of cvxpy's values,
VISIBLE = 1e-5  # if they exceed this times the largest weight: exponential cones end at 1e-11 absolute
CLEAR = 2e-4  # below this they may lie above the optimum: cones have been seen to end 1e-10 too high
INSIDE = 1e-7  # how far, relative to 1 + |lam|, a point may be outside its piece
NEARBY = 1e-9  # how far a model must be from a tie to count as an alternative
SMALL = 1e-12  # a value below this times the largest weight counts as zero


class LawBrokenError(AssertionError):
    """A law that does not hold, with an instance that shows it."""


class NotApplicableError(Exception):
    """A law that says nothing about this case, with the reason."""


def _respond(case: Case, at: Instances) -> Response:
    return case.problem.oracle(at.i.copy(), at.w.copy(), at.xi.copy())


def _demand(good: NDArray[np.bool_], at: Instances, sentence: str, **shown: NDArray[np.generic]) -> None:
    """Raise with the first row that is not good."""
    if not good.all():
        r = int(np.flatnonzero(~good)[0])
        details = ", ".join(f"{name} = {np.array2string(x[r])}" for name, x in shown.items())
        raise LawBrokenError(
            f"{sentence} (answer {at.i[r]}, w = {at.w[r].tolist()}, xi = {at.xi[r].tolist()}"
            f"{', ' + details if details else ''})"
        )


def _below(x: FloatArray, y: FloatArray, at: Instances, tolerance: float = VALUE) -> NDArray[np.bool_]:
    """Whether x <= y up to the tolerance; infinity equals infinity."""
    floor = SMALL * at.w.max(axis=1, initial=0.0)
    with np.errstate(invalid="ignore"):
        return np.asarray((x == y) | (x <= y + tolerance * np.abs(y) + floor))


def _beyond_ties(case: Case, mu: FloatArray, i: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether mu lies strictly inside a declared piece; under a structure a mere tie need not be anybody's.

    A tie that no model approaches in which another answer is strictly better is no alternative.
    """
    if not case.problem.is_structured:
        return np.ones(len(mu), dtype=bool)
    beyond = np.zeros(len(mu), dtype=bool)
    for code in np.unique(i):
        rows = np.flatnonzero(i == code)
        for piece in case.problem.query.alternatives(int(code)):
            if piece.coordinates != "mean" or len(piece.A_eq):
                beyond[rows] = True
            else:
                beyond[rows] |= (np.einsum("mk,rk->rm", piece.A, mu[rows]) - piece.b < -1e-9).all(axis=1)
    return beyond


def check_answer_is_a_function_of_mu(case: Case) -> None:
    """answer(mu) is an int64 per row, the same at every call and whatever the other rows are."""
    mu = case.means(case.rng("answer"), case.size)
    query = case.problem.query
    first, again = query.answer(mu.copy()), query.answer(mu[::-1].copy())[::-1]
    if first.dtype != np.int64 or first.shape != (len(mu),):
        raise LawBrokenError(f"answer gives {first.dtype} of shape {first.shape}, not int64 (R,)")
    same = first == again
    if not same.all():
        raise LawBrokenError(f"answer({mu[~same][0].tolist()}) depends on the call or on other rows")
    if not all(isinstance(query.label(int(code)), str) for code in np.unique(first)):
        raise LawBrokenError("label(code) is not a string")


def check_alternatives_match_answers(case: Case) -> None:
    """A model has an answer other than i only inside the declared pieces, and always strictly inside."""
    rng = case.rng("alternatives")
    mu = case.means(rng, case.size)
    query = case.problem.query
    for code in np.unique(query.answer(mu))[:8]:
        codes = np.full(len(mu), code)
        wrong = ~query.is_correct(mu, codes)
        slack = np.full(len(mu), np.inf)
        for piece in query.alternatives(int(code)):
            if piece.coordinates != "mean":
                raise NotApplicableError("the pieces are not stated in means")
            over = np.max(mu @ piece.A.T - piece.b, axis=1, initial=-np.inf)
            over = np.where(piece.contains(mu, 1e-12) | (over > 0), over, np.inf)
            slack = np.minimum(slack, over)
        missing = wrong & (slack > 1e-9)
        if missing.any():
            raise LawBrokenError(
                f"answer {code} is wrong at {mu[missing][0].tolist()}, which no declared piece contains"
            )
        extra = ~wrong & (slack < -1e-9)
        if extra.any():
            raise LawBrokenError(
                f"answer {code} is right at {mu[extra][0].tolist()}, strictly inside a declared piece"
            )


def check_point_lies_in_the_alternative(case: Case) -> None:
    """The returned point lies in the piece that is named, and in M."""
    at = case.instances("point")
    response = _respond(case, at)
    found = np.isfinite(response.value)
    problem = case.problem
    cells = problem.structure.cells()
    for r in np.flatnonzero(found):
        number, cell = divmod(int(response.piece[r]), len(cells))
        pieces = problem.query.alternatives(int(at.i[r]))
        lam = response.point[r]
        scale = INSIDE * (1 + np.abs(lam).max())
        x = {
            "mean": lam,
            "natural": problem.arms.natural(lam),
            "log": np.log(np.maximum(lam, 1e-300)),
        }
        legal = 0 <= number < len(pieces) and all(
            p.contains(x[p.coordinates], scale) for p in (pieces[number], cells[cell])
        )
        legal = legal and bool(((problem.lower - scale <= lam) & (lam <= problem.upper + scale)).all())
        _demand(
            np.arange(len(at.i)) != (r if not legal else -1),
            at,
            "the point is outside the piece it names, or outside M",
            point=response.point,
            piece=response.piece,
        )


def check_value_is_the_cost_of_the_point(case: Case) -> None:
    """Value = sum_k w_k d(xi_k, point_k), recomputed."""
    at = case.instances("value")
    value, point, _ = _respond(case, at)
    cost = case.problem.arms.cost(at.w, at.xi, point)
    good = np.isinf(value) | (_below(value, cost, at, 1e-9) & _below(cost, value, at, 1e-9))
    _demand(good, at, "the value is not the cost of the point", value=value, cost=cost)


def check_no_sampled_alternative_is_better(case: Case) -> None:
    """No sampled model of M with another answer costs less than the value."""
    at = case.instances("sampled")
    value = _respond(case, at).value
    rng = case.rng("rivals")
    problem = case.problem
    pool = case.means(rng, 40 * case.size)
    pool = problem.project(np.ones_like(pool), pool)
    for r in range(len(at.i)):
        t = rng.random((len(pool), 1)) ** 4  # most rivals close to xi
        near = problem.project(np.ones_like(pool), at.xi[r] + t * (pool - at.xi[r]))
        rivals = _strict(case, near, int(at.i[r]))
        if len(rivals) == 0:
            continue
        cost = problem.arms.cost(
            np.broadcast_to(at.w[r], rivals.shape), np.broadcast_to(at.xi[r], rivals.shape), rivals
        )
        best = np.full(len(at.i), np.inf)
        best[r] = cost.min()
        _demand(_below(value, best, at), at, "a sampled alternative costs less", value=value, cost=best)


def _strict(case: Case, near: FloatArray, i: int) -> FloatArray:
    """The models of M to which i is wrong and stays wrong nearby: an exact tie alone is no alternative."""
    problem, arms = case.problem, case.problem.arms
    tilt = np.linspace(-1.0, 1.0, arms.n_arms)  # parts arms that are tied, which a shift does not
    for shift in (0.0, -1.0, 1.0, tilt, -tilt):
        moved = near
        if np.any(shift):
            moved = np.clip(near + NEARBY * shift, arms.lower_ends, arms.upper_ends)
            moved = problem.project(np.ones_like(near), moved)
        near = near[~problem.query.is_correct(moved, np.full(len(near), i))]
    return near


def check_homogeneous_in_w(case: Case) -> None:
    """Twice the weights, twice the value."""
    at = case.instances("homogeneous")
    value = _respond(case, at).value
    double = _respond(case, Instances(at.i, 2 * at.w, at.xi)).value
    good = _below(double, 2 * value, at) & _below(2 * value, double, at)
    _demand(good, at, "value(2w) is not 2 value(w)", value=value, double=double)


def check_concave_in_w(case: Case) -> None:
    """The value at the midpoint of two weights is at least the mean of the two values."""
    at = case.instances("concave")
    v = case.weights(case.rng("concave-v"), len(at.i))
    ends = _respond(case, at).value + _respond(case, Instances(at.i, v, at.xi)).value
    middle = _respond(case, Instances(at.i, at.w + v, at.xi)).value  # homogeneous: twice the midpoint
    _demand(_below(ends, middle, at), at, "the value is not concave in w", ends=ends, middle=middle)


def check_monotone_in_w(case: Case) -> None:
    """More weight, no smaller value."""
    at = case.instances("monotone")
    more = at.w + case.weights(case.rng("monotone-v"), len(at.i), zeros=0.6)
    value, larger = _respond(case, at).value, _respond(case, Instances(at.i, more, at.xi)).value
    _demand(_below(value, larger, at), at, "the value falls as w grows", value=value, larger=larger)


def check_gradient_in_w_is_the_divergence(case: Case) -> None:
    """d(xi, point) is the gradient in w: no value lies above the tangent, and slopes agree."""
    at = case.instances("gradient", zeros=0.0)
    value, point, _ = _respond(case, at)
    direction = case.rng("direction").exponential(size=at.w.shape) * at.w
    for h in (1.0, 1e-3):
        moved = at.w + h * direction
        reached = _respond(case, Instances(at.i, moved, at.xi)).value
        tangent = case.problem.arms.cost(moved, at.xi, point)
        good = np.isinf(value) | _below(reached, tangent, at)
        _demand(good, at, "a value lies above the tangent", value=reached)
    # Slope test: a concave function's difference quotients are squeezed between its one-sided slopes.
    forward = case.problem.arms.cost(direction, at.xi, point)
    h = 1e-5
    behind = _respond(case, Instances(at.i, at.w - h * direction, at.xi)).value
    ahead = _respond(case, Instances(at.i, at.w + h * direction, at.xi)).value
    rounding = 1e-6 * forward + (SMALL * at.w.max(axis=1) + VALUE * value) / h * 1e-2
    with np.errstate(invalid="ignore"):  # infinite values have no slope
        after, before = (ahead - value) / h, (value - behind) / h
    good = np.isinf(value) | ((after <= forward + rounding) & (before >= forward - rounding))
    _demand(good, at, "the slope in w is not d(xi, point)", slope=forward, ahead=after)


def check_zero_weights(case: Case) -> None:
    """Weights that are mostly, or all, zero give a number >= 0 and a point, never nan."""
    at = case.instances("zeros", zeros=0.7)
    at.w[0] = 0.0
    value, point, _ = _respond(case, at)
    _demand((value >= 0) & ~np.isnan(point).any(axis=1), at, "zero weights give nan", value=value)
    nothing = (at.w == 0).all(axis=1) & np.isfinite(value)
    _demand(~nothing | (value == 0), at, "with all weights zero the value is not 0", value=value)


def _demand_convex(case: Case) -> None:
    """Say that a law compares with the generic oracle, which arms of unknown variance do not have."""
    if case.problem.arms.unknown_variance:
        raise NotApplicableError("the generic oracle is for convex costs, and this one is not")


def check_exact_ties_go_to_the_lowest_index(case: Case) -> None:
    """Of pieces with exactly the same value the first is returned; weights of zero make such ties."""
    _demand_convex(case)
    rng = case.rng("ties")
    K, size = case.problem.n_arms, 4 * case.size
    low, high = case.interval
    xi = low + (high - low) * rng.integers(1, 4, (size, K)) / 4
    xi[::2] = rng.uniform(low, high, xi[::2].shape)  # here only weights of zero make ties
    w = rng.integers(0, 3, (size, K)) / 2.0  # halves: sums and products are exact
    at = Instances(case.problem.query.answer(xi), w, xi)
    oracle = case.generic.oracle
    assert isinstance(oracle, GenericOracle)
    response = _respond(case, at)
    cost = case.problem.arms.cost
    for r in range(size):
        solvers = oracle.solvers(int(at.i[r]))
        if not solvers or any(solver.method != "pav" for _, solver in solvers):
            raise NotApplicableError("the generic oracle is not exact to the last bit here")
        row = at.w[r : r + 1], at.xi[r : r + 1]
        points = [solver.minimise(*row)[0] for _, solver in solvers]
        values = [cost(*row, point)[0] for point in points]
        if any((point == row[1]).all() for point in points) or values.count(min(values)) < 2:
            continue  # xi is an alternative itself, or there is no tie
        first = solvers[values.index(min(values))][0]
        _demand(
            (np.arange(size) != r) | (response.piece == first),
            at,
            f"an exact tie should go to piece {first}",
            piece=response.piece,
        )


def check_inside_the_alternative_the_value_is_zero(case: Case) -> None:
    """Where xi already lies in M and in the alternative, the value is 0 and the point is xi."""
    at = case.instances("inside", 6 * case.size)
    inside = case.problem.contains(at.xi) & ~case.problem.query.is_correct(at.xi, at.i)
    inside &= _beyond_ties(case, at.xi, at.i)
    if not inside.any():
        raise NotApplicableError("no model with another answer was drawn")
    at = at.rows(inside)
    at = Instances(at.i, at.w, case.problem.project(np.ones_like(at.w), at.xi))
    value, point, _ = _respond(case, at)
    off = np.abs(point - at.xi).max(axis=1)
    exact = not case.problem.is_structured
    good = (value == 0) & (off == 0) if exact else _below(value, np.zeros(len(value)), at) & (off < 1e-6)
    _demand(
        good,
        at,
        "xi is an alternative itself, yet the response is not xi with value 0",
        value=value,
        point=point,
    )


def check_rows_are_independent(case: Case) -> None:
    """A row's result is the same, bit for bit, in batches of 1, 97 and 3000."""
    at = case.instances("rows", 3000)
    whole = _respond(case, at)
    for width, rows in ((1, 12), (97, 970)):
        for start in range(0, rows, width):
            some = slice(start, start + width)
            part = _respond(case, at.rows(some))
            for name, x, y in zip(Response._fields, part, (f[some] for f in whole), strict=True):
                same = (x == y) | ((x != x) & (y != y))
                same = same if same.ndim == 1 else same.all(axis=1)
                _demand(same, at.rows(some), f"{name} changes with the width of the batch ({width})")


def check_inputs_are_not_mutated(case: Case) -> None:
    """The arrays given to an oracle stay as they were, and may be read-only."""
    at = case.instances("mutation")
    kept = Instances(at.i.copy(), at.w.copy(), at.xi.copy())
    case.problem.oracle(*at)
    for name, before, after in zip(Instances._fields, kept, at, strict=True):
        if not np.array_equal(before, after):
            raise LawBrokenError(f"the oracle changed its input {name}")
    for array in at:
        array.flags.writeable = False
    case.problem.oracle(*at)


def check_calls_leave_no_trace(case: Case) -> None:
    """The same call gives the same result, whatever was asked in between."""
    at = case.instances("trace")
    first = _respond(case, at)
    _respond(case, case.instances("between"))
    again = _respond(case, at)
    for name, x, y in zip(Response._fields, first, again, strict=True):
        if not np.array_equal(x, y):
            raise LawBrokenError(f"{name} differs when the same call is made again")


def check_pickles(case: Case) -> None:
    """Query and problem survive pickling and give the same results."""
    at = case.instances("pickle")
    copy = pickle.loads(pickle.dumps(case.problem))
    same = np.array_equal(copy.query.answer(at.xi), case.problem.query.answer(at.xi))
    x, y = _respond(case, at), copy.oracle(*at)
    if not (same and all(np.array_equal(a, b) for a, b in zip(x, y, strict=True))):
        raise LawBrokenError("a pickled copy of the problem gives other results")


def check_agrees_with_the_generic_oracle(case: Case) -> None:
    """The value is that of the generic oracle, which knows only the declaration."""
    _demand_convex(case)
    at = case.instances("generic", 2 * case.size)
    value, other = _respond(case, at).value, case.generic.oracle(*at).value
    good = _below(value, other, at) & _below(other, value, at)
    _demand(good, at, "the generic oracle disagrees", value=value, generic=other)


def check_agrees_with_cvxpy(case: Case) -> None:
    """The value is that of the cvxpy oracle above 2e-4 of the largest weight, and no larger above 1e-5."""
    try:
        at, other = _solved_by_cvxpy(case.referee, case.instances("cvxpy", min(case.size, 12)))
    except RefusedProblemError as refusal:
        raise NotApplicableError(f"the cvxpy oracle refuses: {refusal}") from refusal
    value = _respond(case, at).value
    top = at.w.max(axis=1)
    large, clear = value > VISIBLE * top, value > CLEAR * top
    good = ~large | (_below(value, other, at, SOLVER) & (~clear | _below(other, value, at, SOLVER)))
    _demand(good, at, "cvxpy disagrees", value=value, cvxpy=other)


def _solved_by_cvxpy(referee: Problem, at: Instances) -> tuple[Instances, FloatArray]:
    """The instances that the interior-point solver can do, with their values; it fails on some flat sets."""
    solved, values = [], []
    for r in range(len(at.i)):
        try:
            values.append(referee.oracle(*at.rows(slice(r, r + 1))).value[0])
        except OracleFailureError:
            continue
        solved.append(r)
    if not solved:
        raise NotApplicableError("the solver of cvxpy ends without a solution on all instances")
    return at.rows(np.array(solved)), np.array(values)


LAWS = tuple(law for name, law in sorted(globals().items()) if name.startswith("check_"))


def laws() -> Iterator[str]:
    """The names of all laws."""
    return (law.__name__ for law in LAWS)
