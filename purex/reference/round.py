"""What a round sees, whether it is the last, and its optimism: lines 3 to 6 and 8 of Algorithm 1."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from purex.arrays import FloatArray
from purex.problem import Problem

EDGE = 1e-3  # of a `unit`: how far from the end of their domain the sampling rule sees means of discrete arms
HAIR = 1e-300  # and those of positive continuous arms, whose mean is 0 by rounding only


class Round(NamedTuple):
    r"""What round t = n + 1 sees: f(n), N, raw means, estimates $\hat\mu$, $[\alpha, \beta]$, $i_t$ and Z."""

    problem: Problem
    n: int
    f: float
    N: FloatArray
    mean: FloatArray
    mu: FloatArray
    alpha: FloatArray
    beta: FloatArray
    i: int
    Z: float


class Play(NamedTuple):
    r"""The play $q_t$ of the lambda-player: points (J, K) with weights (J,)."""

    weights: FloatArray
    points: FloatArray


def clip(problem: Problem, N: FloatArray, x: FloatArray) -> FloatArray:
    r"""Bring x into the interval $[\mu_{\min}, \mu_{\max}]$ of each arm (section 2.1).

    The paper does so with all estimates except those of the GLRT, and leaves the interval of its
    experiments open. Here it is the problem's box, cut off EDGE before the ends of the domain, where
    divergences are infinite; after 500 pulls, half a success before them.

    >>> problem = Problem.from_names("bernoulli", "best-arm", n_arms=2)
    >>> print(clip(problem, np.array([1.0, 625.0]), np.array([0.0, 1.0])))
    [0.001  0.9992]
    """
    arms = problem.arms
    unit = np.array([family.unit for family in arms.families])
    positive = np.array([family.kind.startswith("gamma") for family in arms.families])
    edge = np.minimum(np.where(positive, HAIR, EDGE * unit), 0.5 * unit / N)
    low, high = arms.lower_ends + edge, arms.upper_ends - edge
    return np.clip(x, np.maximum(low, problem.lower), np.minimum(high, problem.upper))


def intervals(problem: Problem, N: FloatArray, mu: FloatArray, f: float) -> tuple[FloatArray, FloatArray]:
    r"""Line 3: $[\alpha^k, \beta^k] = \{\xi : N^k d(\hat\mu^k, \xi) \le f(t-1)\}$, clipped (appendix D.1).

    >>> problem = Problem.from_names("gaussian", "best-arm", n_arms=2)
    >>> print(*intervals(problem, np.array([1.0, 4.0]), np.array([0.0, 1.0]), 2.0))
    [-2.  0.] [2. 2.]
    """
    alpha, beta = problem.arms.lower(mu, f / N), problem.arms.upper(mu, f / N)
    return clip(problem, N, alpha), clip(problem, N, beta)


def candidate(problem: Problem, N: FloatArray, mean: FloatArray, alpha: FloatArray, beta: FloatArray) -> int:
    r"""Lines 4 and 5: $i_t = i^*(\tilde\mu)$ at the likeliest model of M in the confidence box.

    $\tilde\mu = \arg\min_{\lambda \in M \cap [\alpha, \beta]} \sum_k N^k d(\hat\mu^k, \lambda^k)$, or over M
    if that set is empty. Without a structure it is $\hat\mu$, and the box does not matter (but where several
    answers are correct, the query may keep to one that the box allows).

    >>> problem, inf = Problem.from_names("gaussian", "best-arm", n_arms=2), np.full(2, np.inf)
    >>> candidate(problem, np.array([1.0, 1.0]), np.array([0.3, 0.7]), -inf, inf)
    1
    """
    if problem.structure.bounds is not None and problem.query.unique:
        alpha, beta = np.full_like(mean, -np.inf), np.full_like(mean, np.inf)
    return int(problem.candidate(N, mean, alpha, beta).answer[0])


def statistic(problem: Problem, i: int, N: FloatArray, mean: FloatArray) -> float:
    r"""Line 6, the GLRT: $Z = \inf_{\lambda \in \neg i_t} \sum_k N^k d(\hat\mu^k, \lambda^k)$ at raw means.

    Under a structure less the infimum over M: how far the means are from M is no evidence for an answer.

    >>> problem = Problem.from_names("gaussian", "best-arm", n_arms=2)
    >>> statistic(problem, 0, np.array([8.0, 8.0]), np.array([1.0, 0.0]))
    2.0
    """
    Z = float(problem.best_response(i, N, mean).value[0])
    if problem.structure.bounds is None:
        Z -= float(problem.arms.cost(N, mean, problem.project(N, mean)[0]))
    return Z


def stylised(delta: float) -> Callable[[int], float]:
    r"""The threshold of the experiments (section 4): $\beta(n, \delta) = \ln((1 + \ln n)/\delta)$.

    >>> print(f"{stylised(0.1)(100):.6f}")
    4.026275
    """
    return lambda n: math.log((1 + math.log(n)) / delta)


def optimism(now: Round, q: Play) -> FloatArray:
    r"""Line 8: $U^k = \max\{f(t-1)/N^k, \max_{\xi \in \{\alpha^k, \beta^k\}} E_{q_t} d(\xi, \lambda^k)\}$.

    >>> problem, one = Problem.from_names("gaussian", "best-arm", n_arms=2), np.ones(2)
    >>> now = Round(problem, 2, 0.5, one, 0 * one, 0 * one, -one, one, 0, 0.0)
    >>> print(optimism(now, Play(np.ones(1), np.array([[0.0, 1.0]]))))
    [0.5 2. ]
    """
    d = now.problem.arms.d
    at_alpha, at_beta = (q.weights @ d(xi, q.points) for xi in (now.alpha, now.beta))
    return np.maximum(now.f / now.N, np.maximum(at_alpha, at_beta))
