"""The game at the true means, for rules that know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from purex.problem import Problem

FEW = 20  # arms for which the generic solver takes less time than it takes to compile a special one
SURE = 1e-9  # relative gap


def solve_truth(problem: Problem, truth: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """The value D_mu and the allocation w* at the true means.

    Runs of M and opt are made of these numbers, to the last bit: so for a few arms it is always the generic
    solver that is asked, however else a game can be solved.
    """
    i = problem.easiest_answer(truth)
    if problem.n_arms <= FEW:
        found = problem.game.piece_by_piece(int(i[0]), np.asarray(truth, dtype=np.float64).reshape(-1))
        if found.gap[0] <= SURE:
            return float(found.value[0]), found.allocation[0]
    value, allocation, _ = problem.max_min(i, truth)
    return float(value[0]), allocation[0]


def round_value(problem: Problem, truth: NDArray[np.float64]) -> float:
    """The value D_mu at the true means; with actions, times what a round costs: what a round is worth."""
    value, w = solve_truth(problem, truth)
    if problem.actions is None:
        return value
    return value * float(problem.actions.costs.min() * problem.actions.round_cost(w))
