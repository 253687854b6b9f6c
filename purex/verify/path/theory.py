r"""What the proof of the paper knows of a problem: constants of the box, the game, the bonus f.

Notation of the appendix. f is the bonus of the sampling rule and $t_b = n^{1/(1+b)}$; the event is
$E_n = \{\forall s \le n, k: N_s^k d(\hat\mu_s^k, \mu^k) \le f(t_b)\}$. For the bonus of the theory,
$f(t_b) = \overline W((1+a) \ln n)$ as in the paper; the links that need $E_n$ hold on it for every
nondecreasing f, only its probability does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from purex.arrays import FloatArray
from purex.errors import InvalidInputError, RefusedProblemError
from purex.model import Actions, Kernel
from purex.problem import Problem
from purex.rules.bonus import Bonus
from purex.verify.constants import GameConstants, several_answers


@dataclass(frozen=True, eq=False)
class Theory:
    """The proof's constants for the model mu of a problem and the bonus of a rule.

    `scale` multiplies the bonus: 1, or less for a deliberate breach. `L`, `D` and `sigma2` are Assumption 2's
    on the box; `value` is D_mu with the relative gap `oracle_gap`; `epsilon` the distance of the alternatives
    (S49), `answers` their number. `actions` are those of the problem, or else one per arm at cost 1; costs
    count in units of the least, and `value` is for one such unit.
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
    actions: Actions

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
            actions=problem.actions or Actions(np.eye(problem.n_arms)),
        )

    @property
    def K(self) -> int:
        """The number of arms."""
        return self.problem.n_arms

    @property
    def A(self) -> int:
        """The number of actions."""
        return self.actions.n_actions

    @property
    def m(self) -> int:
        """The most arms that an action shows."""
        return int(self.actions.observes.sum(axis=1).max())

    @property
    def unit(self) -> float:
        """The least cost of an action, in which costs and values are counted here."""
        return float(self.actions.costs.min())

    @property
    def costs(self) -> FloatArray:
        """The costs of the actions, in units of the least."""
        return self.actions.relative_costs

    @property
    def c(self) -> float:
        """The largest of them."""
        return float(self.costs.max())

    @property
    def first(self) -> int:
        """The rounds that show every arm, before all others."""
        return len(self.actions.first)

    def round_cost(self, p: FloatArray) -> FloatArray:
        r"""$r = \sum_k p^k c_k$, what rounds spread as p (R, A) should cost; 1 where costs are equal."""
        return np.ones(len(p)) if self.c == 1 else np.asarray(p @ self.costs)

    def gains(self, p: FloatArray, of_arms: FloatArray) -> FloatArray:
        r"""$r \sum_k O_{ak} x^k/c_a$, what actions gain in rounds spread as p if arms gain x (R, K)."""
        return self.actions.earnings(of_arms, self.costs) * self.round_cost(p)[:, None]

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
        r"""$K^2 + 2\sqrt{2Kn}$, a bound on the sum of $w/\sqrt N$ (S31); NaN unless each arm has its own."""
        return self.K**2 + 2 * math.sqrt(2 * self.K * n) if self.actions.is_one_per_arm else math.nan

    def S2(self, n: float) -> float:
        r"""$K^2 + 2K \ln(n/K)$, a bound on the sum of $w/N$ (S32); NaN unless each arm has its action."""
        return self.K**2 + 2 * self.K * math.log(n / self.K) if self.actions.is_one_per_arm else math.nan

    def radius(self, f: float) -> float:
        r"""$L\sqrt{2\sigma^2 f}$: over $\sqrt N$, what a confidence interval of level f/N costs."""
        return self.L * math.sqrt(2 * self.sigma2 * f)

    def optimism(self, n: float) -> float:
        r"""$2L\sqrt{2\sigma^2 f} S_1 + f S_2$, a bound on the sum of $w \cdot C$ (S24)."""
        return 2 * self.radius(self.f(n)) * self.S1(n) + self.f(n) * self.S2(n)


@lru_cache(maxsize=64)
def _constants(problem: Problem, mu: tuple[float, ...]) -> GameConstants:
    actions = problem.actions
    if actions is None or actions.is_one_per_arm:
        return GameConstants.of(problem, mu)
    box = (problem.lower, problem.upper)
    of_arms = GameConstants.of(Problem(problem.arms, problem.query, problem.structure, box=box), mu)
    value = float(problem.solve(np.array(mu)).value[0])
    return replace(of_arms, value=actions.costs.min() * value, largest_cost=actions.relative_costs.max())
