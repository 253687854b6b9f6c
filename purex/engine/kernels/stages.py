"""One stage of a round for a whole batch, compiled: the lock-step path runs these around its oracles.

What a stage does for one run is in `purex.reference.round` and `purex.reference.run`.

`intervals`, `gains`, `ask` and `hear` are bound by `purex.jit.specialise`, as in `advance`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from purex.engine.kernels.round import bonus, cost_of_witness, draw, is_held, take
from purex.jit import njit
from purex.run_state import COST, Moment
from purex.streams import DRAWS, REWARDS, uniform
from purex.tracking import track

intervals: Any = None
gains: Any = None
ask: Any = None
hear: Any = None


@njit(allocates=True)
def find_unheld(rows, table, candidate, witness, limit, given):
    """The rows whose witness does not keep them at or below `limit`: these need the oracle."""
    found = np.empty(len(rows), dtype=np.int64)
    number = 0
    for j, r in enumerate(rows):
        x = table[r]
        for k in range(x.shape[1]):
            x[COST, k] = cost_of_witness(k, x, given)
        if witness[r] != candidate[r] or not is_held(limit[j], x):
            found[number] = r
            number += 1
    return found[:number]


def open_round(rows, n, table, rule, bonuses, given, clip):
    """The bonus and the confidence intervals of each row."""
    for r in rows:
        bonuses[r] = bonus(rule.bonus, rule.factor, n[r])
        intervals(bonuses[r], table[r], given, clip)


@njit(inline="always")
def find_slot(r, runs, rule):
    """The learner of a row's candidate, made if it is new; returns whether there was room for it."""
    j = 0
    while j < runs.seen[r] and runs.answers[r, j] != runs.candidate[r] and not rule.single:
        j += 1
    if j == runs.seen[r]:
        if j == runs.answers.shape[1]:
            return False
        runs.answers[r, j] = runs.candidate[r]
        runs.seen[r] += 1
        for m in range(len(rule.start)):
            runs.memory[r, j, m] = rule.start[m]
    runs.slot[r] = j
    return True


@njit
def find_slots(rows, runs, rule):
    """The learner of each row's candidate; returns whether there was room for all."""
    room = True
    for r in rows:
        room = find_slot(r, runs, rule) and room
    return room


def ask_first(rows, runs, rule, bonuses, arms, asking):
    """Let each row's learner prepare its first call; returns how many make one, -1 if there was no room.

    These fill `asking`; the others are tracked.
    """
    number = 0
    for r in rows:  # all slots before the first call: a learner must not be asked twice
        if not find_slot(r, runs, rule):
            return -1
    for r in rows:
        now, x = Moment(runs.candidate[r], runs.n[r], bonuses[r], rule.key, runs.run[r]), runs.table[r]
        if ask(0, now, x, runs.memory[r, runs.slot[r]], rule.numbers):
            asking[number] = r
            number += 1
        else:
            arms[r] = track(rule.tracking, runs.n[r], x)
    return number


def hear_and_ask(rows, call, runs, rule, bonuses, given, arms, asking):
    """Hand each row's rule the oracle's reply; returns how many make one more call.

    These fill `asking`, which may be `rows`; the others are tracked.
    """
    number = 0
    for r in rows:
        now, x = Moment(runs.candidate[r], runs.n[r], bonuses[r], rule.key, runs.run[r]), runs.table[r]
        learner = runs.memory[r, runs.slot[r]]
        gains(x, given)
        hear(call, now, x, learner, rule.numbers)
        if ask(call + 1, now, x, learner, rule.numbers):
            asking[number] = r
            number += 1
        else:
            arms[r] = track(rule.tracking, runs.n[r], x)
    return number


@njit
def choose_arms(rows, n, table, tracking, arms):
    """Track the play of each row."""
    for r in rows:
        arms[r] = track(tracking, n[r], table[r])


@njit
def draw_rewards(rows, arms, run, table, given, rewards, drawn):
    """The next reward of each row's arm."""
    for r in rows:
        drawn[r] = draw(run[r], arms[r], table[r], given, rewards)


@njit
def take_rewards(rows, arms, drawn, n, table, clip):
    """Count the rewards."""
    for r in rows:
        take(arms[r], drawn[r], table[r], clip)
        n[r] += 1


@njit(allocates=True)
def reward_uniforms(key, run, arms, numbers):
    """The uniforms of rewards that compiled code does not draw."""
    u = np.empty(len(run))
    for r in range(len(run)):
        u[r] = uniform(key, REWARDS, run[r], arms[r], numbers[r])
    return u


@njit(allocates=True)
def draw_uniforms(key, run, n, c):
    """A rule's own uniforms, number c of the round."""
    u = np.empty(len(run))
    for r in range(len(run)):
        u[r] = uniform(key, DRAWS, run[r], n[r], c)
    return u
