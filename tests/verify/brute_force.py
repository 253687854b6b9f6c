"""The quantities of the proof from a stored trajectory, in the plainest way: the referee of the monitor.

Sums over all rounds, written as the paper writes them; divergences and best responses of its own.
"""

import math
from functools import cached_property
from itertools import product

import numpy as np
from scipy.special import xlogy

from purex.model import Polyhedron, Structure


class KnownSum(Structure):
    """The sum of the means is known."""

    def __init__(self, n_arms, total):
        super().__init__(n_arms)
        self.total = total

    def cells(self):
        K = self.n_arms
        return [Polyhedron(np.empty((0, K)), np.empty(0), np.ones((1, K)), np.array([self.total]))]


def divergence(kind, x, y):
    if kind == "gaussian":
        return (x - y) ** 2 / 2
    return xlogy(x, x / y) + xlogy(1 - x, (1 - x) / (1 - y))


def pairs_of(query, i, K):
    """Best arm and top-M: which arm may catch up with which."""
    chosen = {i} if type(query).__name__ == "BestArm" else {k for k in range(K) if i >> k & 1}
    return [(a, b) for a, b in product(range(K), range(K)) if a in chosen and b not in chosen]


def minimisers(problem, i, V, x):
    """For each piece of the alternative to i, its point that costs least from x with weights V."""
    query, K = problem.query, problem.n_arms
    name = type(query).__name__
    if type(problem.structure).__name__ == "KnownSum":
        total = problem.structure.total
        for a, b in pairs_of(query, i, K):
            free = x - (x.sum() - total) / V / (1 / V).sum()
            if free[b] < free[a]:  # both the sum and the tie: two multipliers
                A = np.zeros((2, K))
                A[0], A[1, a], A[1, b] = 1.0, 1.0, -1.0
                nu = np.linalg.solve((A / V) @ A.T, A @ x - np.array([total, 0.0]))
                free = x - (nu @ A) / V
            yield free
    elif name == "MinimumThreshold":
        g = query.threshold
        if i == 1:
            yield np.maximum(x, g)
        else:
            for k in range(K):
                lam = x.copy()
                lam[k] = min(lam[k], g)
                yield lam
    else:
        for a, b in pairs_of(query, i, K):
            lam = x.copy()
            if lam[b] < lam[a]:
                lam[a] = lam[b] = (V[a] * x[a] + V[b] * x[b]) / (V[a] + V[b]) if V[a] + V[b] > 0 else x[a]
            yield lam


def respond(problem, i, w, x):
    """inf over the alternatives of the sum over rounds (T, K) of w d(x, lam)."""
    kind = problem.arms.kinds[0]
    V = w.sum(axis=0)
    centre = np.where(V > 0, (w * x).sum(axis=0) / np.where(V > 0, V, 1), x.mean(axis=0) if len(x) else 0.5)
    V = np.maximum(V, 1e-300)
    return min((w * divergence(kind, x, lam)).sum() for lam in minimisers(problem, i, V, centre))


def expected(path, of, s):
    """E_q d(of, lam) of round s."""
    p, points = path.q(s)
    kind = path.instance.problem.arms.kinds[0]
    return sum(weight * divergence(kind, of, lam) for weight, lam in zip(p, points, strict=True))


class BruteForce:
    """One stored path up to n samples."""

    def __init__(self, path, n, theory):
        self.path, self.n, self.theory = path, n, theory
        self.problem, self.mu, self.i = theory.problem, theory.mu, theory.answer
        self.kind = self.problem.arms.kinds[0]
        self.T = int(np.searchsorted(path.n, n))  # rounds before n samples
        assert path.n[self.T] == n
        self.w, self.muhat, self.N = path.w[: self.T], path.mu[: self.T], path.N[: self.T]
        self.answers = path.answer[: self.T]
        if type(path.rule).__name__ == "OptimisticTrackAndStop":
            self.answers = np.array([int(self.problem.answer(lam)[0]) for lam in path.lam[: self.T]])
        self.s_minus_1 = path.n[: self.T]
        self.f = path.f[: self.T]
        self.is_late = self.s_minus_1 >= n ** (1 / (1 + theory.bonus.b))

    def end(self):
        mu = self.mu[None]
        W = self.path.N[0] + self.w.sum(axis=0)
        N, muhat = self.path.N[self.T], self.path.mu[self.T]
        own = self.answers == self.i
        return {
            "Q5": respond(self.problem, self.i, self.w[own], self.muhat[own]),
            "Q6": respond(self.problem, self.i, self.w[own].sum(axis=0)[None], mu),
            "Q7": respond(self.problem, self.i, W[None], mu),
            "Q8": respond(self.problem, self.i, N[None], mu),
            "Q9": respond(self.problem, self.i, N[None], muhat[None]),
        }

    @cached_property
    def gains(self):
        """E_q d(muhat, lam), E_q d(mu, lam) and U of every round."""
        path = self.path
        H, G, U = (np.empty_like(self.w) for _ in range(3))
        for s in range(self.T):
            H[s], G[s] = expected(path, self.muhat[s], s), expected(path, self.mu, s)
            low, high = expected(path, path.alpha[s], s), expected(path, path.beta[s], s)
            U[s] = np.maximum(self.f[s] / self.N[s], np.maximum(low, high))
        return H, G, U

    def game(self):
        """Q-1 to Q9 of a game."""
        H, G, U = self.gains
        own, D = self.answers == self.i, self.theory.value
        late = own & self.is_late
        return {
            "Q-1": self.n * D,
            "Q0": late.sum() * D,
            "Q1": G[late].sum(axis=0).max(),
            "Q2": U[own].sum(axis=0).max(),
            "Q3": (self.w * U)[own].sum(),
            "Q4": (self.w * H)[own].sum(),
            **self.end(),
        }

    def optimism(self):
        """Q-1 to Q9 of Optimistic Track-and-Stop."""
        own, D = self.answers == self.i, self.theory.value
        plus = self.path.lam[: self.T]
        game = self.problem.equilibrium(plus[own])
        return {
            "Q-1": self.n * D,
            "Q0": (own & self.is_late).sum() * D,
            "Q1'": (game.value / (1 - game.gap)).sum(),
            "Q2'": sum(
                respond(self.problem, self.i, w[None], x[None])
                for w, x in zip(self.w[own], plus[own], strict=True)
            ),
            "Q3'": respond(self.problem, self.i, self.w[own], plus[own]),
            **self.end(),
        }

    def allowances(self):
        """What the links of a game may lose, on the path."""
        theory, own, n = self.theory, self.answers == self.i, self.n
        _, _, U = self.gains
        muhat, N = self.path.mu[self.T], self.path.N[self.T]
        W = self.path.N[0] + self.w.sum(axis=0)
        wrong = [U[self.answers == i].sum(axis=0).max() for i in set(self.answers) - {self.i}]
        f_late, f = theory.f(n ** (1 / (1 + theory.bonus.b))), theory.f(n)
        early = max(theory.K, math.ceil(n ** (1 / (1 + theory.bonus.b))))
        C = np.maximum(
            2 * theory.L * np.sqrt(2 * theory.sigma2 * self.f[:, None] / self.N), self.f[:, None] / self.N
        )
        b = (U.max(axis=1) - U.min(axis=1))[own]
        log = math.log(theory.K)
        hedge = math.sqrt((b**2).sum() * log) + b.max(initial=0) * (4 / 3 * log + 2) + 2 * self.path.rule.gap
        return {
            "L1": theory.L * (N * np.abs(muhat - self.mu)).sum(),
            "L2": theory.D * np.maximum(W - N, 0).sum(),
            "L3": 0.0,
            "L4": theory.L * (self.w * np.abs(self.muhat - self.mu))[own].sum(),
            "L5": 0.0,
            "L6": (self.w * C)[own].sum(),
            "L7": hedge if own.any() else 0.0,
            "L8": 0.0,
            "L9": 0.0,
            "L10": theory.value * (early + 2 * f / (f_late * theory.epsilon) * sum(wrong)),
        }

    def wrong(self):
        """The wrong answers: both sides of P1, P3 and P4."""
        theory, n = self.theory, self.n
        _, _, U = self.gains
        far = (self.w * divergence(self.kind, self.muhat, self.mu)).sum(axis=1)
        f_late, f = theory.f(n ** (1 / (1 + theory.bonus.b))), theory.f(n)
        found, bad = {}, self.answers != self.i
        for i in set(self.answers) - {self.i}:
            own = self.answers == i
            losses, gains = respond(self.problem, i, self.w[own], self.muhat[own]), U[own].sum(axis=0).max()
            found[f"P1[{i}]"] = losses, far[own].sum()
            found[f"P2[{i}]"] = gains - losses, None
            late = (own & self.is_late).sum()
            found[f"P3[{i}]"] = f_late / f * theory.epsilon / 2 * late, gains
        found["P4"] = far[bad].sum(), f_late * (self.w / self.N)[bad].sum()
        return found

    def event(self):
        """Whether E_n holds."""
        N = np.vstack([self.N, self.path.N[self.T]])
        muhat = np.vstack([self.muhat, self.path.mu[self.T]])
        largest = (N * divergence(self.kind, muhat, self.mu)).max()
        return largest <= self.theory.f(self.n ** (1 / (1 + self.theory.bonus.b)))
