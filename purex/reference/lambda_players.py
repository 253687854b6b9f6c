r"""The lambda-player $A^\lambda$, who plays a distribution $q_t$ on $\neg i_t$ (lines 7 and 10).

The loss is not optimistic: $\ell_t(q) = E_{\lambda \sim q} \sum_k w_t^k d(\hat\mu_{t-1}^k, \lambda^k)$.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from purex.arrays import FloatArray
from purex.convex import PieceSolver
from purex.families import Arms, Gaussian
from purex.reference.round import Play, Round


class LambdaPlayer:
    """`play` is given the weights if the lambda-player moves second; who moves first has to learn."""

    def play(self, now: Round, w: FloatArray | None) -> Play:
        """The distribution of this round (line 7)."""
        raise NotImplementedError

    def learn(self, now: Round, w: FloatArray) -> None:
        r"""Take the loss of weights w (line 10)."""


class NearestAlternative(LambdaPlayer):
    r"""The best response of a lambda-player who moves second (section 3.1).

    $q_t$ is a Dirac at $\arg\min_{\lambda \in \neg i_t} \sum_k w_t^k d(\hat\mu_{t-1}^k, \lambda^k)$.
    """

    def play(self, now: Round, w: FloatArray | None) -> Play:
        """One best response."""
        return Play(np.ones(1), now.problem.best_response(now.i, np.asarray(w), now.mu).point)


class Leader(LambdaPlayer):
    r"""Be-the-leader (section 2.2), who moves second: $\arg\min_\lambda \sum_{s \le t} \ell_s(\lambda)$.

    One best response finds it (the lemma of appendix E.2): with $V = \sum_s w_s$ and
    $\bar x = \sum_s w_s \hat\mu_{s-1}/V$ the sum is $\sum_k V^k d(\bar x^k, \lambda^k)$, up to a constant.
    """

    def __init__(self, K: int) -> None:
        self.V, self.Vx = np.zeros(K), np.zeros(K)

    def play(self, now: Round, w: FloatArray | None) -> Play:
        """The leader after this round."""
        return Play(np.ones(1), self.leader(now, np.asarray(w))[None])

    def leader(self, now: Round, w: FloatArray) -> FloatArray:
        r"""The best alternative once the loss $\sum_k w^k d(\hat\mu^k, \lambda^k)$ is added."""
        V = self.V + w
        x = np.divide(self.Vx + w * now.mu, V, out=now.mu.copy(), where=V > 0)
        return np.asarray(now.problem.best_response(now.i, V, x).point[0])

    def learn(self, now: Round, w: FloatArray) -> None:
        """Add up the losses."""
        self.V, self.Vx = self.V + w, self.Vx + w * now.mu


class PerturbedLeader(Leader):
    r"""Follow the perturbed leader (section 3.2, appendix E.2): $q_t$ is a number of samples.

    One is $\arg\min_\lambda \sum_{s < t} \ell_s(\lambda) + \sum_k \sigma^k d(\hat\mu_{t-1}^k, \lambda^k)$,
    with $\sigma^k$ exponential of mean $\sqrt{V^k}/\eta$. So that this is never 0, a new learner begins as if
    each arm had been pulled once, at the present estimates. `samples` = None takes n of them, as the paper
    does. `uniform(n, j)` is number j of that round, in (0, 1).
    """

    def __init__(
        self, K: int, uniform: Callable[[int, int], float], samples: int | None, eta: float = 1.0
    ) -> None:
        super().__init__(K)
        self.uniform, self.samples, self.eta = uniform, samples, eta

    def play(self, now: Round, w: FloatArray | None) -> Play:
        """The leaders of perturbed losses."""
        K, m = len(now.mu), self.samples or now.n
        if not self.V.any():
            self.V, self.Vx = np.ones(K), now.mu
        u = np.array([self.uniform(now.n, j) for j in range(m * K)]).reshape(m, K)
        points = [self.leader(now, sigma) for sigma in -np.log(u) * np.sqrt(self.V) / self.eta]
        return Play(np.full(m, 1 / m), np.array(points))


class GradientEnsemble(LambdaPlayer):
    r"""Gradient descent on each of the J convex pieces of $\neg i$, and exponential weights (section 3.2).

    In its round s the learner plays the points $x_j$ with weights $\propto e^{-\rho L_j}$, where
    $\rho = \sqrt{8 \ln J/s}/D$ and $L_j$ are the losses so far. Then $x_j$ becomes the Euclidean projection
    of $x_j - \eta \nabla \ell(x_j)$ on its piece, where $\eta = \Delta/(G\sqrt{2s})$. On the problem's box,
    which must be finite, $\Delta$ is the diameter, and G and D bound gradients and losses.
    """

    def __init__(self) -> None:
        self.s = 1

    def begin(self, now: Round) -> None:
        """Every point starts as the projection of the estimates, the best response of Gaussian arms."""
        K, arms, (low, high) = len(now.mu), now.problem.arms, (now.problem.lower, now.problem.upper)
        self.Delta = math.sqrt(K) * (high - low)
        ends = np.full((2, K), [[low], [high]])
        self.G = np.abs(arms.slope(ends, ends[::-1])).max()
        self.D = arms.d(ends, ends[::-1]).max()
        self.pieces = [
            PieceSolver(replace(solver.piece, arms=Arms.of(Gaussian(), K), coordinates="mean"))
            for _, solver in now.problem.game.pieces.solvers(now.i)
        ]
        self.L = np.zeros(len(self.pieces))
        self.x = self.project(np.tile(now.mu, (len(self.pieces), 1)))

    def project(self, x: FloatArray) -> FloatArray:
        """The rows of x (J, K), each on its piece."""
        rows = zip(self.pieces, x[:, None], strict=True)
        return np.concatenate([piece.minimise(np.ones_like(y), y)[0] for piece, y in rows])

    def play(self, now: Round, w: FloatArray | None) -> Play:
        """The points and their weights."""
        if self.s == 1:
            self.begin(now)
        p = np.exp(-math.sqrt(8 * math.log(len(self.L)) / self.s) / self.D * (self.L - self.L.min()))
        return Play(p / p.sum(), self.x)

    def learn(self, now: Round, w: FloatArray) -> None:
        """One step down on each piece."""
        eta = self.Delta / (self.G * math.sqrt(2 * self.s))
        self.L = self.L + now.problem.arms.cost(w, now.mu, self.x)
        self.x = self.project(self.x - eta * w * now.problem.arms.slope(now.mu, self.x))
        self.s += 1
