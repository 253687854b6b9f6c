"""Many rounds of one run after the other, compiled: a template over the rule's parts and the query's rows.

`answer`, `respond` (the query's best response), `choose_model` and `fit` (the structure's), `ask`, `hear`
(the rule's), `consult`, `intervals` and `gains` (what the rule needs) are bound by `purex.jit.specialise`.
"""

from __future__ import annotations

import math
from typing import Any

from purex.engine.kernels.round import bonus, cost_of_witness, draw, is_held, take
from purex.rows import (
    CAPPED,
    COST,
    CROSSED,
    FULL,
    GAIN_ALPHA,
    LEFT,
    MEAN,
    MODEL,
    NOBODY,
    PARAMETER,
    PLAY,
    PLAYING,
    SCALE,
    WITNESS,
    N,
)
from purex.tracking import track

answer: Any = None
respond: Any = None
choose_model: Any = None
fit: Any = None
consult: Any = None
intervals: Any = None
gains: Any = None
ask: Any = None
hear: Any = None


def advance(
    rows, budget, max_rounds, key, run, n, status, barrier, statistic, candidate, table, slot, answers, seen,
    memory, witness, start, codes, laws, lower, upper, query, numbers, truth, mode, single, kind, c, scratch,
):  # fmt: skip
    """Advance each of these rows by at most `budget` rounds, until its statistic passes its barrier.

    Reads like Algorithm 1: candidate answer, stopping rule, weights and best response, optimistic gains,
    learner, tracking, pull.
    """
    scales, parameters = laws[SCALE], laws[PARAMETER]
    for r in rows:
        x = table[r]
        w, gain, means, counts, model, seen_by = x[PLAY], x[GAIN_ALPHA], x[MEAN], x[N], x[MODEL], x[WITNESS]
        t, j, limit, suspect = n[r], slot[r], barrier[r], witness[r]
        learner = memory[r, j]
        status[r] = PLAYING
        for k in range(x.shape[1]):  # a round in lock-step may have been between
            x[COST, k] = cost_of_witness(k, x, codes, laws)
        for _ in range(budget):
            f = bonus(kind, c, t)
            intervals(f, x, codes, laws)
            choose_model(x, codes, scales, parameters, lower, upper, query, scratch)
            i = answer(model, query)
            candidate[r] = i
            if suspect != i or not is_held(limit, x):
                own = fit(x, codes, scales, parameters, lower, upper, query, scratch)
                if suspect != i or not is_held(limit + own, x):
                    value, _ = respond(
                        i, counts, means, codes, scales, parameters, lower, upper, query, seen_by, scratch
                    )
                    if math.isnan(value):
                        suspect = NOBODY
                        status[r] = LEFT
                        break
                    suspect = i if value < math.inf else NOBODY
                    for k in range(x.shape[1]):
                        x[COST, k] = cost_of_witness(k, x, codes, laws)
                    if not value - own <= limit:
                        statistic[r] = value - own
                        status[r] = CROSSED
                        break
            if t >= max_rounds:
                status[r] = CAPPED
                break
            if answers[r, j] != i and (not single or seen[r] == 0):
                j = 0
                while j < seen[r] and answers[r, j] != i:
                    j += 1
                if j == answers.shape[1]:
                    j = 0
                    status[r] = FULL
                    break
                learner = memory[r, j]
                if j == seen[r]:
                    answers[r, j] = i
                    seen[r] += 1
                    for m in range(len(start)):
                        learner[m] = start[m]
            call = 0
            solved = True
            while ask(call, i, t, f, key, run[r], x, w, gain, learner, numbers):
                solved = consult(i, x, w, codes, scales, parameters, lower, upper, query, scratch)
                if not solved:
                    break
                gains(x, codes, laws)
                hear(call, i, t, f, key, run[r], x, w, gain, learner, numbers)
                call += 1
            if not solved:
                status[r] = LEFT
                break
            k = track(mode, t, x)
            take(k, draw(key, run[r], k, x, codes, laws, truth), x, laws)
            x[COST, k] = cost_of_witness(k, x, codes, laws)
            t += 1
        n[r], slot[r], witness[r] = t, j, suspect
