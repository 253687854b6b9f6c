"""One stage of a round for a whole batch, compiled: the lock-step path runs these around its oracles."""

from __future__ import annotations

from typing import Any

import numpy as np

from purex.engine.kernels.round import bonus, cost_of_witness, draw, is_held, take
from purex.jit import njit
from purex.rows import COST, GAIN_ALPHA, PLAY
from purex.streams import DRAWS, REWARDS, uniform
from purex.tracking import track

intervals: Any = None
gains: Any = None
ask: Any = None
hear: Any = None


@njit(allocates=True)
def find_unheld(rows, barrier, candidate, witness, table, codes, laws):
    """The rows whose witness does not keep them from stopping: these need the oracle."""
    found = np.empty(len(rows), dtype=np.int64)
    number = 0
    for r in rows:
        for k in range(table.shape[2]):
            table[r, COST, k] = cost_of_witness(k, table[r], codes, laws)
        if witness[r] != candidate[r] or not is_held(barrier[r], table[r]):
            found[number] = r
            number += 1
    return found[:number]


def open_round(rows, n, kind, c, bonuses, table, codes, laws):
    """The bonus and the confidence intervals of each row."""
    for r in rows:
        bonuses[r] = bonus(kind, c, n[r])
        intervals(bonuses[r], table[r], codes, laws)


@njit
def find_slot(r, single, candidate, slot, answers, seen, memory, start):
    """The learner of a row's candidate, made if it is new; returns whether there was room for it."""
    j = 0
    while j < seen[r] and answers[r, j] != candidate[r] and not single:
        j += 1
    if j == seen[r]:
        if j == answers.shape[1]:
            return False
        answers[r, j] = candidate[r]
        seen[r] += 1
        for m in range(len(start)):
            memory[r, j, m] = start[m]
    slot[r] = j
    return True


@njit
def find_slots(rows, single, candidate, slot, answers, seen, memory, start):
    """The learner of each row's candidate; returns whether there was room for all."""
    room = True
    for r in rows:
        room = find_slot(r, single, candidate, slot, answers, seen, memory, start) and room
    return room


def ask_first(
    rows, single, candidate, n, bonuses, key, run, table, slot, answers, seen, memory, start, numbers, mode,
    arms,
):  # fmt: skip
    """Let each row's learner prepare its first call; returns whether there was room, and who makes one.

    Rows that make none are tracked.
    """
    asking = np.empty(len(rows), dtype=np.int64)
    number = 0
    for r in rows:  # all slots before the first call: a learner must not be asked twice
        if not find_slot(r, single, candidate, slot, answers, seen, memory, start):
            return False, asking[:0]
    for r in rows:
        x = table[r]
        if ask(
            0,
            candidate[r],
            n[r],
            bonuses[r],
            key,
            run[r],
            x,
            x[PLAY],
            x[GAIN_ALPHA],
            memory[r, slot[r]],
            numbers,
        ):
            asking[number] = r
            number += 1
        else:
            arms[r] = track(mode, n[r], table[r])
    return True, asking[:number]


def hear_and_ask(
    rows, call, candidate, n, bonuses, key, run, table, memory, slot, numbers, codes, laws, mode, arms
):
    """Hand each row's rule the oracle's reply; returns the rows that make one more call.

    The others are tracked.
    """
    asking = np.empty(len(rows), dtype=np.int64)
    number = 0
    for r in rows:
        i, f, x, learner = candidate[r], bonuses[r], table[r], memory[r, slot[r]]
        w, gain = x[PLAY], x[GAIN_ALPHA]
        gains(x, codes, laws)
        hear(call, i, n[r], f, key, run[r], x, w, gain, learner, numbers)
        if ask(call + 1, i, n[r], f, key, run[r], x, w, gain, learner, numbers):
            asking[number] = r
            number += 1
        else:
            arms[r] = track(mode, n[r], x)
    return asking[:number]


@njit
def choose_arms(rows, mode, n, table, arms):
    """Track the play of each row."""
    for r in rows:
        arms[r] = track(mode, n[r], table[r])


@njit
def draw_rewards(rows, arms, key, run, table, codes, laws, truth, rewards):
    """The next reward of each row's arm."""
    for r in rows:
        rewards[r] = draw(key, run[r], arms[r], table[r], codes, laws, truth)


@njit
def take_rewards(rows, arms, rewards, n, table, laws):
    """Count the rewards."""
    for r in rows:
        take(arms[r], rewards[r], table[r], laws)
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
