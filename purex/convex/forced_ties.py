"""Ties that a structure forces: whether a model at which a piece can only tie has another answer.

The alternative to an answer i is the closure of the models of M to which i is not correct. Strictly inside a
piece of the query i is never correct, so a piece that is open in M belongs to the alternative as a whole. A
piece that meets M only on M's edge is left out: an exact tie there is nobody's alternative. But some rows of
a piece may hold with equality in all of M (a baseline arm whose mean is known, arms that share their
features), and then only the query knows whom the tie serves: a tie for the best arm leaves both correct,
while an arm that is exactly at a threshold is not below it. All models in the relative interior of such a
piece satisfy its rows in the same way, so it is enough to ask `is_correct` at some of them, exactly on the
tie: those that no other piece contains. One that lies on the edge of another piece by accident is wrong there
for the sake of that piece; where all models do, that tie is forced as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from purex.arrays import FloatArray
from purex.convex.feasibility import Meeting, Region
from purex.convex.piece import Piece
from purex.families.arms import Arms
from purex.model import Polyhedron, Query

Row = tuple[FloatArray, float]

DRAWS = 6  # models asked about, besides the middle and the one furthest from the other pieces
COARSE = 2.0**-22  # means are rounded to this fraction of the largest, so that sums of them are exact
CLOSE = 1e-9  # a row that is tight up to this fraction of its own terms is made exactly tight
SHARES = (0.5, 0.05, 0.002)  # of the middle, in a mixture with a corner: strict where the middle is


def another_answer_at_a_tie(
    query: Query, i: int, piece: Polyhedron, others: Sequence[Polyhedron], region: Region, meeting: Meeting
) -> bool:
    """Whether i is wrong at the models of a piece whose `forced` rows hold with equality everywhere.

    Where a tie cannot be written exactly in floating point, the piece is kept: a proof must not rest on
    rounding.
    """
    assert meeting.point is not None
    exact = _exact_rows(region.arms, piece, meeting)
    if exact is None:
        return True
    rivals = [rival for rival in others if rival.coordinates == "mean" and not len(rival.A_eq)]
    models = [region.means(x) for x in _models(region, meeting.point, rivals)]
    chosen = [rival for rival in rivals if not all(_is_tight(rival, mu) for mu in models)]
    for mu in models:
        if any(_contains(rival, mu) for rival in chosen):
            continue
        rows = exact + [row for rival in rivals for row in _tight_rows(rival, mu)]
        tied = on_rows(rows, mu)
        if tied is None or not query.is_correct(tied[None], np.array([i], dtype=np.int64))[0]:
            return True
    return False


def _models(region: Region, middle: FloatArray, rivals: Sequence[Polyhedron]) -> Iterator[FloatArray]:
    """Models of the relative interior: the middle, one away from the other pieces, some at random."""
    yield middle
    corners = []
    single = [rival for rival in rivals if len(rival.A) == 1]
    if region.coordinates == "mean" and single:
        length = np.array([np.linalg.norm(rival.A[0]) for rival in single])
        away = replace(
            region,
            A=-np.array([rival.A[0] for rival in single]) / length[:, None],
            b=-np.array([rival.b[0] for rival in single]) / (length * region.unit),
            B=np.vstack([region.A, region.B]),
            c=np.concatenate([region.b, region.c]),
        )
        corners.append(away.roomiest(np.ones(len(single), dtype=bool))[1])
    rng = np.random.default_rng(0)
    corners += [region.furthest(rng.standard_normal(len(middle)), middle) for _ in range(DRAWS)]
    for corner in corners:
        if corner is not None:
            yield from (share * middle + (1 - share) * corner for share in SHARES)


def _contains(piece: Polyhedron, mu: FloatArray) -> bool:
    """Whether mu lies in a piece, its edge included, up to rounding."""
    slack, terms = piece.b - piece.A @ mu, np.abs(piece.A) @ np.abs(mu) + np.abs(piece.b)
    return bool((slack >= -CLOSE * terms).all())


def _is_tight(piece: Polyhedron, mu: FloatArray) -> bool:
    """Whether mu lies on the edge of a piece, up to rounding."""
    return _contains(piece, mu) and bool(_tight_rows(piece, mu))


def _tight_rows(piece: Polyhedron, mu: FloatArray) -> list[Row]:
    """The rows of a piece that hold with equality at mu, up to rounding."""
    slack, terms = piece.b - piece.A @ mu, np.abs(piece.A) @ np.abs(mu) + np.abs(piece.b)
    tight = (np.abs(slack) <= CLOSE * terms) & piece.A.any(axis=1)
    return [(piece.A[r], float(piece.b[r])) for r in np.flatnonzero(tight)]


def _exact_rows(arms: Arms, piece: Polyhedron, meeting: Meeting) -> list[Row] | None:
    """The forced rows and the equations of a piece, on means; None if they are not linear in the means."""
    rows: list[Row] = []
    for A, b, which in (
        (piece.A, piece.b, np.flatnonzero(meeting.forced)),
        (piece.A_eq, piece.b_eq, np.arange(len(piece.A_eq))),
    ):
        for r in which:
            if piece.coordinates == "mean":
                rows.append((A[r], float(b[r])))
                continue
            own = Piece.of(arms, [Polyhedron(A[r], b[r], coordinates=piece.coordinates)], -np.inf, np.inf)
            k = np.flatnonzero(A[r])
            if own.orders:
                rows.append((own.order_rows()[0], 0.0))
            elif len(k) == 1:
                level = own.upper[k[0]] if A[r, k[0]] > 0 else own.lower[k[0]]
                rows.append((np.eye(arms.n_arms)[k[0]], float(level)))
            else:
                return None
    return rows


def on_rows(rows: Sequence[Row], mu: FloatArray) -> FloatArray | None:
    """Means next to mu that satisfy all rows a' mu = b exactly, as floats; None if there are none.

    >>> on_rows([(np.array([1.0, -1.0]), 0.0)], np.array([0.3, 0.30000000000000004])).tolist()
    [0.30000001192092896, 0.30000001192092896]
    """
    size = float(np.abs(mu).max())
    grid = 2.0 ** np.floor(np.log2(size)) * COARSE if size > 0 else 1.0
    point = [Fraction(float(x)) for x in np.round(mu / grid) * grid]
    solved: list[tuple[int, list[Fraction], Fraction]] = []  # pivot, coefficients, right-hand side
    for a, b in rows:
        row, right = [Fraction(float(x)) for x in a], Fraction(b)
        for pivot, other, level in solved:
            if row[pivot]:
                factor = row[pivot]
                row = [x - factor * y for x, y in zip(row, other, strict=True)]
                right -= factor * level
        pivot = max(range(len(row)), key=lambda k: abs(row[k]))
        if not row[pivot]:
            if right:
                return None
            continue
        factor = row[pivot]
        row, right = [x / factor for x in row], right / factor
        for n, (at, other, level) in enumerate(solved):
            if other[pivot]:
                share = other[pivot]
                reduced = [x - share * y for x, y in zip(other, row, strict=True)]
                solved[n] = (at, reduced, level - share * right)
        solved.append((pivot, row, right))
    pivots = {pivot for pivot, _, _ in solved}
    for pivot, row, right in solved:
        point[pivot] = right - sum(
            (row[k] * point[k] for k in range(len(row)) if k not in pivots), start=Fraction(0)
        )
    found = np.array([float(x) for x in point])
    return found if all(Fraction(float(x)) == y for x, y in zip(found, point, strict=True)) else None
