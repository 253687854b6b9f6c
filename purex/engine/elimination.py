r"""Elimination: the pieces of the alternatives that a run has refuted (Tirinzoni & Degenne 2022).

Answers that declare the same piece share it: refuted for one, it is refuted for all. The guarantee is the one
without elimination. With probability $1 - \delta$ the statistic of no piece that the threshold is a bound for
and that holds the truth exceeds the threshold at any time; then no such piece is refuted at any time, and the
candidate of a stop, all of whose pieces are refuted, is correct.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from purex.arrays import BoolArray, FloatArray, IntArray
from purex.convex import PieceSolver
from purex.engine.batch import Batch
from purex.engine.examination import evaluate
from purex.engine.setting import Setting
from purex.games import solve_game
from purex.model import Cheapest, Response
from purex.run_state import MEAN, N


class Refutations:
    """The pieces of all answers of a problem, as columns of `Batch.refuted`, at one risk."""

    def __init__(self, setting: Setting, log_inverse_delta: float) -> None:
        self.setting, self.log_inverse_delta = setting, log_inverse_delta
        columns: dict[PieceSolver, int] = {}
        self.pieces: dict[int, list[tuple[int, PieceSolver]]] = {}
        for code in setting.problem.query.answers() or ():
            solvers = [solver for _, solver in setting.problem.game.pieces.solvers(int(code))]
            self.pieces[int(code)] = [(columns.setdefault(s, len(columns)), s) for s in solvers]
        self.number = len(columns)

    def look(self, batch: Batch, rows: IntArray) -> tuple[FloatArray, FloatArray]:
        """Refute what these rows refute now; their statistics against what is left, and the closest points.

        The statistic is infinite where nothing is left.
        """
        if batch.refuted.shape[1] != self.number:
            batch.refuted = np.zeros((len(batch.n), self.number), dtype=np.bool_)
        counts, mean, i = batch.table[rows, N], batch.table[rows, MEAN], batch.candidate[rows]
        x = np.full(len(rows), self.log_inverse_delta)
        beta = evaluate(self.setting.threshold, counts, i, x, mean)
        mean, fit = self.setting.compared(counts, mean)
        best = Cheapest(mean)
        for column, at, cost, point in self._left(batch.refuted[rows], i, counts, mean):
            value = cost - fit[at]
            self.setting.check_statistic(value, counts[at], mean[at])
            beyond = value > beta[at]
            batch.refuted[rows[at[beyond]], column] = True
            best.offer(column, value[~beyond], point[~beyond], at[~beyond])
        return best.value, best.point

    def respond(self, refuted: BoolArray, i: IntArray, w: FloatArray, xi: FloatArray) -> Response:
        """The best responses to w at xi among the pieces that are not refuted (R, pieces)."""
        best = Cheapest(xi)
        for column, at, cost, point in self._left(refuted, i, w, xi):
            best.offer(column, cost, point, at, np.isfinite(cost))
        return best.response()

    def allocate(self, refuted: BoolArray, i: IntArray, mu: FloatArray) -> FloatArray:
        """The weights (R, K) of the games at mu among the pieces that are not refuted.

        Where none of the answer's pieces is, the game is the problem's own, which may be solved faster.
        """
        arms, game, w = self.setting.problem.arms, self.setting.problem.game, np.empty(mu.shape)
        left = [
            [(c, solver) for c, solver in self.pieces[int(i[r])] if not refuted[r, c]] for r in range(len(i))
        ]
        whole = np.array([len(left[r]) == len(self.pieces[int(i[r])]) for r in range(len(i))], dtype=np.bool_)
        if whole.any():
            w[whole] = game.max_min(i[whole], mu[whole]).allocation
        for r in np.flatnonzero(~whole):
            w[r] = solve_game(left[r], arms, mu[r]).allocation[0]
        return w

    def _left(
        self, refuted: BoolArray, i: IntArray, w: FloatArray, xi: FloatArray
    ) -> Iterator[tuple[int, IntArray, FloatArray, FloatArray]]:
        """For each piece: its column, the rows for which it is left, their costs and points.

        The cost of a piece that cannot be reached is infinite.
        """
        arms = self.setting.problem.arms
        for code in np.unique(i):
            of_code = np.flatnonzero(i == code)
            for column, solver in self.pieces[int(code)]:
                at = of_code[~refuted[of_code, column]]
                if len(at):
                    point, feasible = solver.minimise(w[at], xi[at])
                    yield column, at, np.where(feasible, arms.cost(w[at], xi[at], point), np.inf), point
