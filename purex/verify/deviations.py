r"""Deviations of empirical means: the levels of the theory, and probabilities computed exactly.

$\overline W$ is the inverse of $z - \ln z$ on z >= 1; $f(s) = \overline W((1+a)(1+b)\ln s)$ the exploration
bonus; $E_t$ the event that $N_s^k d(\hat\mu_s^k, \mu^k) \le f_E(t) = \overline W((1+a)\ln t)$ for all arms at
all times s <= t (appendix B of the paper).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import FloatArray
from purex.families import Bernoulli, Exponential, Family

HALVINGS = 80  # of a bisection: to the last digit


def lambert(x: ArrayLike) -> FloatArray:
    r"""$\overline W(x) = -W_{-1}(-e^{-x})$, extended by 1 below x = 1 (R4).

    One over it is a lower confidence bound of an exponential arm, whose $d(1, 1/z)$ is $z - 1 - \ln z$.

    >>> print(f"{lambert(2.0):.12f} {lambert(0.3):.1f} {lambert(1000.0):.6f}")
    3.146193220621 1.0 1006.914646
    """
    level = np.maximum(np.asarray(x, dtype=np.float64) - 1.0, 0.0)
    return np.asarray(1.0 / Exponential().lower(1.0, level))


def bonus(s: ArrayLike, a: ArrayLike = 1.0, b: ArrayLike = 1.0) -> FloatArray:
    """The exploration bonus f(s) of the theory.

    >>> print(f"{bonus(100.0):.6f}")
    21.488184
    """
    factor = (1 + np.asarray(a)) * (1 + np.asarray(b))
    return lambert(factor * np.log(np.asarray(s, dtype=np.float64)))


def event_level(t: ArrayLike, a: ArrayLike = 1.0) -> FloatArray:
    """The level f_E(t) of the event E_t."""
    return bonus(t, a, 0.0)


def peeling_bound(t: ArrayLike, alpha: ArrayLike) -> FloatArray:
    r"""The paper's $2e \ln(t)\, \alpha e^{-\alpha}$ for $P(\exists s \le t: s\,d(\bar Y_s, \mu) \ge \alpha)$.

    >>> print(f"{peeling_bound(3, 0.05):.3f}")
    0.284
    """
    alpha = np.asarray(alpha, dtype=np.float64)
    return np.asarray(2 * math.e * np.log(np.asarray(t, dtype=np.float64)) * alpha * np.exp(-alpha))


def event_bound(t: ArrayLike, n_arms: int, a: float = 1.0) -> FloatArray:
    r"""$2eK \ln t/t^{1+a}$: the paper's bound on $P(E_t^c)$, t >= 3."""
    t = np.asarray(t, dtype=np.float64)
    return np.asarray(2 * math.e * n_arms * np.log(t) / t ** (1 + a))


def farthest_mean(family: Family, mu: float, level: ArrayLike, side: float) -> FloatArray:
    r"""The mean x with $d(x, \mu) \le$ level that is farthest from mu, above it if `side` > 0, else below.

    A confidence bound is about the other argument, $d(\mu, x)$. By bisection, from inside.

    >>> print(f"{farthest_mean(Bernoulli(), 0.5, 0.1, side=1):.6f}")
    0.719795
    """
    level = np.asarray(level, dtype=np.float64)
    edge = float(family.domain[1] if side > 0 else family.domain[0])
    far = np.full(level.shape, edge)
    if not math.isfinite(edge):
        far = mu + math.copysign(1.0, side) * np.ones(level.shape)
        while (short := family.d(far, mu) <= level).any():
            far = np.where(short, mu + 2 * (far - mu), far)
    near = np.full(level.shape, float(mu))
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        inside = family.d(middle, mu) <= level
        near, far = np.where(inside, middle, near), np.where(inside, far, middle)
    return near


def crossing_probability(mu: float, t: int, level: ArrayLike) -> float:
    r"""$P(\exists s \le t: s\,d(\bar Y_s, \mu) \ge \alpha_s)$ for Bernoulli(mu), exactly.

    The number of successes is followed as long as the level, a number or one for each s, was not reached.

    >>> crossing_probability(0.5, 3, 0.05)
    1.0
    >>> print(f"{crossing_probability(0.5, 1000, 8.0):.6f}")
    0.002377
    """
    levels = np.broadcast_to(np.asarray(level, dtype=np.float64), t)
    divergence = Bernoulli().d
    alive = np.ones(1)  # alive[j]: no crossing yet, and j successes
    for s in range(1, t + 1):
        following = np.zeros(s + 1)
        following[:-1] = alive * (1 - mu)
        following[1:] += alive * mu
        alive = np.where(s * divergence(np.arange(s + 1) / s, mu) >= levels[s - 1], 0.0, following)
    return float(1.0 - math.fsum(alive))
