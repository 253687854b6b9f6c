"""A stopping threshold with its proof: Chernoff's inequality, and a union bound over arms and times."""

import math
from collections.abc import Iterable

import numpy as np

from purex.model import Threshold, contiguous, sum_over_arms
from purex.plugins import ThresholdRecord, hookimpl


class UnionBound(Threshold):
    """The sum over the arms of ln(2 K N(N+1)/delta).

    After s samples of an arm, s d(mean, mu) > x with probability at most 2 exp(-x). At
    x = ln(2 K s(s+1)/delta) that is delta/(K s(s+1)), and over all s >= 1 and all K arms it sums to delta.
    """

    status = "proved"
    scope = "every question, for arms of known variance"

    def of_counts(self, N, log_inverse_delta):
        """The threshold at counts N (..., K)."""
        n = contiguous(N)
        each = math.log(2 * self.n_arms) + np.asarray(log_inverse_delta)
        return sum_over_arms(np.log(n * (n + 1.0))) + self.n_arms * each

    def of_time(self, t, log_inverse_delta):
        """The largest after t samples: ln(N(N+1)) is concave, so for even counts."""
        even = contiguous(t) / self.n_arms
        return self.n_arms * (np.log(2 * self.n_arms * even * (even + 1.0)) + np.asarray(log_inverse_delta))

    def covers(self, arms, query, structure):
        """Chernoff's inequality holds for every family but that of unknown variances."""
        return not arms.unknown_variance


@hookimpl
def purex_thresholds() -> Iterable[ThresholdRecord]:
    """The threshold `union-bound`."""
    yield ThresholdRecord(name="union-bound", factory=UnionBound, summary="a union bound over arms and times")


if __name__ == "__main__":
    import purex

    problem = purex.Problem.from_names("bernoulli", "best-arm", n_arms=3)
    for threshold in (UnionBound(3), "auto"):
        label = problem.label(problem.threshold(threshold))
        runs = purex.simulate(problem, [0.6, 0.3, 0.2], "D-C", 0.01, threshold=threshold, runs=50, seed=1)
        print(f"{label}: {runs.tau.mean():.0f} samples, {runs.correct.mean():.0%} correct")
