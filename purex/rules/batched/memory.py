"""What a batched rule keeps: the next start, the weights, and the learners of the rule inside.

Weights are kept whatever the candidate answer is, so a batched rule has one learner. Where the rule inside
has a learner for each answer, these stand one after the other, each behind its answer.
"""

from __future__ import annotations

import math

# the samples after which the next batch starts, how many inner learners there are, the weights
NEXT, SEEN, WEIGHTS = range(3)
ANSWER = 2  # numbers for the answer of an inner learner: its upper and its lower 32 bits, exact as floats
OWN = 3  # numbers behind those of the inner rule: the factor, the size of its learners, if there is one only
FACTOR, SIZE, IS_SINGLE = range(-OWN, 0)

MOST_SAMPLES = 2**62


def next_start(n: float, factor: float) -> float:
    """After how many samples the batch that starts after n ends.

    >>> [next_start(n, 1.5) for n in (1, 5, 100)]
    [2.0, 8.0, 150.0]
    """
    return max(n + 1.0, float(math.ceil(factor * n)))


def count_batches(factor: float) -> int:
    """How many batches there can be.

    >>> count_batches(1.5), count_batches(2.0)
    (105, 62)
    """
    number, n = 0, 1.0
    while n < MOST_SAMPLES:
        number, n = number + 1, next_start(n, factor)
    return number
