"""Max-max-min: the most optimistic model of a confidence box (Optimistic Track-and-Stop)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.errors import RefusedProblemError
from purex.model import MaxMin, Optimistic, Polyhedron, Query


def optimistic_corner(pieces: Sequence[Polyhedron], lower: FloatArray, upper: FloatArray) -> FloatArray:
    r"""The corner of the box that is farthest from all pieces at once, row by row.

    If arm k only ever has to go *down* to reach the alternative (its coefficients in all rows
    $A \lambda \le b$ are >= 0), then the cost grows with $\xi_k$: by the envelope theorem its derivative is
    $w_k (\phi'(\xi_k) - \phi'(\lambda_k)) \ge 0$. So $\xi_k = b_k$ is best, whatever the weights and the
    other arms do; and $\xi_k = a_k$ if it only ever has to go up. An arm with coefficients of both signs
    has no such corner: refused.

    >>> pieces = [Polyhedron.order(2, low=0, high=1)]   # arm 1 catches up with arm 0
    >>> optimistic_corner(pieces, np.array([[0.1, 0.2]]), np.array([[0.6, 0.7]]))
    array([[0.6, 0.2]])
    """
    rows = np.vstack([piece.A for piece in pieces])
    if any(len(piece.A_eq) for piece in pieces) or ((rows > 0).any(axis=0) & (rows < 0).any(axis=0)).any():
        raise RefusedProblemError(
            "optimism over a confidence box is exact only where each arm has to move in one direction to "
            "reach the alternative; for this query use a rule without optimism in the model (D, T, M)"
        )
    return np.where((rows > 0).any(axis=0), upper, lower)


def listed_answers(query: Query) -> Sequence[int]:
    """All answers of a query, or a refusal."""
    answers = query.answers()
    if answers is None:
        raise RefusedProblemError(
            "optimism over a confidence box needs the list of all answers, and this query has too many or "
            "does not declare them (Query.answers); use a rule without it (D, T, M)"
        )
    return answers


def check_corners(query: Query) -> None:
    """Refuse a query for which `optimistic_by_corners` would."""
    box = np.zeros((1, query.n_arms))
    for code in listed_answers(query):
        pieces = query.alternatives(code)
        if pieces:
            optimistic_corner(pieces, box, box)


def optimistic_by_corners(
    query: Query,
    lower: FloatArray,
    upper: FloatArray,
    max_min: Callable[[IntArray, FloatArray], MaxMin],
    n_moves: int | None = None,
) -> Optimistic:
    """The generic max-max-min: the best corner over all answers, with a certificate.

    It needs the list of answers (`Query.answers`) and a corner for each; both are checked, and what
    cannot be had is refused. Ties go to the first answer listed. A corner is best for all weights of the
    arms, so also for those that actions lead to: `max_min` may be that of a game with `n_moves` actions.
    """
    answers = listed_answers(query)
    R = len(lower)
    value, ceiling = np.zeros(R), np.zeros(R)
    answer, point = np.full(R, answers[0], dtype=np.int64), lower.copy()
    n_moves = lower.shape[1] if n_moves is None else n_moves
    allocation = np.full((R, n_moves), 1.0 / n_moves)
    chosen = np.zeros(R, dtype=bool)
    for code in answers:
        pieces = query.alternatives(code)
        corner = optimistic_corner(pieces, lower, upper) if pieces else upper
        codes = np.full(R, code, dtype=np.int64)
        found = max_min(codes, corner)
        ceiling = np.maximum(ceiling, found.value / (1.0 - found.gap))
        better = ~chosen | (found.value > value)
        chosen[:] = True
        value[better], answer[better] = found.value[better], code
        point[better], allocation[better] = corner[better], found.allocation[better]
    with np.errstate(invalid="ignore"):
        gap = np.where(ceiling > value, 1.0 - value / ceiling, 0.0)
    return Optimistic(answer, value, point, allocation, gap)
