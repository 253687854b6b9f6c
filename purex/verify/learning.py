"""Regret: what a learner lost against the best it could have played, along trajectories and adversaries."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.problem import Problem
from purex.verify.instances import Instance
from purex.verify.trajectory import Trajectory


class Played(NamedTuple):
    """The rounds of one k-learner: weights and gains (T, K)."""

    w: FloatArray
    gains: FloatArray

    @property
    def regret(self) -> FloatArray:
        r"""$\max_k \sum_s g_s^k - \sum_s w_s \cdot g_s$ after every round."""
        best = np.cumsum(self.gains, axis=0).max(axis=1)
        return np.asarray(best - np.cumsum((self.w * self.gains).sum(axis=1)))

    @property
    def scales(self) -> FloatArray:
        """The range b_s of the gains in each round."""
        return np.asarray(np.ptp(self.gains, axis=1))

    @property
    def adahedge_bound(self) -> FloatArray:
        r"""$\sqrt{\sum b_s^2 \ln K} + \max_s b_s(\frac43\ln K + 2)$ after every round (S43)."""
        K, b = self.w.shape[1], self.scales
        root = np.sqrt(np.cumsum(b**2) * math.log(K))
        return np.asarray(root + np.maximum.accumulate(b) * (4 / 3 * math.log(K) + 2))


def by_answer(path: Trajectory) -> Iterator[tuple[int, IntArray]]:
    """The rounds of each answer's learner."""
    for code in np.unique(path.answer):
        yield int(code), np.flatnonzero(path.answer == code)


def k_learners(path: Trajectory) -> Iterator[Played]:
    """What the k-learner of each answer played along a trajectory."""
    for _, rounds in by_answer(path):
        yield Played(path.w[rounds], path.U[rounds])


Adversary = Callable[[int, FloatArray, np.random.Generator], FloatArray]


def _alternate(s: int, w: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Arms take turns: what ruins a leader follower."""
    gain = np.zeros(len(w))
    gain[s % len(w)] = 1.0
    return gain


def _greedy(s: int, w: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Gain where the learner is least."""
    gain = np.zeros(len(w))
    gain[int(np.argmin(w))] = 1.0
    return gain


def _noise(s: int, w: FloatArray, rng: np.random.Generator) -> FloatArray:
    return rng.random(len(w))


def _growing(s: int, w: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Ever larger gains, of random sign."""
    return np.asarray((1.0 + s) ** 0.5 * rng.normal(size=len(w)))


def _switch(s: int, w: FloatArray, rng: np.random.Generator) -> FloatArray:
    """One arm is best for long, then another."""
    gain = 0.1 * rng.random(len(w))
    gain[int(math.log2(s + 1)) % len(w)] += 1.0
    return gain


def _constant(s: int, w: FloatArray, rng: np.random.Generator) -> FloatArray:
    gain = np.zeros(len(w))
    gain[-1] = 1.0
    return gain


ADVERSARIES: dict[str, Adversary] = {
    "alternate": _alternate,
    "greedy": _greedy,
    "noise": _noise,
    "growing": _growing,
    "switch": _switch,
    "constant": _constant,
}


def adahedge_against(
    adversary: Adversary, K: int, T: int, rng: np.random.Generator, sign: float = 1.0
) -> Played:
    """AdaHedge, with first gap 0, against an adversary that sees its weights; `sign` -1 is the breach."""
    from purex.learners import adahedge

    weights: Any = adahedge.weights
    update: Any = adahedge.update
    memory, w = np.zeros(K + 1), np.empty(K)
    plays, gains = np.empty((T, K)), np.empty((T, K))
    for s in range(T):
        weights(memory, w)
        plays[s] = w
        gains[s] = adversary(s, w, rng)
        update(memory, w, sign * gains[s])
    return Played(plays, gains)


def least_losses(problem: Problem, code: int, w: FloatArray, mu: FloatArray) -> FloatArray:
    r"""$\inf_{\lambda \in \neg i} \sum_{s \le t} \sum_k w_s^k d(\mu_s^k, \lambda^k)$ for every t.

    One best response each (S6): to the weights $V = \sum w_s$ at the weighted means, plus a term that does
    not depend on lambda: $\sum_s w_s \phi(\mu_s) - V \phi(\bar x)$, which is $\sum_s w_s d(\mu_s, \bar x)$.
    It is the same for $d(\cdot, x)$ in place of phi, whatever the point x; that loses no digits.
    """
    V, sums = np.cumsum(w, axis=0), np.cumsum(w * mu, axis=0)
    xbar = np.where(V > 0, sums / np.where(V > 0, V, 1.0), mu)
    xbar = np.clip(xbar, mu.min(axis=0), mu.max(axis=0))  # rounding must not leave the domain
    centre = mu.mean(axis=0)
    constant = np.cumsum((w * problem.arms.d(mu, centre)).sum(axis=1))
    constant -= (V * problem.arms.d(xbar, centre)).sum(axis=1)
    return np.asarray(problem.best_response(code, V, xbar).value + np.maximum(constant, 0.0))


def box_constants(problem: Problem) -> tuple[float, float]:
    """L and D of the box."""
    constants = [family.constants(problem.lower, problem.upper) for family in problem.arms.families]
    return max(c.L for c in constants), max(c.D for c in constants)


# which arm the adversary takes, given the round, the expected divergences of the arms and a generator
Choice = Callable[[int, FloatArray, np.random.Generator], int]
CHOICES: dict[str, Choice] = {
    "greedy": lambda s, loss, rng: int(np.argmax(loss)),
    "random": lambda s, loss, rng: int(rng.integers(len(loss))),
    "cyclic": lambda s, loss, rng: s % len(loss),
}


def ensemble_against(
    where: Instance,
    ensemble: Any,
    choice: Choice,
    T: int,
    rng: np.random.Generator,
    *,
    stubborn: bool = False,
) -> tuple[FloatArray, FloatArray]:
    """The gradient descents against an adversary of arms: their losses, and the least of a fixed point.

    The estimates wander through the box. The breach, `stubborn`, plays the upper end of the box while the
    estimates stay at the lower.
    """
    problem, code, K = where.problem, where.answer, where.problem.n_arms
    memory, mu = np.zeros((1, ensemble.memory_size)), where.mu[None].copy()
    losses, plays, means = np.empty(T), np.zeros((T, K)), np.empty((T, K))
    for s in range(T):
        p, points = ensemble.play(code, memory, mu)
        if stubborn:
            mu, points = np.full((1, K), problem.lower), np.full_like(points, problem.upper)
        expected = (p[0][:, None] * problem.arms.d(mu[:, None], points)[0]).sum(axis=0)
        k = choice(s, expected, rng)
        losses[s], plays[s, k], means[s] = expected[k], 1.0, mu[0]
        ensemble.update(code, memory, plays[s : s + 1], mu)
        mu = np.clip(mu + 0.05 * rng.normal(size=(1, K)), problem.lower, problem.upper)
    return losses, least_losses(problem, code, plays, means)
