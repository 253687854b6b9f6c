"""The laws of a stopping threshold, each a function that raises when a case breaks it."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.families import Arms, Bernoulli, Gaussian
from purex.model import Query, Structure, Threshold, Unstructured
from purex.plugins import build
from purex.testing.laws import LawBrokenError, NotApplicableError

ROUNDING = 1e-9  # how far, relative to its value, a threshold may fall by rounding
RISKS = (0.1, 1.0, 3.0, 10.0, 50.0, 500.0)  # values of log(1/delta)
SLOPE = 0.9  # a proved threshold grows at least so fast with log(1/delta), from 50 to 500


@dataclass(frozen=True)
class ThresholdCase:
    """A threshold under test, and how many answers a query has that it is for (1: it knows of none)."""

    threshold: Threshold
    seed: int = 0
    size: int = 60
    n_answers: int = 1

    @property
    def n_arms(self) -> int:
        """The number K of arms."""
        return self.threshold.n_arms

    def counts(self, law: str) -> FloatArray:
        """Random counts (size, K) over six orders of magnitude, some of them 1."""
        rng = np.random.default_rng([self.seed, *law.encode()])
        N = np.floor(10.0 ** rng.uniform(0, 6, (self.size, self.n_arms)))
        N[rng.random(N.shape) < 0.2] = 1.0
        return N

    def answers(self, law: str) -> IntArray:
        """Random answers (size,)."""
        rng = np.random.default_rng([self.seed, 1, *law.encode()])
        return rng.integers(0, self.n_answers, self.size)

    def of_counts(self, N: FloatArray, x: float) -> FloatArray:
        """The thresholds (R,) at counts N (R, K)."""
        return np.asarray(self.threshold.of_counts(N, np.full(len(N), x)))

    def at(self, N: FloatArray, i: IntArray, x: float) -> FloatArray:
        """The thresholds (R,) of answers i (R,) at counts N (R, K)."""
        return np.asarray(self.threshold.at(N, i, np.full(len(N), x)))

    def demand_that_it_rises(self) -> None:
        """Say that a law is about thresholds that rise with the counts only."""
        if not self.threshold.rises:
            raise NotApplicableError("the threshold has a factor that falls as the counts grow")


def _demand_rise(low: FloatArray, high: FloatArray, sentence: str) -> None:
    falls = ~(high >= low - ROUNDING * np.abs(low))
    if falls.any():
        r = tuple(int(at[0]) for at in np.nonzero(falls))
        raise LawBrokenError(f"{sentence}: {float(low[r])!r}, then {float(high[r])!r}")


def check_values_are_finite(case: ThresholdCase) -> None:
    """`of_counts` gives one finite number per row, and `of_time` one per time."""
    N = case.counts("finite")
    for x in RISKS:
        for name, beta in (
            ("of_counts", case.of_counts(N, x)),
            ("of_time", np.asarray(case.threshold.of_time(N.sum(axis=1), x))),
        ):
            if beta.shape != (len(N),) or not np.isfinite(beta).all():
                raise LawBrokenError(f"{name} gives shape {beta.shape} and {beta.ravel()[:3].tolist()}...")


def check_monotone_in_time(case: ThresholdCase) -> None:
    """`of_time` never falls with t."""
    case.demand_that_it_rises()
    t = np.unique(np.floor(10.0 ** np.linspace(0, 9, 400)))
    for x in RISKS:
        beta = np.asarray(case.threshold.of_time(t, x))
        _demand_rise(beta[:-1], beta[1:], "of_time falls as t grows")


def check_monotone_in_counts(case: ThresholdCase) -> None:
    """`of_counts` never falls when one of the counts grows."""
    case.demand_that_it_rises()
    N = case.counts("monotone")
    for x in RISKS:
        for k in range(case.n_arms):
            for factor in (1.0, 10.0):
                more = N.copy()
                more[:, k] = np.floor(more[:, k] * factor) + 1
                _demand_rise(case.of_counts(N, x), case.of_counts(more, x), f"of_counts falls as N_{k} grows")


def check_time_bounds_counts(case: ThresholdCase) -> None:
    """`of_time(t)` is at least `of_counts(N)` at every N of sum t: practical times rely on it."""
    case.demand_that_it_rises()
    N = case.counts("bounds")
    N[: case.n_arms] = np.floor(N[: case.n_arms].mean(axis=1, keepdims=True))  # equal counts, often the worst
    for x in RISKS:
        time = np.asarray(case.threshold.of_time(N.sum(axis=1), x))
        _demand_rise(case.of_counts(N, x), time, "of_time lies below of_counts")


def check_delta_counts(case: ThresholdCase) -> None:
    """The threshold grows with log(1/delta); one that is proved about as fast."""
    N = case.counts("delta")
    beta = np.array([case.of_counts(N, x) for x in RISKS])
    _demand_rise(beta[:-1], beta[1:], "the threshold falls as log(1/delta) grows")
    if not (beta[1:] > beta[:-1]).all():
        raise LawBrokenError("the threshold does not grow with log(1/delta)")
    rise = (beta[-1] - beta[-2]) / (RISKS[-1] - RISKS[-2])
    if case.threshold.status == "proved" and rise.min() < SLOPE:
        raise LawBrokenError(
            f"the threshold grows by {rise.min():g} per unit of log(1/delta): too slowly for a proof, since "
            "the statistic exceeds a level x with a probability of about e^-x"
        )


def check_values_of_answers(case: ThresholdCase) -> None:
    """`at` is finite, grows with log(1/delta), and is at most `of_counts`; it is that, unless `by_answer`."""
    N, i = case.counts("answers"), case.answers("answers")
    beta = np.array([case.at(N, i, x) for x in RISKS])
    if beta.shape != (len(RISKS), len(N)) or not np.isfinite(beta).all():
        raise LawBrokenError(f"at gives shape {beta.shape[1:]} and {beta.ravel()[:3].tolist()}...")
    _demand_rise(beta[:-1], beta[1:], "at falls as log(1/delta) grows")
    every = np.array([case.of_counts(N, x) for x in RISKS])
    _demand_rise(beta, every, "of_counts lies below at")
    if not case.threshold.by_answer and not np.allclose(beta, every, rtol=ROUNDING, atol=0.0):
        raise LawBrokenError("at is not of_counts, though by_answer is False")


def check_floor_holds_from_now_on(case: ThresholdCase) -> None:
    """`floor` is at most `at`, at the same and at all larger counts."""
    N, i = case.counts("floor"), case.answers("floor")
    rng = np.random.default_rng([case.seed, *b"larger"])
    for x in RISKS:
        floor = np.asarray(case.threshold.floor(N, i, np.full(len(N), x)))
        _demand_rise(floor, case.at(N, i, x), "at lies below floor")
        for most in (0.3, 1.0, 3.0, 7.0):
            more = N + np.floor(10.0 ** rng.uniform(0, most, N.shape)) * rng.integers(0, 2, N.shape)
            _demand_rise(floor, case.at(more, i, x), "at falls below an earlier floor as the counts grow")


def check_values_of_means(case: ThresholdCase) -> None:
    """Where `by_means`, a value with means lies between `floor` and the value without, row by row."""
    if not case.threshold.by_means:
        raise NotApplicableError("the threshold does not depend on the means")
    N, i = case.counts("means"), case.answers("means")
    mean = np.random.default_rng([case.seed, *b"means"]).beta(0.3, 0.3, N.shape)
    for risk in RISKS:
        x = np.full(len(N), risk)
        beta = np.asarray(case.threshold.at(N, i, x, mean))
        _demand_rise(beta, case.at(N, i, risk), "at is larger with means than without")
        _demand_rise(np.asarray(case.threshold.floor(N, i, x)), beta, "at lies below floor with some means")
        alone = [np.asarray(case.threshold.at(N[[r]], i[[r]], x[[r]], mean[[r]]))[0] for r in range(len(N))]
        if not np.array_equal(alone, beta):
            raise LawBrokenError("at changes with the width of the batch where means are given")


def check_least_is_least(case: ThresholdCase) -> None:
    """`least` is at most `at`, for all answers and counts, the smallest among them."""
    N, i = case.counts("least"), case.answers("least")
    extremes = 1.0 + 1e9 * np.eye(case.n_arms + 1, case.n_arms, -1)  # once each; then one often
    N[: len(extremes)] = extremes[: len(N)]
    for x in RISKS:
        least = np.broadcast_to(np.asarray(case.threshold.least(x)), len(N))
        _demand_rise(least, case.at(N, i, x), "at lies below least")


def check_scope_is_stated(case: ThresholdCase) -> None:
    """A threshold is proved or heuristic; one that is proved says in words and in `covers` for what."""
    threshold = case.threshold
    if threshold.status not in ("proved", "heuristic"):
        raise LawBrokenError(f"status is {threshold.status!r}, not 'proved' or 'heuristic'")
    if threshold.status == "heuristic":
        raise NotApplicableError("a heuristic has no scope")
    if type(threshold).covers is Threshold.covers:
        raise LawBrokenError("it is proved, but `covers` does not say for which problems")
    if not threshold.scope.strip():
        raise LawBrokenError("it is proved, but `scope` does not say in words for what")
    K = case.n_arms
    query: Query = build("query", "best-arm", n_arms=K)
    free: Structure = Unstructured(K)
    found = [threshold.covers(Arms.of(family, K), query, free) for family in (Bernoulli(), Gaussian())]
    if not all(isinstance(covered, bool | np.bool_) for covered in found):
        raise LawBrokenError(f"covers gives {found}, not True or False")


def check_rows_are_independent(case: ThresholdCase) -> None:
    """A row's threshold is the same, bit for bit, alone and in any batch, with any other risks beside it."""
    N = np.repeat(case.counts("rows"), 20, axis=0)
    x = np.resize(RISKS, len(N))
    i = np.repeat(case.answers("rows"), 20)
    threshold = case.threshold
    whole = np.asarray(threshold.of_counts(N, x))
    values = {of.__name__: np.asarray(of(N, i, x)) for of in (threshold.at, threshold.floor)}
    for width in (1, 7, 97):
        part = np.asarray(threshold.of_counts(N[:width], x[:width]))
        if not np.array_equal(part, whole[:width]):
            raise LawBrokenError(f"of_counts changes with the width of the batch ({width})")
        for of in (threshold.at, threshold.floor):
            part = np.asarray(of(N[:width], i[:width], x[:width]))
            if not np.array_equal(part, values[of.__name__][:width]):
                raise LawBrokenError(f"{of.__name__} changes with the width of the batch ({width})")


def check_calls_leave_no_trace(case: ThresholdCase) -> None:
    """The same call gives the same result, and its arguments stay as they were."""
    N = case.counts("trace")
    kept = N.copy()
    first = case.of_counts(N, 3.0)
    case.of_counts(2 * N, 30.0)
    if not np.array_equal(N, kept):
        raise LawBrokenError("of_counts changes the counts that it is given")
    if not np.array_equal(first, case.of_counts(N, 3.0)):
        raise LawBrokenError("of_counts differs when the same call is made again")


def check_pickles(case: ThresholdCase) -> None:
    """A pickled copy gives the same numbers."""
    N = case.counts("pickle")
    copy = ThresholdCase(pickle.loads(pickle.dumps(case.threshold)))
    if not np.array_equal(copy.of_counts(N, 3.0), case.of_counts(N, 3.0)):
        raise LawBrokenError("a pickled copy gives other numbers")


THRESHOLD_LAWS = (
    check_values_are_finite,
    check_monotone_in_time,
    check_monotone_in_counts,
    check_time_bounds_counts,
    check_delta_counts,
    check_values_of_answers,
    check_floor_holds_from_now_on,
    check_values_of_means,
    check_least_is_least,
    check_scope_is_stated,
    check_rows_are_independent,
    check_calls_leave_no_trace,
    check_pickles,
)
