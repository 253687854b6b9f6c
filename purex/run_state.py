"""The state of runs as kernels see it: the table of one run, and the named groups of arrays they take.

What one run knows of its arms is one table (ROWS, K): so that the parts of a round are called with a single
array, and a batch of runs is one array (R, ROWS, K). Nothing here imports numba.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from purex.arrays import FloatArray, IntArray

(
    N,  # pulls
    TOTAL,  # sums of rewards
    MEAN,  # TOTAL/N, what the stopping rule sees
    MODEL,  # MEAN brought into the bounds of the problem: its answer is the candidate
    MU,  # the means that the sampling rule sees: MEAN, clipped
    W,  # sums of the weights played
    PLAY,  # w_t: the weights that an oracle gets, and then those that are tracked
    XI,  # the point that an oracle gets
    LAM,  # the oracle's point
    ALPHA,  # the lower ends of the confidence intervals
    BETA,  # the upper ends
    GAIN_ALPHA,  # d(alpha, lam); d(mu, lam) for gains that are not optimistic
    GAIN_BETA,  # d(beta, lam)
    SUM_ALPHA,  # scratch for rules: sums of gains over several points lam
    SUM_BETA,
    WITNESS,  # an alternative that has shown that the run cannot stop
    COST,  # N d(mean, witness): what it costs
    ASIDE,  # the same for the statistic without the structure: see `RunArrays`
    READY,  # the next rewards, which come in fours: number n of an arm stands in row READY + n % 4
) = range(19)
ROWS = READY + 4
LANES = 8  # arms that are computed at once
LEAST_SCRATCH = 6 * LANES

# Numbers by which Python and the kernels mean the same.
PLAYING, CROSSED, CAPPED, FULL, LEFT, LOOKING = range(
    6
)  # why a row came back (PLAYING: the budget is used up)
SPARSE = 20  # after a look at n samples the next one is after 1 + n // SPARSE more
NOBODY = -(2**62)  # no answer has this code
RATIO, DIFFERENCE, DIRECT, NOTHING = range(4)  # how a play is tracked
LOGARITHM, LAMBERT, BODY = range(3)  # the exploration bonus


class RunArrays(NamedTuple):
    """R runs: `table` (R, ROWS, K), the rest is one number per run or (R, slots, ...).

    `memory` (R, slots, M) are the learners, `answers` (R, slots) the answers they belong to, of which `seen`
    are in use and `slot` is the present one. `barrier` is a value that the threshold for the answer `barred`
    is known to be above from now on, and `least` one for the other answers; after `checked` samples the
    threshold was last evaluated. `witness` is the answer to which the row WITNESS is an alternative. After
    `look` samples a run comes back anyway, unless the row ASIDE, an alternative to the answer `aside`, costs
    no more than `quiet`, which the threshold without the structure is above from now on.
    """

    run: IntArray
    n: IntArray
    status: IntArray
    barrier: FloatArray
    barred: IntArray
    least: FloatArray
    checked: IntArray
    look: IntArray
    aside: IntArray
    quiet: FloatArray
    statistic: FloatArray
    candidate: IntArray
    table: FloatArray
    slot: IntArray
    answers: IntArray
    seen: IntArray
    memory: FloatArray
    witness: IntArray


class LearnerArrays(NamedTuple):
    """Those of `RunArrays` that a conversation with learners needs: half of them compile in half the time."""

    run: IntArray
    n: IntArray
    candidate: IntArray
    table: FloatArray
    slot: IntArray
    answers: IntArray
    seen: IntArray
    memory: FloatArray


class Clip(NamedTuple):
    """Where the means of each arm are cut off, and the variance of its sub-Gaussian intervals.

    [low, high] is for MU and [floor, ceiling], the bounds of the problem, for MODEL; towards [start, end] MU
    may go once an arm is well known: as near as `half`, half a success, over the number of its pulls.
    """

    low: FloatArray
    high: FloatArray
    floor: FloatArray
    ceiling: FloatArray
    start: FloatArray
    end: FloatArray
    half: FloatArray
    sigma2: FloatArray


class RuleGiven(NamedTuple):
    """What kernels know of a rule.

    `start` is the memory of a new learner, `numbers` the rule's own; `tracking` and `bonus` are codes,
    `factor` is the bonus's, and `key` is that of the rule's own random draws.
    """

    start: FloatArray
    numbers: FloatArray
    tracking: int
    single: bool
    bonus: int
    factor: float
    key: np.uint64


class Moment(NamedTuple):
    """A round of one run, as its rule sees it: the candidate i, the n samples so far, the bonus f(n).

    `key` and `run` say which random numbers are its own.
    """

    i: int
    n: int
    f: float
    key: np.uint64
    run: int


class Rewards(NamedTuple):
    """Where rewards come from: the key of their random numbers and the true means."""

    key: np.uint64
    truth: FloatArray


class Limits(NamedTuple):
    """How far a run may go: `budget` rounds in this call, `max_rounds` samples in all."""

    budget: int
    max_rounds: int
