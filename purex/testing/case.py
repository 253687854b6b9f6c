"""What a law is tried on: a problem, and random instances that look for trouble."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.problem import Problem
from purex.problem.selection import Level


class Instances(NamedTuple):
    """Answers i (R,), weights w (R, K) and points xi (R, K) for a best response."""

    i: IntArray
    w: FloatArray
    xi: FloatArray

    def rows(self, which: NDArray[np.bool_] | NDArray[np.intp] | slice) -> Instances:
        """Some of the rows."""
        return Instances(self.i[which], self.w[which], self.xi[which])


def inside(domain: tuple[float, float], low: float, high: float) -> tuple[float, float]:
    """The interval [low, high] of [0, 1], moved into the domain of a family if it does not lie in it.

    >>> inside((0.0, np.inf), 0.2, 0.8), inside((1.0, np.inf), 0.25, 0.75), inside((1.0, 3.0), 0.25, 0.75)
    ((0.2, 0.8), (1.25, 1.75), (1.5, 2.5))
    """
    start, stop = domain
    if start <= low and high <= stop:
        return low, high
    if np.isfinite(start) and np.isfinite(stop):
        return start + low * (stop - start), start + high * (stop - start)
    return (start + low, start + high) if np.isfinite(start) else (stop - high, stop - low)


@dataclass(frozen=True)
class Case:
    """A problem under test, with a seed and the number of instances each law draws.

    Means are drawn from [low, high], by default the part of the families' domain (and of the box)
    between 0.05 and 0.95, where every shipped family lives; of another family they are moved there.
    """

    problem: Problem
    seed: int = 0
    size: int = 60
    low: float = 0.05
    high: float = 0.95

    def rng(self, law: str) -> np.random.Generator:
        """A generator of its own for each law."""
        return np.random.default_rng([self.seed, *law.encode()])

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Where means are drawn."""
        problem = self.problem
        start = max(problem.lower, float(problem.arms.lower_ends.max()))
        stop = min(problem.upper, float(problem.arms.upper_ends.min()))
        low, high = max(self.low, start), min(self.high, stop)
        return (low, high) if low < high else inside((start, stop), self.low, self.high)

    def means(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Random means: spread out, with exact ties, gaps of 1e-6, and at the edges; half of them in M."""
        low, high = self.interval
        K = self.problem.n_arms
        mu = rng.uniform(low, high, (size, K))
        kind = rng.integers(0, 4, size)
        tied = rng.integers(0, 4, (size, K)) / 4 * (high - low) + low  # a coarse grid: many ties
        mu = np.where((kind == 1)[:, None], tied, mu)
        close = mu[:, :1] + 1e-6 * rng.integers(-3, 4, (size, K))
        mu = np.where((kind == 2)[:, None], np.clip(close, low, high), mu)
        mu[rng.random(mu.shape) < 0.03] = low
        inside = rng.random(size) < 0.5
        mu[inside] = self.problem.project(np.ones((inside.sum(), K)), mu[inside])
        return mu

    def weights(self, rng: np.random.Generator, size: int, zeros: float = 0.2) -> FloatArray:
        """Random weights over six orders of magnitude, some of them exactly zero."""
        w = rng.exponential(size=(size, self.problem.n_arms))
        w *= np.where(rng.random(w.shape) < 0.3, 10.0 ** rng.integers(-6, 1, w.shape).astype(float), 1.0)
        w[rng.random(w.shape) < zeros] = 0.0
        return w

    def answers(self, rng: np.random.Generator, xi: FloatArray) -> IntArray:
        """Mostly the answer at xi; sometimes that of another model, for which xi is an alternative."""
        i = self.problem.query.answer(xi)
        return np.where(rng.random(len(xi)) < 0.75, i, rng.permutation(i))

    def instances(self, law: str, size: int | None = None, zeros: float = 0.2) -> Instances:
        """Random instances for a law."""
        rng = self.rng(law)
        n = self.size if size is None else size
        xi = self.means(rng, n)
        return Instances(self.answers(rng, xi), self.weights(rng, n, zeros), xi)

    @cached_property
    def generic(self) -> Problem:
        """The same problem with the generic oracle."""
        return self._at("generic")

    @cached_property
    def referee(self) -> Problem:
        """The same problem with the cvxpy oracle."""
        return self._at("cvxpy")

    def _at(self, level: Level) -> Problem:
        p = self.problem
        box = None if np.isinf(p.lower) and np.isinf(p.upper) else (p.lower, p.upper)
        return Problem(p.arms, p.query, p.structure, box=box, oracle=level)
