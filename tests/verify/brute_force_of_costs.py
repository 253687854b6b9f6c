"""The quantities of the proof where arms have costs, from a stored trajectory: the monitor's referee there.

Written with shares w of the cost, as docs/actions.md has it: p = r w/c with r = 1/sum(w/c), gains r U/c. The
monitor has r from p.
"""

import math
from types import SimpleNamespace

import numpy as np

from tests.verify.brute_force import BruteForce, respond


def of_arms(path):
    """A trajectory of one action per arm as one of arms that are pulled with the shares p of the rounds."""
    return SimpleNamespace(
        n=path.n, w=path.p, mu=path.mu, N=path.N, answer=path.answer, alpha=path.alpha, beta=path.beta,
        lam=path.lam, rule=path.rule, instance=SimpleNamespace(problem=path.problem),
        q=lambda s: (np.ones(1), path.lam[s][None]),
    )  # fmt: skip


class BruteForceOfCosts(BruteForce):
    """One stored path up to n samples."""

    def __init__(self, path, n, theory):
        arms = of_arms(path)
        arms.f = np.array([theory.f(m) for m in path.n])
        super().__init__(arms, n, theory)
        costs = np.asarray(path.problem.actions.costs)
        self.costs, self.unit, self.c = costs / costs.min(), costs.min(), costs.max() / costs.min()
        self.shares = path.w[: self.T]
        self.r = 1 / (self.shares / self.costs).sum(axis=1)
        self.price = self.r[:, None] / self.costs

    def begin(self):
        """The cost of all pulls, what the rounds were expected to cost, and the late ones of the answer."""
        late = (self.answers == self.i) & self.is_late
        D = self.unit * self.problem.solve(self.mu).value[0]
        return {
            "Q-2": (self.path.N[self.T] * self.costs).sum() * D,
            "Q-1": (self.costs.sum() + self.r.sum()) * D,
            "Q0": self.r[late].sum() * D,
        }

    def game(self):
        """Q-2 to Q9 of a game."""
        H, G, U = self.gains
        own = self.answers == self.i
        return {
            **self.begin(),
            "Q1": (self.price * G)[own & self.is_late].sum(axis=0).max(),
            "Q2": (self.price * U)[own].sum(axis=0).max(),
            "Q3": (self.shares * self.price * U)[own].sum(),
            "Q4": (self.w * H)[own].sum(),
            **self.end(),
        }

    def of_plus(self, i):
        """The sum of r times the value of the game at mu+, which the oracle's weights attain."""
        own, plus = self.answers == i, self.path.lam[: self.T]
        return sum(
            r * respond(self.problem, i, (w / self.costs)[None], x[None])
            for r, w, x in zip(self.r[own], self.shares[own], plus[own], strict=True)
        )

    def optimism(self):
        """Q-2 to Q9 of Optimistic Track-and-Stop."""
        own, plus = self.answers == self.i, self.path.lam[: self.T]
        return {
            **self.begin(),
            "Q1'": self.of_plus(self.i),
            "Q2'": self.of_plus(self.i),
            "Q3'": respond(self.problem, self.i, self.w[own], plus[own]),
            **self.end(),
        }

    def optimism_of_wrong(self):
        """P2' and P3' of wrong answers: what loses, and the closed form of L10."""
        theory, n = self.theory, self.n
        D, f, K = theory.value, theory.f(n), theory.K
        found = {}
        for i in set(self.answers) - {self.i}:
            own, value = self.answers == i, self.of_plus(i)
            found[f"P2'[{i}]"] = value - respond(self.problem, i, self.w[own], self.muhat[own])
            found[f"P3'[{i}]"] = self.r[own & self.is_late].sum() * D
        early = max(n ** (1 / (1 + theory.bonus.b)) + 1, K)
        S1, S2 = K**2 + 2 * math.sqrt(2 * K * n), K**2 + 2 * K * math.log(n / K)
        return found, D * self.c * early + f * S2 + theory.L * math.sqrt(2 * theory.sigma2 * f) * S1

    def allowances(self):
        """What the links of a game may lose that costs change; the others are as without."""
        theory, n, (_, _, U) = self.theory, self.n, self.gains
        G, own = self.price * U, self.answers == self.i
        behind = np.maximum(1.0 + self.w.sum(axis=0) - self.path.N[self.T], 0).sum()
        wrong = sum(G[self.answers == i].sum(axis=0).max() for i in set(self.answers) - {self.i})
        t_b, f = n ** (1 / (1 + theory.bonus.b)), theory.f(n)
        early = self.c * max(theory.K, math.ceil(t_b))
        b, log = np.ptp(G, axis=1)[own], math.log(theory.K)
        hedge = math.sqrt((b**2).sum() * log) + b.max(initial=0) * (4 / 3 * log + 2) + 2 * self.path.rule.gap
        changed = {
            "L11": theory.value * (self.c - 1) * behind,
            "L10": theory.value * (early + 2 * self.c * f / (theory.f(t_b) * theory.epsilon) * wrong),
            "L7": hedge if own.any() else 0.0,
        }
        return super().allowances() | changed

    def closed_forms(self):
        """Those that costs change, from the constants: c times the regret, the early and the wrong rounds."""
        theory, n = self.theory, self.n
        K, f, log, b = theory.K, theory.f(n), math.log(theory.K), theory.bonus.b
        S1, S2 = K**2 + 2 * math.sqrt(2 * K * n), K**2 + 2 * K * math.log(n / K)
        C = 4 * theory.L * math.sqrt(theory.sigma2 * f / 2) * S1 + f * S2
        regret = self.c * max(theory.D, f) * (math.sqrt(n * log) + 4 / 3 * log + 2) + 2 * self.path.rule.gap
        lost = (theory.answers - 1) * regret + f * S2 + C
        early = max(n ** (1 / (1 + b)) + 1, K)
        return {
            "L11": theory.value * (K - 1) * (self.c - 1),
            "L10": theory.value * self.c * (early + 6 * (1 + b) / theory.epsilon * lost),
            "L7": regret,
        }

    def wrong(self):
        """P1 to P4, where rounds count by their costs."""
        _, _, U = self.gains
        G, found, (f_late, f) = self.price * U, super().wrong(), self._levels()
        for i in set(self.answers) - {self.i}:
            own = self.answers == i
            gains, losses = G[own].sum(axis=0).max(), found[f"P1[{i}]"][0]
            cost = self.r[own & self.is_late].sum()
            found[f"P2[{i}]"] = gains - losses, None
            found[f"P3[{i}]"] = f_late / f * self.theory.epsilon / (2 * self.c) * cost, gains
        return found

    def _levels(self):
        n, theory = self.n, self.theory
        return theory.f(n ** (1 / (1 + theory.bonus.b))), theory.f(n)
