"""The quantities of the proof with actions, from a stored trajectory: the monitor's referee there.

Written with shares w of the cost, as docs/actions.md has it: p = r w/c with r = 1/sum(w/c), gains r O U/c.
The monitor has r from p.
"""

import math
from types import SimpleNamespace

import numpy as np

from tests.verify.brute_force import BruteForce, respond


def of_arms(path, f):
    """A trajectory of actions as one of arms, of which a round is expected to buy v."""
    return SimpleNamespace(
        n=path.n, w=path.v, mu=path.mu, N=path.N, answer=path.answer, alpha=path.alpha, beta=path.beta,
        lam=path.lam, rule=path.rule, instance=SimpleNamespace(problem=path.problem), f=f,
        q=lambda s: (np.ones(1), path.lam[s][None]),
    )  # fmt: skip


class BruteForceOfActions(BruteForce):
    """One stored path up to n rounds."""

    def __init__(self, path, n, theory):
        super().__init__(of_arms(path, np.array([theory.f(m) for m in path.n])), n, theory)
        costs = np.asarray(path.problem.actions.costs)
        self.O, self.costs, self.unit = path.observes, costs / costs.min(), costs.min()
        self.A, self.c, self.m = len(costs), costs.max() / costs.min(), int(self.O.sum(axis=1).max())
        self.done, self.first = path.pulls[self.T], path.pulls[0]
        self.P = self.first + path.p[: self.T].sum(axis=0)
        self.shares = path.w[: self.T]
        self.r = 1 / (self.shares / self.costs).sum(axis=1)

    def of_actions(self, x):
        """What actions gain if arms gain x (T, K)."""
        return self.r[:, None] * (x @ self.O.T) / self.costs

    def begin(self):
        """The cost of all rounds, what they were expected to cost, and the late ones of the answer."""
        late = (self.answers == self.i) & self.is_late
        D = self.unit * self.problem.solve(self.mu).value[0]
        planned = (self.first @ self.costs + self.r.sum()) * D
        begin = {"Q-2": (self.done @ self.costs) * D, "Q-1": planned, "Q0": self.r[late].sum() * D}
        if self.c == 1:
            del begin["Q-2"]
        return begin

    def game(self):
        """Q-2 to Q9 of a game."""
        H, G, U = self.gains
        own = self.answers == self.i
        return {
            **self.begin(),
            "Q1": self.of_actions(G)[own & self.is_late].sum(axis=0).max(),
            "Q2": self.of_actions(U)[own].sum(axis=0).max(),
            "Q3": (self.shares * self.of_actions(U))[own].sum(),
            "Q4": (self.w * H)[own].sum(),
            **self.end(),
        }

    def of_plus(self, i):
        """The sum of r times the value of the game at mu+, which the oracle's weights attain."""
        own, plus = self.answers == i, self.path.lam[: self.T]
        return sum(
            r * respond(self.problem, i, ((w / self.costs) @ self.O)[None], x[None])
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

    def sums(self):
        """S1 and S2, which are proved where each arm has its own action."""
        K, n = self.theory.K, self.n
        if self.O.shape != (K, K) or (np.eye(K) != self.O).any():
            return math.nan, math.nan
        return K**2 + 2 * math.sqrt(2 * K * n), K**2 + 2 * K * math.log(n / K)

    def optimism_of_wrong(self):
        """P2' and P3' of wrong answers: what loses, and the closed form of L10."""
        theory, n = self.theory, self.n
        D, f, (S1, S2) = theory.value, theory.f(n), self.sums()
        found = {}
        for i in set(self.answers) - {self.i}:
            own, value = self.answers == i, self.of_plus(i)
            found[f"P2'[{i}]"] = value - respond(self.problem, i, self.w[own], self.muhat[own])
            found[f"P3'[{i}]"] = self.r[own & self.is_late].sum() * D
        early = max(n ** (1 / (1 + theory.bonus.b)) + 1, self.first.sum())
        return found, D * self.c * early + f * S2 + theory.L * math.sqrt(2 * theory.sigma2 * f) * S1

    def allowances(self):
        """What the links of a game may lose that actions change; the others are as without."""
        theory, n, (_, _, U) = self.theory, self.n, self.gains
        G, own = self.of_actions(U), self.answers == self.i
        wrong = sum(G[self.answers == i].sum(axis=0).max() for i in set(self.answers) - {self.i})
        t_b, f = n ** (1 / (1 + theory.bonus.b)), theory.f(n)
        early = self.c * max(self.first.sum(), math.ceil(t_b))
        b, log = np.ptp(G, axis=1)[own], math.log(self.A)
        hedge = math.sqrt((b**2).sum() * log) + b.max(initial=0) * (4 / 3 * log + 2) + 2 * self.path.rule.gap
        changed = {
            "L10": theory.value * (early + 2 * self.c * f / (theory.f(t_b) * theory.epsilon) * wrong),
            "L7": hedge if own.any() else 0.0,
        }
        if self.c > 1:
            changed["L11"] = theory.value * (self.c - 1) * np.maximum(self.P - self.done, 0).sum()
        return super().allowances() | changed

    def closed_forms(self):
        """Those that actions change, from the constants."""
        theory, n = self.theory, self.n
        f, log, b, (S1, S2) = theory.f(n), math.log(self.A), theory.bonus.b, self.sums()
        radius = theory.L * math.sqrt(2 * theory.sigma2)
        C = 2 * radius * math.sqrt(f) * S1 + f * S2
        regret = self.c * self.m * max(theory.D, f) * (math.sqrt(n * log) + 4 / 3 * log + 2)
        regret += 2 * self.path.rule.gap
        lost = (theory.answers - 1) * regret + f * S2 + C
        early = max(n ** (1 / (1 + b)) + 1, self.first.sum())
        f_E = theory.f(n ** (1 / (1 + b)))
        forms = {
            "L10": theory.value * self.c * (early + 6 * (1 + b) / theory.epsilon * lost),
            "L7": regret,
            "L6": C,
            "L4": radius * math.sqrt(f_E) * S1,
            "L2": self.m * (self.A - 1) * theory.D,
            "L1": radius * math.sqrt(f_E * theory.K * self.m * n),
            "P4": f_E * S2,
        }
        return forms | ({"L11": theory.value * (self.A - 1) * (self.c - 1)} if self.c > 1 else {})

    def wrong(self):
        """P1 to P4, where rounds count by their costs."""
        _, _, U = self.gains
        G, found, (f_late, f) = self.of_actions(U), super().wrong(), self._levels()
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
