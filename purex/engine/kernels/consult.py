"""How a compiled round consults its oracles: templates over the kernels that a query provides.

`respond` (its best response), `max_min`, `optimistic` and `project` are bound by `purex.jit.specialise`. Each
`consult_` returns whether the row was solved; each `model_` leaves the candidate model in its row.
In plain numpy: `candidate` and `statistic` of `purex.reference.round`.
"""

from __future__ import annotations

import math
from typing import Any

from purex.families.compiled.divergence import divergence
from purex.jit import njit
from purex.run_state import ALPHA, BETA, LAM, MEAN, MODEL, PLAY, SUM_ALPHA, XI, N

project: Any = None
respond: Any = None
max_min: Any = None
optimistic: Any = None


@njit(forceinline=True)
def cost_of(model, x, given):
    """What a model costs at the counts and means of a row."""
    cost = 0.0
    for k in range(x.shape[1]):
        if x[MEAN, k] != model[k]:
            d = divergence(given.codes[k], given.parameters[k], x[MEAN, k], model[k])
            cost += x[N, k] * given.scales[k] * d
    return cost


def consult_nobody(i, x, given, scratch):
    """For rules that need no oracle."""
    return True


def consult_best_response(i, x, given, scratch):
    """The best response to the play at xi, into lam."""
    value, _ = respond(i, x[PLAY], x[XI], given, x[LAM], scratch)
    return not math.isnan(value)


def consult_max_min(i, x, given, scratch):
    """The allocation of the game at xi, into the play."""
    value, _ = max_min(i, x[XI], given, x[PLAY], scratch)
    return not math.isnan(value)


def consult_optimistic(i, x, given, scratch):
    """The allocation of the most optimistic game of the intervals, into the play; its model into lam."""
    _, value = optimistic(x[ALPHA], x[BETA], given, x[LAM], x[PLAY], scratch)
    return not math.isnan(value)


def model_of_means(x, given, scratch):
    """Line 4 of Algorithm 1 without a structure: the means in the bounds, which a pull has written."""


def model_in_box(x, given, scratch):
    """Line 4 with a structure: the likeliest model in the confidence box, or anywhere if that is empty."""
    counts, means, alpha, beta, model = x[N], x[MEAN], x[ALPHA], x[BETA], x[MODEL]
    if not project(True, counts, means, alpha, beta, given, model, scratch):
        project(False, counts, means, alpha, beta, given, model, scratch)


def model_anywhere(x, given, scratch):
    """The likeliest model."""
    counts, means = x[N], x[MEAN]
    project(False, counts, means, means, means, given, x[MODEL], scratch)


def fit_of_everything(x, given, scratch):
    """The statistic against all of Theta^K: the means fit themselves at no cost."""
    return 0.0


def fit_of_bounds(x, given, scratch):
    """The statistic against all means in the bounds: what bringing the means into them costs."""
    return cost_of(x[MODEL], x, given)


def fit_of_model(x, given, scratch):
    """The statistic against M: what the likeliest model of all costs."""
    counts, means, model = x[N], x[MEAN], x[SUM_ALPHA]  # rules use that row between ask and hear only
    project(False, counts, means, means, means, given, model, scratch)
    return cost_of(model, x, given)
