"""Frank-Wolfe Sampling, FWS (Wang, Tzeng & Proutiere 2021)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.games.matrix_game import solve_matrix_games
from purex.rules.rule import BatchRule, Round, Tracking

if TYPE_CHECKING:
    from purex.problem import Problem

RADIUS_POWER = 0.9  # r_t = t^-0.9 / K, from the authors' code


class FrankWolfe(BatchRule):
    r"""One Frank-Wolfe step a round on $F(x) = \min_j f_j(x)$, the minimum over the alternative's pieces.

    $f_j(x) = \inf_{\lambda \in C_j} \sum_k x_k d(\hat\mu_k, \lambda_k)$ has the gradient
    $h^j = (d(\hat\mu_k, \lambda^j_k))_k$ at its minimiser $\lambda^j$. F has kinks, so the step is against
    all pieces that are nearly the cheapest: with $x = x_{t-1}$ in round t (the samples so far, plus one),

    $$z_t = \arg\max_z \min \{\langle z - x, h^j \rangle : f_j(x) < F(x) + r_t\}, \quad r_t = t^{-0.9}/K,$$

    $x_t = \frac{t-1}{t} x + \frac1t z_t$, and the arm is $\arg\max_k x_{t,k}/N_k$: cumulative tracking of
    the z (Wang, Tzeng & Proutiere 2021, Fast pure exploration via Frank-Wolfe, NeurIPS, algorithm 1; $r_t$ as
    in the authors' code). Exploration is forced, z_t uniform, in the rounds with $\lfloor t/K \rfloor$ a
    square, and wherever the means leave the answer open (F = 0). Initial pulls count as basis vectors.
    Where several z are best, the vertex that Bland's rule finds; with one piece, the lowest best arm.

    The gradients come from the problem's pieces, so the rule plays every problem. With actions x and z are
    shares of the cost, and $x_t$ weighs each z by what its round costs.
    """

    plays_actions = True

    def __init__(self, *, tracking: Tracking = "ratio") -> None:
        self.tracking = tracking

    def memory_size(self, problem: Problem) -> int:
        """The sum of the z."""
        return problem.n_actions

    def play(self, now: Round) -> FloatArray:
        """The z of each row."""
        pulls = now.N if now.pulls is None else now.pulls
        (R, K), actions = pulls.shape, now.problem.actions
        sums = now.memory
        sums[:] = np.where((sums == 0).all(axis=1)[:, None], pulls, sums)
        total = np.zeros(R)
        for k in range(K):
            total += sums[:, k]
        x = sums / total[:, None]
        z = np.full((R, K), 1 / K)
        if actions is not None:
            x, z = actions.cost_shares(x), actions.cost_shares(z)
        left = np.flatnonzero(~is_forced(now.n + 1, K))
        for code in np.unique(now.answer[left]):
            rows = left[now.answer[left] == code]
            mu = now.mu[rows]
            f, h = self.gradients(now.problem, int(code), x[rows], mu)
            if f.shape[1]:
                radius = (now.n[rows] + 1.0) ** -RADIUS_POWER / K
                open_ = f.min(axis=1) <= 0
                z[rows[~open_]] = steps(f[~open_], h[~open_], radius[~open_])
        sums += z if actions is None else actions.pull_shares(z)
        return z

    @staticmethod
    def gradients(problem: Problem, i: int, x: FloatArray, mu: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The f_j (R, J) and h^j (R, J, K) of the pieces of the alternative to i that can be reached.

        With actions x are shares of the cost, and h^j (R, J, A) what actions earn, the least cost being 1.
        """
        actions = problem.actions
        if actions is not None:
            x = actions.arm_weights(x) * actions.costs.min()
        pieces = problem.game.pieces.solvers(i)
        points, feasible = (
            np.empty((len(mu), len(pieces), mu.shape[1])),
            np.empty((len(mu), len(pieces)), bool),
        )
        for j, (_, solver) in enumerate(pieces):
            points[:, j], feasible[:, j] = solver.minimise(x, mu)
        h = problem.arms.d(np.repeat(mu[:, None], len(pieces), axis=1), points)
        f = np.zeros(feasible.shape)
        for k in range(mu.shape[1]):
            f += x[:, k, None] * h[:, :, k]
        f[~feasible] = np.inf
        return f, h if actions is None else actions.earnings(h, actions.relative_costs)


def is_forced(t: IntArray, n_arms: int) -> NDArray[np.bool_]:
    """Whether the rounds t explore uniformly: floor(t/K) is a square.

    >>> is_forced(np.arange(3, 16), 3).astype(int)
    array([1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0])
    """
    block = t // n_arms
    root = np.rint(np.sqrt(block)).astype(np.int64)
    return np.asarray(root * root == block)


def steps(f: FloatArray, h: FloatArray, radius: FloatArray) -> FloatArray:
    r"""The vertices z (R, K) against the pieces with $f_j < F + r$.

    Since $\langle x, h^j \rangle = f_j(x)$, the payoffs of the game are $h^j_k - f_j$.
    """
    least = f.min(axis=1)[:, None]
    active = f < least + radius[:, None]
    active |= f == least  # where r vanishes in the sum
    number = active.sum(axis=1)
    z = np.zeros(h[:, 0].shape)
    alone = np.flatnonzero(number == 1)
    z[alone, np.argmax(h[alone, np.argmax(active[alone], axis=1)], axis=1)] = 1.0
    several = np.flatnonzero(number > 1)
    if len(several):
        first = np.argsort(~active[several], axis=1, kind="stable")[:, : number[several].max()]
        among = several[:, None]
        payoffs = h[among, first] - np.where(active[among, first], f[among, first], 0.0)[:, :, None]
        z[several] = solve_matrix_games(payoffs, active[among, first])
    return z
