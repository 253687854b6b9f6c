"""Counterexamples about the stopping rule and the risk: R1 to R3, R7, R11, R33."""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2

from purex.arrays import FloatArray
from purex.plugins import build
from purex.problem import Problem
from purex.verify.errata.erratum import Demonstration

DELTA = 0.1
B5 = (0.3, 0.21, 0.2, 0.19, 0.18)  # the paper's Bernoulli instance


def two_gaussian_arms(gap: float, runs: int, horizon: int, seed: int) -> tuple[FloatArray, FloatArray]:
    r"""The statistics $Z_t$ of best arm and the difference of the means, two arms sampled in turn.

    Rows are runs, columns the times t = 2, 4, ..., 2 * horizon: with n pulls of each arm
    $Z_t = n(\hat\mu^1 - \hat\mu^2)^2/4$.
    """
    rng = np.random.default_rng(seed)
    n = np.arange(1, horizon + 1)
    difference = np.cumsum(gap + np.sqrt(2.0) * rng.standard_normal((runs, horizon)), axis=1) / n
    return n * difference**2 / 4, difference


def proved_threshold(horizon: int) -> FloatArray:
    """The threshold `gaussian-mixture` for two arms at t = 2, 4, ..., 2 * horizon."""
    times = 2 * np.arange(1, horizon + 1)
    return np.asarray(build("threshold", "gaussian-mixture", n_arms=2).of_time(times, -np.log(DELTA)))


def statistic_crosses() -> Demonstration:
    """R2: the probability that Z_t >= beta for some t is 1, not delta, even with a proved threshold."""
    Z, _ = two_gaussian_arms(1.0, 500, 500, seed=0)
    beta = proved_threshold(500)
    return Demonstration(
        "P(exists t: Z_t >= beta), means (1, 0), delta = 0.1", DELTA, float((beta <= Z).any(1).mean())
    )


def fixed_time_threshold() -> Demonstration:
    r"""R3: $P(GLR_t(\{\mu\}) > \beta) = \delta$ at every *fixed* t does not bound the error by delta.

    $2\,GLR_t$ is a chi-square variable, so its quantile is such a threshold. One Gaussian arm whose mean is
    a hair below the level it is compared with: an error is to stop when the mean looks larger.
    """
    runs, horizon = 2000, 20_000
    rng = np.random.default_rng(0)
    beta = float(chi2.ppf(1 - DELTA, 1)) / 2
    n, S = 0, np.zeros(runs)
    undecided, wrong = np.ones(runs, dtype=bool), np.zeros(runs, dtype=bool)
    for _ in range(horizon // 100):
        path = S[:, None] + np.cumsum(rng.standard_normal((runs, 100)), axis=1)
        count = n + np.arange(1, 101)
        stops = path**2 / (2 * count) > beta
        first = np.where(stops.any(1), stops.argmax(1), 0)
        stopped = undecided & stops.any(1)
        wrong |= stopped & (path[np.arange(runs), first] > 0)
        undecided &= ~stopped
        n, S = n + 100, path[:, -1]
    return Demonstration(
        "P(error) with beta the quantile of chi-square, delta = 0.1", DELTA, float(wrong.mean())
    )


def expectation_from_one() -> Demonstration:
    r"""R7: $\sum_{t \ge 1} P(\tau > t)$ misses $P(\tau > 0) = 1$; a fair coin until heads, in 60 terms."""
    survival = 0.5 ** np.arange(0, 60)  # P(tau > t) for t = 0, 1, ...
    return Demonstration(
        "E tau of a fair coin until heads", float(survival[1:].sum()), float(survival.sum()), "="
    )


def last_round() -> Demonstration:
    r"""R11: in the last round t' the proof has $\beta(t') \ge Z_{t'}$; not stopping says it of $Z_{t'-1}$.

    So at the round whose sample makes the algorithm stop, the printed inequality is always false.
    """
    Z, _ = two_gaussian_arms(1.0, 1, 500, seed=0)
    beta = proved_threshold(500)
    stop = int(np.argmax(Z[0] > beta))
    return Demonstration(
        "Z after the last round against beta, means (1, 0)", float(beta[stop]), float(Z[0, stop])
    )


def minimiser() -> Demonstration:
    r"""R1: the minimum of $D_\mu(w)$ over w is 0; the oracle allocation is the *maximiser*."""
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=5, oracle="closed-form")
    least = min(float(problem.best_response(0, w, B5).value[0]) for w in np.eye(5))
    return Demonstration(
        "min of D_mu(w) against D_mu, five Bernoulli arms",
        least,
        float(problem.equilibrium(B5).value[0]),
        "=",
    )


def projected_statistic() -> Demonstration:
    """R33: inside the box the statistic of the projected means is at most that of the raw means."""
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=5, box=(0.05, 0.95), oracle="closed-form")
    rng = np.random.default_rng(0)
    N = rng.integers(1, 30, (2000, 5)).astype(float)
    mean = rng.binomial(N.astype(int), B5) / N
    i = problem.query.answer(np.clip(mean, 0.05, 0.95))
    raw = problem.oracle(i, N, mean).value
    projected = problem.oracle(i, N, np.clip(mean, 0.05, 0.95)).value
    return Demonstration(
        "largest projected minus raw statistic, 2000 tables", 0.0, float((projected - raw).max())
    )
