r"""The constants of a problem on which T_0 depends: L, D, $\sigma^2$, $\varepsilon$, $D_\mu$."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mp
from numpy.typing import ArrayLike

from purex.arrays import FloatArray
from purex.errors import InvalidInputError, RefusedProblemError
from purex.problem import Problem
from purex.verify.precise import Precise, exact, meeting

DIGITS = 50  # of constants that are known in closed form
HALVINGS = 60  # of the search for epsilon where pieces are general polyhedra


@dataclass(frozen=True)
class GameConstants:
    r"""What Theorem 2 needs to know of a problem.

    `answers` is the number $|\mathcal I|$ of answers, `epsilon` =
    $\inf_{\lambda \in \neg i^*} \max_k \mathrm{ch}(\lambda^k, \mu^k)$ (S49), `value` = $D_\mu$. Where arms
    have costs, the unit is the least of them: `value` is for one unit, and `largest_cost` in units. The
    numbers are mpmath's.
    """

    K: int
    answers: int
    L: Any
    D: Any
    sigma2: Any
    epsilon: Any
    value: Any
    largest_cost: Any = 1

    @classmethod
    def of(cls, problem: Problem, mu: ArrayLike) -> GameConstants:
        """The constants of a problem with bounded means, at the model mu.

        >>> problem = Problem.from_names("gaussian", "best-arm", n_arms=4, box=(0, 2))
        >>> c = GameConstants.of(problem, [1, 0.85, 0.8, 0.7])
        >>> print(c.L, c.D, c.sigma2, c.epsilon, c.answers)
        2.0 2.0 1.0 0.00140625 4
        >>> print(mp.nstr(c.value, 20))
        0.0022228662103359010284
        """
        if not (np.isfinite(problem.lower) and np.isfinite(problem.upper)):
            raise RefusedProblemError(
                "T_0 is for bounded means (assumption 2), and those of this problem lie in "
                f"[{problem.lower:g}, {problem.upper:g}]: give box=(lower, upper), or --box"
            )
        means = problem.arms.validate_means(mu)
        reason = several_answers(problem, means)
        if reason:
            raise RefusedProblemError(
                f"T_0 is for questions with one correct answer (theorem 2), and {reason}"
            )
        prices = prices_of(problem)
        codes = problem.query.answers()
        if codes is None:
            raise RefusedProblemError(
                f"T_0 depends on the number of answers, and {type(problem.query).__name__} does not list "
                "its answers()"
            )
        problem.solve(means)  # refuses models that have no bound
        families = problem.arms.families
        boxed = [family.constants(problem.lower, problem.upper) for family in families]
        sigma2 = max(constant.sigma2 for constant in boxed)
        with mp.workdps(DIGITS):
            unit = min(prices)
            largest_cost = max(prices) / unit if max(prices) > unit else 1
            try:
                precise = [Precise.of(family) for family in families]
            except RefusedProblemError:
                return cls(
                    problem.n_arms, len(codes), mp.mpf(max(c.L for c in boxed)),
                    mp.mpf(max(c.D for c in boxed)), mp.mpf(sigma2),
                    mp.mpf(float_epsilon(problem, means)),
                    unit * mp.mpf(float(problem.solve(means).value[0])), largest_cost,
                )  # fmt: skip
            low, high = exact(problem.lower), exact(problem.upper)
            return cls(
                K=problem.n_arms,
                answers=len(codes),
                L=max(p.natural(high) - p.natural(low) for p in precise),
                D=max(max(p.d(low, high), p.d(high, low)) for p in precise),
                sigma2=exact(sigma2),
                epsilon=epsilon(problem, means, precise),
                value=unit * game_value(problem, means, precise, prices),
                largest_cost=largest_cost,
            )


def prices_of(problem: Problem) -> list[Any]:
    """The costs of the arms, 1 where nothing is said of them; actions that are not arms have no T_0."""
    actions = problem.actions
    if actions is None:
        return [mp.mpf(1)] * problem.n_arms
    if not actions.is_one_per_arm:
        raise RefusedProblemError(
            "T_0 is proved for arms, with costs or without; where an action shows several arms, or none "
            "shows some, a lemma is missing: see docs/actions.md"
        )
    with mp.workdps(DIGITS):
        return [exact(float(c)) for c in actions.costs]


def several_answers(problem: Problem, mu: FloatArray) -> str:
    r"""Why theorem 2 and its proof say nothing about the model mu (K,): "" if one answer is correct.

    A query that is not `unique` is refused at every model: where $i_s \ne i^*$, its candidate comes from a
    model of the confidence box, for which $i^*$ may be correct as well; then that model is no alternative to
    $i^*$, and the lemma on wrong candidates (S49) fails.

    >>> problem = Problem.from_names("gaussian", "epsilon-best-arm(epsilon=0.1)", n_arms=2)
    >>> several_answers(problem, np.array([1.0, 0.5]))
    'EpsilonBestArm may have several'
    """
    query = problem.query
    if not query.unique:
        return f"{type(query).__name__} may have several"
    codes = query.answers() or ()
    correct = [code for code in codes if query.is_correct(mu[None], np.array([code]))[0]]
    if len(correct) < 2:
        return ""
    return "several are correct here: " + ", ".join(query.label(code) for code in correct[:3])


def epsilon(problem: Problem, mu: FloatArray, precise: list[Precise]) -> Any:
    r"""$\inf_{\lambda \in \neg i^*} \max_k \mathrm{ch}(\lambda^k, \mu^k)$.

    A piece of bounds and orders meets the box of all $\lambda$ within e of mu iff no lower end exceeds an
    upper end along the orders: then the infimum is a maximum over pairs of arms and bounds.
    """
    pieces = [solver.piece for _, solver in problem.game.pieces.solvers(int(problem.answer(mu)[0]))]
    if problem.game.pieces.constraints is not None or not all(piece.is_order for piece in pieces):
        return mp.mpf(float_epsilon(problem, mu))
    x = [exact(float(m)) for m in mu]
    return min(_piece_epsilon(piece, x, precise) for piece in pieces)


def _piece_epsilon(piece: Any, x: list[Any], precise: list[Precise]) -> Any:
    K = len(x)
    above = np.eye(K, dtype=bool)  # above[a, b]: lam_a <= lam_b follows
    for a, b in piece.orders:
        above[a, b] = True
    for m in range(K):
        above |= above[:, m, None] & above[None, m]
    needed = mp.mpf(0)
    for a in range(K):
        for b in range(K):
            if not above[a, b]:
                continue
            if a != b and x[a] > x[b]:
                needed = max(needed, meeting(precise[a], x[a], precise[b], x[b]))
            floor, ceiling = exact(float(piece.lower[a])), exact(float(piece.upper[b]))
            if x[b] < floor:
                needed = max(needed, precise[b].chernoff(floor, x[b]))
            if x[a] > ceiling:
                needed = max(needed, precise[a].chernoff(ceiling, x[a]))
    return needed


def float_epsilon(problem: Problem, mu: FloatArray) -> float:
    """The same for any polyhedra, in float64: the largest e found whose box misses the alternative.

    An underestimate keeps T_0 an upper bound.
    """
    solvers = [solver for _, solver in problem.game.pieces.solvers(int(problem.answer(mu)[0]))]
    families = problem.arms.families

    def touches(e: float) -> bool:
        ends = np.array([_chernoff_ball(f, float(m), e) for f, m in zip(families, mu, strict=True)])
        low, high = ends[None, :, 0], ends[None, :, 1]
        return any(
            bool(solver.minimise(np.ones((1, len(mu))), mu[None], low, high)[1][0]) for solver in solvers
        )

    # the best response to equal weights is one alternative, so the search ends above its distance
    point = problem.best_response(problem.answer(mu), np.ones_like(mu), mu).point[0]
    high = max(_chernoff(f, float(p), float(m)) for f, p, m in zip(families, point, mu, strict=True))
    high *= 1 + 1e-9
    if not touches(high):
        raise InvalidInputError("epsilon cannot be found: the solver misses an alternative that exists")
    low = 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if touches(middle) else (middle, high)
    return low


def _chernoff(family: Any, x: float, y: float) -> float:
    if x == y:
        return 0.0
    u = float(family.mean((family.natural(x) + family.natural(y)) / 2))
    return float(family.d(u, x) + family.d(u, y))


def _chernoff_ball(family: Any, mu: float, e: float) -> tuple[float, float]:
    """The means within Chernoff information e of mu: its ends by bisection."""
    ends = []
    for edge in family.domain:
        near, far = mu, edge if math.isfinite(edge) else mu + math.copysign(1.0, edge)
        while not math.isfinite(edge) and _chernoff(family, far, mu) < e:
            far = mu + 2 * (far - mu)
        for _ in range(HALVINGS):
            middle = (near + far) / 2
            near, far = (middle, far) if _chernoff(family, middle, mu) <= e else (near, middle)
        ends.append(far if math.isfinite(far) else near)
    return min(ends), max(ends)


def game_value(problem: Problem, mu: FloatArray, precise: list[Precise], prices: list[Any]) -> Any:
    r"""$D_\mu$ to many digits where the alternatives that bind are ties of two arms, or bounds.

    The saddle point solves $\sum_k w^k d(\mu^k, \lambda_j^k) = v$ for each alternative j of the mixture,
    $\sum_j q_j d(\mu^k, \lambda_j^k) = v$ for each arm with weight and $\sum w = 1$: Newton's method from the
    solution in float64. Elsewhere the value is that of float64. With prices w are shares of the cost, and all
    is divided by the price of its arm.
    """
    solution = problem.solve(mu)
    known = mp.mpf(float(solution.value[0]))
    mixture, w = solution.mixture[0], solution.allocation[0]
    pieces = {n: s.piece for n, s in problem.game.pieces.solvers(int(problem.answer(mu)[0]))}
    active = [pieces.get(int(n)) for n in mixture.pieces]
    arms = [int(k) for k in np.flatnonzero(w > 1e-9)]
    x, scale = [exact(float(m)) for m in mu], [exact(float(s)) for s in problem.arms.scales]

    def point(piece: Any, weights: dict[int, Any]) -> dict[int, Any]:
        lam = {
            k: min(max(x[k], exact(float(piece.lower[k]))), exact(float(piece.upper[k])))
            for k in range(len(x))
        }
        for a, b in piece.orders:
            u, v = (weights.get(k, 0) * scale[k] / prices[k] for k in (a, b))
            lam[a] = lam[b] = (u * x[a] + v * x[b]) / (u + v)
        return lam

    def residuals(*z: Any) -> list[Any]:
        weights = dict(zip(arms, z, strict=False))
        q, v = z[len(arms) : -1], z[-1]
        points = [point(piece, weights) for piece in active]
        d = [[precise[k].d(x[k], lam[k]) / prices[k] for k in arms] for lam in points]
        return [
            *(sum(weights[k] * row[m] for m, k in enumerate(arms)) - v for row in d),
            *(sum(q[j] * d[j][m] for j in range(len(d))) - v for m in range(len(arms))),
            sum(weights.values()) - 1,
        ]

    simple = all(
        piece is not None
        and piece.is_order
        and len(piece.orders) <= 1
        and all(problem.arms.same_kind(a, b) for a, b in piece.orders)
        for piece in active
    )
    if not simple or problem.game.pieces.constraints is not None:
        return known
    start = [*(mp.mpf(float(w[k])) for k in arms), *(mp.mpf(float(p)) for p in mixture.weights), known]
    try:
        found = list(mp.findroot(residuals, start, tol=mp.mpf(10) ** (-2 * DIGITS + 20)))[-1]
    except (ValueError, ZeroDivisionError):  # a degenerate saddle point
        return known
    return found if abs(found - known) <= 1e-9 * known else known
