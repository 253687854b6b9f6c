"""Thresholds: how large the statistic must be before an answer is certain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.errors import InvalidInputError

FloatArray = NDArray[np.float64]


class Threshold(ABC):
    r"""A stopping threshold $\beta$, a function of the samples and of $\log(1/\delta)$.

    `status` says whether an error of at most delta is *proved* (then `scope` says for what) or whether the
    threshold is *heuristic*.
    """

    status: ClassVar[Literal["proved", "heuristic"]]
    scope: ClassVar[str] = ""

    def __init__(self, n_arms: int) -> None:
        if n_arms < 1:
            raise InvalidInputError(f"a threshold needs at least one arm, not {n_arms}")
        self.n_arms = n_arms

    @abstractmethod
    def of_time(self, t: ArrayLike, log_inverse_delta: float) -> FloatArray:
        r"""The form $\beta(t, \delta)$ in the number t of samples: nondecreasing, and an upper bound."""

    def of_counts(self, N: ArrayLike, log_inverse_delta: float) -> FloatArray:
        """The form in the counts N (..., K); by default that in their sum."""
        return self.of_time(np.sum(N, axis=-1), log_inverse_delta)
