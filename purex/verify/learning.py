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
    """
    V, sums = np.cumsum(w, axis=0), np.cumsum(w * mu, axis=0)
    xbar = np.where(V > 0, sums / np.where(V > 0, V, 1.0), mu)
    xbar = np.clip(xbar, mu.min(axis=0), mu.max(axis=0))  # rounding must not leave the domain
    phi = problem.arms.entropy
    constant = np.cumsum((w * phi(mu)).sum(axis=1)) - (V * phi(xbar)).sum(axis=1)
    return np.asarray(problem.best_response(code, V, xbar).value + np.maximum(constant, 0.0))


def box_constants(problem: Problem) -> tuple[float, float]:
    """L and D of the box."""
    constants = [family.constants(problem.lower, problem.upper) for family in problem.arms.families]
    return max(c.L for c in constants), max(c.D for c in constants)


class Leader(NamedTuple):
    """The rounds of a perturbed leader: its expected losses (T,), and what the best fixed point lost."""

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


class NoisyLeader(NamedTuple):
    r"""A history of the perturbed leader with one $\sigma_1$: what the proof of its regret argues about.

    Rounds s = 1, ..., T: arm, its count before, the estimates $\hat\mu_{s-1}$, the perturbation $\sigma_s$,
    the leader's memory (V, V xbar) before the round; `following` is $\lambda_{s+1}(\sigma_s, \hat\mu_{s-1})$.
    """

    where: Instance
    arms: IntArray
    counts: FloatArray
    mu: FloatArray
    sigma: FloatArray
    V: FloatArray
    VX: FloatArray
    following: FloatArray

    def losses(self, points: FloatArray) -> FloatArray:
        r"""$\ell_s$ of a point per round (T, K)."""
        at = np.arange(len(self.arms))
        d: FloatArray = self.where.problem.arms.d(self.mu, points)[at, self.arms]
        return d

    def respond(self, V: FloatArray, VX: FloatArray, sigma: FloatArray, mu: FloatArray) -> FloatArray:
        """The leaders of these memories and perturbations."""
        w = V + sigma
        return self.where.problem.best_response(self.where.answer, w, (VX + sigma * mu) / w).point

    @property
    def _after(self) -> tuple[FloatArray, FloatArray]:
        e = np.eye(self.mu.shape[1])[self.arms]
        return self.V + e, self.VX + e * self.mu

    def _objective(self, points: FloatArray) -> FloatArray:
        """What the leader after the round minimises, at these points: equal leaders may tie."""
        V, VX = self._after
        w = V + self.sigma
        return self.where.problem.arms.cost(w, (VX + self.sigma * self.mu) / w, points)

    @property
    def leading(self) -> FloatArray:
        r"""The objective at $\lambda_{s+1}(\sigma_s, \hat\mu_{s-1})$."""
        return self._objective(self.following)

    def shifted(self, unit: float = 1.0) -> FloatArray:
        r"""The objective at $\lambda_s(\sigma_s + e_{k_s}, \hat\mu_{s-1})$."""
        e = unit * np.eye(self.mu.shape[1])[self.arms]
        return self._objective(self.respond(self.V, self.VX, self.sigma + e, self.mu))

    def induction(self, rng: np.random.Generator, candidates: int = 20) -> tuple[FloatArray, FloatArray]:
        r"""Both sides of $\sum \ell_s(\lambda_{s+1}) \le \sum \ell_s(u) + A_t(u)$ at the end, for many u."""
        problem, K = self.where.problem, self.mu.shape[1]
        u = problem.best_response(
            self.where.answer, rng.dirichlet(np.ones(K), candidates), rng.uniform(
                problem.lower, problem.upper, (candidates, K)
            ),
        ).point  # fmt: skip
        d = problem.arms.d
        now = (self.sigma * d(self.mu, self.following)).sum(axis=1)
        then = (self.sigma[:-1] * d(self.mu[:-1], self.following[1:])).sum(axis=1)
        left = np.full(candidates, self.losses(self.following).sum())
        A = (self.sigma[-1] * d(self.mu[-1], u)).sum(axis=1) + then.sum() - now.sum()
        losses = np.array([self.losses(np.tile(point, (len(self.arms), 1))).sum() for point in u])
        return left, losses + A

    def first_term(self, samples: int, rng: np.random.Generator) -> tuple[float, float]:
        r"""$E[\ell_t(\lambda_t(\sigma)) - \ell_t(\lambda_t(\sigma + e_k))]$ in the last round; its count."""
        K, k = self.mu.shape[1], int(self.arms[-1])
        sigma = rng.exponential(1.0, (samples, K)) * np.sqrt(self._pulls)
        mu = np.tile(self.mu[-1], (samples, 1))
        V, VX = np.tile(self.V[-1], (samples, 1)), np.tile(self.VX[-1], (samples, 1))
        d = self.where.problem.arms.d
        before, after = (d(mu, self.respond(V, VX, sigma + shift, mu))[:, k] for shift in (0.0, np.eye(K)[k]))
        return float((before - after).mean()), float(self.counts[-1])

    @property
    def _pulls(self) -> FloatArray:
        """The counts before the last round: one initial pull each, then the arms played."""
        counts = np.bincount(self.arms[:-1], minlength=self.mu.shape[1])
        return 1.0 + counts.astype(np.float64)


def noisy_leader(where: Instance, T: int, rng: np.random.Generator, *, leads: bool = True) -> NoisyLeader:
    """A random history; a leader that does not lead stays at the upper end of the box."""
    problem, K = where.problem, where.problem.n_arms
    total = np.array([_reward(where, k, rng) for k in range(K)])
    N, V, VX, sigma1 = np.ones(K), np.zeros(K), np.zeros(K), rng.exponential(1.0, K)
    rows: list[tuple[Any, ...]] = []
    for _ in range(T):
        mu, k = np.clip(total / N, problem.lower, problem.upper), int(rng.integers(K))
        rows.append((k, N[k], mu, np.sqrt(N) * sigma1, V.copy(), VX.copy()))
        V[k] += 1.0
        VX[k] += mu[k]
        total[k] += _reward(where, k, rng)
        N[k] += 1.0
    columns: list[Any] = [np.array(column) for column in zip(*rows, strict=True)]
    columns.append(np.empty((T, K)))
    history = NoisyLeader(where, *columns)
    following = np.full((T, K), problem.upper)
    if leads:
        following = history.respond(*history._after, history.sigma, history.mu)
    return history._replace(following=following)


def _reward(where: Instance, k: int, rng: np.random.Generator) -> float:
    return float(where.problem.arms.families[k].quantile(where.mu[k], rng.random()))


def empirical_gap(where: Instance, T: int, reference: int, rng: np.random.Generator) -> FloatArray:
    r"""$\sum_{s \le T} (E_{\hat q_s} - E_{q_s}) d(\hat\mu_{s-1}^k, \lambda^k)$ of each arm.

    s samples in round s; the expectation under q is the mean of `reference` samples.
    """
    history, gap = noisy_leader(where, T, rng), np.zeros(where.problem.n_arms)
    N = np.ones(len(gap))
    for s in range(T):
        rows = s + 1 + reference
        sigma = rng.exponential(1.0, (rows, len(gap))) * np.sqrt(N)
        mu, V, VX = (np.tile(x[s], (rows, 1)) for x in (history.mu, history.V, history.VX))
        d = where.problem.arms.d(mu, history.respond(V, VX, sigma, mu))
        gap += d[: s + 1].mean(axis=0) - d[s + 1 :].mean(axis=0)
        N[history.arms[s]] += 1
    return gap


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
