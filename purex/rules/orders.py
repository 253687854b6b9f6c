r"""Questions that are about the order of arms: what Top-Two and LUCB need to know of a problem.

These rules compare two arms, so they make sense where every piece of the alternatives to an answer is
$\{\lambda_b \ge \lambda_a\}$, "b catches up with a": best arm, top-M, and whatever else is declared that way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.errors import RefusedProblemError

if TYPE_CHECKING:
    from purex.problem import Problem


def check_orders(problem: Problem, rule: str) -> None:
    """Refuse a problem whose alternatives are not orders between two arms.

    Where the answers are too many to be listed, one of them is looked at here, and each other when it comes.
    """
    if problem.is_structured:
        raise RefusedProblemError(
            f"{rule} compares arms one by one and cannot use the structure "
            f"{type(problem.structure).__name__}: use D, T, M or FWS"
        )
    codes = problem.query.answers()
    if codes is None:
        spread = np.linspace(0.0, 1.0, problem.n_arms)[None]
        codes = [int(code) for code in problem.query.answer(spread)]
    for code in codes:
        order_pairs(problem, int(code), rule)


def order_pairs(problem: Problem, i: int, rule: str) -> list[tuple[int, int]]:
    """The pairs (a, b) such that the alternatives to i are "b catches up with a", in the order declared.

    >>> from purex.problem import Problem
    >>> order_pairs(Problem.from_names("gaussian", "best-arm", n_arms=3), 1, "LUCB")
    [(1, 0), (1, 2)]
    """
    arms = problem.arms
    low, high = np.maximum(problem.lower, arms.lower_ends), np.minimum(problem.upper, arms.upper_ends)
    pairs = []
    for _, solver in problem.game.pieces.solvers(i):
        piece = solver.piece
        bounds = np.array_equal(piece.lower, low) and np.array_equal(piece.upper, high)
        if not (bounds and piece.is_order and len(piece.orders) == 1):
            raise RefusedProblemError(
                f"{rule} is for questions whose alternatives let one arm catch up with another, such as "
                f"best-arm and top-m, not for {type(problem.query).__name__}: use D, T, M or FWS"
            )
        pairs.append(piece.orders[0])
    return pairs


def transport_costs(problem: Problem, i: int, N: FloatArray, mu: FloatArray) -> FloatArray:
    r"""What it costs to let b catch up with a, pair by pair.

    $W(a, b) = \inf_{\lambda_b \ge \lambda_a} \sum_k N_k d(\mu_k, \lambda_k)$, one column for each pair
    of `order_pairs`, (R, pairs).

    >>> from purex.problem import Problem
    >>> problem = Problem.from_names("gaussian", "best-arm", n_arms=3)
    >>> transport_costs(problem, 0, np.array([[2.0, 2.0, 1.0]]), np.array([[1.0, 0.0, 0.5]])).round(6)
    array([[0.5     , 0.083333]])
    """
    points = np.stack([solver.minimise(N, mu)[0] for _, solver in problem.game.pieces.solvers(i)], axis=1)
    pairs = points.shape[1]
    weights, means = (np.repeat(array[:, None], pairs, axis=1) for array in (N, mu))
    return problem.arms.cost(weights, means, points)


def basis_vectors(arms: IntArray, n_arms: int) -> FloatArray:
    """The weights (R, K) that are all on these arms."""
    w = np.zeros((len(arms), n_arms))
    w[np.arange(len(arms)), arms] = 1.0
    return w
