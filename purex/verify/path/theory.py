r"""What the proof of the paper knows of a problem: constants of the box, the game, the bonus f.

Notation of the appendix. f is the bonus of the sampling rule and $t_b = n^{1/(1+b)}$; the event is
$E_n = \{\forall s \le n, k: N_s^k d(\hat\mu_s^k, \mu^k) \le f(t_b)\}$. For the bonus of the theory,
$f(t_b) = \overline W((1+a) \ln n)$ as in the paper; the links that need $E_n$ hold on it for every
nondecreasing f, only its probability does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from purex.arrays import FloatArray
from purex.errors import InvalidInputError, RefusedProblemError
from purex.model import Kernel
from purex.problem import Problem
from purex.rules.bonus import Bonus
from purex.verify.constants import GameConstants, several_answers


@dataclass(frozen=True, eq=False)
class Theory:
    """The proof's constants for the model mu of a problem and the bonus of a rule.

    `scale` multiplies the bonus: 1, or less for a deliberate breach. `L`, `D` and `sigma2` are Assumption 2's
    on the box; `value` is D_mu with the relative gap `oracle_gap`; `epsilon` the distance of the alternatives
    (S49), `answers` their number. Where arms have costs, `costs` are those in units of the least, 1 without,
    and `value` is for one such unit.
    """

    problem: Problem
    mu: FloatArray
    bonus: Bonus
    scale: float
    answer: int
    answers: int
    L: float
    D: float
    sigma2: float
    value: float
    oracle_gap: float
    epsilon: float
    costs: FloatArray

    @classmethod
    def of(cls, problem: Problem, mu: FloatArray, bonus: Bonus, scale: float = 1.0) -> Theory:
        """The constants; refused where the proof does not apply.

        >>> problem = Problem.from_names("gaussian", "best-arm", n_arms=4, box=(0, 2))
        >>> theory = Theory.of(problem, np.array([1, 0.85, 0.8, 0.7]), Bonus("lambert"))
        >>> print(f"{theory.L} {theory.D} {theory.sigma2} {theory.value:.8f} {theory.epsilon:.8f}")
        2.0 2.0 1.0 0.00222287 0.00140625
        """
        if not (np.isfinite(problem.lower) and np.isfinite(problem.upper)):
            raise RefusedProblemError(
                "the proof is for bounded means (assumption 2), and those of this problem lie in "
                f"[{problem.lower:g}, {problem.upper:g}]: give box=(lower, upper), or --box"
            )
        mu = problem.arms.validate_means(mu)
        if mu.ndim != 1:
            raise InvalidInputError(f"a path has one true model, not {len(mu)}")
        reason = several_answers(problem, mu)
        if reason:
            raise RefusedProblemError(f"the proof along the path is for one correct answer, and {reason}")
        constants = _constants(problem, tuple(mu))
        actions = problem.actions
        return cls(
            problem=problem,
            mu=mu,
            bonus=bonus,
            scale=scale,
            answer=int(problem.answer(mu)[0]),
            answers=constants.answers,
            L=float(constants.L),
            D=float(constants.D),
            sigma2=float(constants.sigma2),
            value=float(constants.value),
            oracle_gap=float(problem.solve(mu).gap[0]),
            epsilon=float(constants.epsilon),
            costs=np.ones(problem.n_arms) if actions is None else actions.relative_costs,
        )

    @property
    def K(self) -> int:
        """The number of arms."""
        return self.problem.n_arms

    @property
    def unit(self) -> float:
        """The least cost of an arm, in which costs and values are counted here."""
        return 1.0 if self.problem.actions is None else float(self.problem.actions.costs.min())

    @property
    def c(self) -> float:
        """The largest cost of an arm, in units of the least."""
        return float(self.costs.max())

    def round_cost(self, p: FloatArray) -> FloatArray:
        r"""$r = \sum_k p^k c_k$, what rounds spread as p (R, K) should cost; 1 where costs are equal."""
        return np.ones(len(p)) if self.c == 1 else np.asarray(p @ self.costs)

    def f(self, n: float) -> float:
        """The bonus f(n)."""
        from purex.engine.kernels import round as kernels

        bonus: Kernel = kernels.bonus

        return self.scale * float(bonus(self.bonus.code, self.bonus.factor, n))

    def late(self, n: float) -> float:
        r"""$t_b = n^{1/(1+b)}$: a round s is late if $s - 1 \ge t_b$."""
        return float(n ** (1 / (1 + self.bonus.b)))

    def f_event(self, n: float) -> float:
        r"""The level $f(t_b)$ of the event $E_n$."""
        return self.f(self.late(n))

    def off_event(self, n: float) -> float:
        r"""$2eK \ln n/n^{1+a}$, a bound on the probability that $E_n$ fails (S18); NaN for f = ln."""
        if self.bonus.kind == "log" or self.scale != 1.0:
            return math.nan
        return 2 * math.e * self.K * math.log(n) / float(n ** (1 + self.bonus.a))

    def share(self, n: float) -> float:
        r"""$f(t_b)/f(n)$: what the proof bounds by $C_b$."""
        return self.f_event(n) / self.f(n)

    @property
    def C_b(self) -> float:
        r"""The paper's $C_b = 1/(3(1+b)) \le f(t_b)/f(n)$ (l.962, S21); it is $1/(1+b)$ for f = ln."""
        return 1 / (1 + self.bonus.b) if self.bonus.kind == "log" else 1 / (3 * (1 + self.bonus.b))

    def S1(self, n: float) -> float:
        r"""$K^2 + 2\sqrt{2Kn}$, a bound on the sum of $w/\sqrt N$ (S31)."""
        return self.K**2 + 2 * math.sqrt(2 * self.K * n)

    def S2(self, n: float) -> float:
        r"""$K^2 + 2K \ln(n/K)$, a bound on the sum of $w/N$ (S32)."""
        return self.K**2 + 2 * self.K * math.log(n / self.K)

    def radius(self, f: float) -> float:
        r"""$L\sqrt{2\sigma^2 f}$: over $\sqrt N$, what a confidence interval of level f/N costs."""
        return self.L * math.sqrt(2 * self.sigma2 * f)

    def optimism(self, n: float) -> float:
        r"""$2L\sqrt{2\sigma^2 f} S_1 + f S_2$, a bound on the sum of $w \cdot C$ (S24)."""
        return 2 * self.radius(self.f(n)) * self.S1(n) + self.f(n) * self.S2(n)


@lru_cache(maxsize=64)
def _constants(problem: Problem, mu: tuple[float, ...]) -> GameConstants:
    return GameConstants.of(problem, mu)
