"""How a compiled round consults its oracle: templates over the rows that a query's kernels provide.

`best_response`, `max_min` and `optimistic` are bound by `purex.jit.specialise`. Each returns whether the
row was solved.
"""

from __future__ import annotations

import math
from typing import Any

from purex.rows import ALPHA, BETA, LAM, XI

best_response: Any = None
max_min: Any = None
optimistic: Any = None


def consult_nobody(i, x, w, codes, scales, parameters, lower, upper, query, scratch):
    """For rules that need no oracle."""
    return True


def consult_best_response(i, x, w, codes, scales, parameters, lower, upper, query, scratch):
    """The best response to the play at xi, into lam."""
    best_response(i, w, x[XI], codes, scales, parameters, lower, upper, query, x[LAM])
    return True


def consult_max_min(i, x, w, codes, scales, parameters, lower, upper, query, scratch):
    """The allocation of the game at xi, into the play."""
    value = max_min(i, x[XI], codes, scales, parameters, query, w, scratch)
    return not math.isnan(value)


def consult_optimistic(i, x, w, codes, scales, parameters, lower, upper, query, scratch):
    """The allocation of the most optimistic game of the intervals, into the play; its model into lam."""
    value = optimistic(x[ALPHA], x[BETA], codes, scales, parameters, query, x[LAM], w, scratch)
    return not math.isnan(value)
