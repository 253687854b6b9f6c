"""The threshold of Garivier and Kaufmann for the best of Bernoulli arms."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.families import Arms
from purex.families.interval import is_judged_as_bernoulli
from purex.model import Query, Structure, Threshold, contiguous
from purex.plugins import ThresholdRecord, hookimpl
from purex_plugins.best_arm import BestArm


class GarivierKaufmann(Threshold):
    r"""$\beta(t, \delta) = \ln(2t(K-1)/\delta)$ (Garivier & Kaufmann 2016, Proposition 12).

    The proof bounds, for each arm b better than the recommended arm a, the generalised likelihood ratio of
    the *two* arms: a KT mixture costs $2\sqrt{N^a}\,2\sqrt{N^b} \le 2t$, and there are K-1 pairs. It says
    nothing of $\sum_k N^k d(\hat\mu^k, \mu^k)$, which exceeds this threshold often (docs/thresholds.md),
    hence nothing of other queries, nor of structures, whose statistic involves the other arms as well.
    Bounds on the means are such a structure, unless the statistic is that of the projected means.

    For any rewards in an interval the mixture is a supermartingale, and the proof is the same
    (docs/thresholds.md).

    With one arm no answer is wrong; K-1 is then read as 1.

    >>> print(f"{GarivierKaufmann(5).of_time(1000, np.log(10)):.6f}")
    11.289782
    """

    status = "proved"
    scope = "best arm among Bernoulli arms or bounded rewards whose means are not restricted"
    event = "wrong answer"

    def of_time(self, t: ArrayLike, log_inverse_delta: ArrayLike) -> NDArray[np.float64]:
        """The threshold after t >= 1 samples."""
        constant = math.log(2 * max(self.n_arms - 1, 1))
        return np.asarray(np.log(np.maximum(contiguous(t), 1.0)) + constant + np.asarray(log_inverse_delta))

    def covers(self, arms: Arms, query: Query, structure: Structure) -> bool:
        """The query is best arm, all arms are Bernoulli or bounded, and M is all of their domain."""
        bounds = structure.bounds
        low, high = float(arms.lower_ends.min()), float(arms.upper_ends.max())
        free = bounds is not None and bounds[0] <= low and bounds[1] >= high
        judged = all(is_judged_as_bernoulli(family) for family in arms.families)
        return type(query) is BestArm and judged and free


@hookimpl
def purex_thresholds() -> Iterable[ThresholdRecord]:
    """The threshold `garivier-kaufmann`."""
    yield ThresholdRecord(
        name="garivier-kaufmann",
        factory=GarivierKaufmann,
        summary="ln(2t(K-1)/delta), proved for the best of unrestricted Bernoulli arms",
        reference="Garivier & Kaufmann (2016), Optimal best arm identification, Proposition 12",
    )
