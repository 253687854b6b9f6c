"""A rule in batches: it is asked where a batch starts, and its weights are kept until the next one does.

`inner_ask` and `inner_hear`, the parts of the rule inside, are bound by `purex.jit.specialise`. What the
memory holds is in `purex.rules.batched.memory`. In plain numpy: `purex.reference.rules.Batched`.
"""

from __future__ import annotations

import math
from typing import Any

from purex.jit import njit
from purex.rules.batched.memory import ANSWER, FACTOR, IS_SINGLE, NEXT, OWN, SEEN, SIZE, WEIGHTS
from purex.run_state import PLAY

inner_ask: Any = None
inner_hear: Any = None


@njit(inline="always")
def find_learner(i, K, memory, numbers):
    """Where the memory of the inner learner of answer i begins; that of a new one is ready."""
    place, j = WEIGHTS + K, 0
    if numbers[IS_SINGLE] == 0.0:
        high, low = float(i >> 32), float(i & 0xFFFFFFFF)
        while j < memory[SEEN] and (memory[place] != high or memory[place + 1] != low):
            j += 1
            place += ANSWER + int(numbers[SIZE])
        if j == memory[SEEN]:
            memory[SEEN] += 1.0
            memory[place], memory[place + 1] = high, low
    return place + ANSWER


def ask(call, now, x, memory, numbers):
    """Play the weights of the batch; where it starts, the inner rule chooses them."""
    K, w = x.shape[1], x[PLAY]
    if call == 0 and now.n < memory[NEXT]:
        for k in range(K):
            w[k] = memory[WEIGHTS + k]
        return False
    place = find_learner(now.i, K, memory, numbers)
    if inner_ask(call, now, x, memory[place : place + int(numbers[SIZE])], numbers[:-OWN]):
        return True
    for k in range(K):
        memory[WEIGHTS + k] = w[k]
    memory[NEXT] = max(now.n + 1.0, math.ceil(numbers[FACTOR] * now.n))
    return False


def hear(call, now, x, memory, numbers):
    """Hand the oracle's reply to the inner rule."""
    place = find_learner(now.i, x.shape[1], memory, numbers)
    inner_hear(call, now, x, memory[place : place + int(numbers[SIZE])], numbers[:-OWN])
