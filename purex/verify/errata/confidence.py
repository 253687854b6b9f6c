"""Counterexamples about concentration and intervals: R4 to R6, R10, R13, R16, R17, R20 to R27, R38."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import binom

from purex.families import Bernoulli, Exponential, Poisson
from purex.verify.deviations import bonus, crossing_probability, lambert, peeling_bound
from purex.verify.errata.erratum import Demonstration

BOX = (0.05, 0.95)  # of Bernoulli means


def body_against_appendix() -> Demonstration:
    r"""R4: $\overline W(x) \le x + \ln x + 1/2$, so the body's event contains the appendix's."""
    x = 1 + np.linspace(0, 30, 30_001)[1:]
    return Demonstration(
        "largest Wbar(x) - x - ln x on (1, 31]", 0.5, float((lambert(x) - x - np.log(x)).max())
    )


def small_alpha() -> Demonstration:
    r"""R5: the deviation bound is printed for all alpha > 0; Bernoulli(1/2), t = 3, alpha = 0.05, exactly."""
    true = crossing_probability(0.5, 3, 0.05)
    return Demonstration("P(exists s <= 3: s d >= 0.05), Bernoulli(1/2)", float(peeling_bound(3, 0.05)), true)


def integral_test() -> Demonstration:
    r"""R6: $\ln t/t^{1+a}$ at t = 3 exceeds its integral over [2, 3] where a is small (here 0.001)."""
    a = 1e-3

    def primitive(x: float) -> float:
        return -(math.log(x) + 1 / a) / (a * math.pow(x, a))

    return Demonstration(
        "ln 3/3^(1+a) against its integral over [2, 3], a = 0.001",
        primitive(3) - primitive(2),
        math.log(3) / 3 ** (1 + a),
    )


def late_interval() -> Demonstration:
    r"""R10: at $s = \lceil t_b \rceil$ the interval has the level f(s-1) < f(t_b), which $E_t$ may exceed."""
    t, b = 10_000, 1.0
    s = math.ceil(t ** (1 / (1 + b)))
    return Demonstration(
        "f(s-1) against f_E(t), s = t_b = 100", float(bonus(t ** (1 / (1 + b)))), float(bonus(s - 1)), ">="
    )


def empirical_mixture() -> Demonstration:
    r"""R13: Hoeffding's radius for t samples does not do for the s < t samples of round s; exactly."""
    s, t = 10, 1000
    radius = math.sqrt(3 * math.log(t) / (2 * t))
    true = float(binom.sf(math.ceil(s * (0.5 + radius)) - 1, s, 0.5))
    return Demonstration("P(deviation of 10 samples >= D sqrt(3 ln t/2t)), t = 1000", t**-3.0, true)


def lemma_hypothesis() -> Demonstration:
    r"""R16: the lemma asks for $N d(\hat\mu, \mu) \le \ln(t-1)$, which $E_t$ does not give.

    The share of paths on $E_t$ on which one of three Gaussian arms, sampled in turn, exceeds the logarithm at
    some time $s - 1 \ge t_b$; t = 900.
    """
    rng, runs, n = np.random.default_rng(0), 2000, 300
    counts = np.arange(1, n + 1)
    S = np.cumsum(rng.standard_normal((runs, 3, n)), axis=2)
    deviation = S**2 / (2 * counts)  # N d, after 3 * counts samples
    on = np.asarray(deviation <= float(bonus(math.sqrt(3 * n)))).all(axis=(1, 2))
    late = np.asarray(3 * counts >= math.sqrt(3 * n))
    breaks = np.asarray((deviation[:, :, late] > np.log(3 * counts[late])).any(axis=(1, 2)))
    return Demonstration(
        "share of paths on E_t that break the lemma's hypothesis", 0.0, float(breaks[on].mean())
    )


def bonus_or_gain() -> Demonstration:
    r"""R17: $U^j \ge \varepsilon/2$ does not give $f/N^j \ge \varepsilon/2$: U has a second term.

    Gaussian means (1, 0), both arms pulled 10,000 times: the best response to equal weights is (1/2, 1/2).
    """
    N, f = 1e4, float(bonus(2e4))
    epsilon = 0.5**2 / 4  # ch of each mean and 1/2
    U = max(f / N, (0.5 + math.sqrt(2 * f / N)) ** 2 / 2)
    assert epsilon / 2 <= U
    return Demonstration("f/N where U >= eps/2, against eps/2", epsilon / 2, f / N, ">=")


def outside_the_box() -> Demonstration:
    r"""R20: between $\hat\mu$ and a point outside the box the divergence is steeper than L."""
    family = Bernoulli()
    L = family.constants(*BOX).L
    x, y, lam = 0.05, 1e-6, 0.95
    slope = abs(float(family.d(x, lam) - family.d(y, lam))) / (x - y)
    return Demonstration("slope of d(., 0.95) from 0.05 to 0.000001 against L, box [0.05, 0.95]", L, slope)


def unclipped_bonus() -> Demonstration:
    r"""R21: without the box the lemma on $C_s^k$ fails; Poisson means in [1, 2], $\hat\mu = 2$, f/N = 10.

    U - d(xi, lam) at lam = xi = 1 against C = max{2L sqrt(2 sigma^2 f/N), f/N}.
    """
    family, level = Poisson(), 10.0
    L, _, sigma2 = family.constants(1.0, 2.0)
    beta = float(family.upper(2.0, level))
    C = max(2 * L * math.sqrt(2 * sigma2 * level), level)
    return Demonstration("U - d(1, 1) against C, Poisson means in [1, 2]", C, float(family.d(beta, 1.0)))


def heavy_tail() -> Demonstration:
    r"""R23: an exponential law of mean 2 is not sub-Gaussian with the largest variance 4 of the box [1, 2].

    $\ln E e^{u(X - 2)} = -\ln(1 - 2u) - 2u$ at u = 0.49; at u = 1/2 it is infinite.
    """
    sigma2, u = Exponential().constants(1.0, 2.0).sigma2, 0.49
    return Demonstration(
        "ln E exp(0.49(X - 2)), exponential of mean 2", sigma2 * u**2 / 2, -math.log1p(-2 * u) - 2 * u
    )


def neglected_arm() -> Demonstration:
    r"""R27: an arm pulled once has U - d of the order of f, at any s; here f(s-1)/N at s - 1 = 10^6."""
    return Demonstration(
        "f(s-1)/N of an arm pulled once, against 1/sqrt(s), s = 10^6", 1e-3, float(bonus(1e6))
    )


def other_arms() -> Demonstration:
    r"""R38: the second of two Gaussian arms, $\mu = (1, 0)$, $\xi = (0.2, -0.01)$, w = (1, 0), best arm.

    Here $\lambda_\mu = (1, 1)$ and $L_\mu = \max\mu - \min\mu$, which is 2-Lipschitz; $d(0, 1) = 1/2$
    is less than the printed lower bound.
    """
    (mu, xi, lam), L_xi, M = (0.0, -0.01, 1.0), 0.21, 2.0
    m = (mu - xi) ** 2 / 2
    printed = (xi - lam) ** 2 / 2 - L_xi * math.sqrt(2 * m) - 2 * M * m - m
    return Demonstration(
        "d(mu, lam) against its printed lower bound, Gaussian arms", printed, (mu - lam) ** 2 / 2, ">="
    )
