"""Algorithm 1 compiled: many rounds of one run after the other. A template over rule and query.

`answer`, `respond` (the query's best response), `choose_model` and `fit` (the structure's), `ask`, `hear`
(the rule's), `consult`, `intervals` and `gains` (what the rule needs) are bound by `purex.jit.specialise`.
The same in plain numpy, for one run, is `purex.reference`.
"""

from __future__ import annotations

import math
from typing import Any

from purex.engine.kernels.round import bonus, cost_of_witness, draw, is_held, is_quiet, take
from purex.run_state import (
    CAPPED,
    COST,
    CROSSED,
    FULL,
    LEFT,
    LOOKING,
    MEAN,
    MODEL,
    NOBODY,
    PLAYING,
    SPARSE,
    WITNESS,
    Moment,
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


def advance(rows, limits, runs, given, clip, rule, rewards, scratch):
    """Advance each of these rows by at most `limits.budget` rounds, until its statistic passes its barrier.

    Reads like Algorithm 1: candidate answer, stopping rule, weights and best response, optimistic gains,
    learner, tracking, pull. The arguments are the named tuples of `purex.run_state`, and `Given`.
    """
    for r in rows:
        x = runs.table[r]
        means, counts, model, suspected = x[MEAN], x[N], x[MODEL], x[WITNESS]
        t, j, suspect = runs.n[r], runs.slot[r], runs.witness[r]
        learner = runs.memory[r, j]
        runs.status[r] = PLAYING
        for k in range(x.shape[1]):  # a round in lock-step may have been between
            x[COST, k] = cost_of_witness(k, x, given)
        for _ in range(limits.budget):
            f = bonus(rule.bonus, rule.factor, t)
            intervals(f, x, given, clip)
            choose_model(x, given, scratch)
            i = answer(model, given)
            runs.candidate[r] = i
            limit = runs.barrier[r] if runs.barred[r] == i else runs.least[r]
            if suspect != i or not is_held(limit, x):
                own = fit(x, given, scratch)
                if suspect != i or not is_held(limit + own, x):
                    value, _ = respond(i, counts, means, given, suspected, scratch)
                    if math.isnan(value):
                        suspect = NOBODY
                        runs.status[r] = LEFT
                        break
                    suspect = i if value < math.inf else NOBODY
                    for k in range(x.shape[1]):
                        x[COST, k] = cost_of_witness(k, x, given)
                    if not value - own <= limit and t != runs.checked[r]:
                        runs.statistic[r] = value - own
                        runs.status[r] = CROSSED
                        break
            if t >= runs.look[r]:
                if runs.aside[r] != i or not is_quiet(runs.quiet[r], x, given):
                    runs.status[r] = LOOKING
                    break
                runs.look[r] = t + 1 + t // SPARSE
            if t >= limits.max_rounds:
                runs.status[r] = CAPPED
                break
            if runs.answers[r, j] != i and (not rule.single or runs.seen[r] == 0):
                j = 0
                while j < runs.seen[r] and runs.answers[r, j] != i:
                    j += 1
                if j == runs.answers.shape[1]:
                    j = 0
                    runs.status[r] = FULL
                    break
                learner = runs.memory[r, j]
                if j == runs.seen[r]:
                    runs.answers[r, j] = i
                    runs.seen[r] += 1
                    for m in range(len(rule.start)):
                        learner[m] = rule.start[m]
            now, call, solved = Moment(i, t, f, rule.key, runs.run[r]), 0, True
            while ask(call, now, x, learner, rule.numbers):
                solved = consult(i, x, given, scratch)
                if not solved:
                    break
                gains(f, x, given, clip, scratch)
                hear(call, now, x, learner, rule.numbers)
                call += 1
            if not solved:
                runs.status[r] = LEFT
                break
            k = track(rule.tracking, t, x)
            take(k, draw(runs.run[r], k, x, given, rewards), x, clip)
            x[COST, k] = cost_of_witness(k, x, given)
            t += 1
        runs.n[r], runs.slot[r], runs.witness[r] = t, j, suspect
