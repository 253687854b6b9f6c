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
from purex.model import Deviations, Threshold
from purex.model.supports import blamed_at
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
Draw = Callable[[int, FloatArray], FloatArray]  # the rewards of an arm from uniform numbers


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


def from_powers(mu: FloatArray) -> Draw:
    r"""Rewards in [0, 1] that are no coin flips: $u^{(1-\mu)/\mu}$ of a uniform u is Beta$(\mu/(1-\mu), 1)$.

    >>> float(from_powers(np.array([0.5]))(0, np.array([0.25]))[0])
    0.25
    """
    return lambda arm, u: np.asarray(u ** ((1 - mu[arm]) / mu[arm]))


def sample_paths(
    problem: Problem,
    mu: FloatArray,
    sampling: Sampling,
    *,
    runs: int,
    horizon: int,
    rng: np.random.Generator,
    draw: Draw | None = None,
) -> Iterator[Data]:
    """The data of all runs at t = K, ..., horizon; each arm is pulled once first. The arrays are reused.

    Rewards are those of the problem's families, unless `draw` makes others of the same means.
    """
    K, rows, families = problem.n_arms, np.arange(runs), problem.arms.families
    rewards = draw or (lambda arm, u: families[arm].quantile(mu[arm], u))
    N, S, Z = np.zeros((3, runs, K))
    mean = np.zeros((runs, K))
    for t in range(horizon):
        k = np.full(runs, t) if t < K else sampling(Data(t, N, mean, Z), rng)
        u = rng.random(runs)
        for arm in np.unique(k):
            at = rows[k == arm]
            S[at, arm] += rewards(int(arm), u[at])
            N[at, arm] += 1
            mean[at, arm] = S[at, arm] / N[at, arm]
            Z[at, arm] = N[at, arm] * families[arm].d(mean[at, arm], mu[arm])
        if t + 1 >= K:
            yield Data(t + 1, N, mean, Z)


class Exceedances:
    """Which runs have met a threshold's event so far, for each risk: `hit` is (runs, deltas).

    While a statistic is below what the threshold will be in any case nothing is evaluated.
    """

    def __init__(self, threshold: Threshold, deltas: Sequence[float], runs: int) -> None:
        self.threshold, self.x = threshold, -np.log(np.asarray(deltas, dtype=np.float64))
        self.hit = np.zeros((runs, len(deltas)), dtype=np.bool_)
        self._barrier = np.full((runs, len(deltas)), -np.inf)

    def see(self, N: FloatArray, i: IntArray, statistic: FloatArray, mean: FloatArray) -> None:
        """Compare the statistics (R,) of answers i with the threshold at counts N and means (R, K)."""
        r, j = np.nonzero((statistic[:, None] > self._barrier) & ~self.hit)
        if len(r):
            beta = self.threshold.at_data(N[r], i[r], self.x[j], mean[r])
            self.hit[r, j] = statistic[r] > beta
            by_answer = self.threshold.by_answer
            floor = (
                self.threshold.least(self.x[j]) if by_answer else self.threshold.floor(N[r], i[r], self.x[j])
            )
            self._barrier[r, j] = floor

    def see_without_structure(
        self, N: FloatArray, i: IntArray, statistic: FloatArray, mean: FloatArray
    ) -> None:
        """The same for the statistics without the structure, of thresholds that have a second."""
        r, j = np.nonzero((statistic[:, None] > 0) & ~self.hit)
        if len(r):
            beta = self.threshold.at_without_structure(N[r], i[r], self.x[j], mean[r])
            self.hit[r, j] = statistic[r] > beta


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
    draw: Draw | None = None,
) -> list[BoolArray]:
    """Whether the event of each threshold happened up to the horizon, (runs, deltas) each.

    The event is the threshold's own (`Threshold.event`) unless it is given: the truth is rejected, or a wrong
    answer is accepted.
    """
    seen = [Exceedances(threshold, deltas, runs) for threshold in thresholds]
    truth = [s for s in seen if (event or s.threshold.event) == "truth"]
    answers = [s for s in seen if (event or s.threshold.event) == "wrong answer"]
    settings = [_setting(problem, each.threshold) for each in answers]
    paths = sample_paths(problem, mu, SAMPLING[sampling], runs=runs, horizon=horizon, rng=rng, draw=draw)
    for data in paths:
        if truth:
            total = data.Z.sum(axis=1)
            for each in truth:
                each.see(data.N, np.zeros(runs, dtype=np.int64), total, data.mean)
        found: dict[tuple[str, bool], tuple[IntArray, FloatArray]] = {}
        for each, setting in zip(answers, settings, strict=True):
            key = setting.statistic, False
            if key not in found:
                found[key] = wrong_statistic(setting, mu, data)
            each.see(data.N, *found[key], data.mean)
            aside = setting.without_structure
            if aside is not None:
                key = aside.statistic, True
                if key not in found:
                    found[key] = wrong_statistic(aside, mu, data, found[setting.statistic, False][0])
                each.see_without_structure(data.N, *found[key], data.mean)
    return [s.hit for s in seen]


def _setting(problem: Problem, threshold: Threshold) -> Setting:
    """The problem's statistic for a threshold; the rule does not matter."""
    from purex.plugins import build

    return Setting(problem, build("rule", "RR"), threshold)


def wrong_statistic(
    setting: Setting, mu: FloatArray, data: Data, answer: IntArray | None = None
) -> tuple[IntArray, FloatArray]:
    """The answers of each run, unless given, and their statistics where they are wrong, 0 where right."""
    query = setting.problem.query
    if answer is None:
        answer = query.answer(setting.problem.project(data.N, data.mean))
    codes, where = np.unique(answer, return_inverse=True)
    wrong = np.array([not query.is_correct(mu[None], np.array([c]))[0] for c in codes])[where]
    value = np.zeros(len(answer))
    at = np.flatnonzero(wrong)
    if len(at):
        value[at] = setting.evidence(answer[at], data.N[at], data.mean[at])[0]
    return answer, value


def support_exceedances(
    problem: Problem,
    mu: FloatArray,
    deviations: Deviations,
    supports: Sequence[tuple[int, ...]] | None,
    levels: FloatArray,
    sampling: str,
    *,
    runs: int,
    horizon: int,
    rng: np.random.Generator,
    draw: Draw | None = None,
) -> BoolArray:
    r"""Whether $\sum_{k \in S} N^k d(\hat\mu^k, \mu^k)$ exceeded its bound for a support S, (runs, levels).

    The supports are those that wrong answers are blamed on at mu, unless given; `levels` are the x of
    $\beta_S(N, x)$.
    """
    chosen = blamed_at(problem.query, mu) if supports is None else list(supports)
    rows = np.full((len(chosen), max(map(len, chosen))), problem.n_arms)
    for row, arms in zip(rows, chosen, strict=True):
        row[: len(arms)] = arms
    hit = np.zeros((runs, len(levels)), dtype=np.bool_)
    paths = sample_paths(problem, mu, SAMPLING[sampling], runs=runs, horizon=horizon, rng=rng, draw=draw)
    for data in paths:
        Z = np.concatenate([data.Z, np.zeros((runs, 1))], axis=1)
        sums = Z[:, rows].sum(axis=-1)
        for j, x in enumerate(levels):
            at = np.flatnonzero(~hit[:, j] & (sums.max(axis=1) > x))
            bound = deviations.bound(data.N[at], rows, np.full(len(at), x), data.mean[at])
            hit[at, j] = (sums[at] > bound).any(axis=1)
    return hit


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
    settings = [_setting(problem, threshold) for threshold in thresholds]
    times = set(np.unique(np.geomspace(problem.n_arms, horizon, looks).astype(int)))
    x = -np.log(np.asarray(deltas, dtype=np.float64))
    given = [np.zeros((runs, len(x)), dtype=np.bool_) for _ in thresholds]
    statistics, truths = [np.empty(0)], [np.empty(0)]
    for data in sample_paths(problem, mu, SAMPLING[sampling], runs=runs, horizon=horizon, rng=rng):
        if data.t not in times:
            continue
        decided: dict[tuple[str, bool], FloatArray] = {}
        for threshold, setting, hit in zip(thresholds, settings, given, strict=True):
            key = setting.statistic, False
            if key not in decided:
                at = np.flatnonzero((found := decide(setting, mu, data.N, data.mean)).wrong)
                decided[key] = trust * found.statistic[at]
                statistics.append(decided[key])
                truths.append(data.Z[at].sum(axis=1))
            answer, N, aside, mean = found.answer[at], data.N[at], setting.without_structure, data.mean[at]
            if aside is not None and ("", True) not in decided:
                decided["", True] = trust * aside.evidence(answer, N, mean)[0]
            for j in range(len(x)):
                hit[at, j] |= decided[key] > threshold.at_data(N, answer, x[j], mean)
                if aside is not None:
                    hit[at, j] |= decided["", True] > threshold.at_without_structure(N, answer, x[j], mean)
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
