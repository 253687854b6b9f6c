"""A few runs of a study round by round: made anew, from the same random numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.engine import simulate
from purex.experiments.enumeration import Cell, built, settings
from purex.games import log_inverse

NEVER = 1e-300  # a risk at which no run of a few thousand rounds stops


@dataclass(frozen=True)
class Trace:
    r"""One run: the counts N (rounds, K), the statistic, its thresholds (deltas, rounds), and the regret.

    The regret is what the allocation is behind the oracle's, in units of information:
    $n D_\mu - \inf_\lambda \sum_k N^k d(\mu^k, \lambda^k)$ at the true means (section 2 of the paper).
    """

    n: NDArray[np.int64]
    N: FloatArray
    statistic: FloatArray
    thresholds: FloatArray
    regret: FloatArray

    @property
    def shares(self) -> FloatArray:
        """N/n: the allocation so far."""
        return np.asarray(self.N / self.n[:, None])


def trace_cell(cell: Cell, runs: int, rounds: int, value: float) -> list[Trace]:
    """The first `runs` runs of a cell for `rounds` rounds, going on after they would have stopped.

    `value` is the game's at the true means. A rule that looks at delta is traced with the smallest, until it
    stops.
    """
    parts, options = built(cell), settings(cell)
    options["max_rounds"] = min(rounds, options["max_rounds"])
    deltas = min(cell.deltas) if parts.rule.uses_delta else NEVER
    result = simulate(
        parts.problem,
        cell.entry.means,
        parts.rule,
        deltas,
        threshold=parts.threshold,
        runs=runs,
        trace=runs,
        **options,
    )
    return [_trace(cell, notes, value) for notes in result.traces if notes]


def _trace(cell: Cell, notes: dict[str, Any], value: float) -> Trace:
    parts = built(cell)
    N, n = notes["N"], notes["n"]
    truth = np.repeat(np.array([cell.entry.means]), len(n), axis=0)
    response = parts.problem.best_response(parts.problem.answer(truth), N, truth)
    return Trace(
        n=n,
        N=N,
        statistic=notes["statistic"],
        thresholds=np.array([parts.threshold.of_counts(N, log_inverse(delta)) for delta in cell.deltas]),
        regret=n * value - response.value,
    )
