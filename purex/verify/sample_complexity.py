r"""T_0($\delta$): the paper's bound on the sample complexity as a number.

$T_0 = \max\{t : t \le g(t)\}$ and $E[\tau_\delta] \le T_0 + 1 + 2eK/a^2$ (Theorem 2 and section 3.3), where

- `alg1`, Algorithm 1 as printed: $g = (\beta + A + R)/D_\mu + 2t^{1/(1+b)} +
  \frac{6(1+b)}{\varepsilon}((|I|-1)R + f S_2 + C)$, $A = C + 2L\sqrt{2\sigma^2 f} S_1 + KD +
  L\sqrt{2\sigma^2 K t f}$;
- `sharp`, the same proof without its losses: $C_b = 1/(1+b)$, $f_E$ where the event is used, one L less,
  (K-1)D, the regrets of the wrong answers added by concavity, and the off-by-ones of the proof repaired;
- `otas`, Optimistic Track-and-Stop: $g = (\beta + 3L\sqrt{2\sigma^2 f}S_1 + f S_2 + KD +
  L\sqrt{2\sigma^2Ktf})/D_\mu + 2t^{1/(1+b)}$;

with $f = \overline W((1+a)(1+b)\ln t)$, $S_1 = K^2 + 2\sqrt{2Kt}$, $S_2 = K^2 + 2K\ln(t/K)$ and
$C = 2L\sqrt{2\sigma^2 f}S_1 + fS_2$. One formula serves floats (`mpmath.fp`) and any number of digits.

Where pulling arm k costs $c_k$ (`sharp` only; the least cost is 1 and the largest c), t is a cost, $D_\mu$ is
that of the game of costs, R counts c times, early and wrong rounds count c times, and (K-1)(c-1) is for what
the counts cost beyond the plays: then $E[\text{cost}] \le T_0 + 1 + c(1 + 2eK/a^2)$ (docs/actions.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from mpmath import fp, mp

from purex.errors import InvalidInputError, RefusedProblemError
from purex.model import Threshold
from purex.verify.constants import GameConstants
from purex.verify.precise import exact

Variant = Literal["alg1", "sharp", "otas"]
# R(t) of f(t), the constants and the arithmetic (mpmath's mp or fp)
Regret = Callable[[Any, Any, GameConstants, Any], Any]
# beta(t, log(1/delta)) in the arithmetic
Beta = Callable[[Any, Any, Any], Any]

BEYOND = 20  # quadruplings past T_0 at which the inequality must stay false
FAR = 10**60


def lambert(x: Any, m: Any = fp) -> Any:
    r"""$\overline W(x)$, the root z >= 1 of z - ln z = x, and 1 for x < 1; no exponential, no overflow.

    >>> print(f"{lambert(4.0):.12f}")
    5.749031386013
    """
    if x <= 1:
        return m.mpf(1)
    z = x + m.log(x) + m.mpf("0.4")
    for _ in range(200):
        following = z * (x - 1 + m.log(z)) / (z - 1)
        if abs(following - z) <= m.eps * 4 * z:
            return following
        z = following
    return z


def adahedge_regret(t: Any, f: Any, c: GameConstants, m: Any) -> Any:
    r"""$\max(D, f)(\sqrt{t\ln K} + \frac43\ln K + 2)$: AdaHedge on gains at most max(D, f) (S43)."""
    return max(m.convert(c.D), f) * (m.sqrt(t * m.log(c.K)) + 4 * m.log(c.K) / 3 + 2)


def ftpl_regret(reach: float, eta: float = 1.0) -> Regret:
    r"""The perturbed leader: $\sqrt{Kt}((D+2CL)/\eta + 2D\eta) + KD + D\sqrt{6t\ln t}$, t samples in round t.

    `reach` is C, the largest distance of a reward from its arm's estimate (S45, S47).
    """

    def regret(t: Any, f: Any, c: GameConstants, m: Any) -> Any:
        D, L = m.convert(c.D), m.convert(c.L)
        leader = m.sqrt(c.K * t) * ((D + 2 * reach * L) / eta + 2 * D * eta)
        return leader + c.K * D + D * m.sqrt(6 * t * m.log(t))

    return regret


def ogd_regret(J: int, Delta: float, G: float) -> Regret:
    r"""Gradient descents on J pieces: $\sqrt{2t}\Delta G + D(\sqrt{2t\ln J} + \sqrt{\ln(J)/8})$ (S48)."""

    def regret(t: Any, f: Any, c: GameConstants, m: Any) -> Any:
        D = m.convert(c.D)
        return m.sqrt(2 * t) * Delta * G + D * (m.sqrt(2 * t * m.log(J)) + m.sqrt(m.log(J) / 8))

    return regret


def stylised(t: Any, log_inverse_delta: Any, m: Any) -> Any:
    r"""$\ln((1 + \ln t)/\delta)$."""
    return m.log(1 + m.log(t)) + log_inverse_delta


def beta_of(threshold: Threshold) -> Beta:
    """A threshold of the plugins, which is a float64: T_0 then is exact up to that rounding."""
    return lambda t, x, m: m.convert(float(threshold.of_time(float(t), float(x))))


@dataclass(frozen=True)
class SampleComplexity:
    """The bound of one variant on one problem, with everything that may be chosen.

    >>> from purex.verify.instances import instance
    >>> B5 = instance("B5")
    >>> bound = SampleComplexity(GameConstants.of(B5.problem, B5.mu), "otas")
    >>> bound.T0(0.1), bound.T0("1e-100")
    (87781842188, 87781997022)
    """

    constants: GameConstants
    variant: Variant = "alg1"
    a: Any = 1
    b: Any = 1
    beta: Beta = stylised
    regret: Regret = adahedge_regret

    def __post_init__(self) -> None:
        if self.variant not in get_args(Variant):
            raise InvalidInputError(f"the algorithm is alg1, sharp or otas, not {self.variant!r}")
        if self.constants.largest_cost != 1 and self.variant != "sharp":
            raise RefusedProblemError(
                f"with costs T_0 is proved for the algorithm sharp, not for {self.variant}"
            )
        for name, value in (("a", self.a), ("b", self.b)):
            if not 1e-100 <= value < 1e6:  # its square divides
                raise InvalidInputError(f"the {name} of T_0 must be between 1e-100 and 1e6, not {value!r}")

    def terms(self, t: Any, log_inverse_delta: Any, m: Any = fp) -> dict[str, Any]:
        """The summands of g(t), by name."""
        c, K = self.constants, self.constants.K
        a, b = (m.convert(exact(value)) for value in (self.a, self.b))
        L, D, s2, eps, value = (m.convert(x) for x in (c.L, c.D, c.sigma2, c.epsilon, c.value))
        log = m.log(t)
        f, f_E = lambert((1 + a) * (1 + b) * log, m), lambert((1 + a) * log, m)
        S1, S2 = K * K + 2 * m.sqrt(2 * K * t), K * K + 2 * K * m.log(t / m.mpf(K))
        root, early = m.sqrt(2 * s2 * f) * L, t ** (1 / (1 + b))
        beta = self.beta(t, log_inverse_delta, m)
        if self.variant == "otas":
            return {
                "threshold": beta / value,
                "concentration": (3 * root * S1 + f * S2 + L * m.sqrt(2 * s2 * K * t * f)) / value,
                "tracking": K * D / value,
                "early rounds": 2 * early,
            }
        largest_cost = m.convert(c.largest_cost)
        C, R = 2 * root * S1 + f * S2, self.regret(t, f, c, m)
        others = c.answers - 1
        if self.variant == "alg1":
            wrong = 6 * (1 + b) / eps
            A = C + 2 * root * S1 + L * m.sqrt(2 * s2 * K * t * f)
            tracking, optimism, first = K * D, f * S2, 2 * early
            split = others * R
        else:
            wrong = 2 * (1 + b) / eps * largest_cost
            A = C + L * m.sqrt(2 * s2 * f_E) * S1 + L * m.sqrt(2 * s2 * K * t * f_E)
            tracking, optimism, first = (K - 1) * D, f_E * S2, (2 * (early + 1) + 1) * largest_cost
            split = others * self.regret(t / m.mpf(others), f, c, m) if others else m.mpf(0)
            R, split = R * largest_cost, split * largest_cost
        priced = {} if c.largest_cost == 1 else {"cost of counts": (K - 1) * (largest_cost - 1)}
        return {
            "threshold": beta / value,
            "concentration": A / value,
            "tracking": tracking / value,
            **priced,
            "regret": R / value,
            "early rounds": first,
            "wrong answers: regret": wrong * split,
            "wrong answers: deviation": wrong * optimism,
            "wrong answers: optimism": wrong * C,
        }

    def g(self, t: Any, log_inverse_delta: Any, m: Any = fp) -> Any:
        """The right-hand side g(t)."""
        return sum(self.terms(t, log_inverse_delta, m).values())

    def T0(self, delta: Any = None, *, log_inverse_delta: Any = None) -> int:
        """The largest whole t with t <= g(t), exact; delta may be a text such as "1e-1000".

        g(t)/t falls strictly from a small t on, so that the t with t <= g(t) are an interval from there:
        quadruple, then bisect whole numbers. Below, every t is tried.
        """
        with mp.workdps(30):
            rough = self.real_T0(float(log_inverse(delta, log_inverse_delta)))
        digits = max(50, 2 * len(str(int(rough))) + 30)
        with mp.workdps(digits):
            x = log_inverse(delta, log_inverse_delta)

            def inside(t: int) -> bool:
                return bool(mp.mpf(t) <= self.g(mp.mpf(t), x, mp))

            first = self._monotone_from()
            if not inside(first):
                return max((t for t in range(1, first) if inside(t)), default=0)
            high = max(first + 1, math.ceil(rough * (1 + 1e-9)) + 2)
            low = max(first, math.floor(rough * (1 - 1e-9)) - 2)
            if not inside(low):
                low = first
            while inside(high):
                low, high = high, 4 * high
                if high > FAR**2:
                    raise InvalidInputError("T_0 is infinite: g(t) does not fall below t")
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if inside(middle) else (low, middle)
            if any(inside(low * 4**j) for j in range(1, BEYOND)):
                raise InvalidInputError("T_0 is not defined: g(t)/t does not fall, look at beta and regret")
            return low

    def real_T0(self, log_inverse_delta: float) -> float:
        """The same as a real number, in float64: for optimisation, and as a first guess."""
        low, high = 1.0, 100.0
        while high <= self.g(high, log_inverse_delta):
            low, high = high, 4 * high
            if high > FAR**2:
                raise InvalidInputError("T_0 is infinite: g(t) does not fall below t")
        low, high = math.log(low), math.log(high)
        for _ in range(80):
            middle = (low + high) / 2
            t = math.exp(middle)
            low, high = (middle, high) if t <= self.g(t, log_inverse_delta) else (low, middle)
        return math.exp(low)

    def _monotone_from(self) -> int:
        """From here on g(t)/t falls strictly: f(t) > 2(1+a)(1+b) + 1 and t >= e^2 K."""
        c = float((1 + self.a) * (1 + self.b))
        level = 2 * c + 1
        return math.ceil(max(math.exp((level - math.log(level)) / c), math.e**2 * self.constants.K)) + 1

    def optimised(self, delta: Any = None, *, log_inverse_delta: Any = None) -> SampleComplexity:
        """The same bound with the a and b that make T_0 + 2eK/a^2 least."""
        from scipy.optimize import minimize

        x = float(log_inverse(delta, log_inverse_delta))

        def total(logs: Any) -> float:
            chosen = replace(self, a=math.exp(logs[0]), b=math.exp(logs[1]))
            return math.log(chosen.real_T0(x) + chosen.event_term)

        options: Any = {"xatol": 1e-7, "fatol": 1e-13, "maxiter": 400}
        start = (math.log(1e-3), math.log(0.2))  # near the best of the paper's instances
        found = minimize(total, start, method="Nelder-Mead", bounds=[(-25.0, 10.0)] * 2, options=options)
        return replace(self, a=math.exp(found.x[0]), b=math.exp(found.x[1]))

    @property
    def event_term(self) -> float:
        r"""$2eK/a^2 \ge \sum_t P(\mathcal E_t^c)$: what the runs off the event cost (S18, S19)."""
        return float(2 * math.e * self.constants.K / float(self.a) ** 2)

    def expected(self, T0: int) -> float:
        """The bound T_0 + 1 + 2eK/a^2 on the mean stopping time; on the mean cost, where arms have costs."""
        largest_cost = float(self.constants.largest_cost)
        if largest_cost == 1:
            return T0 + 1 + self.event_term
        return T0 + 1 + largest_cost * (1 + self.event_term)

    def shares(self, T0: int, delta: Any = None, *, log_inverse_delta: Any = None) -> dict[str, float]:
        """The share of each term in g(T_0)."""
        x = float(log_inverse(delta, log_inverse_delta))
        terms = self.terms(float(T0), x)
        total = sum(terms.values())
        return {name: float(term / total) for name, term in terms.items()}

    def ratio(self, T0: float, delta: Any = None, *, log_inverse_delta: Any = None) -> float:
        r"""T_0 over $\ln(1/\delta)/D_\mu$, which goes to 1 as $\delta \to 0$ (S57)."""
        return float(T0 * self.constants.value / log_inverse(delta, log_inverse_delta))


def log_inverse(delta: Any = None, log_inverse_delta: Any = None) -> Any:
    """log(1/delta), of a number, of a text such as "1e-1000", or as given."""
    if log_inverse_delta is not None:
        x = exact(log_inverse_delta)
    else:
        try:
            x = -mp.log(exact(delta))
        except (ValueError, TypeError):
            raise InvalidInputError(f"the risk delta must be a number, not {delta!r}") from None
    if not (mp.im(x) == 0 and 0 < x < mp.inf):
        raise InvalidInputError(f"the risk delta must lie strictly between 0 and 1, not {delta}")
    return x


def closing_bound(C: float, target: float) -> float:
    r"""The closing lemma: $t - C\sqrt{t\ln t} \le T^*$ implies $t \le$ this (end of section 2).

    $T^*(1 + C\sqrt{\ln T^*/T^*}\,/(1 - C\frac{1 + \ln T^*}{2\sqrt{T^*\ln T^*}}))$, by concavity of
    $\sqrt{t \ln t}$. It needs T* > 1 and a positive denominator, which the paper does not say (R29): else
    infinity.

    >>> print(f"{closing_bound(1.0, 1000.0):.3f}", closing_bound(10.0, 100.0))
    1087.264 inf
    """
    if target <= 1:
        return math.inf
    log = math.log(target)
    denominator = 1 - C * (1 + log) / (2 * math.sqrt(target * log))
    return target * (1 + C * math.sqrt(log / target) / denominator) if denominator > 0 else math.inf
