r"""Games whose k-player moves actions, in numpy: compiled parts know one number of columns, K.

The lambda-player and its memory are about arms, the k-player and its memory about actions. It plays shares w
of the cost, of which the round buys $v^k = \sum_a O_{ak} p_a$ rewards of arm k, with p the shares of the
rounds; so the lambda-player's loss is $\sum_k v^k d(\hat\mu^k, \lambda^k)$. The k-player learns from
$r \sum_k O_{ak} U^k/c_a$, where r is the mean cost of the round; who answers, answers by the largest
$\sum_k O_{ak} U^k/c_a$.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError, RefusedProblemError
from purex.model import Actions, Kernel
from purex.rules.game import LEARNERS, PLAYERS, Game
from purex.rules.rule import BatchRule, Round

if TYPE_CHECKING:
    from purex.problem import Problem
    from purex.rules.game.answered import Answered
    from purex.rules.game.perturbed import Perturbed

AT_ONCE = 64  # samples of q that the oracle answers in one call


def leaders() -> Any:
    """The compiled parts of perturbed leaders, row by row; importing them imports numba."""
    from purex.learners import perturbed_leader

    return perturbed_leader


def k_weights(k: str, memory: FloatArray, n_moves: int) -> FloatArray:
    """The weights (R, A) of learners with these memories, which do not wait for the other player."""
    from purex.rules.game import k_player

    weights_rows: Kernel = k_player.weights_rows
    w = np.empty((len(memory), n_moves))
    weights_rows(PLAYERS[k], memory, w)
    return w


def k_learns(k: str, memory: FloatArray, w: FloatArray, gain: FloatArray, scale: float) -> None:
    """Feed learners that played w (R, A) their gains (R, A)."""
    from purex.rules.game import k_player

    update_rows: Kernel = k_player.update_rows
    update_rows(PLAYERS[k], memory, w, gain, scale)


def k_moves(k: str, memory: FloatArray, U: FloatArray, scale: float, actions: Actions | None) -> FloatArray:
    """One round of k-players (R, A), learners or not, to whom arms gain U (R, K); `memory` goes on."""
    from purex.rules.game import k_player

    if actions is not None and k in LEARNERS:
        w = k_weights(k, memory, actions.n_actions)
        k_learns(k, memory, w, actions.gains(U, w), scale)
        return w
    play_rows: Kernel = k_player.play_rows
    gain = U if actions is None else actions.earnings(U, actions.relative_costs)
    w = np.empty(gain.shape)
    play_rows(PLAYERS[k], memory, gain, scale, w)
    return w


def check_k_player(rule: Game, problem: Problem) -> None:
    """Refuse k-players that would have to know what is known only later."""
    if problem.actions is None:
        return
    if rule.k == "be-the-leader":
        raise RefusedProblemError(
            "a k-player that is the leader has to know what its round costs before it chooses: with actions "
            "take k='best-response'"
        )
    if rule.k == "mirror-ascent" and rule.scale is None:
        raise InvalidInputError(
            "mirror ascent with actions needs the scale of its gains in a game: give scale=, about the value "
            "of a round that you expect"
        )


class ActingGame(Game, BatchRule):
    """What the games of one oracle call per point have in common; the memory is (A + 1, 2K)."""

    plays_actions = True

    def __init__(self, compiled: Perturbed | Answered) -> None:
        for name, value in vars(compiled).items():
            setattr(self, name, value)

    def check(self, problem: Problem) -> None:
        """As the compiled rule does."""
        check_k_player(self, problem)

    def memory_size(self, problem: Problem) -> int:
        """The k-player's and the leader's."""
        return problem.n_actions + 1 + 2 * problem.n_arms

    def floor(self, now: Round) -> FloatArray:
        """The least gains f/N (R, K)."""
        return np.asarray(now.f[:, None] / np.maximum(now.N, 1.0))

    def rewards(self, now: Round, w: FloatArray) -> FloatArray:
        """The rewards of the arms (R, K) that a round with shares w (R, A) of the cost buys."""
        actions = now.problem.actions
        return w if actions is None else actions.counts(actions.pull_shares(w))


class ActingAnswered(ActingGame):
    """`purex.rules.game.answered` with actions."""

    def play(self, now: Round) -> FloatArray:
        """The k-player's weights, the answer to this round or to all, and what both learn of it."""
        of_leaders, problem, leads = leaders(), now.problem, self.lam == "be-the-leader"
        A, arms = problem.n_actions, problem.arms
        own, leader = (np.ascontiguousarray(part) for part in np.split(now.memory, [A + 1], axis=1))
        w = k_weights(self.k, own, A)
        v, xi = self.rewards(now, w), now.mu
        total, point = v, xi
        if leads:
            total, point = np.empty(v.shape), np.empty(v.shape)
            of_leaders.lead_rows(leader, v, xi, total, point)
        lam = problem.oracle(now.answer, total, point).point
        U = np.maximum(self.floor(now), np.maximum(arms.d(now.alpha, lam), arms.d(now.beta, lam)))
        if leads:
            of_leaders.update_rows(leader, v, xi)
        gain = U if problem.actions is None else problem.actions.gains(U, w)
        k_learns(self.k, own, w, gain, self.scale or 1.0)
        now.memory[:] = np.concatenate([own, leader], axis=1)
        return w


class ActingPerturbed(ActingGame):
    """`purex.rules.game.perturbed` with actions: rule FTPL."""

    samples: int | None
    eta: float

    def play(self, now: Round) -> FloatArray:
        """The gains against samples of the perturbed leader, the k-player's weights, and what both learn."""
        of_leaders, A = leaders(), now.problem.n_actions
        own, leader = (np.ascontiguousarray(part) for part in np.split(now.memory, [A + 1], axis=1))
        of_leaders.begin_rows(leader, now.mu)
        w = k_moves(self.k, own, self.optimism(now, leader), self.scale or 1.0, now.problem.actions)
        of_leaders.update_rows(leader, self.rewards(now, w), now.mu)
        now.memory[:] = np.concatenate([own, leader], axis=1)
        return w

    def optimism(self, now: Round, leader: FloatArray) -> FloatArray:
        """The optimistic gains U (R, K) of q, or of lambda."""
        R, floor, arms = len(now.mu), self.floor(now), now.problem.arms
        samples = now.n if self.samples is None else np.full(R, self.samples)
        low, high = np.zeros(now.mu.shape), np.zeros(now.mu.shape)
        for first in range(0, int(samples.max(initial=0)), AT_ONCE):
            rows = np.flatnonzero(samples > first)
            number = min(AT_ONCE, int(samples.max()) - first)
            points = self.points(now, leader, rows, range(first, first + number))
            for c in range(number):
                at = samples[rows] > first + c
                of, lam = rows[at], points[c, at]
                below, above = arms.d(now.alpha[of], lam), arms.d(now.beta[of], lam)
                if self.of == "lambda":
                    below = above = np.maximum(floor[of], np.maximum(below, above))
                low[of] += below
                high[of] += above
        count = samples[:, None]
        return np.asarray(np.maximum(floor, np.maximum(low / count, high / count)))

    def points(self, now: Round, leader: FloatArray, rows: IntArray, which: range) -> FloatArray:
        """The points (C, R, K) of these samples of these rows."""
        of_leaders, K, C, part = leaders(), now.mu.shape[1], len(which), now.part(rows)
        w, xi = np.empty((C, len(rows), K)), np.empty((C, len(rows), K))
        for j, c in enumerate(which):
            u = np.stack([part.uniforms(c * K + k) for k in range(K)], axis=1)
            of_leaders.perturb_rows(leader[rows], part.mu, self.eta, u, w[j], xi[j])
        if part.problem.actions is not None:
            w[:, :, ~part.problem.actions.seen] = 0.0  # nobody knows anything of their means
        answer = np.tile(part.answer, C)
        lam = part.problem.oracle(answer, w.reshape(-1, K), xi.reshape(-1, K)).point
        return np.asarray(lam.reshape(C, len(rows), K))
