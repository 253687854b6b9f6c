"""A threshold that pays only for the arms that a wrong answer can be blamed on."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError, UnreadableAnswerError
from purex.families import Arms, Exponential
from purex.model import Deviations, Query, Structure, Supports, Threshold, contiguous
from purex.model.deviations import PRECISION, Price
from purex.plugins import ThresholdRecord, hookimpl

Bound = Callable[..., FloatArray]

TYPICAL = 1000.0  # samples of an arm at which the sum over all arms is compared with the union over supports
TYPICAL_RISK = math.log(20)


class RankAware(Threshold):
    r"""$\beta = \max_{C} \beta_{S(C)}(N, \ln(m/\delta))$ over the pieces C of the alternative to an answer.

    If the answer i is wrong, the truth lies in some piece C, whose rows touch the arms S(C) only; the others
    are free, so that the statistic of i is at most $\sum_{k \in S} N^k d(\hat\mu^k, \mu^k)$. Here m is the
    number of supports to be united, from the query's declaration (`Supports`), and $\beta_S(N, x)$ is
    exceeded by that sum with probability at most $e^{-x}$ (`Deviations`). Under a structure all arms pay,
    once. docs/thresholds.md has the proofs.

    `precision` is that of the normal mixtures of Gaussian and sub-Gaussian arms, in rewards: more is better
    for experiments that will take many samples.

    Until `for_problem` has told it which problem it is for, all arms pay Kaufmann and Koolen's price.

    >>> from purex.families import Bernoulli
    >>> from purex.model import Unstructured
    >>> from purex_plugins.best_arm import BestArm
    >>> five = Arms.of(Bernoulli(), 5)
    >>> beta = RankAware(5).for_problem(five, BestArm(5), Unstructured(5))
    >>> N = np.full((1, 5), 200.0)
    >>> print(f"{beta.at(N, np.array([0]), np.log(10))[0]:.6f}")
    10.133177
    """

    status = "proved"
    scope = (
        "any one-parameter exponential families, any query and structure; normal arms of unknown variance, "
        "any query"
    )
    event = "wrong answer"
    by_answer = True

    def __init__(self, n_arms: int, price: Price = "auto", precision: float = PRECISION) -> None:
        super().__init__(n_arms)
        if price not in get_args(Price):
            raise InvalidInputError(f"the price is one of {', '.join(get_args(Price))}, not {price!r}")
        self.price: Price = price
        self.precision = precision
        self.deviations = Deviations(Arms.of(Exponential(), n_arms), "kaufmann-koolen", precision)
        self.supports: Supports | None = None
        self._whole = np.arange(n_arms)[None]
        self._largest = n_arms

    def for_problem(self, arms: Arms, query: Query, structure: Structure) -> Threshold:
        """The same with the supports of the query, if they pay less than all arms do at once."""
        found = copy.copy(self)
        found.deviations = Deviations(arms, self.price, self.precision)
        found.rises = not found.deviations.has_factor
        found.by_means = found.deviations.by_means
        if not structure.is_only_bounds:
            return found
        by_support = copy.copy(found)
        by_support.supports = Supports(query)
        by_support._largest = by_support.supports.largest()
        if by_support._largest == 0:  # there is one answer only
            return found
        whole = float(found.of_counts(np.full(self.n_arms, TYPICAL), TYPICAL_RISK))
        less = float(by_support.of_counts(np.full(self.n_arms, TYPICAL), TYPICAL_RISK)) <= whole
        if not by_support.supports.are_alike:
            by_support._largest = self.n_arms
        return by_support if less else found

    @property
    def log_events(self) -> float | None:
        """The logarithm of m, where the statistic less the prices is the logarithm of an e-process."""
        if not self.deviations.is_mixture:
            return None
        return 0.0 if self.supports is None else self.supports.log_count

    def at(
        self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike, mean: FloatArray | None = None
    ) -> FloatArray:
        """The value for answers i (R,) at counts N and means (R, K)."""
        return self._most(self.deviations.bound, math.inf, N, i, log_inverse_delta, mean)

    def at_data(
        self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike, mean: FloatArray
    ) -> FloatArray:
        """`at`; supports that are not known yet are found with the means."""
        if self.supports is not None:
            self.supports.meet(i, mean)
        return super().at_data(N, i, log_inverse_delta, mean)

    def floor(self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike) -> FloatArray:
        """A lower bound from now on."""
        return self._most(self.deviations.floor, -math.inf, N, i, log_inverse_delta)

    def least(self, log_inverse_delta: ArrayLike) -> FloatArray:
        """The logarithm of m over delta: what is paid in any case."""
        log_count = 0.0 if self.supports is None else self.supports.log_count
        return np.asarray(np.asarray(log_inverse_delta) + log_count)

    def of_counts(self, N: ArrayLike, log_inverse_delta: ArrayLike) -> FloatArray:
        """An upper bound for all answers: as if the arms with the largest counts were in one support."""
        counts = contiguous(N)
        leading = np.broadcast_shapes(counts.shape[:-1], np.shape(log_inverse_delta))
        counts = np.broadcast_to(counts, (*leading, self.n_arms)).reshape(-1, self.n_arms)
        x = np.broadcast_to(self.least(log_inverse_delta), leading).reshape(-1)
        order = np.sort(counts, axis=-1)
        most = order[:, self.n_arms - self._largest :]
        padded = np.concatenate([np.repeat(order[:, :1], self.n_arms - self._largest, axis=1), most], axis=1)
        support = np.arange(self.n_arms - self._largest, self.n_arms)[None]
        return np.asarray(self.deviations.bound(padded, support, x)[:, 0].reshape(leading))

    def of_time(self, t: ArrayLike, log_inverse_delta: ArrayLike) -> FloatArray:
        """The value at equal counts of the arms of one support, the largest because prices are concave."""
        each = np.maximum(contiguous(t) / self._largest, 1.0)
        return self.of_counts(np.repeat(each[..., None], self.n_arms, axis=-1), log_inverse_delta)

    def covers(self, arms: Arms, query: Query, structure: Structure) -> bool:
        """All arms of purex are such; those of unknown variance without a structure, and not mixed."""
        unknown = {family.unknown_variance for family in arms.families}
        proved = self.deviations.unknown_variance and structure.is_only_bounds
        return unknown == {False} or (unknown == {True} and proved)

    def _most(
        self,
        bound: Bound,
        unreadable: float,
        N: ArrayLike,
        i: IntArray,
        log_inverse_delta: ArrayLike,
        mean: FloatArray | None = None,
    ) -> FloatArray:
        """The largest bound of a support of each answer.

        An answer that cannot be read, although `meet` has seen the means, is not theirs: then the means are
        an alternative to it, and its statistic is 0.
        """
        N = contiguous(N)
        x = np.broadcast_to(self.least(log_inverse_delta), len(N))
        if self.supports is None:
            return bound(N, self._whole, x, *([] if mean is None else [contiguous(mean)]))[:, 0]
        value = np.empty(len(N))
        codes, where = np.unique(i, return_inverse=True)
        for number, code in enumerate(codes):
            rows = np.flatnonzero(where == number)
            means = [] if mean is None else [contiguous(mean)[rows]]
            try:
                supports = self.supports.arms(int(code))
            except UnreadableAnswerError:
                value[rows] = unreadable
                continue
            value[rows] = bound(N[rows], supports, x[rows], *means).max(axis=-1)
        return value


@hookimpl
def purex_thresholds() -> Iterable[ThresholdRecord]:
    """The threshold `rank-aware`."""
    yield ThresholdRecord(
        name="rank-aware",
        factory=RankAware,
        summary="ln(m/delta) and the prices of the arms that a wrong answer can be blamed on, proved",
        reference="Krichevsky & Trofimov (1981); Robbins (1970); Kaufmann & Koolen (2021); Ville (1939)",
    )
