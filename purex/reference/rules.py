"""The sampling rules of the paper, by their letters (section 4): lines 7 to 10 of Algorithm 1; and others."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from purex.arrays import FloatArray
from purex.reference.algorithm import Rule
from purex.reference.k_players import AdaHedge, BestArm, KPlayer, MirrorAscent
from purex.reference.lambda_players import GradientEnsemble, LambdaPlayer, NearestAlternative, PerturbedLeader
from purex.reference.round import Round, optimism
from purex.reference.tracking import Tracking


@dataclass
class Game:
    """A k-player against a lambda-player: `k(K)` and `lam(K)` make new ones, for K arms.

    Each candidate answer has a pair of its own, which plays in the rounds of that answer only; or a `single`
    pair plays in all. Who moves second sees the other's move; two learners do not care who is first.
    """

    k: Callable[[int], KPlayer]
    lam: Callable[[int], LambdaPlayer]
    k_first: bool = True
    single: bool = False
    tracking: Tracking = "ratio"  # "none" if the k-player moves second
    optimistic: bool = True
    players: dict[int, tuple[KPlayer, LambdaPlayer]] = field(default_factory=dict)

    def play(self, now: Round) -> FloatArray:
        """Lines 7 to 10."""
        answer, K = 0 if self.single else now.i, len(now.N)
        if answer not in self.players:
            self.players[answer] = self.k(K), self.lam(K)
        k, lam = self.players[answer]
        if self.k_first:
            w = k.play()
            U = self.gains(now, lam, w)
        else:
            U = self.gains(now, lam, None)
            w = k.play(U)
        k.learn(U)
        lam.learn(now, w)
        return w

    def gains(self, now: Round, lam: LambdaPlayer, w: FloatArray | None) -> FloatArray:
        """The lambda-player's move, and the gains of the k-player: U, or without optimism d(mu, lam)."""
        q = lam.play(now, w)
        return optimism(now, q) if self.optimistic else q.weights @ now.problem.arms.d(now.mu, q.points)


def D(tracking: Tracking = "ratio", single: bool = False) -> Game:
    """Rule D (section 3.1): AdaHedge against best responses. With a single learner it is D1."""
    return Game(AdaHedge, lambda K: NearestAlternative(), single=single, tracking=tracking)


def FTPL(uniform: Callable[[int, int], float], samples: int | None = None) -> Game:
    """Rule FTPL (section 3.2): the best arm against the perturbed leader."""
    return Game(
        lambda K: BestArm(),
        lambda K: PerturbedLeader(K, uniform, samples),
        k_first=False,
        tracking="none",
    )


def OGD() -> Game:
    """Rule OGD (section 3.2): the best arm against gradient descents."""
    return Game(lambda K: BestArm(), lambda K: GradientEnsemble(), k_first=False, tracking="none")


def M(scale: float, tracking: Tracking = "ratio") -> Game:
    r"""Rule M (Ménard 2019): mirror ascent on $D_{\hat\mu}(w)$, whose slope is $d(\hat\mu^k, \lambda_t^k)$.

    One learner, no optimism. In the paper's experiments `scale` is $D_\mu$ of the true means.
    """
    return Game(
        lambda K: MirrorAscent(K, scale),
        lambda K: NearestAlternative(),
        single=True,
        tracking=tracking,
        optimistic=False,
    )


@dataclass
class T:
    r"""Track-and-Stop (Garivier & Kaufmann 2016): $w^*(\hat\mu)$, with forced exploration.

    $w^*(\hat\mu) = \arg\max_w \inf_{\lambda \in \neg i_t} \sum_k w^k d(\hat\mu^k, \lambda^k)$; but if some
    $N^k \le \sqrt n - K/2$, the uniform vector on these arms, as in the authors' code. Where several answers
    are correct, it is sticky if it has intervals (`optimistic`): see `purex.reference.round.candidate`.
    """

    tracking: Tracking = "ratio"
    optimistic: bool = False

    def play(self, now: Round) -> FloatArray:
        """One max-min."""
        starved = math.sqrt(now.n) - len(now.N) / 2 >= now.N
        if starved.any():
            return np.where(starved, 1 / starved.sum(), 0.0)
        return np.asarray(now.problem.max_min(now.i, now.mu).allocation[0])


@dataclass
class O:  # noqa: E742 (the paper's letter)
    r"""Optimistic Track-and-Stop (section 3.3): the weights of the most optimistic model in the intervals.

    $\max_{\xi \in [\alpha, \beta], i} \max_w \inf_{\lambda \in \neg i} \sum_k w^k d(\xi^k, \lambda^k)$.
    """

    tracking: Tracking = "ratio"
    optimistic: ClassVar[bool] = True

    def play(self, now: Round) -> FloatArray:
        """One max-max-min."""
        return np.asarray(now.problem.optimistic(now.alpha, now.beta).allocation[0])


@dataclass
class IDS:
    r"""Information-directed selection (Qin & You 2023): an arm of the closest alternative, by its share.

    Arm k has the probability $(N^k d(\hat\mu^k, \lambda^k) + c/K) / (Z + c)$, where $\lambda$ is the best
    response to the counts and Z its cost; c = `explore` is not in the paper. `uniform(n, j)` is the random
    number j in (0, 1) of the round with n samples.
    """

    uniform: Callable[[int, int], float]
    explore: float = 0.1
    tracking: ClassVar[Tracking] = "none"
    optimistic: ClassVar[bool] = False

    def play(self, now: Round) -> FloatArray:
        """One best response, and a draw."""
        K = len(now.N)
        lam = now.problem.best_response(now.i, now.N, now.mu).point[0]
        evidence = now.N * now.problem.arms.d(now.mu, lam) + self.explore / K
        if not 0 < evidence.sum() < math.inf:
            evidence = np.ones(K)
        shares = evidence / evidence.sum()
        arm = int(np.argmax(np.cumsum(shares) >= min(self.uniform(now.n, 0), float(shares.sum()))))
        return np.asarray(np.eye(K)[arm])


@dataclass
class Fixed:
    """Rules RR, with equal weights, and opt, with those of the true means: `problem.equilibrium(mu)`."""

    w: FloatArray
    tracking: Tracking = "ratio"
    optimistic: ClassVar[bool] = False

    def play(self, now: Round) -> FloatArray:
        """The weights."""
        return self.w


class Batched:
    """Another rule, asked after n samples, 1.5 n, ... only: in between its weights are kept."""

    def __init__(self, rule: Rule, factor: float = 1.5) -> None:
        self.rule, self.factor = rule, factor
        self.tracking, self.optimistic = rule.tracking, rule.optimistic
        self.next, self.w = 0, np.zeros(0)

    def play(self, now: Round) -> FloatArray:
        """The weights of the batch."""
        if now.n >= self.next:
            self.w = self.rule.play(now)
            self.next = max(now.n + 1, math.ceil(self.factor * now.n))
        return self.w
