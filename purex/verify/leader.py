"""The perturbed leader: its regret against adversaries, and the history that its proof argues about."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray, IntArray
from purex.verify.instances import Instance
from purex.verify.learning import Choice, box_constants, least_losses


def first_term_bound(D: float, count: float, eta: float = 1.0) -> float:
    r"""$D(1 - e^{-\eta/\sqrt N})$: what a shift of the perturbation by one pull changes (S46)."""
    return D * (1 - math.exp(-eta / math.sqrt(count)))


def count_bound(K: int, t: ArrayLike) -> FloatArray:
    r"""$2\sqrt{Kt}$, a bound on $\sum_{s \le t} 1/\sqrt{N_{s-1}^{k_s}}$ (S46)."""
    return np.asarray(2 * np.sqrt(K * np.asarray(t, dtype=np.float64)))


def empirical_risk(K: int, t: int) -> float:
    r"""$K/t^2$: how likely samples of q may exceed their bound (S47)."""
    return K / t**2


class Leader(NamedTuple):
    """The rounds of a perturbed leader: its expected losses (T,), and what the best fixed point lost."""

    losses: FloatArray
    least: FloatArray
    reach: float

    @property
    def regret(self) -> FloatArray:
        """After every round."""
        return np.asarray(np.cumsum(self.losses) - self.least)


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
    def rounding(self) -> FloatArray:
        """How small the objective is where rounding alone makes it: a leader that loses nothing."""
        D = box_constants(self.where.problem)[1]
        return np.asarray(np.finfo(np.float64).eps * D * (self._after[0] + self.sigma).sum(axis=1))

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
