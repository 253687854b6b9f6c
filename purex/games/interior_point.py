r"""Newton's method for the saddle point of the game, along the central path.

Where cutting planes slow down (many arms tied by one piece, gaps of 1e-4 between the best arms), the
equations of the saddle point still converge quadratically: every piece in use costs v, every arm in use
earns v. Following the central path into them finds out which arms and pieces are in use.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.errors import OracleFailureError
from purex.games.cuts import natural_size
from purex.games.opponent import Bend, Opponent

MAX_STEPS = 40
PATIENCE = 6  # steps without halving the gap after which cutting planes go on,
SETTLED = 1e-9  # or a single one if the gap is below this: the pieces' own accuracy is reached
ENOUGH = 1e-12  # a relative gap that need not be improved
NEGLIGIBLE = 1e-7  # the curvature of a piece whose share in every payoff is smaller is left out
START = 1e-3  # share of its natural size below which no weight starts: the path begins inside
# Of the way to a negative weight or slack, at first and (for quadratic convergence) in the end.
FIRST_FRACTION, LAST_FRACTION = 0.99, 1.0 - 1e-12
CENTRE = 1e-16  # complementarity is never asked to be smaller, relative to the value


class Saddle(NamedTuple):
    """Strategies w (K,) and q (J,) over the points (J, K) of the pieces, and the bounds they certify."""

    w: FloatArray
    q: FloatArray
    points: FloatArray
    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """The relative duality gap."""
        return 1.0 - self.lower / self.upper


class _Sight(NamedTuple):
    """What is seen at an allocation: points, G (J, K) = divergences, costs f (J,), and how G bends."""

    points: FloatArray
    G: FloatArray
    f: FloatArray
    bend: Bend

    @property
    def is_regular(self) -> bool:
        """Whether every piece costs something, and nothing is infinite."""
        return bool(np.isfinite(self.G).all() and np.isfinite(self.f).all() and (self.f > 0).all())


class _Iterate(NamedTuple):
    """Strategies w and q, their values u (payoff) and l (cost), and the slacks z (K,) and y (J,)."""

    w: FloatArray
    q: FloatArray
    u: float
    l: float
    z: FloatArray
    y: FloatArray


class _Sizes(NamedTuple):
    """The natural sizes of the weights: as much as could balance the value alone."""

    w: FloatArray
    q: FloatArray


def polish(opponent: Opponent, w: FloatArray, q: FloatArray) -> tuple[Saddle | None, int]:
    r"""The best saddle point on the way from w (K,) and q (J,), and the number of steps.

    Mehrotra's predictor-corrector method for $w^k z^k = \tau$, $q_p y_p = \tau$, $\tau \to 0$, with the
    slacks $z^k = u - \sum_p q_p d(\mu^k, \lambda_p^k)$ and $y_p = f_p(w) - l$. At $\tau = 0$ the arms in use
    earn u, the pieces in use cost l, and the gap $u - l = \sum_k w^k z^k + \sum_p q_p y_p$ is 0. Pieces may
    fail to answer at extreme weights; the best saddle point so far is returned then.

    >>> from purex.families import Arms, Gaussian
    >>> from purex.games.opponent import PieceByPiece
    >>> from purex.problem import Problem
    >>> from purex_plugins.best_arm import BestArm
    >>> problem = Problem(Arms([Gaussian(1.0), Gaussian(4.0)]), BestArm(2), oracle="generic")
    >>> opponent = PieceByPiece(problem.oracle.solvers(0), problem.arms, np.array([1.0, 0.4]))
    >>> saddle, _ = polish(opponent, np.full(2, 0.5), np.ones(1))
    >>> saddle.w.round(9), round(saddle.lower, 12)   # w = sigma / sum(sigma), D = gap^2 / (2 sum(sigma)^2)
    (array([0.33333333, 0.66666667]), 0.02)
    """
    best: Saddle | None = None
    stale = steps = 0
    try:
        sight = _look(opponent, w, np.flatnonzero(q > 0))
        steps += 1
        if not sight.is_regular:
            return None, steps
        at, sizes = _start(sight, w, q)
        end = at
        while steps <= MAX_STEPS and sight.is_regular:
            lower, upper = float(sight.f.min()), float((at.q @ sight.G).max())
            saddle = Saddle(at.w, at.q, sight.points, lower, upper)
            stale = 0 if best is None or saddle.gap < 0.5 * best.gap else stale + 1
            if best is None or saddle.gap < best.gap:
                best, end = saddle, at
            if stale >= (1 if best.gap <= SETTLED else PATIENCE) or best.gap <= ENOUGH:
                break
            with np.errstate(all="ignore"):  # what overflows ends the path
                at = _advance(at, sight, sizes)
            if not all(np.isfinite(part).all() for part in at):
                break
            share = (at.q[:, None] * sight.G).max(axis=1)
            sight = _look(opponent, at.w, np.flatnonzero(share > NEGLIGIBLE * lower))
            steps += 1
        if best is not None:
            best = _sparse(opponent, best, end, sizes)
    except (OracleFailureError, np.linalg.LinAlgError):
        pass
    return best, steps


def _sparse(opponent: Opponent, saddle: Saddle, at: _Iterate, sizes: _Sizes) -> Saddle:
    """Zero the weights that vanish at the end of the path, if that costs no more than rounding.

    A weight vanishes if it is smaller, in its units, than its slack.
    """
    w = np.where(at.w / sizes.w < at.z / saddle.lower, 0.0, saddle.w)
    if w.any() and not w.all():
        w = w / w.sum()
        lower = float(opponent.respond(w).value.min())
        if lower >= (1.0 - ENOUGH) * saddle.lower:
            saddle = saddle._replace(w=w, lower=lower)
    q = np.where(at.q / sizes.q < at.y / saddle.lower, 0.0, saddle.q)
    if q.any() and not q.all():
        q = q / q.sum()
        upper = float((q @ opponent.payoffs(saddle.points)).max())
        if upper <= (1.0 + ENOUGH) * saddle.upper:
            saddle = saddle._replace(q=q, upper=upper)
    return saddle


def _look(opponent: Opponent, w: FloatArray, curved: NDArray[np.intp]) -> _Sight:
    """The answers to w, with the derivatives of the curved pieces."""
    answers, bend = opponent.look(w, curved)
    return _Sight(answers.points[:, 0], answers.d[:, 0], answers.value[:, 0], bend)


def _start(sight: _Sight, w: FloatArray, q: FloatArray) -> tuple[_Iterate, _Sizes]:
    """A first iterate with all weights and slacks positive."""
    v = float(sight.f.min())
    sizes = _Sizes(natural_size(w, sight.G, v), natural_size(q, sight.G.T, v))
    q = np.maximum(q, START * sizes.q)
    q = q / q.sum()
    payoff = q @ sight.G
    u = float(payoff.max())
    least = 0.1 * (u - v)
    return _Iterate(w, q, u, v, np.maximum(u - payoff, least), np.maximum(sight.f - v, least)), sizes


def _advance(at: _Iterate, sight: _Sight, sizes: _Sizes) -> _Iterate:
    """One step: aim at complementarity zero, see how far that goes, then correct and centre."""
    w, q, u, l, z, y = at
    K, J = len(w), len(q)
    G, f, v = sight.G, sight.f, float(sight.f.min())
    payoff = q @ G
    # The unknowns are relative changes of w and q, and changes of u and l in units of v.
    M = np.zeros((K + J + 2, K + J + 2))
    M[:K, :K] = sight.bend(q) / v - np.diag(z / v)
    M[:K, K:-2] = (q[:, None] * G).T / v
    M[K:-2, :K] = G * w / v
    M[K:-2, K:-2] = np.diag(y / v)
    M[:K, -2] = M[K:-2, -1] = -1.0
    M[-2, :K], M[-1, K:-2] = w, q

    def towards(wz: FloatArray, qy: FloatArray) -> tuple[FloatArray, ...]:
        """The relative changes of w, q, z, y, and those of u and l, that make the products wz and qy."""
        right = np.concatenate([(u - payoff - wz / w) / v, (qy / q + l - f) / v, [1 - w.sum(), 1 - q.sum()]])
        x = np.linalg.solve(M, right)
        dw, dq = x[:K], x[K:-2]
        return dw, dq, wz / (w * z) - 1 - dw, qy / (q * y) - 1 - dq, v * x[-2:]

    slack = float(w @ z + q @ y)
    dw, dq, dz, dy, _ = towards(np.zeros(K), np.zeros(J))
    t = _reach(dw, dq, dz, dy)
    left = (w * (1 + t * dw)) @ (z * (1 + t * dz)) + (q * (1 + t * dq)) @ (y * (1 + t * dy))
    tau = max((left / slack) ** 3 * slack, CENTRE * v) / (sizes.w.sum() + sizes.q.sum())
    dw, dq, dz, dy, (du, dl) = towards(tau * sizes.w - w * z * dw * dz, tau * sizes.q - q * y * dq * dy)
    fraction = min(max(FIRST_FRACTION, 1.0 - slack / v), LAST_FRACTION)
    t = min(1.0, fraction * _reach(dw, dq, dz, dy, longest=2.0))
    w, q = w * (1 + t * dw), q * (1 + t * dq)
    return _Iterate(
        w / w.sum(), q / q.sum(), u + t * float(du), l + t * float(dl), z * (1 + t * dz), y * (1 + t * dy)
    )


def _reach(*changes: FloatArray, longest: float = 1.0) -> float:
    """How far one can go along relative changes before something becomes negative."""
    fall = max(float(-change.min()) for change in changes)
    return longest if fall * longest <= 1.0 else 1.0 / fall
