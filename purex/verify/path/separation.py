r"""How far the alternatives to an answer are from the truth, in Chernoff divergence.

$\varepsilon = \inf_{\lambda \in \neg i^*} \max_k \mathrm{ch}(\lambda^k, \mu^k)$ with
$\mathrm{ch}(x, y) = \inf_u d(u, x) + d(u, y)$ (lemma on different answers of the paper, l.900 and S11).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purex.convex.newton import Chart
from purex.convex.piece import Piece
from purex.families import Arms
from purex.problem import Problem

FloatArray = NDArray[np.float64]

HALVINGS = 200  # more than a float has bits: bisections end when an interval has no point inside


def chernoff(arms: Arms, x: FloatArray, y: FloatArray) -> FloatArray:
    r"""The Chernoff divergence $\psi(\theta_x) + \psi(\theta_y) - 2\psi((\theta_x + \theta_y)/2)$ of each arm.

    Taken as $d(u, x) + d(u, y)$ at the mean u of the middle parameter, where nothing cancels.

    >>> from purex.families import Bernoulli, Gaussian
    >>> arms = Arms([Bernoulli(), Gaussian()])
    >>> chernoff(arms, np.array([0.3, 1.0]), np.array([0.21, 0.85])).round(8)
    array([0.01070905, 0.005625  ])
    """
    middle = arms.mean((arms.natural(x) + arms.natural(y)) / 2)
    return arms.d(middle, x) + arms.d(middle, y)


def separation(problem: Problem, mu: FloatArray, i: int) -> float:
    r"""$\varepsilon = \inf_{\lambda \in \neg i} \max_k \mathrm{ch}(\lambda^k, \mu^k)$; infinite without alternatives.

    Bisection on the value: is there a point of some piece with $\mathrm{ch}(\lambda^k, \mu^k) \le e$?

    >>> problem = Problem.from_names("gaussian", "best-arm", n_arms=4, box=(0, 2))
    >>> print(f"{separation(problem, np.array([1, 0.85, 0.8, 0.7]), 0):.8f}")
    0.00140625
    """
    arms = problem.arms
    pieces = [solver.piece for _, solver in problem.game.pieces.solvers(i)]
    ends = np.full(arms.n_arms, problem.lower), np.full(arms.n_arms, problem.upper)
    low, high = 0.0, float(max(chernoff(arms, end, mu).max() for end in ends))
    if not any(_meets(piece, *ends) for piece in pieces):
        return np.inf
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high or high - low <= 1e-14 * high:
            break
        around = [_reach(arms, mu, end, middle) for end in ends]
        if any(_meets(piece, *around) for piece in pieces):
            high = middle
        else:
            low = middle
    return high


def _reach(arms: Arms, mu: FloatArray, end: FloatArray, e: float) -> FloatArray:
    """How far towards `end` each arm can move from mu at Chernoff divergence e."""
    near, far = mu.copy(), end.copy()
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        inside = chernoff(arms, middle, mu) <= e
        if ((middle == near) | (middle == far)).all():
            break
        near, far = np.where(inside, middle, near), np.where(inside, far, middle)
    return np.where(chernoff(arms, end, mu) <= e, end, far)


def _meets(piece: Piece, lower: FloatArray, upper: FloatArray) -> bool:
    """Whether a piece has a point in the box [lower, upper]."""
    low, high = np.maximum(piece.lower, lower), np.minimum(piece.upper, upper)
    if (low > high).any():
        return False
    if len(piece.A) == 0:
        for _ in range(piece.arms.n_arms):
            for a, b in piece.orders:
                low[b] = max(low[b], low[a])
        return bool((low <= high).all())
    from scipy.optimize import linprog

    chart = Chart(piece.arms, piece.coordinates)
    rows = [piece.A[~piece.equality]]
    right = [piece.b[~piece.equality]]
    if piece.orders:
        rows.append(piece.order_rows())
        right.append(np.zeros(len(piece.orders)))
    equal = piece.equality
    found = linprog(
        np.zeros(piece.arms.n_arms),
        A_ub=np.vstack(rows),
        b_ub=np.concatenate(right),
        A_eq=piece.A[equal] if equal.any() else None,
        b_eq=piece.b[equal] if equal.any() else None,
        bounds=list(zip(chart.place(low), chart.place(high), strict=True)),
    )
    return bool(found.status == 0)
