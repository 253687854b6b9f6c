"""Algorithm 1 (section 2.2 of the paper), line by line."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from purex.arrays import FloatArray
from purex.problem import Problem
from purex.reference.round import Round, candidate, clip, intervals, statistic
from purex.reference.tracking import Tracking, track


class Rule(Protocol):
    """A sampling rule: `play` is lines 7 to 10. One that is not optimistic uses no confidence intervals."""

    tracking: Tracking
    optimistic: bool

    def play(self, now: Round) -> FloatArray:
        """The weights w_t of the k-player."""
        ...


class Trajectory(NamedTuple):
    """A run: its rounds, their weights and arms, and its end. `stopped` is False if it ran out of samples."""

    rounds: list[Round]
    weights: list[FloatArray]
    arms: list[int]
    end: Round
    stopped: bool


def run(
    problem: Problem,
    rule: Rule,
    pull: Callable[[int], float],
    threshold: Callable[[int], float],
    *,
    f: Callable[[int], float] = math.log,
    max_samples: int = 10_000,
) -> Trajectory:
    r"""One run: `pull(k)` is a sample of arm k, `threshold` is $\beta(\cdot, \delta)$, f the bonus.

    Round t has seen n = t - 1 samples. Two things are not as printed: line 6 compares with $\beta(n)$, where
    the paper has $\beta(t)$; and the sum W of the weights starts with the basis vectors of line 1, as in
    the proof of the tracking lemma (appendix C).

    >>> from purex.reference.round import stylised
    >>> from purex.reference.rules import D
    >>> problem = Problem.from_names("gaussian", "best-arm", n_arms=3)
    >>> means, rng = [1.0, 0.4, 0.0], np.random.default_rng(1)
    >>> found = run(problem, D(), lambda k: rng.normal(means[k]), stylised(0.1))
    >>> found.stopped, found.end.i, found.end.n, found.end.N
    (True, 0, 194, array([78., 78., 38.]))
    """
    K = problem.n_arms
    N, S = np.ones(K), np.array([pull(k) for k in range(K)], dtype=np.float64)  # line 1: pulls, sums
    W = N.copy()
    rounds: list[Round] = []
    weights: list[FloatArray] = []
    arms: list[int] = []
    while True:  # line 2
        n, mean = int(N.sum()), S / N
        mu = clip(problem, N, mean)
        alpha, beta = np.full(K, -np.inf), np.full(K, np.inf)
        if rule.optimistic:
            alpha, beta = intervals(problem, N, mu, f(n))  # line 3
        i = candidate(problem, N, mean, alpha, beta)  # lines 4 and 5
        Z = statistic(problem, i, N, mean)  # line 6
        now = Round(problem, n, f(n), N.copy(), mean, mu, alpha, beta, i, Z)
        if threshold(n) < Z or n >= max_samples:
            return Trajectory(rounds, weights, arms, end=now, stopped=threshold(n) < Z)
        w = rule.play(now)  # lines 7 to 10
        W = W + w
        k = track(rule.tracking, n, N, w, W)  # line 11
        N[k], S[k] = N[k] + 1, S[k] + pull(k)  # line 12
        rounds.append(now)
        weights.append(w)
        arms.append(k)
