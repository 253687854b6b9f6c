"""The threshold of the paper's experiments."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.model import Threshold, contiguous
from purex.plugins import ThresholdRecord, hookimpl


class Stylised(Threshold):
    r"""$\beta(t, \delta) = \ln((1 + \ln t)/\delta)$: section 4 of the paper, not covered by its theory.

    >>> print(f"{Stylised(2).of_time(100, np.log(10)):.6f}")
    4.026275
    """

    status = "heuristic"

    def of_time(self, t: ArrayLike, log_inverse_delta: ArrayLike) -> NDArray[np.float64]:
        """The threshold after t >= 1 samples."""
        return np.asarray(np.log1p(np.log(contiguous(t))) + np.asarray(log_inverse_delta))


@hookimpl
def purex_thresholds() -> Iterable[ThresholdRecord]:
    """The threshold `stylised`."""
    yield ThresholdRecord(
        name="stylised",
        factory=Stylised,
        summary="ln((1 + ln t)/delta), heuristic: the one of the paper's experiments",
        reference="Garivier & Kaufmann (2016), section 6; Degenne, Koolen & Ménard (2019), section 4",
    )
