r"""Quantities made of divergences that the proofs use: Chernoff information, optimistic gains."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray
from purex.families import Family


def chernoff(family: Family, x: ArrayLike, y: ArrayLike) -> FloatArray:
    r"""The Chernoff information $ch(x, y) = \inf_u d(u, x) + d(u, y)$ (appendix D).

    It is attained at the mean u whose natural parameter lies half way, so that it is
    $\psi(\theta_x) + \psi(\theta_y) - 2\psi((\theta_x + \theta_y)/2)$; evaluated as divergences, it keeps its
    digits where x and y are close.

    >>> from purex.families import Gaussian
    >>> print(chernoff(Gaussian(), 1.0, 0.5))
    0.0625
    """
    u = family.mean((family.natural(x) + family.natural(y)) / 2)
    return np.asarray(family.d(u, x) + family.d(u, y))


def expected_divergence(family: Family, xi: ArrayLike, points: ArrayLike, q: ArrayLike) -> FloatArray:
    r"""$E_{\lambda \sim q}\, d(\xi, \lambda)$ for points (M,) of weights q (M,); xi of any shape."""
    d = family.d(np.asarray(xi, dtype=np.float64)[..., None], points)
    return np.asarray(np.einsum("...m,m->...", d, np.asarray(q, dtype=np.float64)))
