"""Regret: what a learner lost against the best it could have played, along trajectories and adversaries."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from purex.problem import Problem
from purex.verify.instances import Instance
from purex.verify.trajectory import Trajectory

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


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
    """Gain where the learner is not."""
    return np.asarray((w == w.min()).astype(float))


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
    """
    V, sums = np.cumsum(w, axis=0), np.cumsum(w * mu, axis=0)
    xbar = np.where(V > 0, sums / np.where(V > 0, V, 1.0), mu)
    xbar = np.clip(xbar, mu.min(axis=0), mu.max(axis=0))  # rounding must not leave the domain
    phi = problem.arms.entropy
    constant = np.cumsum((w * phi(mu)).sum(axis=1)) - (V * phi(xbar)).sum(axis=1)
    return problem.best_response(code, V, xbar).value + np.maximum(constant, 0.0)


def box_constants(problem: Problem) -> tuple[float, float]:
    """L and D of the box."""
    constants = [family.constants(problem.lower, problem.upper) for family in problem.arms.families]
    return max(c.L for c in constants), max(c.D for c in constants)


class Leader(NamedTuple):
    """The rounds of a perturbed leader: its expected loss in each (T,), and what the best fixed point lost."""

    losses: FloatArray
    least: FloatArray
    reach: float

    @property
    def regret(self) -> FloatArray:
        """After every round."""
        return np.asarray(np.cumsum(self.losses) - self.least)


# which arm the adversary takes, given the round, the expected divergences of the arms and a generator
Choice = Callable[[int, FloatArray, np.random.Generator], int]
CHOICES: dict[str, Choice] = {
    "greedy": lambda s, loss, rng: int(np.argmax(loss)),
    "random": lambda s, loss, rng: int(rng.integers(len(loss))),
    "cyclic": lambda s, loss, rng: s % len(loss),
}


def ftpl_against(
    where: Instance,
    choice: Choice,
    T: int,
    samples: int,
    eta: float,
    rng: np.random.Generator,
    play: Callable[[FloatArray, FloatArray], FloatArray] | None = None,
    rewards: Callable[[int], float] | None = None,
) -> Leader:
    """The perturbed leader, each play estimated by many samples, against an adversary of arms.

    Arms are pulled once first. `play(w, xi)` takes the place of the best response in controls; `rewards(k)`
    that of the arm's law.
    """
    problem, code, K = where.problem, where.answer, where.problem.n_arms

    def draw(k: int) -> float:
        if rewards is not None:
            return rewards(k)
        return float(problem.arms.families[k].quantile(where.mu[k], rng.random()))

    total = np.array([draw(k) for k in range(K)])
    N, V, VX = np.ones(K), np.zeros(K), np.zeros(K)
    losses, arms, means, reach = np.empty(T), np.zeros((T, K)), np.empty((T, K)), 0.0
    for s in range(T):
        mu = np.clip(total / N, problem.lower, problem.upper)
        sigma = rng.exponential(1.0, (samples, K)) * np.sqrt(N) / eta
        w = V + sigma
        xi = (VX + sigma * mu) / w
        lam = problem.best_response(code, w, xi).point if play is None else play(w, xi)
        expected = problem.arms.d(mu, lam).mean(axis=0)
        k = choice(s, expected, rng)
        losses[s], arms[s, k], means[s] = expected[k], 1.0, mu
        V[k] += 1.0
        VX[k] += mu[k]
        x = draw(k)
        before = mu[k]
        total[k] += x
        N[k] += 1.0
        after = float(np.clip(total[k] / N[k], problem.lower, problem.upper))
        reach = max(reach, abs(after - before) * N[k])
    return Leader(losses, least_losses(problem, code, arms, means), reach)
