"""The initial pulls of an experiment: those of a simulation, and as many of each arm as somebody wants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from purex.arrays import BoolArray, FloatArray
from purex.engine.batch import SQUARES, Batch
from purex.engine.initial import Initial, interior_arms, needs_pull, next_initial
from purex.errors import RefusedProblemError
from purex.explorer.arm_names import ArmNames
from purex.model import Actions
from purex.problem import Problem
from purex.run_state import MEAN, N


@dataclass(frozen=True)
class InitialPulls:
    """Each arm is pulled `least` times, and those of `interior` until their mean is off its ends.

    Arms of unknown variance are pulled until their rewards vary.
    """

    interior: BoolArray
    least: int = 1
    unknown_variance: bool = False

    def arms_in_need(self, batch: Batch) -> list[int]:
        """The arms of a batch of one run that need (another) initial pull, in order."""
        x, squares = batch.table[0], batch.spread[0, SQUARES] if self.unknown_variance else None
        short = needs_pull(x[N], x[MEAN], self.interior, squares) | (x[N] < self.least)
        return [int(k) for k in np.flatnonzero(short)]

    def next(self, n: int, counts: FloatArray, waiting: Sequence[int], pending: Sequence[int]) -> list[int]:
        """The next n arms: in turn while some have fewer than `least`, then as `next_initial` has it.

        >>> none = np.zeros(2, dtype=bool)
        >>> InitialPulls(none, least=2).next(5, np.array([1.0, 0.0]), [0, 1], [])
        [1, 0, 1, 0, 1]
        """
        arms: list[int] = []
        if self.least > 1:
            seen = counts + np.bincount(pending, minlength=len(counts)) if len(pending) else counts.copy()
            while len(arms) < n and seen.min() < self.least:
                arms.append(int(np.argmin(seen)))
                seen[arms[-1]] += 1
        return [*arms, *next_initial(n - len(arms), counts, waiting, [*pending, *arms])]


@dataclass(frozen=True)
class InitialActions:
    """Each action that keeps an arm, until all of its arms are seen: see `purex.model.Actions`."""

    actions: Actions

    def arms_in_need(self, batch: Batch) -> list[int]:
        """The actions of a batch of one run that are still to be done, in order."""
        missing = (batch.table[0, N] == 0) & self.actions.seen
        return [int(a) for a in np.unique(self.actions.keeper[missing])]

    def next(self, n: int, counts: FloatArray, waiting: Sequence[int], pending: Sequence[int]) -> list[int]:
        """The next n actions: those that are waiting, then all that keep an arm in turn.

        >>> InitialActions(Actions([[True, True], [False, True]])).next(3, np.zeros(2), [0], [])
        [0, 0, 0]
        """
        first = self.actions.first
        place = {int(a): j for j, a in enumerate(first)}
        known = [[place[a] for a in some if a in place] for some in (waiting, pending)]
        return [int(first[j]) for j in next_initial(n, counts[first], *known)]


def initial_of(
    problem: Problem, initial: Initial, least: int, names: ArmNames | None
) -> InitialPulls | InitialActions:
    """The initial pulls of an experiment; refuses what is for arms only where there are actions."""
    if problem.actions is None:
        return InitialPulls(interior_arms(problem.arms, initial), least, problem.arms.unknown_variance)
    for what, is_given in (
        (f"initial={initial!r}", initial != "once"),
        (f"min_pulls={least}", least != 1),
        ("arm_names", names is not None),
    ):
        if is_given:
            raise RefusedProblemError(f"{what} is for arms, and this problem has actions: leave it out")
    return InitialActions(problem.actions)
