r"""Bernoulli arms sampled in turn and held against a threshold: here T_0 is close to the stopping time.

The proof of theorem 2 in its simplest form. On $E_t$ every mean is within its divergence $\ell(t)/N^k$ of the
truth; if the statistic exceeds beta at the worst such means, the run has stopped by t. After the last t at
which it does not, "not stopped at t" implies that $E_t$ fails, whose probability is computed exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from purex.arrays import FloatArray
from purex.families import Bernoulli
from purex.problem import Problem
from purex.verify.deviations import crossing_probability, farthest_mean

Level = Callable[[FloatArray], FloatArray]  # the level of E_t, nondecreasing in t


@dataclass(frozen=True)
class InTurn:
    """The question on which side of `threshold` each mean lies, asked about Bernoulli arms in turn."""

    means: tuple[float, ...]
    threshold: float

    @property
    def problem(self) -> Problem:
        """The problem, for simulations by the rule RR."""
        query = f"thresholding(threshold={self.threshold})"
        return Problem.from_names("bernoulli", query, n_arms=len(self.means))

    def counts(self, t: int) -> list[int]:
        """The pulls of each arm after t samples."""
        K = len(self.means)
        return [(t + K - 1 - k) // K for k in range(K)]

    def sure_from(self, level: Level, beta: Level, horizon: int) -> int:
        """T_0: on E_t the run has stopped by t, for all t from here to the horizon.

        >>> arms = InTurn((0.9,), 0.5)
        >>> arms.sure_from(lambda t: 0 * t, lambda t: 5.0 + 0 * t, 100)  # 5/d(0.9, 0.5) = 13.6
        14
        """
        family, g = Bernoulli(), self.threshold
        t = np.arange(len(self.means), horizon + 1, dtype=np.float64)
        N = np.floor(t / len(self.means))
        least = np.full(len(t), np.inf)
        for mu in self.means:
            nearest = farthest_mean(family, mu, level(t) / N, g - mu)
            nearest = np.maximum(nearest, g) if mu > g else np.minimum(nearest, g)
            least = np.minimum(least, N * family.d(nearest, g))
        unsure = t[least <= beta(t)]
        return int(unsure.max()) + 1 if len(unsure) else len(self.means)

    def off_event(self, t: int, level: float) -> float:
        """P(some arm's N d(mean, mu) exceeded the level up to time t), exactly."""
        on = 1.0
        for mu, n in zip(self.means, self.counts(t), strict=True):
            on *= 1 - crossing_probability(mu, n, np.nextafter(level, np.inf))
        return 1 - on

    def off_event_sum(self, level: Level, start: int, end: int, ratio: float = 1.3) -> float:
        r"""A lower bound on $\sum_{start \le t < end} P(E_t^c)$, in blocks of t.

        A crossing is rarer at a higher level and up to an earlier time: in a block [t, u) it has at least the
        probability of a crossing of the level of u up to t.
        """
        total, t = 0.0, start
        while t < end:
            u = min(max(t + 1, int(ratio * t)), end)
            total += (u - t) * self.off_event(t, float(level(np.array([float(u - 1)]))[0]))
            t = u
        return total
