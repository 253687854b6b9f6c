r"""Weighted Euclidean projection on a polyhedron, compiled: the dual active-set method of Goldfarb & Idnani.

In the units $y = \sqrt{c} (x - z)$ it is the point of least norm. The normals of the active constraints are
kept as Householder's QR factors with row pivoting, which stay accurate row by row however much the weights c
differ (Cox & Higham 1998): so a weight of zero is just a very small one, and needs no treatment of its own.
"""

from __future__ import annotations

import math

import numpy as np

from purex.jit import guvectorize, njit

SOLVED, INFEASIBLE, LOST = 0, 1, 2
# Relative to the largest weight: what stands for zero, and the smallest weight told from it. Where weights
# differ by more, both are smaller (their inverses, squared, are still far from overflow), unless the largest
# weight stands for an infinite one.
NO_WEIGHT, LEAST_WEIGHT = 1e-60, 1e-40
FAINT_NONE, FAINTEST = 1e-160, 1e-140
INFINITE = 1e150
VIOLATION = 1e-14  # of a constraint, relative to its terms: what rounding leaves
DEPENDENT = 1e-12  # a part of a normal below this, relative to its arm's largest coefficient, is rounding
UNREACHABLE = 1e-11  # a constraint that depends on the active ones and is violated by more is infeasible
REFINEMENTS = 3  # solutions of the equations of a point, each for what the last one left
PASSES = 20  # steps per constraint after which rounding has made a cycle


@njit
def fill_normal(p, sign, A, r, perm, q):
    """The normal of constraint p in the units y: rows of A, then upper bounds, then lower bounds."""
    m, n = A.shape
    if p < m:
        for s in range(n):
            k = perm[s]
            q[s] = sign * A[p, k] * r[k]
        return
    bound = (p - m) % n
    for s in range(n):
        q[s] = 0.0
        if perm[s] == bound:
            q[s] = r[bound] if p < m + n else -r[bound]


@njit
def reflect(a, V, beta, q):
    """Apply the first a reflections to q."""
    n = len(q)
    for j in range(a):
        total = 0.0
        for s in range(j, n):
            total += V[s, j] * q[s]
        total *= beta[j]
        for s in range(j, n):
            q[s] -= total * V[s, j]


@njit
def rest_of(a, q, perm, size):
    """The squared length of q beyond its first a entries, after zeroing what is rounding there."""
    total = 0.0
    for s in range(a, len(q)):
        if abs(q[s]) <= DEPENDENT * size[perm[s]]:
            q[s] = 0.0
        total += q[s] * q[s]
    return total


@njit
def append(a, q, V, beta, R, perm, norm):
    """Make the reflected q, whose rest has this norm, column a of the factors."""
    n = len(q)
    top = a
    for s in range(a + 1, n):
        if abs(q[s]) > abs(q[top]):
            top = s
    if top != a:
        perm[a], perm[top] = perm[top], perm[a]
        q[a], q[top] = q[top], q[a]
        for j in range(a):
            V[a, j], V[top, j] = V[top, j], V[a, j]
    for s in range(a):
        R[s, a] = q[s]
    alpha = -norm if q[a] > 0.0 else norm
    R[a, a] = alpha
    beta[a] = 1.0 / (norm * (norm + abs(q[a])))
    for s in range(a, n):
        V[s, a] = q[s]
    V[a, a] = q[a] - alpha


@njit
def refactor(start, a, active, sign, A, r, V, beta, R, perm, size, q):
    """Factor the active constraints from `start` on again; dependent ones leave. Returns how many stay."""
    kept = start
    for j in range(start, a):
        p, s = active[j], sign[j]
        fill_normal(p, s, A, r, perm, q)
        reflect(kept, V, beta, q)
        rest = rest_of(kept, q, perm, size)
        if rest > 0.0:
            append(kept, q, V, beta, R, perm, math.sqrt(rest))
            active[kept], sign[kept] = p, s
            kept += 1
    return kept


@njit
def excess(p, A, b, lower, upper, x, z):
    """How much constraint p is violated at x (negative: inside), and what of it may be rounding."""
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
def settle(a, active, sign, A, b, lower, upper, z, r, V, beta, R, perm, q, u, x):
    """The point x of least cost where the active constraints hold with equality, and its multipliers u.

    Where an arm of little weight carries several constraints the first solution leaves residuals above
    rounding; they are solved for again.
    """
    m, n = A.shape
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
        for j in range(a - 1, -1, -1):
            total = 0.0
            for s in range(j, n):
                total += V[s, j] * q[s]
            total *= beta[j]
            for s in range(j, n):
                q[s] -= total * V[s, j]
        for s in range(n):
            x[perm[s]] += r[perm[s]] * q[s]
        for j in range(a):
            p = active[j]
            if p >= m:
                k = (p - m) % n
                x[k] = upper[k] if p < m + n else lower[k]


@njit
def project_row(c, z, A, b, equality, lower, upper, x, warm, active, state, table, V, R):
    """The projection of one row: fills x, returns how many constraints are active and a status.

    active[:warm] are constraints to begin with. Scratch: active and state (n + 1 integers and m + 2n
    integers), table (8 rows of at least m + n + 1 numbers), V and R (n, n).
    """
    m, n = A.shape
    r, size, norms, beta = table[0], table[1], table[2], table[3]
    q, u, step, sign = table[4, :n], table[5], table[6], table[7]
    perm = state[m + 2 * n :]
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
        state[p] = 0  # 1: active, 2: implied by the active ones
    # A warm start: the given constraints, without those whose multipliers have the wrong sign.
    for j in range(warm):
        sign[j] = 1.0
    a = refactor(0, warm, active, sign, A, r, V, beta, R, perm, size, q)
    settle(a, active, sign, A, b, lower, upper, z, r, V, beta, R, perm, q, u, x)
    while a > 0:
        worst, least = -1, 0.0
        for j in range(a):
            if not (active[j] < m and equality[active[j]]) and u[j] < least:
                worst, least = j, u[j]
        if worst < 0:
            break
        for j in range(worst, a - 1):
            active[j], sign[j] = active[j + 1], sign[j + 1]
        a = refactor(worst, a - 1, active, sign, A, r, V, beta, R, perm, size, q)
        settle(a, active, sign, A, b, lower, upper, z, r, V, beta, R, perm, q, u, x)
    for j in range(a):
        state[active[j]] = 1
    for _ in range(PASSES * (m + n) + PASSES):
        # The most violated constraint, in the units y; equalities first.
        p, most, over, side = -1, 0.0, 0.0, 1.0
        for j in range(m + 2 * n):
            if state[j] > 0 or (
                j >= m and not math.isfinite(upper[j - m] if j < m + n else lower[j - m - n])
            ):
                continue
            amount, rounding = excess(j, A, b, lower, upper, x, z)
            is_equality = j < m and equality[j]
            size_of = abs(amount) if is_equality else amount
            if size_of <= rounding:
                continue
            norm = norms[j] if j < m else r[(j - m) % n]
            if norm == 0.0:
                return a, INFEASIBLE
            measure = size_of / norm
            if is_equality:
                measure = math.inf
            if measure > most:
                p, most, over = j, measure, size_of
                side = -1.0 if is_equality and amount < 0.0 else 1.0
                if is_equality:
                    break
        if p < 0:
            for k in range(n):
                x[k] = min(max(x[k], lower[k]), upper[k])
            return a, SOLVED
        start = over
        while True:
            fill_normal(p, side, A, r, perm, q)
            reflect(a, V, beta, q)
            rest = rest_of(a, q, perm, size)
            for j in range(a - 1, -1, -1):
                total, terms = q[j], abs(q[j])
                for s in range(j + 1, a):
                    total -= R[j, s] * step[s]
                    terms += abs(R[j, s] * step[s])
                step[j] = total / R[j, j] if abs(total) > VIOLATION * terms else 0.0
            blocking, t = -1, math.inf
            for j in range(a):
                i = active[j]
                if i < m and equality[i]:
                    continue
                if step[j] > 0.0:
                    ratio = max(u[j], 0.0) / step[j]
                    if ratio < t:
                        blocking, t = j, ratio
            if rest == 0.0 and blocking < 0:
                terms = excess(p, A, b, lower, upper, x, z)[1] / VIOLATION
                if start > UNREACHABLE * max(terms, 1e-300):
                    return a, INFEASIBLE
                state[p] = 2
                break
            if rest > 0.0 and over <= t * rest:
                append(a, q, V, beta, R, perm, math.sqrt(rest))
                active[a], sign[a], state[p] = p, side, 1
                a += 1
                settle(a, active, sign, A, b, lower, upper, z, r, V, beta, R, perm, q, u, x)
                break
            for j in range(a):
                u[j] -= t * step[j]
            over -= t * rest
            gone = active[blocking]
            state[gone] = 0
            for j in range(blocking, a - 1):
                active[j], sign[j], u[j] = active[j + 1], sign[j + 1], u[j + 1]
            before = a - 1
            a = refactor(blocking, before, active, sign, A, r, V, beta, R, perm, size, q)
            if a < before:  # rounding made the rest dependent: begin again without the lost ones
                return a, LOST
            for j in range(m + 2 * n):
                if state[j] == 2:
                    state[j] = 0
    return a, LOST


@njit(allocates=True)
def contiguous(x):
    """A copy without gaps: so there is one kind of vectors, and `project_row` is compiled once."""
    y = np.empty(len(x), x.dtype)
    for k in range(len(x)):
        y[k] = x[k]
    return y


@guvectorize(
    ["(f8[:], f8[:], f8[:, :], f8[:], b1[:], f8[:], f8[:], f8[:], i8[:])"],
    "(k),(k),(m,k),(m),(m),(k),(k)->(k),()",
)
def project_rows(c, z, A, b, equality, lower, upper, x, status):
    r"""Minimise $\sum_k c_k (x_k - z_k)^2$ over $A x \le b$ (= where equality), $l \le x \le u$."""
    m, n = A.shape
    active, state = np.empty(n + 1, np.int64), np.empty(m + 3 * n, np.int64)
    table, V, R = np.empty((8, m + n + 1)), np.empty((n, n)), np.empty((n, n))
    low, high, found = contiguous(lower), contiguous(upper), contiguous(z)
    _, status[0] = project_row(
        contiguous(c), contiguous(z), A, contiguous(b), contiguous(equality), low, high, found, 0,
        active, state, table, V, R,
    )  # fmt: skip
    for k in range(n):
        x[k] = found[k]
