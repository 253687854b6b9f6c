r"""Trajectories with actions: what the claims about them are checked on.

A round with shares w of the cost is expected to cost $r = 1/\sum_a (w^a/c_a)$ and is spread as
$p^a = r w^a/c_a$ over the actions; it buys $v^k = \sum_a O_{ak} p^a$ rewards of arm k. Costs are in units of
the least. All that follows from the plays is computed here once more, not read from the rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.engine.batch import Batch
from purex.engine.block import Block, run_block
from purex.engine.setting import Setting
from purex.plugins import build
from purex.problem import Problem
from purex.rules import Rule
from purex.run_state import ALPHA, BETA, LAM, MU, PLAY, N, W
from purex.streams import stream_key
from purex.verify.learning import Played
from purex.verify.trajectory import Never, bonuses


@dataclass(frozen=True)
class ActingInstance:
    """A problem with actions in words, and the true means."""

    family: str
    query: str
    means: tuple[float, ...]
    box: tuple[float, float]
    actions: str

    @property
    def problem(self) -> Problem:
        """The problem."""
        return _problem(self)


@lru_cache
def _problem(where: ActingInstance) -> Problem:
    names = (where.family, where.query)
    return Problem.from_names(*names, n_arms=len(where.means), box=where.box, actions=where.actions)


INSTANCES = (
    ActingInstance("gaussian", "best-arm", (0.5, 0.3, 0.0), (-1.0, 2.0), "costs([1, 1, 5])"),
    ActingInstance(
        "bernoulli", "best-arm", (0.5, 0.4, 0.3, 0.2), (0.05, 0.95),
        "graph([[1, 2, 3], [], [], []], costs=[2, 1, 1, 3])",
    ),
    ActingInstance(
        "gaussian", "minimum-threshold(0.6)", (0.5, 0.6, 0.9), (-1.0, 2.0),
        "sets([[0, 1], [1, 2], [0], [2]], costs=[1, 3, 0.4, 2])",
    ),
    ActingInstance(
        "gaussian", "constrained-best-arm(0.5)", (1.0, 0.2, 0.6, 0.4), (-1.0, 2.0), "vector(2, costs=[1, 3])"
    ),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class ActingTrajectory:
    """One run: entry t of an array is round t after the first pulls, as it stood when it had played.

    `n` rounds were there before it, `pulls` (T, A) of each action and `N` (T, K) rewards of each arm. The
    round saw the means `mu`, the intervals [`alpha`, `beta`] and the candidate `answer`; it spread p over the
    actions, whose sums are `W`, and the lambda-player answered `lam`.
    """

    problem: Problem
    rule: Rule
    n: IntArray
    answer: IntArray
    pulls: FloatArray
    p: FloatArray
    W: FloatArray
    N: FloatArray
    mu: FloatArray
    alpha: FloatArray
    beta: FloatArray
    lam: FloatArray

    def __len__(self) -> int:
        return len(self.n)

    @property
    def observes(self) -> NDArray[np.float64]:
        """The matrix O (A, K) of zeros and ones."""
        assert self.problem.actions is not None
        return self.problem.actions.observes.astype(np.float64)

    @property
    def costs(self) -> FloatArray:
        """The costs (A,) in units of the least."""
        assert self.problem.actions is not None
        return np.asarray(self.problem.actions.costs / self.problem.actions.costs.min())

    @cached_property
    def w(self) -> FloatArray:
        """The shares (T, A) of the cost."""
        spent = self.p * self.costs
        return np.asarray(spent / spent.sum(axis=1, keepdims=True))

    @cached_property
    def v(self) -> FloatArray:
        """The rewards (T, K) that a round is expected to buy."""
        return np.asarray(self.p @ self.observes)

    @cached_property
    def U(self) -> FloatArray:
        r"""The optimistic gains of the arms $\max\{f/N, d(\alpha, \lambda), d(\beta, \lambda)\}$ (T, K)."""
        d, f = self.problem.arms.d, bonuses(self.rule, self.n)
        return np.asarray(
            np.maximum(f[:, None] / self.N, np.maximum(d(self.alpha, self.lam), d(self.beta, self.lam)))
        )

    def gains(self, w: FloatArray, rounds: IntArray) -> FloatArray:
        r"""The gains of actions $r \sum_k O_{ak} U^k/c_a$ in these rounds, with shares w (T, A)."""
        r = 1 / (w / self.costs).sum(axis=1)
        return np.asarray(r[:, None] * (self.U[rounds] @ self.observes.T) / self.costs)

    def by_answer(self) -> Iterator[tuple[int, IntArray]]:
        """The rounds of each answer's learner."""
        for code in np.unique(self.answer):
            yield int(code), np.flatnonzero(self.answer == code)

    def k_learners(self) -> Iterator[Played]:
        """What the k-learner of each answer played, and what it gained: in units of cost."""
        for _, rounds in self.by_answer():
            yield Played(self.w[rounds], self.gains(self.w[rounds], rounds))

    def replayed(self, sign: float = 1.0) -> Iterator[Played]:
        """AdaHedge fed the gains of the same rounds once more; minus them is the breach."""
        from purex.learners import adahedge

        weights: Any = adahedge.weights
        update: Any = adahedge.update
        A = self.p.shape[1]
        for _, rounds in self.by_answer():
            memory, w = np.zeros(A + 1), np.empty((len(rounds), A))
            gains = np.empty_like(w)
            for s in range(len(rounds)):
                weights(memory, w[s])
                gains[s] = self.gains(w[s : s + 1], rounds[s : s + 1])[0]
                update(memory, w[s], sign * gains[s])
            yield Played(w, gains)


@lru_cache(maxsize=32)
def acting_trajectories(
    where: ActingInstance, rule: str, rounds: int, runs: int, seed: int = 0
) -> Sequence[ActingTrajectory]:
    """`runs` runs of a rule on a problem with actions, `rounds` rounds each, that do not stop.

    >>> path = acting_trajectories(INSTANCES[0], "D-C", 40, 2, seed=1)[0]
    >>> len(path), path.p.shape, bool((path.pulls.sum(axis=1) == path.n).all())
    (37, (37, 3), True)
    """
    problem, played = where.problem, build("rule", rule)
    clip = (problem.lower, problem.upper)
    setting = Setting(problem, played, Never(problem.n_arms), clip, "projected")
    seen: list[tuple[np.ndarray, ...]] = []

    def observe(stage: str, batch: Batch, rows: IntArray) -> None:
        if stage == "play":
            table, moves = batch.table[rows], batch.moves[rows]
            of_arms = (table[:, row] for row in (N, MU, ALPHA, BETA, LAM))
            now = (
                batch.n[rows],
                batch.candidate[rows],
                batch.pulls[rows],
                moves[:, PLAY],
                moves[:, W],
                *of_arms,
            )
            seen.append(tuple(np.array(part) for part in now))

    block = Block(
        setting, np.array(where.means), int(stream_key(seed)), np.arange(runs), np.array([1.0]), rounds,
        "once", "lock-step", width=runs,
    )  # fmt: skip
    run_block(block, observe=observe)
    whole = [np.array(part) for part in zip(*seen, strict=True)]
    return [ActingTrajectory(problem, played, *(part[:, r] for part in whole)) for r in range(runs)]
