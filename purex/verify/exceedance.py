r"""How often the event that a threshold's proof bounds happens, and how often a wrong answer is given.

Many runs side by side. The event is about the data alone: it must be rare whatever the sampling rule does, so
simple rules and an adversary are enough, and no oracle is called but for the statistics of wrong answers. The
answers are those of the stopping rule: the problem's projection, best response and statistic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import beta as beta_law

from purex.arrays import BoolArray, FloatArray, IntArray
from purex.engine.setting import Setting
from purex.model import Threshold
from purex.model.threshold import Event
from purex.problem import Problem

CONFIDENCE = 0.001  # of each side of an interval: a correct claim is rejected with at most this probability


class Data(NamedTuple):
    r"""All runs after t samples: counts N, means and $Z^k = N^k d(\hat\mu^k, \mu^k)$, each (R, K)."""

    t: int
    N: FloatArray
    mean: FloatArray
    Z: FloatArray


Sampling = Callable[[Data, np.random.Generator], IntArray]


def in_turn(data: Data, rng: np.random.Generator) -> IntArray:
    """Every arm in turn."""
    R, K = data.N.shape
    return np.full(R, data.t % K, dtype=np.int64)


def leaving_alone(data: Data, rng: np.random.Generator) -> IntArray:
    """An adversary who knows the truth: arms that deviate much are left alone, and the others tried again."""
    return np.asarray(data.Z.argmin(axis=1))


def runner_up(data: Data, rng: np.random.Generator) -> IntArray:
    """Half of the time the second best arm, else any: a lucky leader stays where it is."""
    R, K = data.N.shape
    second = np.argsort(data.mean, axis=1)[:, max(K - 2, 0)]
    return np.where(rng.random(R) < 0.5, second, rng.integers(0, K, R))


SAMPLING: dict[str, Sampling] = {
    "in turn": in_turn, "leaving deviations alone": leaving_alone, "runner-up": runner_up,
}  # fmt: skip


def sample_paths(
    problem: Problem, mu: FloatArray, sampling: Sampling, *, runs: int, horizon: int, rng: np.random.Generator
) -> Iterator[Data]:
    """The data of all runs at t = K, ..., horizon; each arm is pulled once first. The arrays are reused."""
    K, rows, families = problem.n_arms, np.arange(runs), problem.arms.families
    N, S, Z = np.zeros((3, runs, K))
    mean = np.zeros((runs, K))
    for t in range(horizon):
        k = np.full(runs, t) if t < K else sampling(Data(t, N, mean, Z), rng)
        u = rng.random(runs)
        for arm in np.unique(k):
            at = rows[k == arm]
            S[at, arm] += families[arm].quantile(mu[arm], u[at])
            N[at, arm] += 1
            mean[at, arm] = S[at, arm] / N[at, arm]
            Z[at, arm] = N[at, arm] * families[arm].d(mean[at, arm], mu[arm])
        if t + 1 >= K:
            yield Data(t + 1, N, mean, Z)


class Exceedances:
    """Which runs have met a threshold's event so far, for each risk: `hit` is (runs, deltas).

    A threshold never falls: while a statistic is below an earlier value nothing is evaluated.
    """

    def __init__(self, threshold: Threshold, deltas: Sequence[float], runs: int) -> None:
        self.threshold, self.x = threshold, -np.log(np.asarray(deltas, dtype=np.float64))
        self.hit = np.zeros((runs, len(deltas)), dtype=np.bool_)
        self._barrier = np.full((runs, len(deltas)), -np.inf)

    def see(self, N: FloatArray, statistic: FloatArray) -> None:
        """Compare the statistics (R,) of all runs with the threshold at the counts N (R, K)."""
        r, j = np.nonzero((statistic[:, None] > self._barrier) & ~self.hit)
        if len(r):
            self._barrier[r, j] = self.threshold.of_counts(N[r], self.x[j])
            self.hit[r, j] = statistic[r] > self._barrier[r, j]


def exceedances(
    problem: Problem,
    mu: FloatArray,
    thresholds: Sequence[Threshold],
    deltas: Sequence[float],
    sampling: str,
    *,
    runs: int,
    horizon: int,
    rng: np.random.Generator,
    event: Event | None = None,
) -> list[BoolArray]:
    """Whether the event of each threshold happened up to the horizon, (runs, deltas) each.

    The event is the threshold's own (`Threshold.event`) unless it is given: the truth is rejected, or a wrong
    answer is accepted.
    """
    seen = [Exceedances(threshold, deltas, runs) for threshold in thresholds]
    truth = [s for s in seen if (event or s.threshold.event) == "truth"]
    answers = [s for s in seen if (event or s.threshold.event) == "wrong answer"]
    for data in sample_paths(problem, mu, SAMPLING[sampling], runs=runs, horizon=horizon, rng=rng):
        if truth:
            total = data.Z.sum(axis=1)
            for each in truth:
                each.see(data.N, total)
        if answers:
            statistic = wrong_statistic(problem, mu, data)
            for each in answers:
                each.see(data.N, statistic)
    return [s.hit for s in seen]


def wrong_statistic(problem: Problem, mu: FloatArray, data: Data) -> FloatArray:
    """The statistic of each run whose answer is wrong, and 0 where it is right."""
    answer = problem.query.answer(data.mean)
    codes, where = np.unique(answer, return_inverse=True)
    wrong = np.array([not problem.query.is_correct(mu[None], np.array([c]))[0] for c in codes])[where]
    value = np.zeros(len(answer))
    at = np.flatnonzero(wrong)
    if len(at):
        value[at] = problem.oracle(answer[at], data.N[at], data.mean[at]).value
    return value


class Decision(NamedTuple):
    """What the stopping rule would answer in each run, how sure it is of it, and whether that is wrong."""

    answer: IntArray
    statistic: FloatArray
    wrong: BoolArray


def decide(setting: Setting, mu: FloatArray, N: FloatArray, mean: FloatArray) -> Decision:
    """The likeliest answers at counts and means (R, K), with the statistics of those that are wrong.

    The statistic of a right answer is not asked for: it is NaN.
    """
    problem = setting.problem
    answer = problem.query.answer(problem.project(N, mean))
    codes, where = np.unique(answer, return_inverse=True)
    wrong = np.array([not problem.query.is_correct(mu[None], np.array([c]))[0] for c in codes])[where]
    statistic = np.full(len(answer), np.nan)
    at = np.flatnonzero(wrong)
    if len(at):
        statistic[at] = setting.evidence(answer[at], N[at], mean[at])[0]
    return Decision(answer, statistic, wrong)


class Mistakes(NamedTuple):
    r"""Which runs gave a wrong answer up to the horizon, and what their statistics were compared with.

    `given` is (runs, deltas) for each threshold; `statistic` and `truth` are, for every wrong answer at every
    look, its statistic and that of the truth, $\\sum_k N^k d(\\hat\\mu^k, \\mu^k)$.
    """

    given: list[BoolArray]
    statistic: FloatArray
    truth: FloatArray


def mistakes(
    problem: Problem,
    mu: FloatArray,
    thresholds: Sequence[Threshold],
    deltas: Sequence[float],
    sampling: str,
    *,
    runs: int,
    horizon: int,
    looks: int,
    rng: np.random.Generator,
    trust: float = 1.0,
) -> Mistakes:
    """Let the stopping rule decide at about `looks` times up to the horizon, and count its wrong answers.

    `trust` multiplies its statistic: more than 1 is a best response that overstates.
    """
    from purex.plugins import build

    setting = Setting(problem, build("rule", "RR"), thresholds[0])
    times = set(np.unique(np.geomspace(problem.n_arms, horizon, looks).astype(int)))
    x = -np.log(np.asarray(deltas, dtype=np.float64))
    given = [np.zeros((runs, len(x)), dtype=np.bool_) for _ in thresholds]
    statistics, truths = [np.empty(0)], [np.empty(0)]
    for data in sample_paths(problem, mu, SAMPLING[sampling], runs=runs, horizon=horizon, rng=rng):
        if data.t not in times:
            continue
        at = np.flatnonzero((found := decide(setting, mu, data.N, data.mean)).wrong)
        statistic = trust * found.statistic[at]
        statistics.append(statistic)
        truths.append(data.Z[at].sum(axis=1))
        for threshold, hit in zip(thresholds, given, strict=True):
            for j in range(len(x)):
                hit[at, j] |= statistic > threshold.of_counts(data.N[at], x[j])
    return Mistakes(given, np.concatenate(statistics), np.concatenate(truths))


class Interval(NamedTuple):
    """A frequency and the Clopper-Pearson limits of its probability."""

    frequency: float
    lower: float
    upper: float


def clopper_pearson(hits: int, runs: int, risk: float = CONFIDENCE) -> Interval:
    """The frequency of `hits` among `runs`, with exact limits; each errs with probability at most `risk`.

    >>> [round(x, 4) for x in clopper_pearson(10, 1000)]
    [0.01, 0.003, 0.024]
    """
    lower = float(beta_law.ppf(risk, hits, runs - hits + 1)) if hits else 0.0
    upper = float(beta_law.ppf(1 - risk, hits + 1, runs - hits)) if hits < runs else 1.0
    return Interval(hits / runs, lower, upper)
