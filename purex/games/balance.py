r"""The mixture that belongs to an optimal allocation, where it follows arm by arm."""

from __future__ import annotations

import numpy as np

from purex.arrays import FloatArray

TIGHT = 1e-6  # a piece that costs this fraction more than the cheapest one is not in use
WHISPER = 1e-200  # a weight below this is only there to make infinite costs count


def balanced(w: FloatArray, G: FloatArray) -> FloatArray | None:
    r"""Weights q (J,) that let every arm in use earn the same against the points of J pieces, if they follow.

    At the optimum $\sum_p q_p G_{pk} = D$ for every arm k with $w^k > 0$, and q is 0 off the cheapest pieces.
    An arm that only one of these moves settles that piece's weight; then others may be left with one. In
    best arm each rival j does at once, $q_j = D/d(\mu^j, m_j)$; in top-M they follow like the leaves of a
    tree. None where arms and pieces form a cycle.

    >>> G = np.array([[0.02, 0.03, 0.0], [0.04, 0.0, 0.08]])  # an arm that two rivals may catch up with
    >>> balanced(np.array([0.5, 0.5, 0.0625]), G).round(6)
    array([0.727273, 0.272727])
    """
    cost = G @ w
    value = float(cost.min())
    pieces = np.flatnonzero(cost <= value * (1.0 + TIGHT))
    payoffs = G[np.ix_(pieces, np.flatnonzero(w > WHISPER))]
    moves, is_open = payoffs > 0, np.ones(len(pieces), dtype=bool)
    left, q = np.full(payoffs.shape[1], value), np.zeros(len(pieces))
    count = moves.sum(axis=0)
    while is_open.any():
        settling = np.flatnonzero(count == 1)
        if len(settling) == 0:
            return None
        open_pieces = np.flatnonzero(is_open)
        of = open_pieces[moves[np.ix_(open_pieces, settling)].argmax(axis=0)]
        of, first = np.unique(of, return_index=True)
        arms = settling[first]
        q[of] = np.maximum(left[arms], 0.0) / payoffs[of, arms]
        left = left - q[of] @ payoffs[of]
        is_open[of] = False
        count = count - moves[of].sum(axis=0)
    full = np.zeros(len(G))
    full[pieces] = q
    return full / full.sum() if full.any() else None
