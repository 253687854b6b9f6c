"""The laws of a stopping threshold, each a function that raises when a case breaks it."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np

from purex.arrays import FloatArray
from purex.families import Arms, Bernoulli, Gaussian
from purex.model import Query, Structure, Threshold, Unstructured
from purex.plugins import build
from purex.testing.laws import LawBrokenError, NotApplicableError

ROUNDING = 1e-9  # how far, relative to its value, a threshold may fall by rounding
RISKS = (0.1, 1.0, 3.0, 10.0, 50.0, 500.0)  # values of log(1/delta)
SLOPE = 0.9  # a proved threshold grows at least so fast with log(1/delta), from 50 to 500


@dataclass(frozen=True)
class ThresholdCase:
    """A threshold under test."""

    threshold: Threshold
    seed: int = 0
    size: int = 60

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

    def of_counts(self, N: FloatArray, x: float) -> FloatArray:
        """The thresholds (R,) at counts N (R, K)."""
        return np.asarray(self.threshold.of_counts(N, np.full(len(N), x)))


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
    t = np.unique(np.floor(10.0 ** np.linspace(0, 9, 400)))
    for x in RISKS:
        beta = np.asarray(case.threshold.of_time(t, x))
        _demand_rise(beta[:-1], beta[1:], "of_time falls as t grows")


def check_monotone_in_counts(case: ThresholdCase) -> None:
    """`of_counts` never falls when one of the counts grows."""
    N = case.counts("monotone")
    for x in RISKS:
        for k in range(case.n_arms):
            for factor in (1.0, 10.0):
                more = N.copy()
                more[:, k] = np.floor(more[:, k] * factor) + 1
                _demand_rise(case.of_counts(N, x), case.of_counts(more, x), f"of_counts falls as N_{k} grows")


def check_time_bounds_counts(case: ThresholdCase) -> None:
    """`of_time(t)` is at least `of_counts(N)` at every N of sum t: practical times rely on it."""
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
    whole = np.asarray(case.threshold.of_counts(N, x))
    for width in (1, 7, 97):
        part = np.asarray(case.threshold.of_counts(N[:width], x[:width]))
        if not np.array_equal(part, whole[:width]):
            raise LawBrokenError(f"of_counts changes with the width of the batch ({width})")


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
    check_scope_is_stated,
    check_rows_are_independent,
    check_calls_leave_no_trace,
    check_pickles,
)
