r"""Weighted Euclidean projection on a polyhedron, compiled: the dual active-set method of Goldfarb & Idnani.

In the units $y = \sqrt{c} (x - z)$ it is the point of least norm. The factors of the active constraints'
normals (`factors`) stay accurate however much the weights c differ: so a weight of zero is just a very small
one, and needs no treatment of its own.

Functions and no gufuncs: these take tuples, and are not put through LLVM once more.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.convex.arguments import INFEASIBLE, LOST, SOLVED, Feasible
from purex.convex.kernels.factors import (
    Factors,
    append,
    fill_normal,
    refactor,
    reflect,
    reflect_back,
    rest_of,
)
from purex.jit import njit

# Relative to the largest weight: what stands for zero, and the smallest weight told from it. Where weights
# differ by more, both are smaller (their inverses, squared, are still far from overflow), unless the largest
# weight stands for an infinite one.
NO_WEIGHT, LEAST_WEIGHT = 1e-60, 1e-40
FAINT_NONE, FAINTEST = 1e-160, 1e-140
INFINITE = 1e150
VIOLATION = 1e-14  # of a constraint, relative to its terms: what rounding leaves
UNREACHABLE = 1e-11  # a constraint that depends on the active ones and is violated by more is infeasible
LEAST_TERMS = 1e-300  # stands for terms of size zero
REFINEMENTS = 3  # solutions of the equations of a point, each for what the last one left
PASSES = 20  # steps per constraint after which rounding has made a cycle
FREE, ACTIVE, IMPLIED = range(3)  # a constraint's state; the last: by the active ones
NONE, IMPOSSIBLE = -1, -2  # in place of a constraint's number: no one is violated; one without a normal is


class Space(NamedTuple):
    """The memory of the active-set method for up to m rows and n arms; `active_set` gives names to it."""

    integers: IntArray  # (m + 4n + 1,)
    vectors: FloatArray  # (8, m + n + 1)
    V: FloatArray  # (n, n)
    R: FloatArray  # (n, n)


class ActiveSet(NamedTuple):
    """What the active-set method knows of m rows and n arms."""

    factors: Factors
    state: IntArray  # (m + 2n,): whether a constraint is FREE, ACTIVE or IMPLIED
    norms: FloatArray  # (m,): the norm of each row in the units y
    step: FloatArray  # (n + 1,): how fast the multipliers fall while a constraint comes in


@njit(allocates=True, inline="always")
def space_for(m, n):
    """The memory for m rows and n arms."""
    return Space(
        np.empty(m + 4 * n + 1, np.int64), np.empty((8, m + n + 1)), np.empty((n, n)), np.empty((n, n))
    )


@njit(inline="always")
def active_set(m, n, space):
    """The parts of the memory under their names."""
    integers, vectors = space.integers, space.vectors
    factors = Factors(
        active=integers[: n + 1],
        sign=vectors[0],
        u=vectors[1],
        perm=integers[n + 1 : 2 * n + 1],
        r=vectors[2],
        size=vectors[3],
        q=vectors[4, :n],
        beta=vectors[5],
        V=space.V,
        R=space.R,
    )
    return ActiveSet(factors, state=integers[2 * n + 1 :], norms=vectors[6], step=vectors[7])


@njit(inline="always")
def set_units(c, A, memory):
    r"""Fill the units $r_k = (c_k / \max c)^{-1/2}$ and the sizes of constraints in them; all are free."""
    m, n = A.shape
    norms, state = memory.norms, memory.state
    r, size, perm = memory.factors.r, memory.factors.size, memory.factors.perm
    top = 0.0
    for k in range(n):
        top = max(top, c[k])
    least = 1.0
    for k in range(n):
        r[k] = c[k] / top if top > 0.0 else 1.0
        least = min(least, r[k]) if r[k] > 0.0 else least
    nothing, faintest = NO_WEIGHT, LEAST_WEIGHT
    if least < LEAST_WEIGHT and top < INFINITE:
        nothing, faintest = FAINT_NONE, FAINTEST
    for k in range(n):
        share = max(r[k], faintest) if r[k] > 0.0 else nothing
        r[k] = 1.0 / math.sqrt(share)
        size[k] = r[k]
        perm[k] = k
    for p in range(m):
        total = 0.0
        for k in range(n):
            g = abs(A[p, k]) * r[k]
            size[k] = max(size[k], g)
            total += g * g
        norms[p] = math.sqrt(total)
    for p in range(m + 2 * n):
        state[p] = FREE


@njit
def excess(p, A, b, lower, upper, x, z):
    r"""How much constraint p is violated at x, $A_p x - b_p$ for a row, and what of it may be rounding."""
    m, n = A.shape
    if p >= m:
        k = (p - m) % n
        over = x[k] - upper[k] if p < m + n else lower[k] - x[k]
        return over, VIOLATION * (abs(x[k]) + abs(x[k] - z[k]))
    over, terms = -b[p], abs(b[p])
    for k in range(n):
        over += A[p, k] * x[k]
        terms += abs(A[p, k]) * (abs(x[k]) + abs(x[k] - z[k]))
    return over, VIOLATION * terms


@njit
def settle(a, z, feasible, factors, x):
    r"""The point x of least cost where the a active constraints hold with equality, and its multipliers u.

    With h their residuals, $R^\top q = h$ gives the move $y = P^\top H_1 \cdots H_a q$, and $R u = -q$ the
    multipliers. Where an arm of little weight carries several constraints the first solution leaves residuals
    above rounding; they are solved for again.
    """
    A, b, lower, upper = feasible.A, feasible.b, feasible.lower, feasible.upper
    m, n = A.shape
    active, sign, u, perm, r, _, q, beta, V, R = factors
    for k in range(n):
        x[k] = z[k]
    for attempt in range(REFINEMENTS if a > 0 else 0):
        rough = attempt == 0
        for j in range(a):  # R' q = h
            p = active[j]
            over, rounding = excess(p, A, b, lower, upper, x, z)
            rough |= abs(over) > rounding
            total = -over if p >= m else -sign[j] * over
            for s in range(j):
                total -= R[s, j] * q[s]
            q[j] = total / R[j, j]
        if not rough:
            break
        if attempt == 0:
            for j in range(a - 1, -1, -1):  # R u = -q
                total = -q[j]
                for s in range(j + 1, a):
                    total -= R[j, s] * u[s]
                u[j] = total / R[j, j]
        for s in range(a, n):
            q[s] = 0.0
        reflect_back(a, V, beta, q)
        for s in range(n):
            x[perm[s]] += r[perm[s]] * q[s]
        for j in range(a):
            p = active[j]
            if p >= m:
                k = (p - m) % n
                x[k] = upper[k] if p < m + n else lower[k]


@njit(inline="always")
def begin(warm, z, feasible, memory, x):
    """Fill x from the constraints active[:warm], less those with multipliers u < 0; returns how many stay."""
    A, equality = feasible.A, feasible.equality
    m = len(A)
    factors = memory.factors
    active, sign, u = factors.active, factors.sign, factors.u
    for j in range(warm):
        sign[j] = 1.0
    a = refactor(0, warm, A, factors)
    settle(a, z, feasible, factors, x)
    while a > 0:
        worst, least = -1, 0.0
        for j in range(a):
            if not (active[j] < m and equality[active[j]]) and u[j] < least:
                worst, least = j, u[j]
        if worst < 0:
            break
        for j in range(worst, a - 1):
            active[j], sign[j] = active[j + 1], sign[j + 1]
        a = refactor(worst, a - 1, A, factors)
        settle(a, z, feasible, factors, x)
    for j in range(a):
        memory.state[active[j]] = ACTIVE
    return a


@njit(inline="always")
def most_violated(z, feasible, memory, x):
    r"""The constraint p farthest from x, $\max_p (A_p x - b_p) / \|A_p r\|$; equalities first.

    Returns p (or NONE, or IMPOSSIBLE), by how much it is violated, and from which side.
    """
    A, b, equality = feasible.A, feasible.b, feasible.equality
    lower, upper = feasible.lower, feasible.upper
    state, norms, r = memory.state, memory.norms, memory.factors.r
    m, n = A.shape
    p, most, over, side = NONE, 0.0, 0.0, 1.0
    for j in range(m + 2 * n):
        if state[j] != FREE or (
            j >= m and not math.isfinite(upper[j - m] if j < m + n else lower[j - m - n])
        ):
            continue
        amount, rounding = excess(j, A, b, lower, upper, x, z)
        is_equality = j < m and equality[j]
        distance = abs(amount) if is_equality else amount
        if distance <= rounding:
            continue
        norm = norms[j] if j < m else r[(j - m) % n]
        if norm == 0.0:
            return IMPOSSIBLE, over, side
        if is_equality:
            return j, distance, -1.0 if amount < 0.0 else 1.0
        measure = distance / norm
        if measure > most:
            p, most, over = j, measure, distance
    return p, over, side


@njit(inline="always")
def fill_step(a, R, q, step):
    r"""How fast multipliers fall while the constraint with reflected normal q comes in: $R s = q_{:a}$."""
    for j in range(a - 1, -1, -1):
        total, terms = q[j], abs(q[j])
        for s in range(j + 1, a):
            total -= R[j, s] * step[s]
            terms += abs(R[j, s] * step[s])
        step[j] = total / R[j, j] if abs(total) > VIOLATION * terms else 0.0


@njit(inline="always")
def first_to_leave(a, equality, active, u, step):
    r"""The active inequality j whose multiplier is the first to vanish, and when: $t = \min_j u_j / s_j$."""
    m = len(equality)
    blocking, t = NONE, math.inf
    for j in range(a):
        i = active[j]
        if i < m and equality[i]:
            continue
        if step[j] > 0.0:
            ratio = max(u[j], 0.0) / step[j]
            if ratio < t:
                blocking, t = j, ratio
    return blocking, t


@njit(inline="always")
def drop(j, a, A, factors):
    """Let the constraint in place j of a leave; returns how many of the others stay independent."""
    active, sign, u = factors.active, factors.sign, factors.u
    for i in range(j, a - 1):
        active[i], sign[i], u[i] = active[i + 1], sign[i + 1], u[i + 1]
    return refactor(j, a - 1, A, factors)


@njit(inline="always")
def bring_in(a, p, over, side, z, feasible, memory, x):
    r"""Make constraint p, violated by `over`, active; those whose multipliers vanish on the way leave.

    Along the dual step t the multipliers are $u - t s$ and the violation is `over` $- t \|q_{a:}\|^2$.
    Returns how many constraints are active, and a status: SOLVED if p needs nothing more.
    """
    A, equality = feasible.A, feasible.equality
    m, n = A.shape
    factors, state, _, step = memory
    active, sign, u, perm, r, size, q, beta, V, R = factors
    start = over
    while True:
        fill_normal(p, side, A, r, perm, q)
        reflect(a, V, beta, q)
        rest = rest_of(a, q, perm, size)
        fill_step(a, R, q, step)
        blocking, t = first_to_leave(a, equality, active, u, step)
        if rest == 0.0 and blocking == NONE:
            rounding = excess(p, A, feasible.b, feasible.lower, feasible.upper, x, z)[1]
            if start > UNREACHABLE * max(rounding / VIOLATION, LEAST_TERMS):
                return a, INFEASIBLE
            state[p] = IMPLIED
            return a, SOLVED
        if rest > 0.0 and over <= t * rest:
            append(a, q, V, beta, R, perm, math.sqrt(rest))
            active[a], sign[a], state[p] = p, side, ACTIVE
            settle(a + 1, z, feasible, factors, x)
            return a + 1, SOLVED
        for j in range(a):
            u[j] -= t * step[j]
        over -= t * rest
        before = a - 1
        state[active[blocking]] = FREE
        a = drop(blocking, a, A, factors)
        if a < before:  # rounding made the rest dependent
            return a, LOST
        for j in range(m + 2 * n):
            if state[j] == IMPLIED:
                state[j] = FREE


@njit
def project_row(c, z, feasible, warm, space, x):
    r"""Minimise $\sum_k c_k (x_k - z_k)^2$ over the feasible x of one row; fills x.

    Begins with the first `warm` constraints that were active in the last call with this space. Returns how
    many are active, and a status.
    """
    m, n = feasible.A.shape
    memory = active_set(m, n, space)
    set_units(c, feasible.A, memory)
    a = begin(warm, z, feasible, memory, x)
    for _ in range(PASSES * (m + n) + PASSES):
        p, over, side = most_violated(z, feasible, memory, x)
        if p == IMPOSSIBLE:
            return a, INFEASIBLE
        if p == NONE:
            for k in range(n):
                x[k] = min(max(x[k], feasible.lower[k]), feasible.upper[k])
            return a, SOLVED
        a, status = bring_in(a, p, over, side, z, feasible, memory, x)
        if status != SOLVED:
            return a, status
    return a, LOST


@njit(allocates=True)
def project_rows(c, z, feasible, points, status):
    r"""Minimise $\sum_k c_k (x_k - z_k)^2$ over the feasible x, row by row; fills points and status.

    c, z and the bounds (R, n): each row has its own.
    """
    m, n = feasible.A.shape
    space = space_for(m, n)
    A, b, equality = feasible.A[:, :], feasible.b, feasible.equality  # A as `project_row` has it for pieces
    for r in range(len(c)):
        row = Feasible(A, b, equality, feasible.lower[r], feasible.upper[r])
        _, status[r] = project_row(c[r], z[r], row, 0, space, points[r])
