"""The monitor's eyes: an observer of the lock-step path that keeps sums, not history."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.engine.batch import Batch
from purex.model import Kernel
from purex.rules import Descent, OptimisticTrackAndStop, Perturbed, Rule
from purex.run_state import ALPHA, BETA, LAM, MU, PLAY, N
from purex.verify.path.state import State
from purex.verify.path.sums import Rounds, Sums
from purex.verify.path.theory import Theory

FRESH = 8  # samples of q a round that stand for q itself, where the rule only samples it
OTHER = np.uint64(0x9E3779B97F4A7C15)  # makes another key: fresh samples are not the rule's own

# What a round learns of q: expectations over its points lam, arm by arm.
EXPECTED = ("hat", "truth", "alpha", "beta", "theta", "worst")


class PathObserver:
    r"""Adds each round of a batch of runs to the sums of its answer.

    Called by `LockStepPath` at every stage. The lambda-player's q is seen as it is played: one point per call
    of the oracle, or the points of the gradient ensemble. All rows of a batch are at the same round.
    """

    def __init__(self, theory: Theory, rule: Rule, key: np.uint64, checkpoints: Sequence[int]) -> None:
        self.theory, self.rule, self.key = theory, rule, key ^ OTHER
        self.problem, self.arms = theory.problem, theory.problem.arms
        self.marks = [max(math.ceil(theory.late(n)), theory.first) for n in checkpoints]
        self.optimistic = isinstance(rule, OptimisticTrackAndStop)

    def begin(self, runs: int) -> None:
        """Fresh runs."""
        K, A, C = self.theory.K, self.theory.A, len(self.marks)
        self.sums = Sums(runs, K, A)
        self.early: list[list[Mapping[int, Rounds]]] = [[{} for _ in range(runs)] for _ in range(C)]
        self.expected = {name: np.zeros((runs, K)) for name in EXPECTED}
        self.points = np.zeros(runs)
        self.fresh = np.zeros((runs, K))
        self.before = np.zeros((runs, K))
        self.W, self.P = np.zeros((runs, K)), np.zeros((runs, A))
        self.event, self.event_square, self.jump = np.zeros(runs), np.zeros(runs), np.zeros(runs)
        self.lipschitz, self.spread = np.full(runs, -np.inf), np.zeros(runs)
        self.starved, self.least_plus = np.full((runs, C), np.inf), np.full((runs, C), np.inf)

    def __call__(self, stage: str, batch: Batch, rows: IntArray) -> None:
        """Take notice of a stage."""
        if stage == "statistic":
            self.see_start(batch, rows)
        elif stage == "oracle":
            self.see_point(batch, rows)
        elif stage == "play":
            self.see_play(batch, rows)
        else:
            self.see_pull(batch, rows)

    def see_start(self, batch: Batch, rows: IntArray) -> None:
        """A round begins; at a mark, keep the sums so far."""
        n = int(batch.n[rows[0]])
        for c, mark in enumerate(self.marks):
            if mark == n:
                for r in rows:
                    self.early[c][r] = self.sums.of_row(r)
        self.before[rows] = batch.table[rows, MU]
        self.f = self.theory.f(n)
        for array in self.expected.values():
            array[rows] = 0.0
        self.points[rows] = 0.0
        if isinstance(self.rule, Descent):
            self.see_ensemble(self.rule, batch, rows)
        elif isinstance(self.rule, Perturbed):
            self.sample(self.rule, batch, rows)

    def see_point(self, batch: Batch, rows: IntArray) -> None:
        """One point of q, or the most optimistic model, which is kept in the table."""
        if not self.optimistic:
            self.add_point(batch, rows, batch.table[rows, LAM], np.ones(len(rows)))

    def add_point(self, batch: Batch, rows: IntArray, lam: FloatArray, p: FloatArray) -> None:
        """Count a point lam (R, K) of q with the weights p (R,)."""
        table, d, weight = batch.table, self.arms.d, p[:, None]
        low, high = d(table[rows, ALPHA], lam), d(table[rows, BETA], lam)
        floor = self.f / table[rows, N]
        for name, term in (
            ("hat", d(table[rows, MU], lam)),
            ("truth", d(self.theory.mu, lam)),
            ("alpha", low),
            ("beta", high),
            ("theta", self.arms.natural(lam)),
            ("worst", np.maximum(floor, np.maximum(low, high))),
        ):
            self.expected[name][rows] += weight * term
        self.points[rows] += p

    def see_ensemble(self, rule: Descent, batch: Batch, rows: IntArray) -> None:
        """The q that the ensemble of gradient descents is going to play."""
        ensemble, K = rule.ensemble(self.problem), self.theory.K
        memory = self.memories(batch, rows)[:, K + 1 :].copy()
        for code in np.unique(batch.candidate[rows]):
            at = np.flatnonzero(batch.candidate[rows] == code)
            p, points = ensemble.play(int(code), memory[at], batch.table[rows[at], MU].copy())
            for j in range(p.shape[1]):
                self.add_point(batch, rows[at], points[:, j], p[:, j])

    def sample(self, rule: Perturbed, batch: Batch, rows: IntArray) -> None:
        """An unbiased estimate of E_q d(muhat, lam) from samples of q of our own."""
        from purex.engine.kernels import stages

        draw_uniforms: Kernel = stages.draw_uniforms

        K, mu = self.theory.K, batch.table[rows, MU]
        leader = self.memories(batch, rows)[:, K + 1 :].copy()
        new = leader[:, 0] == 0.0
        leader[new, :K], leader[new, K:] = 1.0, mu[new]  # as the learner begins
        V, VX = leader[:, :K], leader[:, K:]
        w, xi = np.empty((FRESH, *mu.shape)), np.empty((FRESH, *mu.shape))
        for c in range(FRESH):
            for k in range(K):
                u = draw_uniforms(self.key, batch.run[rows], batch.n[rows], c * K + k)
                sigma = -np.log(u) * np.sqrt(V[:, k]) / rule.eta
                w[c, :, k] = V[:, k] + sigma
                xi[c, :, k] = (VX[:, k] + sigma * mu[:, k]) / w[c, :, k]
        i = np.tile(batch.candidate[rows], FRESH)
        lam = self.problem.oracle(i, w.reshape(-1, K), xi.reshape(-1, K)).point.reshape(w.shape)
        self.fresh[rows] = self.arms.d(mu, lam).mean(axis=0)

    def memories(self, batch: Batch, rows: IntArray) -> FloatArray:
        """The memory of each row's learner as it will be when the round is played."""
        found = batch.answers[rows] == batch.candidate[rows][:, None]
        found &= np.arange(found.shape[1]) < batch.seen[rows][:, None]
        memory: FloatArray = batch.memory[rows, found.argmax(axis=1)].copy()
        memory[~found.any(axis=1)] = self.rule.start(self.problem)
        return memory

    def see_play(self, batch: Batch, rows: IntArray) -> None:
        """The round is played: add it to the sums of its answer."""
        theory, arms = self.theory, self.arms
        p, muhat, pulls = batch.plays[rows, PLAY], batch.table[rows, MU], batch.table[rows, N]
        w = p if self.problem.actions is None else theory.actions.counts(p)
        n, answers = int(batch.n[rows[0]]), batch.candidate[rows]
        if self.optimistic:
            answers = self.problem.query.answer(batch.table[rows, LAM])
        off = np.abs(muhat - theory.mu)
        C = np.maximum(2 * theory.radius(self.f) / np.sqrt(pulls), self.f / pulls)
        terms = {
            "W": w,
            "M": w * muhat,
            "n": np.ones(len(rows)),
            "cost": theory.round_cost(p),
            "C": dot(w, C),
            "root": dot(w, 1 / np.sqrt(pulls)),
            "inverse": dot(w, 1 / pulls),
            "distance": dot(w, off),
            "divergence": dot(w, arms.d(muhat, theory.mu)),
        }
        if self.optimistic:
            terms |= self.see_optimism(batch, rows, p, w, answers)
        else:
            terms |= self.see_gains(batch, rows, p, w, off, C)
        self.sums.add(rows, answers, terms)
        self.W[rows] += w
        self.P[rows] += p
        starved = (self.f / pulls).max(axis=1)
        wrong = answers != theory.answer
        for c, mark in enumerate(self.marks):
            if n >= mark:
                least = np.where(wrong, starved, np.inf)
                self.starved[rows, c] = np.minimum(self.starved[rows, c], least)

    def see_gains(
        self, batch: Batch, rows: IntArray, p: FloatArray, w: FloatArray, off: FloatArray, C: FloatArray
    ) -> dict[str, FloatArray]:
        """The terms of a game with q: gains, losses, and what they are compared with."""
        q = {name: array[rows] / self.points[rows, None] for name, array in self.expected.items()}
        table, pulls = batch.table, batch.table[rows, N]
        of_q = np.maximum(self.f / pulls, np.maximum(q["alpha"], q["beta"]))
        U = q["worst"] if getattr(self.rule, "of", "q") == "lambda" else of_q
        low, high = table[rows, ALPHA], table[rows, BETA]
        # E_q d(xi, lam) is least at the xi whose natural parameter is E_q theta(lam) (S7)
        xi = np.clip(self.arms.mean(q["theta"]), low, high)
        bend = self.arms.entropy(xi) - self.arms.entropy(low) - (xi - low) * q["theta"]
        spread = U - (q["alpha"] + bend)
        # after one round that showed every arm, ln 1 = 0: intervals are points, and nothing is spread
        share = np.divide(spread, C, out=np.zeros_like(C), where=C > 0)
        self.spread[rows] = np.maximum(self.spread[rows], share.max(axis=1))
        excess = np.abs(q["truth"] - q["hat"]) - self.theory.L * off
        self.lipschitz[rows] = np.maximum(self.lipschitz[rows], excess.max(axis=1))
        gains = self.theory.gains(p, U)
        b = gains.max(axis=1) - gains.min(axis=1)
        H = dot(w, q["hat"])
        return {
            "U": gains,
            "G": self.theory.gains(p, q["truth"]),
            "H": H,
            "H_fresh": dot(w, self.fresh[rows]) if isinstance(self.rule, Perturbed) else H,
            "UW": dot(w, U),
            "b_squares": b**2,
            "b_max": b,
        }

    def see_optimism(
        self, batch: Batch, rows: IntArray, p: FloatArray, w: FloatArray, answers: IntArray
    ) -> dict[str, FloatArray]:
        """The terms of Optimistic Track-and-Stop with its model mu+."""
        plus, muhat, n = batch.table[rows, LAM], batch.table[rows, MU], int(batch.n[rows[0]])
        game = self.problem.game.max_min(answers, plus)
        cost, value = self.theory.round_cost(p), self.theory.unit * game.value
        upper = value / (1 - game.gap)
        for c, mark in enumerate(self.marks):
            if n >= mark:
                self.least_plus[rows, c] = np.minimum(self.least_plus[rows, c], upper)
        return {
            "M_plus": w * plus,
            "divergence_plus": dot(w, self.arms.d(plus, self.theory.mu)),
            "distance_plus": dot(w, np.abs(muhat - plus)),
            "inner_plus": self.problem.oracle(answers, w, plus).value,
            "value_plus": cost * value,
            "upper_plus": cost * upper,
        }

    def see_pull(self, batch: Batch, rows: IntArray) -> None:
        """The means have moved: how far they are from the truth, and how far they jumped."""
        pulls, muhat = batch.table[rows, N], batch.table[rows, MU]
        pulled = pulls > 0
        off = np.where(
            pulled, pulls * self.arms.d(np.where(pulled, muhat, self.theory.mu), self.theory.mu), 0
        )
        square = np.where(pulled, pulls * (muhat - self.theory.mu) ** 2 / (2 * self.theory.sigma2), 0)
        self.event[rows] = np.maximum(self.event[rows], off.max(axis=1))
        self.event_square[rows] = np.maximum(self.event_square[rows], square.max(axis=1))
        if int(batch.n[rows[0]]) <= self.theory.first:  # the initial pulls, which count as weights
            self.W[rows], self.P[rows] = pulls, batch.chosen[rows]
            return
        jump = (pulls * np.abs(muhat - self.before[rows])).max(axis=1)
        self.jump[rows] = np.maximum(self.jump[rows], jump)

    def state(self, batch: Batch, r: int, checkpoint: int, beta: float) -> State:
        """What is known of row r, now that it is at this checkpoint and has not exceeded beta."""
        return State(
            run=int(batch.run[r]),
            n=int(batch.n[r]),
            N=batch.table[r, N].copy(),
            muhat=batch.table[r, MU].copy(),
            W=self.W[r].copy(),
            pulls=batch.chosen[r].copy(),
            P=self.P[r].copy(),
            sums=self.sums.of_row(r),
            early=self.early[checkpoint][r],
            candidate=int(batch.candidate[r]),
            statistic=float(batch.statistic[r]),
            beta=beta,
            event=float(self.event[r]),
            event_square=float(self.event_square[r]),
            lipschitz=float(self.lipschitz[r]),
            spread=float(self.spread[r]),
            jump=float(self.jump[r]),
            starved=float(self.starved[r, checkpoint]),
            least_plus=float(self.least_plus[r, checkpoint]),
        )


def dot(w: FloatArray, x: FloatArray) -> FloatArray:
    """The sum over the arms, row by row, with 0 where the weight is 0."""
    return np.asarray(np.einsum("rk,rk->r", w, x))
