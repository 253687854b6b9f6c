"""How a compiled round consults its oracles: templates over the rows that a query's kernels provide.

`best_response`, `respond`, `max_min`, `optimistic` and `project` are bound by `purex.jit.specialise`. Each
`consult_` returns whether the row was solved; each `model_` leaves the candidate model in its row.
"""

from __future__ import annotations

import math
from typing import Any

from purex.families.compiled import divergence
from purex.rows import ALPHA, BETA, LAM, MEAN, MODEL, SUM_ALPHA, XI, N

best_response: Any = None
project: Any = None
respond: Any = None
max_min: Any = None
optimistic: Any = None


def consult_nobody(i, x, w, codes, scales, parameters, lower, upper, query, scratch):
    """For rules that need no oracle."""
    return True


def consult_best_response(i, x, w, codes, scales, parameters, lower, upper, query, scratch):
    """The best response to the play at xi, into lam."""
    value, _ = respond(i, w, x[XI], codes, scales, parameters, lower, upper, query, x[LAM], scratch)
    return not math.isnan(value)


def consult_max_min(i, x, w, codes, scales, parameters, lower, upper, query, scratch):
    """The allocation of the game at xi, into the play."""
    value = max_min(i, x[XI], codes, scales, parameters, query, w, scratch)
    return not math.isnan(value)


def consult_optimistic(i, x, w, codes, scales, parameters, lower, upper, query, scratch):
    """The allocation of the most optimistic game of the intervals, into the play; its model into lam."""
    value = optimistic(x[ALPHA], x[BETA], codes, scales, parameters, query, x[LAM], w, scratch)
    return not math.isnan(value)


def respond_simply(i, w, xi, codes, scales, parameters, lower, upper, query, point, scratch):
    """A best response that needs no memory to work with."""
    return best_response(i, w, xi, codes, scales, parameters, lower, upper, query, point)


def model_of_means(x, codes, scales, parameters, lower, upper, query, scratch):
    """Line 4 of Algorithm 1 without a structure: the means in the bounds, which a pull has written."""


def model_in_box(x, codes, scales, parameters, lower, upper, query, scratch):
    """Line 4 with a structure: the likeliest model in the confidence box, or anywhere if that is empty."""
    counts, means, alpha, beta, model = x[N], x[MEAN], x[ALPHA], x[BETA], x[MODEL]
    if not project(
        True, counts, means, alpha, beta, codes, scales, parameters, lower, upper, query, model, scratch
    ):
        project(
            False, counts, means, alpha, beta, codes, scales, parameters, lower, upper, query, model, scratch
        )


def model_anywhere(x, codes, scales, parameters, lower, upper, query, scratch):
    """The likeliest model."""
    counts, means = x[N], x[MEAN]
    project(
        False, counts, means, means, means, codes, scales, parameters, lower, upper, query, x[MODEL], scratch
    )


def fit_of_everything(x, codes, scales, parameters, lower, upper, query, scratch):
    """The statistic against all of Theta^K: the means fit themselves at no cost."""
    return 0.0


def fit_of_model(x, codes, scales, parameters, lower, upper, query, scratch):
    """The statistic against M: what the likeliest model of all costs."""
    counts, means, model = x[N], x[MEAN], x[SUM_ALPHA]  # rules use that row between ask and hear only
    project(
        False, counts, means, means, means, codes, scales, parameters, lower, upper, query, model, scratch
    )
    cost = 0.0
    for k in range(x.shape[1]):
        if means[k] != model[k]:
            cost += counts[k] * scales[k] * divergence(codes[k], parameters[k], means[k], model[k])
    return cost
