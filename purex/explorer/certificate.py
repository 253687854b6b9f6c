"""What an explorer knows, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray


@dataclass(frozen=True)
class Certificate:
    r"""The evidence for a candidate answer after `samples` rewards; final once `stopped`.

    The experiment stops when `statistic`, $\inf_{\lambda \in \neg i} \sum_k N^k d(\hat\mu^k, \lambda^k)$
    (under a structure less the same infimum over M), exceeds `threshold`, $\beta(N, \delta)$. `alternative`
    is the $\lambda$ of the infimum: the closest model with another answer (None where there is none). `lower`
    and `upper` are the ends of the confidence intervals $\{\xi : N^k d(\hat\mu^k, \xi) \le f(n)\}$ with the
    rule's bonus f. `status` says whether an error of at most delta is proved for this problem with the
    threshold `threshold_name`. `oracle` is the oracle that found the alternative, `oracle_version` the
    version of the distribution that it comes from.
    """

    stopped: bool
    candidate: int
    label: str
    statistic: float
    threshold: float
    threshold_name: str
    status: Literal["proved", "heuristic"]
    delta: float
    samples: int
    counts: NDArray[np.int64]
    proportions: FloatArray
    means: FloatArray
    lower: FloatArray
    upper: FloatArray
    alternative: FloatArray | None
    oracle: str
    oracle_version: str
