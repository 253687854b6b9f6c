r"""Several arms at once: a batch is spread over the arms in proportion to the weights.

The weights of a batch are the mean of all plays so far with the present one, $v = (W + w)/(n + 1)$. The play w
of a single round may be one arm (Top-Two rules, LUCB) or leave arms out (AdaHedge moves about), and a batch
that goes to one arm is confounded with whatever else changed in that time. Since W has the initial pulls,
every $v^k$ is positive.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from purex.arrays import FloatArray


def spread(n: int, v: FloatArray, first: int, pending: Sequence[int]) -> list[int]:
    r"""The next n arms after these pending ones, none of whose rewards is known.

    Arm number j of the batch, pending ones included, is $\arg\max_k j v^k - N^k$, where N counts the pulls of
    the batch: so N stays near j v all along. Ties go to the lowest index; `first` is the first of all.

    >>> spread(6, np.array([0.5, 0.25, 0.25]), 0, [])
    [0, 1, 2, 0, 0, 1]
    >>> spread(4, np.array([0.5, 0.25, 0.25]), 0, [0, 1])
    [2, 0, 0, 1]
    """
    N = np.bincount(np.asarray(pending, dtype=np.int64), minlength=len(v)).astype(np.float64)
    arms: list[int] = []
    for j in range(len(pending) + 1, len(pending) + n + 1):
        k = first if j == 1 else int(np.argmax(j * v - N))
        N[k] += 1
        arms.append(k)
    return arms


def drawn(n: int, v: FloatArray, pending: Sequence[int], seed: int, samples: int) -> list[int]:
    """The next n arms drawn with probabilities v, each by itself.

    Draw number j, pending ones included, depends on the seed, the samples so far and j: asking again gives
    the same arms.

    >>> arms = drawn(1000, np.array([0.5, 0.25, 0.25]), [], 3, 40)
    >>> arms[2:] == drawn(998, np.array([0.5, 0.25, 0.25]), arms[:2], 3, 40), arms.count(0)
    (True, 496)
    """
    stream = np.random.Generator(np.random.Philox(key=[seed % 2**64, samples]))
    u = stream.random(len(pending) + n)[len(pending) :]
    return [int(k) for k in np.searchsorted(np.cumsum(v)[:-1], u, side="right")]
