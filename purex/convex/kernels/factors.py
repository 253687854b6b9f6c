r"""The normals of active constraints as QR factors, compiled: Householder's reflections with row pivoting.

They stay accurate row by row however much the rows differ in size (Cox & Higham 1998).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from purex.arrays import FloatArray, IntArray
from purex.jit import njit

DEPENDENT = 1e-12  # a part of a normal below this, relative to its arm's largest coefficient, is rounding


class Factors(NamedTuple):
    r"""The factors of the active constraints' normals, for up to n arms.

    Constraints are numbered: the rows of A from 0, the upper bounds from m, the lower bounds from m + n. In
    the units $y_k = (x_k - z_k) / r_k$ the normals of those in `active` are the columns of
    $N = P^\top H_1 \cdots H_a R$, where P is the permutation `perm` and
    $H_j = I - \beta_j v_j v_j^\top$ with the columns $v_j$ of V.
    """

    active: IntArray  # (n + 1,): the active constraints, in the order of the factors
    sign: FloatArray  # (n + 1,): -1 for an equality that came in from below, else 1
    u: FloatArray  # (n + 1,): their multipliers
    perm: IntArray  # (n,): the arm in each place of the factors
    r: FloatArray  # (n,): the unit of each arm, one over the square root of its weight
    size: FloatArray  # (n,): the largest coefficient of each arm in these units
    q: FloatArray  # (n,): a normal, or a right-hand side
    beta: FloatArray  # (n,)
    V: FloatArray  # (n, n)
    R: FloatArray  # (n, n)


@njit
def fill_normal(p, sign, A, r, perm, q):
    r"""The normal of constraint p in the units y, $q_s = \pm A_{pk} r_k$ for arm k in place s; fills q."""
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
    r"""Apply the first a reflections: $q \leftarrow H_a \cdots H_1 q$."""
    n = len(q)
    for j in range(a):
        total = 0.0
        for s in range(j, n):
            total += V[s, j] * q[s]
        total *= beta[j]
        for s in range(j, n):
            q[s] -= total * V[s, j]


@njit(inline="always")
def reflect_back(a, V, beta, q):
    r"""Undo the first a reflections: $q \leftarrow H_1 \cdots H_a q$."""
    n = len(q)
    for j in range(a - 1, -1, -1):
        total = 0.0
        for s in range(j, n):
            total += V[s, j] * q[s]
        total *= beta[j]
        for s in range(j, n):
            q[s] -= total * V[s, j]


@njit
def rest_of(a, q, perm, size):
    r"""The squared length $\sum_{s \ge a} q_s^2$ of what is new in q, after zeroing what is rounding."""
    total = 0.0
    for s in range(a, len(q)):
        if abs(q[s]) <= DEPENDENT * size[perm[s]]:
            q[s] = 0.0
        total += q[s] * q[s]
    return total


@njit
def append(a, q, V, beta, R, perm, norm):
    r"""Make the reflected q column a of the factors; `norm` is that of its rest.

    The reflection with $v = q_{a:} - \alpha e_1$, $\alpha = \mp\|q_{a:}\|$, takes the rest to $\alpha e_1$.
    """
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
def refactor(start, a, A, factors):
    """Factor the active constraints from `start` on again; dependent ones leave. Returns how many stay."""
    active, sign, _, perm, r, size, q, beta, V, R = factors
    kept = start
    for j in range(start, a):
        p, side = active[j], sign[j]
        fill_normal(p, side, A, r, perm, q)
        reflect(kept, V, beta, q)
        rest = rest_of(kept, q, perm, size)
        if rest > 0.0:
            append(kept, q, V, beta, R, perm, math.sqrt(rest))
            active[kept], sign[kept] = p, side
            kept += 1
    return kept
