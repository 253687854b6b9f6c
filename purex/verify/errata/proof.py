"""Counterexamples about tracking, regret and the end of the proof: R8, R9, R12, R18, R19, R24 to R37."""

from __future__ import annotations

import math

import numpy as np

from purex.arrays import FloatArray
from purex.families import Bernoulli
from purex.problem import Problem
from purex.verify.deviations import bonus
from purex.verify.errata.erratum import Demonstration


def follow(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """N and W after cumulative tracking by ratios of these weights (T, K); the first K are basis vectors."""
    K = weights.shape[1]
    N, W = np.ones(K), np.ones(K)
    for w in weights:
        W += w
        N[int(np.argmin(N / W))] += 1
    return N, W


def one_more_pull() -> Demonstration:
    r"""R8: $N \le W$ is printed; a thousand arms and one uniform vector give N = W + 0.999."""
    N, W = follow(np.full((1, 1000), 1e-3))
    return Demonstration("largest N - W after one uniform vector, K = 1000", 0.0, float((N - W).max()))


def logarithm_for_ratios() -> Demonstration:
    r"""R9: with the ratio rule $N \ge W - \ln K$ fails: e_1 for long, then (0.99, 0.01); K = 2."""
    eps = 0.01
    weights = np.vstack([np.tile([1.0, 0.0], (600, 1)), [1 - eps, eps]])
    N, W = follow(weights)
    return Demonstration(
        "smallest N - W by ratios, K = 2, against -ln 2", -math.log(2), float((N - W).min()), ">="
    )


def diverging_logarithm() -> Demonstration:
    r"""R12: where W first exceeds K - 1, the term $-\ln(W - (K-1))$ has no bound; K = 2."""
    return Demonstration("-ln(W - (K-1)) at W = K - 1 + 1e-12, against 0", 0.0, -math.log((1 + 1e-12) - 1))


def four_or_three() -> Demonstration:
    r"""R18: the line before has L sqrt(2 sigma^2 f) S_1, so A_t may have 3L where 4L is printed."""
    return Demonstration("multiple of L sqrt(2 sigma^2 f) S_1 in A_t", 4.0, 3.0)


def two_forms_of_h() -> Demonstration:
    """R19: the h(t) of the body and of the appendix are the same for b = 1; at t = 10^6, K = 5."""
    t, K, D_mu = 1e6, 5, 0.00306145460737141
    L, D, sigma2 = Bernoulli().constants(0.05, 0.95)
    f = float(bonus(t))
    c, S2 = L * math.sqrt(2 * sigma2 * f), K**2 + 2 * K * math.log(t / K)
    body = (
        2 * math.sqrt(t) * D_mu
        + 3 * c * (K**2 + (2 * math.sqrt(2) + 1 / 3) * math.sqrt(K * t))
        + f * S2
        + K * D
    )
    appendix = 3 * c * (K**2 + 2 * math.sqrt(2 * K * t)) + f * S2 + K * D + c * math.sqrt(K * t)
    return Demonstration(
        "h(10^6) in the body and in the appendix", body, appendix + 2 * math.sqrt(t) * D_mu, "="
    )


def regret_rate() -> Demonstration:
    r"""R24: AdaHedge's bound over sqrt(t) is not constant, since b_s <= max(D, f(s)); t = 10^4 to 10^16."""
    D = Bernoulli().constants(0.05, 0.95).D

    def bound(t: float) -> float:
        return max(D, float(bonus(t))) * (math.sqrt(t * math.log(5)) + 4 / 3 * math.log(5) + 2)

    growth = bound(1e16) / 1e8 / (bound(1e4) / 1e2)
    return Demonstration("growth of R_t/sqrt(t) from t = 10^4 to 10^16", 1.0, growth)


def third_of_the_ratio() -> Demonstration:
    r"""R25: $(1+b) f(t^{1/(1+b)})/f(t)$ is printed to be at least 1/3; the smallest over a grid."""
    a, b, t = np.meshgrid(
        np.logspace(-6, 2, 41), np.logspace(-3, 1, 41), np.e * np.logspace(0, 12, 61), indexing="ij"
    )
    ratio = (1 + b) * bonus(t ** (1 / (1 + b)), a, b) / bonus(t, a, b)
    return Demonstration(
        "least (1+b) f(t_b)/f(t) on a grid, t >= e (its infimum is 1 - 1/e)", 1 / 3, float(ratio.min()), ">="
    )


def four_or_eight() -> Demonstration:
    r"""R28: $ch(x, y) \ge (x-y)^2/(8\sigma^2)$ is printed; the least $8\sigma^2 ch/(x-y)^2$, Bernoulli."""
    from purex.verify.divergence import chernoff

    x, y = np.meshgrid(np.linspace(0.005, 0.995, 199), np.linspace(0.0075, 0.9925, 198))
    ratio = 2 * chernoff(Bernoulli(), x, y) / (x - y) ** 2
    return Demonstration("least 8 sigma^2 ch(x, y)/(x - y)^2, Bernoulli", 1.0, float(ratio.min()), ">=")


def closing_lemma() -> Demonstration:
    r"""R29: for C = 100 and T* = 752 the denominator of the closing lemma is negative, and so its bound.

    t = 10^5 satisfies $t - C\sqrt{t \ln t} \le T^*$.
    """
    C, T = 100.0, 752.12125878
    denominator = 1 - C * (1 + math.log(T)) / (2 * math.sqrt(T * math.log(T)))
    bound = T * (1 + C * math.sqrt(math.log(T) / T) / denominator)
    t = 1e5
    assert t - C * math.sqrt(t * math.log(t)) <= T
    return Demonstration("t = 10^5 against the lemma's bound, C = 100, T* = 752", bound, t)


def projection_or_response() -> Demonstration:
    """R31: a Euclidean projection is no best response: at weights (0.9, 0.1) the common mean differs."""
    problem = Problem.from_names("bernoulli", "best-arm", n_arms=2, oracle="closed-form")
    response = float(problem.best_response(0, [0.9, 0.1], [0.3, 0.21]).point[0, 0])
    return Demonstration(
        "common mean of (0.3, 0.21): projection, best response at (0.9, 0.1)", 0.255, response, "="
    )


def loss_of_tracking() -> Demonstration:
    r"""R36: $\sum_k (W - N)^+ \le K - 1$, so tracking costs (K-1)D and not KD; the largest seen, K = 5."""
    eps, K = 0.01, 5
    weights = [np.eye(K)[0]] * (3 * K * 100)
    weights += [(1 - eps) * np.eye(K)[0] + eps * np.eye(K)[j] for j in range(1, K)]
    N, W = follow(np.array(weights))
    return Demonstration(
        "sum of (W - N)^+ under the worst weights, K = 5, against K",
        float(K),
        float(np.maximum(W - N, 0).sum()),
    )


def split_regret() -> Demonstration:
    r"""R37: |I| - 1 = 4 learners on t = 10^6 rounds in all: $4\sqrt t$ is printed, $\sqrt{4t}$ suffices."""
    return Demonstration(
        "main part of the regret of 4 learners on 10^6 rounds, over sqrt(ln K)", 4 * 1e3, math.sqrt(4 * 1e6)
    )
