"""The game of a problem: special oracles where they are registered, the generic solver everywhere else."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.convex import GenericOracle, Piece, PieceSolver
from purex.errors import RefusedProblemError
from purex.families import Arms
from purex.families.priced_arms import PricedArms
from purex.families.seen_arms import SeenArms
from purex.games import (
    AllAtOnce,
    Equilibrium,
    check_corners,
    optimistic_by_corners,
    solve_against,
    solve_game,
)
from purex.model import Actions, BestResponse, MaxMin, Optimistic, Query, Structure
from purex.oracles.comparisons import ComparisonOracle
from purex.plugins import Record
from purex.plugins.origin import is_shipped
from purex.problem.selection import ClosedForm, has_closed_form, special_oracle

SURE = 1e-10  # a relative gap below this is as good as none
UNSURE = 1e-8  # a game with a larger gap is solved again, piece by piece
FEW = 400  # pieces up to which a game is solved before a kernel would be compiled
MANY = 200  # pieces of an alternative beyond which the game is solved with those that matter
MAX_RIVALS = 1000
MOST_ARMS = 2000  # for the generic solver: the pieces of best arm, a row of K numbers each, would take K^2


class Game:
    """Max-min and max-max-min of one problem; with actions, allocations are shares of their cost."""

    def __init__(
        self,
        query: Query,
        structure: Structure,
        arms: Arms,
        lower: float,
        upper: float,
        level: str,
        records: Sequence[tuple[str, Record]],
        best_response: BestResponse | None = None,
        actions: Actions | None = None,
    ) -> None:
        self.query, self.structure, self.arms, self.actions = query, structure, arms, actions
        self.lower, self.upper = lower, upper
        self.pieces = GenericOracle(query, structure, arms, lower, upper)
        self.comparisons = best_response if isinstance(best_response, ComparisonOracle) else None
        # a best response that does not go through all pieces lets the game be solved with a few of them
        quick = structure.is_only_bounds and not isinstance(best_response, GenericOracle)
        self._best_response = best_response if quick else None
        # what an allocation is worth against all alternatives; for a few arms in numpy, if possible
        self._worth: BestResponse = self.pieces if best_response is None else best_response
        is_closed = has_closed_form(query, structure, arms) and is_shipped(query)
        self._worth_of_few = ClosedForm(query, arms, lower, upper) if is_closed else self._worth
        self._special: dict[str, Any] = {}
        self._is_free = lower <= arms.lower_ends.min() and upper >= arms.upper_ends.max()
        if level in ("auto", "special") and self.comparisons is None:
            operations: tuple[str, ...] = ("max-min", "optimistic", "pieces")
            if actions is not None:
                # a price per arm is a scale, which every compiled game knows; other actions are none of these
                priced = actions.is_one_per_arm and structure.is_only_bounds
                operations = ("max-min", "optimistic") if priced else ()
                arms = PricedArms(arms.families, actions.costs) if operations else arms
            for operation in operations:
                found = special_oracle(operation, query, structure, arms, lower, upper, records)
                if found is not None:
                    self._special[operation] = found[1]

    def seeing(self, arms: SeenArms) -> Game:
        """The game of arms of unknown variance at these deviations, row by row."""
        assert self.comparisons is not None
        found = copy(self)
        found.arms, found.comparisons = arms, self.comparisons.seeing(arms)
        return found

    def has_special(self, operation: str) -> bool:
        """Whether "max-min", "optimistic" or "pieces" is known better than by the generic solver."""
        return operation in self._special

    def max_min(self, i: IntArray, mu: FloatArray) -> MaxMin:
        """Values and allocations; never refuses a row."""
        fast = self._fast(i, mu)
        unsolved = np.isnan(fast.value)
        if not unsolved.any():  # the usual case, in a round of a simulation
            return fast
        value, allocation, gap = (np.array(part) for part in fast)
        games = self._rows(mu.shape)
        for r in np.flatnonzero(unsolved):
            row = games[r]._solve(int(i[r]), mu[r])
            value[r], allocation[r], gap[r] = row.value[0], row.allocation[0], row.gap[0]
        return MaxMin(value, allocation, gap)

    def _rows(self, shape: tuple[int, ...]) -> list[Game]:
        """The game of each row: they differ where variances are unknown."""
        if self.comparisons is None:
            return [self] * shape[0]
        return [self.seeing(self.comparisons.arms.rows(r, shape)) for r in range(shape[0])]

    def _solve(self, i: int, mu: FloatArray) -> Equilibrium:
        """One row by the generic solver, with all pieces or, if there are many, with those that matter."""
        if len(mu) > MOST_ARMS:
            raise RefusedProblemError(
                f"a game of {len(mu):,} arms is too large for the generic solver, which takes at most "
                f"{MOST_ARMS:,}: leave out arms that are far from changing the answer"
            )
        if self.comparisons is not None:
            return solve_game(self.comparisons.solvers(i), self.comparisons.arms, mu)
        pieces = self.query.alternatives(i)
        if self._best_response is None or len(pieces) <= MANY or self.actions is not None:
            return solve_game(self.pieces.solvers(i), self.arms, mu, actions=self.actions)
        chosen: dict[int, PieceSolver] = {}
        w, codes, xi = np.full((1, len(mu)), 1.0 / len(mu)), np.array([i], dtype=np.int64), mu[None]
        upper = np.inf
        for _ in range(MAX_RIVALS):
            # fewer pieces make a game of larger value: an upper bound, until no other piece is nearer
            nearest = self._best_response(codes, w, xi)
            lower, p = float(nearest.value[0]), int(nearest.piece[0])
            if p < 0 or p in chosen or lower >= upper * (1.0 - SURE):
                break
            chosen[p] = PieceSolver(Piece.of(self.arms, [pieces[p]], self.lower, self.upper))
            row = solve_game(sorted(chosen.items()), self.arms, mu)
            upper, w = float(row.value[0] / (1.0 - row.gap[0])), row.allocation
        else:
            nearest = self._best_response(codes, w, xi)
        if not chosen:  # no piece can be reached
            return solve_game([], self.arms, mu)
        value = min(float(nearest.value[0]), float(row.value[0]))
        gap = 0.0 if value == upper else 1.0 - value / upper
        return row._replace(value=np.array([value]), gap=np.array([gap]))

    def _fast(self, i: IntArray, mu: FloatArray) -> MaxMin:
        """What the special solver knows; nan where it does not apply.

        Special solvers are for models without bounds; inside the box bounds change nothing, because
        best responses stay between the means.
        """
        special = self._special.get("max-min")
        if special is not None and (self._is_free or (mu.min() >= self.lower and mu.max() <= self.upper)):
            return MaxMin(*special(i, mu))
        value, gap = np.full(len(mu), np.nan), np.zeros(len(mu))
        moves = mu.shape[1] if self.actions is None else self.actions.n_actions
        allocation = np.empty((len(mu), moves))
        if special is not None:
            inside = ((self.lower <= mu) & (mu <= self.upper)).all(axis=1)
            found = special(i[inside], mu[inside])
            value[inside], allocation[inside], gap[inside] = found
        return MaxMin(value, allocation, gap)

    def equilibrium(self, i: IntArray, mu: FloatArray) -> Equilibrium:
        """The solution with its certificate, row by row: all pieces at once where they are known."""
        return Equilibrium.stack(
            [
                row._all_at_once(int(i[r]), mu[r]) or row.piece_by_piece(int(i[r]), mu[r])
                for r, row in enumerate(self._rows(mu.shape))
            ]
        )

    def piece_by_piece(self, i: int, mu: FloatArray) -> Equilibrium:
        """One model mu (K,) by the generic solver.

        Where it leaves a gap, the special solver's allocation is taken if it guarantees more.
        """
        row = self._solve(i, mu)
        if row.gap[0] <= SURE:  # the usual case: no kernel is compiled for a single solution
            return row
        codes = np.array([i], dtype=np.int64)
        fast = self._fast(codes, mu[None])
        if np.isnan(fast.value[0]):
            return row
        guaranteed = self.pieces(codes, self._arm_weights(fast.allocation), mu[None]).value
        if guaranteed[0] <= row.value[0]:
            return row
        upper = row.value / (1.0 - row.gap)
        gap = np.maximum(0.0, 1.0 - guaranteed / upper)
        return row._replace(value=guaranteed, allocation=fast.allocation, gap=gap)

    def _all_at_once(self, i: int, mu: FloatArray) -> Equilibrium | None:
        """One row with pieces that answer all at once; None where they are not known or leave a gap.

        A large game starts from the special solver's allocation; for a small one no kernel is compiled.
        """
        nearest = self._special["pieces"](i, mu) if "pieces" in self._special else None
        if nearest is None:
            return None
        first = None
        if len(nearest.numbers) > FEW:
            fast = self._fast(np.array([i], dtype=np.int64), mu[None])
            first = fast.allocation[0] if np.isfinite(fast.value[0]) else None

        def guarantee(w: FloatArray) -> float:
            return self.worth(i, w, mu)

        known = None if nearest.is_best_response else guarantee
        row = solve_against(AllAtOnce(nearest, self.arms, mu), first=first, guarantee=known)
        # where means are so close that rounding leaves a gap, no other method does better with many pieces
        return row if row.gap[0] <= UNSURE or len(nearest.numbers) > FEW else None

    def worth(self, i: int, w: FloatArray, mu: FloatArray) -> float:
        """What an allocation w (K,) guarantees at means mu (K,); for a few pieces no kernel is compiled."""
        pieces = self._special["pieces"](i, mu) if "pieces" in self._special else None
        many = len(mu) if pieces is None else len(pieces.numbers)
        worth = self._worth_of_few if many <= FEW else self._worth
        return float(worth(np.array([i], dtype=np.int64), self._arm_weights(w[None]), mu[None]).value[0])

    def _arm_weights(self, w: FloatArray) -> FloatArray:
        """The weights (R, K) of the arms that an allocation (R, K), or of actions (R, A), comes to."""
        return w if self.actions is None else self.actions.arm_weights(w)

    def check_optimistic(self) -> None:
        """Refuse a problem whose most optimistic models nobody knows how to find."""
        if self.arms.unknown_variance:
            raise RefusedProblemError(
                "optimism over a confidence box is not implemented for arms of unknown variance; use a rule "
                "without it (D, T, M)"
            )
        if not self.structure.is_only_bounds:
            raise RefusedProblemError(
                "optimism over a confidence box is not implemented with a structure, where the best model "
                "need not be a corner; use a rule without it (D, T, M)"
            )
        if not self.has_special("optimistic"):
            check_corners(self.query)

    def optimistic(self, lower: FloatArray, upper: FloatArray) -> Optimistic:
        """The most optimistic model of each confidence box, and its solution."""
        self.check_optimistic()
        low, high = np.clip(lower, self.lower, self.upper), np.clip(upper, self.lower, self.upper)
        if self.has_special("optimistic"):
            found: Optimistic = self._special["optimistic"](low, high)
            if not np.isnan(found.value).any():
                return found
        moves = None if self.actions is None else self.actions.n_actions
        return optimistic_by_corners(self.query, low, high, self.max_min, moves)
