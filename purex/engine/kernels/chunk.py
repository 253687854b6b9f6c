"""Many rounds of one run after the other, compiled: a template over the rule's parts and the query's rows.

`answer`, `best_response` (the query's), `ask`, `hear` (the rule's), `consult`, `intervals` and `gains` (what
the rule needs) are bound by `purex.jit.specialise`.
"""

from __future__ import annotations

import math
from typing import Any

from purex.engine.kernels.round import bonus, draw, is_held, take
from purex.rows import MEAN, MODEL, PARAMETER, SCALE, WITNESS, N
from purex.tracking import track

answer: Any = None
best_response: Any = None
consult: Any = None
intervals: Any = None
gains: Any = None
ask: Any = None
hear: Any = None

PLAYING, CROSSED, CAPPED, FULL, LEFT = range(5)  # why a row came back (PLAYING: the budget is used up)
NOBODY = -(2**62)  # no answer has this code


def advance(
    rows, budget, max_rounds, key, run, n, status, barrier, statistic, candidate, table, slot, answers, seen,
    memory, witness, start, codes, laws, lower, upper, query, numbers, truth, mode, single, kind, c,
):  # fmt: skip
    """Advance each of these rows by at most `budget` rounds, until its statistic passes its barrier.

    Reads like Algorithm 1: candidate answer, stopping rule, weights and best response, optimistic gains,
    learner, tracking, pull.
    """
    for r in rows:
        x = table[r]
        t = n[r]
        status[r] = PLAYING
        for _ in range(budget):
            i = answer(x[MODEL], query)
            candidate[r] = i
            if witness[r] != i or not is_held(barrier[r], x, codes, laws):
                value, _ = best_response(
                    i, x[N], x[MEAN], codes, laws[SCALE], laws[PARAMETER], lower, upper, query, x[WITNESS]
                )
                witness[r] = i if value < math.inf else NOBODY
                if not value <= barrier[r]:
                    statistic[r] = value
                    status[r] = CROSSED
                    break
            if t >= max_rounds:
                status[r] = CAPPED
                break
            j = 0 if single else slot[r]
            if answers[r, j] != i and not single:
                j = 0
                while j < seen[r] and answers[r, j] != i:
                    j += 1
            if j == seen[r]:
                if j == answers.shape[1]:
                    status[r] = FULL
                    break
                answers[r, j] = i
                seen[r] += 1
                for m in range(len(start)):
                    memory[r, j, m] = start[m]
            slot[r] = j
            f = bonus(kind, c, t)
            intervals(f, x, codes, laws)
            call = 0
            solved = True
            while ask(call, i, t, f, key, run[r], x, memory[r, j], numbers):
                solved = consult(i, x, codes, laws, lower, upper, query)
                if not solved:
                    break
                gains(x, codes, laws)
                hear(call, i, t, f, key, run[r], x, memory[r, j], numbers)
                call += 1
            if not solved:
                status[r] = LEFT
                break
            k = track(mode, t, x)
            take(k, draw(key, run[r], k, x, codes, laws, truth), x, laws)
            t += 1
        n[r] = t
