"""How sure an experiment is: its statistic against its threshold, as risks, and how long it will take."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.engine.setting import Setting
from purex.errors import PurexError
from purex.games import practical_time

FAINT = -700.0  # the logarithm of an e-value that is as good as 0
LATEST = 1e15  # samples: nobody waits for more
HALVINGS = 100  # of an interval: more than its doubles have


class Evidence(NamedTuple):
    """A statistic and what it has to exceed, and the closest model with another answer, if there is one.

    `p_value` is the smallest risk at which the statistic exceeds the threshold; `e_value` the corresponding
    e-value, where the threshold unites e-processes.
    """

    statistic: float
    threshold: float
    alternative: FloatArray | None
    p_value: float
    e_value: float | None


def weigh(setting: Setting, i: IntArray, N: FloatArray, mean: FloatArray, risk: FloatArray) -> Evidence:
    """The evidence for the answer i (1,) at counts and means (1, K), at log(1/delta) = `risk` (1,).

    Under a structure with a second threshold, of the two statistics the one that is further.
    """
    threshold = setting.threshold
    ways = [(setting, threshold.at_data)]
    if setting.without_structure is not None:
        ways.append((setting.without_structure, threshold.at_without_structure))
    found = []
    for way, at in ways:
        value, point = way.evidence(i, N, mean)

        def needed(x: float, at: Callable[..., FloatArray] = at) -> float:
            return float(np.asarray(at(N, i, np.array([x]), mean))[0])

        least = 0.0 if threshold.log_events is None else FAINT
        level = largest_below(needed, float(value[0]), least)
        found.append((level, float(value[0]), needed(float(risk[0])), point[0]))
    level, statistic, beta, point = max(found, key=lambda each: each[0])
    log_events = threshold.log_events
    return Evidence(
        statistic=statistic,
        threshold=beta,
        alternative=np.array(point) if statistic < math.inf else None,
        p_value=math.exp(-max(level, 0.0)),
        e_value=None if log_events is None else _exp(level + log_events),
    )


def largest_below(needed: Callable[[float], float], statistic: float, least: float = 0.0) -> float:
    """The largest x from `least` on with needed(x) <= statistic, for a threshold that rises with x.

    >>> round(largest_below(lambda x: x + 2.0, 5.0), 12)
    3.0
    """
    if not needed(least) <= statistic:
        return least
    if math.isinf(statistic):
        return math.inf
    low, high = least, max(statistic, least) + 1.0
    while needed(high) <= statistic:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if needed(middle) <= statistic:
            low = middle
        else:
            high = middle
    return low


def expected_more(
    setting: Setting, i: IntArray, N: FloatArray, mean: FloatArray, risk: FloatArray
) -> float | None:
    """How many more samples it takes if the means are as they seem; None if no number is enough.

    At the present means the best allocation raises the statistic by the value of the game with each sample:
    so it takes as many as it needs from here, and not less than it would have needed from the start. With
    actions, samples are rounds.
    """
    problem, threshold = setting.problem, setting.threshold
    try:
        solution = problem.equilibrium(problem.project(N, mean), i)
    except PurexError:
        return None
    value, allocation, before = float(solution.value[0]), solution.allocation[:1], float(N.sum())
    if problem.actions is not None:  # what a round is worth, and the rewards that it shows
        p = problem.actions.pull_shares(allocation)
        value, allocation = value * float(p[0] @ problem.actions.costs), problem.actions.counts(p)
        before /= float(allocation.sum())
    if not 0.0 < value < math.inf:
        return None

    def at(counts: FloatArray) -> float:
        return float(np.asarray(threshold.at_data(counts, i, risk, mean))[0])

    def beta(t: float) -> float:
        return at(np.maximum(t * allocation, 1.0))

    now = weigh(setting, i, N, mean, risk)
    if problem.arms.unknown_variance:  # where counts are small the threshold is infinite
        return soonest(lambda more: now.statistic + more * value > at(N + more * allocation))
    from_here = (now.threshold - now.statistic) / value
    return max(practical_time(value, beta) - before, from_here, 1.0)


def soonest(enough: Callable[[float], bool]) -> float | None:
    """The least number from 1 on that is enough, where larger ones are too; None if none seems to be.

    >>> print(f"{soonest(lambda x: x * x > 2000):.6f}")
    44.721360
    """
    low, high = 1.0, 1.0
    while not enough(high):
        low, high = high, 2 * high
        if high > LATEST:
            return None
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _exp(x: float) -> float:
    return math.exp(x) if x < math.log(np.finfo(float).max) else math.inf
