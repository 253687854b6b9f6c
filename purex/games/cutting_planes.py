r"""The max-min oracle for any problem, from best responses alone: cutting planes and a polish."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.families import Arms
from purex.games.balance import balanced
from purex.games.cuts import Cuts, natural_size
from purex.games.equilibrium import Equilibrium, Mixture
from purex.games.interior_point import ENOUGH, START, polish
from purex.games.observed import Observed
from purex.games.opponent import Answers, Opponent, PieceByPiece, Pieces
from purex.games.support import reduced
from purex.model import Actions

MAX_ITERATIONS = 100
KNOWN = 1e-9  # with a relative gap below this a first allocation needs no search
FIRST_POLISH = 2  # linear programs before the first polish; twice as many before the next, and so on
STABLE = 0.5  # queries are made this far from the vertex of the linear program, towards the best point
CROWDED = 20  # cuts per piece and arm from which on loose ones are dropped
# Where the alternative comes as near to mu as this (relative to the largest mean) mu lies in its closure,
# up to rounding; and by a value below the second number nothing can be divided.
ROUNDING, SMALLEST = 2.3e-16, 1e-300
SLIVER = 1e-12  # weight given to all arms where a piece is out of reach as long as each has some


class _Best(NamedTuple):
    """The best strategies so far and what they certify; each side may come from another iteration."""

    w: FloatArray
    lower: float
    mixture: Mixture
    upper: float

    @property
    def gap(self) -> float:
        """The relative duality gap; where rounding makes it negative, 0."""
        return max(0.0, 1.0 - self.lower / self.upper)

    def or_allocation(self, w: FloatArray, lower: float) -> _Best:
        """The same with w, if it guarantees more."""
        return self._replace(w=w, lower=lower) if lower > self.lower else self

    def or_mixture(self, mixture: Mixture, upper: float) -> _Best:
        """The same with this mixture, if it concedes less."""
        return self._replace(mixture=mixture, upper=upper) if upper < self.upper else self


def solve_game(
    solvers: Pieces,
    arms: Arms,
    mu: FloatArray,
    *,
    gap: float = 1e-6,
    max_iterations: int = MAX_ITERATIONS,
    actions: Actions | None = None,
) -> Equilibrium:
    r"""The equilibrium of the pure exploration game for one mu (K,), as one row (section 1, equation 1).

    Kelley's cutting planes: each iteration asks every piece for its best response and solves the game
    against all points found so far, a linear program; its dual is the mixture q. After a few iterations
    `polish` takes over. The result says which gap it reached: `gap` or better, unless max_iterations
    linear programs came first.

    Where a piece is infinitely far as long as every arm has some weight (an exponential arm of mean 0), the
    value is a supremum: the allocation then comes within 1e-12 of it. With `actions` the allocation is one of
    shares of their cost.

    >>> from purex.families import Bernoulli
    >>> from purex.problem import Problem
    >>> from purex_plugins.best_arm import BestArm
    >>> problem = Problem(Arms.of(Bernoulli(), 4), BestArm(4), oracle="generic")
    >>> result = solve_game(problem.oracle.solvers(0), problem.arms, np.array([0.5, 0.45, 0.43, 0.4]))
    >>> print(f"{result.value[0]:.10f}", result.allocation[0].round(4), result.gap[0] < 1e-10)
    0.0010103131 [0.4165 0.3903 0.1362 0.057 ] True
    """
    opponent: Opponent = PieceByPiece(solvers, arms, mu)
    if actions is not None:
        opponent = Observed(opponent, actions)
    return solve_against(opponent, gap=gap, max_iterations=max_iterations)


def solve_against(
    opponent: Opponent,
    *,
    gap: float = 1e-6,
    max_iterations: int = MAX_ITERATIONS,
    first: FloatArray | None = None,
    guarantee: Callable[[FloatArray], float] | None = None,
) -> Equilibrium:
    """The equilibrium of the game against an opponent, as one row: see `solve_game`.

    `first` (K,) is an allocation that may be optimal already: then only its mixture is sought. `guarantee`
    says what an allocation is worth against all alternatives; by default the opponent does.
    """
    K = opponent.n_moves
    uniform = np.full(K, 1.0 / K)
    answers = opponent.respond(uniform)
    far = np.isinf(answers.value[:, 0])
    if far.all():
        return _row(uniform, np.inf, Mixture.empty(opponent.arms.n_arms), 0.0, 1)
    nearest = int(answers.value[:, 0].argmin())
    away = np.abs(answers.points[nearest, 0] - opponent.mu).max()
    if answers.value[nearest, 0] < SMALLEST or away <= ROUNDING * np.abs(opponent.mu).max():
        number = opponent.numbers[nearest : nearest + 1]
        return _row(uniform, 0.0, Mixture(np.ones(1), opponent.mu[None].copy(), number), 0.0, 1)
    reached = opponent
    if far.any():
        reached, answers = opponent.without(far), Answers(*(x[~far] for x in answers))
    best, iterations = None, 0
    if first is not None:
        best, iterations = _around(reached, first), 1
    if best is None or best.gap > KNOWN:
        found, steps = _search(reached, answers, gap, max_iterations)
        best = (
            found
            if best is None
            else found.or_allocation(best.w, best.lower).or_mixture(best.mixture, best.upper)
        )
        iterations += steps
    w, mixture = best.w, _reduced(reached, best.mixture)
    if far.any():
        w = (1.0 - SLIVER) * w + SLIVER * uniform
    lower = float(opponent.respond(w).value.min()) if guarantee is None else guarantee(w)
    upper = float(np.einsum("m,mk->k", mixture.weights, opponent.payoffs(mixture.points)).max())
    return _row(w, lower, mixture, abs(1.0 - lower / upper), iterations)


def _around(opponent: Opponent, w: FloatArray) -> _Best:
    """An allocation w with the best mixture of the points that answer it."""
    answers = opponent.respond(w)
    cuts, lower = Cuts.among(answers), float(answers.value.min())
    best = _Best(w, lower, Mixture.empty(opponent.arms.n_arms), np.inf)
    q = balanced(w, cuts.G)
    if q is None:
        vertex = cuts.solve(lower)
        q = None if vertex is None else vertex.q
    if q is None:
        return best
    return best.or_mixture(_mixture(opponent, q, cuts.points, cuts.of), float((q @ cuts.G).max()))


def _row(w: FloatArray, value: float, mixture: Mixture, gap: float, iterations: int) -> Equilibrium:
    """A batch of one."""
    return Equilibrium(
        np.array([value]), w[None].copy(), (mixture,), np.array([gap]), np.array([iterations], dtype=np.int64)
    )


def _search(opponent: Opponent, answers: Answers, gap: float, max_iterations: int) -> tuple[_Best, int]:
    """Linear programs and polishes in turn, from the answers to the uniform allocation until the gap."""
    K = opponent.n_moves
    nothing = Mixture.empty(opponent.arms.n_arms)
    best = _Best(np.full(K, 1.0 / K), float(answers.value[:, 0].min()), nothing, np.inf)
    cuts, polish_at, iterations = Cuts.among(answers), FIRST_POLISH, 0
    for program in range(1, max_iterations + 1):
        vertex = cuts.solve(best.lower)
        if vertex is None:
            break
        w, q = vertex
        best = best.or_mixture(_mixture(opponent, q, cuts.points, cuts.of), float((q @ cuts.G).max()))
        # The mix keeps every weight positive, hence every cut finite; the vertex itself is the solution
        # where w* is sparse.
        queries = np.array([STABLE * best.w + (1.0 - STABLE) * w, w])
        answers = opponent.respond(queries)
        for query, value in zip(queries, answers.value.min(axis=0), strict=True):
            best = best.or_allocation(query, float(value))
        iterations += 1
        if best.gap <= ENOUGH:
            break
        if program == polish_at or best.gap <= gap:
            polish_at *= 2
            inner = np.maximum(best.w, START * natural_size(best.w, cuts.G, best.lower))
            shares = np.bincount(cuts.of, weights=q, minlength=opponent.n_pieces).astype(np.float64)
            saddle, steps = polish(opponent, inner / inner.sum(), shares)
            iterations += steps
            if saddle is not None:
                mixture = _mixture(opponent, saddle.q, saddle.points, np.arange(opponent.n_pieces))
                best = best.or_allocation(saddle.w, saddle.lower).or_mixture(mixture, saddle.upper)
        if best.gap <= gap:
            break
        if len(cuts.G) > CROWDED * (opponent.n_pieces + K):
            cuts = cuts.tight(w, best.upper)
        cuts = cuts.join(Cuts.among(answers))
    return best, iterations


def _mixture(opponent: Opponent, q: FloatArray, points: FloatArray, of: NDArray[np.intp]) -> Mixture:
    """The points in use, with the declared numbers of their pieces."""
    return Mixture(q[q > 0], points[q > 0], opponent.numbers[of[q > 0]])


def _reduced(opponent: Opponent, mixture: Mixture) -> Mixture:
    """The same mixture, or a better one, on at most K points."""
    q = reduced(mixture.weights, opponent.payoffs(mixture.points))
    return Mixture(q[q > 0], mixture.points[q > 0], mixture.pieces[q > 0])
