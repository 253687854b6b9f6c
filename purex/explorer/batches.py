r"""Several arms at once: a batch is spread over the arms in proportion to the weights of the rule.

A batch that goes to one arm is confounded with whatever else changed in that time. So a batch follows the
weights w that the rule plays in this round, with a tenth of the mean of all plays so far, so that no arm is
left out: $v = 0.9\, w + 0.1\, W/n$. A rule that plays a single arm (Top-Two rules, LUCB) has no weights in a
round: there v is the mean of all its plays with the next one, $(W + w)/(n + 1)$.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from purex.arrays import FloatArray

MEAN_PLAY = 0.1  # the part of the mean play in the weights of a batch


def weights_of_batch(W: FloatArray, w: FloatArray, plays_an_arm: bool) -> FloatArray:
    r"""The shares v (K,) of a batch, from the sum W of the plays so far and the present play w; all positive.

    >>> weights_of_batch(np.array([3.0, 1.0]), np.array([0.5, 0.5]), False)
    array([0.525, 0.475])
    >>> weights_of_batch(np.array([3.0, 1.0]), np.array([0.0, 1.0]), True)
    array([0.6, 0.4])
    """
    if plays_an_arm:
        return np.asarray((W + w) / (W + w).sum())
    return np.asarray((1 - MEAN_PLAY) * w + MEAN_PLAY * W / W.sum())


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
