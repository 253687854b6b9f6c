"""Thresholds: how large the statistic must be before an answer is certain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError
from purex.families.arms import Arms
from purex.model.query import Query
from purex.model.structure import Structure

Status = Literal["proved", "heuristic"]
Event = Literal["truth", "wrong answer"]


class Threshold(ABC):
    r"""A stopping threshold $\beta$, a function of the samples and of $\log(1/\delta)$.

    `status` says whether an error of at most delta is *proved* or the threshold is *heuristic*; a proof
    holds inside `scope`, which `covers` decides for a given problem; `label` is "proved" where it does.
    `event` is what the proof bounds by delta, under any sampling rule: "truth", that
    $\sum_k N^k d(\hat\mu^k, \mu^k) > \beta$ at some time, or only "wrong answer", that the statistic of a
    wrong answer exceeds $\beta$ at some time.

    A threshold may depend on the problem, and on the answer that is about to be given: `for_problem` returns
    the one to use, and `at(N, i, x)` is its value for the answers i (..., ). By default neither matters, and
    `at` is `of_counts`. Where `by_answer`, `of_counts` is an upper bound for every answer. Where `by_means`
    the value depends on the empirical means as well: `at(N, i, x, mean)`, and `at(N, i, x)` is an upper bound
    for all means. A threshold for a
    structure may have a second one, `without_structure`: the statistic without the structure is then compared
    from time to time with `at_without_structure`, and the first to exceed its value ends the run. Where
    `against_model` the proof is about the likelihood ratio against M, and about no other statistic.

    What a simulation relies on, for counts N (..., K) with every $N^k \ge 1$ and $x = \log(1/\delta) \ge 0$,
    a number or an array that broadcasts against the leading axes of N:

    - `at(N, i, x)` is nondecreasing in x, and `floor(N, i, x)` is a lower bound of it at N and at all
      larger counts, with whatever means, so that it need not be evaluated again while the statistic of the
      same answer is below; by default it is `at` itself, which is then nondecreasing in every $N^k$.
      `least(x)` is a lower bound for all counts and answers;
    - where `rises`, which is the default, `of_counts` is nondecreasing in every $N^k$ and `of_time(t, x)` in
      t, and the latter is, up to rounding, an upper bound of `of_counts(N, x)` at every N with sum t (for
      t < K it is only nondecreasing). Where not, because of a factor that falls to 1 as the smallest count
      grows, `of_time` is the value at samples that are spread evenly;
    - row r of a result depends on row r of the arguments only, to the last bit: logarithms are taken of
      contiguous arrays (`contiguous`), sums go column by column (`sum_over_arms`), and there is no BLAS.
    """

    status: ClassVar[Status]
    scope: ClassVar[str] = ""
    event: Event = "truth"
    by_answer: bool = False
    by_means: bool = False
    rises: bool = True
    against_model: bool = False
    without_structure: Threshold | None = None

    def __init__(self, n_arms: int) -> None:
        if n_arms < 1:
            raise InvalidInputError(f"a threshold needs at least one arm, not {n_arms}")
        self.n_arms = n_arms

    @abstractmethod
    def of_time(self, t: ArrayLike, log_inverse_delta: ArrayLike) -> FloatArray:
        r"""The form $\beta(t, \delta)$ in the number t of samples: nondecreasing, and an upper bound."""

    def of_counts(self, N: ArrayLike, log_inverse_delta: ArrayLike) -> FloatArray:
        """The form in the counts N (..., K); by default that in their sum."""
        return self.of_time(sum_over_arms(contiguous(N)), log_inverse_delta)

    def for_problem(self, arms: Arms, query: Query, structure: Structure) -> Threshold:
        """The threshold to use for a problem, chosen before any data; by default this one."""
        return self

    def at(
        self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike, mean: FloatArray | None = None
    ) -> FloatArray:
        """The value for answers i (R,) at counts N and means (R, K); by default that in the counts alone."""
        return self.of_counts(N, log_inverse_delta)

    def at_data(
        self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike, mean: FloatArray
    ) -> FloatArray:
        """`at`, with the means if they matter."""
        return self.at(N, i, log_inverse_delta, mean) if self.by_means else self.at(N, i, log_inverse_delta)

    def floor(self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike) -> FloatArray:
        """A lower bound of `at` for the same answers at these counts and all larger ones."""
        return self.at(N, i, log_inverse_delta)

    def least(self, log_inverse_delta: ArrayLike) -> FloatArray:
        """A lower bound of `at` for all answers and counts."""
        return np.full(np.shape(log_inverse_delta), -np.inf)

    def at_without_structure(
        self, N: ArrayLike, i: IntArray, log_inverse_delta: ArrayLike, mean: FloatArray | None = None
    ) -> FloatArray:
        """What the statistic without the structure has to exceed, where there is a second threshold."""
        raise NotImplementedError

    @property
    def log_events(self) -> float | None:
        """The logarithm of the number of events united, if a union of e-processes is what is proved."""
        return None

    def covers(self, arms: Arms, query: Query, structure: Structure) -> bool:
        """Whether the problem lies in `scope`; a box of the problem counts as a part of the structure.

        A threshold that is proved says so here, for each problem: without it, it is proved for none.
        """
        return False

    def label(self, arms: Arms, query: Query, structure: Structure) -> Status:
        """Whether an error of at most delta is proved for this problem."""
        return "proved" if self.status == "proved" and self.covers(arms, query, structure) else "heuristic"


def contiguous(x: ArrayLike) -> FloatArray:
    """The array in float64 and in C order: numpy may round `log` differently on strided data."""
    return np.asarray(x, dtype=np.float64, order="C")


def sum_over_arms(terms: FloatArray) -> FloatArray:
    """The sum over the last axis, one column after the other: np.sum groups its terms by the batch.

    >>> sum_over_arms(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([3., 7.])
    """
    total = np.asarray(terms[..., 0])
    for k in range(1, terms.shape[-1]):
        total = np.asarray(total + terms[..., k])
    return total
