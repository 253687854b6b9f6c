"""Deliberate breaches of Algorithm 1, which the monitor must notice, and bad luck, which it must not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.engine.acting import ActingPath
from purex.engine.batch import Batch
from purex.engine.lockstep import LockStepPath
from purex.run_state import GAIN_ALPHA, MEAN, N
from purex.verify.deviations import farthest_mean

if TYPE_CHECKING:
    from purex.verify.path.theory import Theory


Tamper = Callable[[Batch, IntArray, IntArray, np.random.Generator], IntArray]


def honest(batch: Batch, rows: IntArray, arms: IntArray, rng: np.random.Generator) -> IntArray:
    """Pull what the algorithm says."""
    return arms


def pull_at_random(batch: Batch, rows: IntArray, arms: IntArray, rng: np.random.Generator) -> IntArray:
    """Forget the tracking: pull a random arm, mostly the last one."""
    K = batch.chosen.shape[1]
    chances = 2.0 ** np.arange(K)
    arms = arms.copy()
    arms[rows] = rng.choice(K, size=len(rows), p=chances / chances.sum())
    return arms


def pull_the_last(batch: Batch, rows: IntArray, arms: IntArray, rng: np.random.Generator) -> IntArray:
    """Forget the tracking: pull the last arm always."""
    return np.full_like(arms, batch.chosen.shape[1] - 1)


def learn_backwards(batch: Batch, rows: IntArray, arms: IntArray, rng: np.random.Generator) -> IntArray:
    """Give AdaHedge its gains with the wrong sign: it has just counted U as -U of loss; make it +U."""
    gains = batch.plays[rows, GAIN_ALPHA]
    batch.memory[rows, batch.slot[rows], : gains.shape[1]] += 2 * gains
    return arms


# rewards (R,) of the arms that rows of a batch pull, given the theory and the level of the event
Luck = Callable[["Theory", float, Batch, IntArray, IntArray], FloatArray]


def worst_luck(theory: Theory, level: float, batch: Batch, rows: IntArray, arms: IntArray) -> FloatArray:
    r"""Rewards that keep each mean as far towards another answer as the event allows.

    The target after the pull is the end of $\{x: N d(x, \mu) \le \ell\}$ on the side of the nearest
    alternative, inside the box. Every path on which the event holds is one that the proof is about, however
    unlikely.
    """
    problem, mu = theory.problem, theory.mu
    towards = np.sign(problem.best_response(theory.answer, np.ones_like(mu), mu).point[0] - mu)
    chosen = arms[rows]
    pulls = batch.table[rows, N, chosen]
    total = pulls * np.where(pulls > 0, batch.table[rows, MEAN, chosen], 0.0)
    target = mu[chosen].copy()
    for k in np.unique(chosen):
        at, family = chosen == k, problem.arms.families[k]
        if towards[k]:
            end = farthest_mean(family, mu[k], level / (pulls[at] + 1), towards[k])
            target[at] = np.clip(end, problem.lower, problem.upper)
    rewards = np.zeros(len(batch.n))
    rewards[rows] = (pulls + 1) * target - total
    return rewards


@dataclass(frozen=True)
class Breach:
    """What is done wrong: the bonus or the Lipschitz constant multiplied, or a played round tampered with.

    `luck` chooses the rewards in place of the arms' laws; that alone breaks nothing.
    """

    what: str = "none"
    bonus: float = 1.0
    lipschitz: float = 1.0
    tamper: Tamper = honest
    luck: Luck | None = None


NONE = Breach()
BAD_LUCK = Breach("none, with the worst luck that E_n allows", luck=worst_luck)
NARROW = Breach("confidence bounds that are too narrow: f times 0.002", bonus=0.002)
OVERCONFIDENT = Breach("hardly any confidence bounds: f times 0.00001", bonus=1e-5)
RANDOM_PULLS = Breach("a tracker that pulls at random", tamper=pull_at_random)
STUCK = Breach("a tracker that always pulls the same arm", tamper=pull_the_last)
WRONG_SIGN = Breach("a learner with the wrong sign", tamper=learn_backwards)
FLAT = Breach("a Lipschitz constant that is too small: L times 0.001", lipschitz=0.001)


class BreachedPath(LockStepPath):
    """The lock-step path with another bonus."""

    factor = 1.0

    def stop_or_not(self, batch: Batch, rows: IntArray) -> bool:
        """The usual, then the intervals once more from the smaller bonus, before anybody looks at them."""
        observe, self.observe = self.observe, None
        attention = super().stop_or_not(batch, rows)
        self.bonuses *= self.factor
        self.intervals(batch, rows)
        self.observe = observe
        if observe is not None:
            observe("statistic", batch, rows)
        return attention


class BreachedActingPath(BreachedPath, ActingPath):
    """The same with actions."""
