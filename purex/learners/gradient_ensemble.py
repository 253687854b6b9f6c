r"""Projected gradient descent on each convex piece of an alternative, aggregated by exponential weights.

The other learner of section 3.2 of the paper for the lambda-player, explicit as in claim S48. Round
s of a learner with pieces $j \le J$ plays $q = \sum_j p_j \delta_{x_j}$ with $p_j \propto e^{-\rho_s L_j}$,
$\rho_s = \sqrt{8 \ln J/s}/D$ and $L_j$ the losses of $x_j$ so far; then each $x_j$ makes a step
$\eta_s = \Delta/(G\sqrt{2s})$ against the gradient of $\ell_s(\lambda) = \sum_k w^k d(\hat\mu^k, \lambda^k)$
and is projected on its piece, in the Euclidean distance of the coordinates: means, or natural parameters
(over the scale of the family, so that arms of one kind compare). A projection is the best response of
Gaussian arms to unit weights, which is not one in the problem's own divergence (R31).

Every $x_j$ starts as the projection of the estimates at the learner's first round. In batches rows are
runs, and each result depends on its row only. For one run: `purex.reference.lambda_players.GradientEnsemble`.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray
from purex.convex.generic import GenericOracle
from purex.convex.piece import Piece
from purex.convex.solver import PieceSolver
from purex.errors import InvalidInputError, RefusedProblemError
from purex.families import Arms, Gaussian
from purex.families.convexity import not_convex
from purex.problem import Problem

Coordinates = Literal["mean", "natural"]
Projection = Literal["fast", "cvxpy"]

PROBES = 64  # random models whose answers say how many pieces there are, where answers cannot be listed


def regret_bound(T: float, J: int, Delta: float, G: float, D: float) -> float:
    r"""$\sqrt2 \Delta G \sqrt T + D(\sqrt{2T \ln J} + \sqrt{\ln J/8})$, on every path (S48).

    Delta is the diameter of the box in the coordinates, G bounds the gradients, D the losses.

    >>> print(f"{regret_bound(100, 1, 1.0, 1.0, 1.0):.3f} {regret_bound(100, 2, 1.0, 1.0, 1.0):.3f}")
    14.142 26.211
    """
    return math.sqrt(2 * T) * Delta * G + D * (math.sqrt(2 * T * math.log(J)) + math.sqrt(math.log(J) / 8))


class GradientEnsemble:
    """The learners of a problem's answers: their memories are rows (R, memory_size).

    A memory holds the points (J, K), the losses (J) and the number of rounds; J is the largest number of
    pieces of an alternative.
    """

    def __init__(
        self, problem: Problem, coordinates: Coordinates = "mean", projection: Projection = "fast"
    ) -> None:
        if coordinates not in ("mean", "natural"):
            raise InvalidInputError(f"the coordinates are 'mean' or 'natural', not {coordinates!r}")
        if projection not in ("fast", "cvxpy"):
            raise InvalidInputError(f"the projection is 'fast' or 'cvxpy', not {projection!r}")
        if not (np.isfinite(problem.lower) and np.isfinite(problem.upper)):
            raise RefusedProblemError(
                "gradient descent needs bounded means, and those of this problem lie in "
                f"[{problem.lower:g}, {problem.upper:g}]: give box=(lower, upper), or --box"
            )
        arms = problem.arms
        others = sorted(not_convex(arms.families))
        if coordinates == "mean" and others:
            raise RefusedProblemError(
                f"the divergence of {', '.join(others)} arms is not convex in the mean: take "
                "coordinates='natural'"
            )
        self.arms, self.coordinates, self.projection = arms, coordinates, projection
        self.K = arms.n_arms
        self.Delta, self.G, self.D = sizes(arms, problem.lower, problem.upper, coordinates)
        self._pieces = GenericOracle(problem.query, problem.structure, arms, problem.lower, problem.upper)
        self._solvers: dict[int, list[PieceSolver]] = {}
        self._chains: dict[int, Chains | None] = {}
        codes = problem.query.answers()
        if codes is None:
            models = np.random.default_rng(0).uniform(problem.lower, problem.upper, (PROBES, self.K))
            codes = [
                int(code) for code in np.unique(problem.answer(problem.project(1.0 + 0 * models, models)))
            ]
        cells = len(self._pieces.cells)
        self.J = max([1, *(len(problem.query.alternatives(code)) * cells for code in codes)])

    @property
    def memory_size(self) -> int:
        """The numbers that a learner keeps."""
        return self.J * self.K + self.J + 1

    def solvers(self, i: int) -> list[PieceSolver]:
        """The projections on the pieces of the alternative to answer i."""
        if i not in self._solvers:
            found = [self._solver(solver.piece) for _, solver in self._pieces.solvers(i)]
            if len(found) > self.J:
                raise RefusedProblemError(
                    f"the alternative to answer {i} has {len(found)} convex pieces where {self.J} were "
                    "expected: let the query list its answers()"
                )
            self._solvers[i] = found
        return self._solvers[i]

    def _solver(self, piece: Piece) -> PieceSolver:
        """The Euclidean projection on a piece: unit Gaussians, and the piece in these coordinates."""
        euclidean = Arms.of(Gaussian(), self.K)
        lower, upper = self.place(piece.lower), self.place(piece.upper)
        compare = self.coordinates == "mean" or all(piece.ties_one_kind(group) for group in piece.components)
        # over its scale, the natural parameter of a Gaussian arm is its mean
        gaussian = all(self.arms.kinds[k] == "gaussian" for k in np.flatnonzero((piece.A != 0).any(axis=0)))
        same = piece.coordinates == self.coordinates or (gaussian and piece.coordinates != "log")
        if not (compare and same and (self.coordinates == "mean" or self._pieces.constraints is None)):
            raise RefusedProblemError(
                f"the alternatives of this problem are not convex in {self.coordinates} coordinates: there, "
                "constraints must be orders of arms of one kind, thresholds or linear in these coordinates"
            )
        flat = Piece(euclidean, lower, upper, piece.orders, piece.A, piece.b, piece.equality, "mean")
        method: Literal["auto", "cvxpy"] = "auto" if self.projection == "fast" else "cvxpy"
        return PieceSolver(flat, method, self._pieces.constraints)

    def place(self, lam: FloatArray) -> FloatArray:
        """The coordinates of means."""
        return lam if self.coordinates == "mean" else self.arms.base_natural(lam)

    def means(self, x: FloatArray) -> FloatArray:
        """The means at coordinates."""
        return x if self.coordinates == "mean" else self.arms.base_mean(x)

    def project(self, i: int, x: FloatArray) -> FloatArray:
        """The projections of x (R, J, K), in the coordinates, on the pieces of the alternative to i."""
        solvers = self.solvers(i)
        if i not in self._chains:
            self._chains[i] = Chains.of(solvers)
        chains = self._chains[i]
        if chains is not None:
            return chains.project(x)
        point = np.empty_like(x)
        for j, solver in enumerate(solvers):
            point[:, j], _ = solver.minimise(np.ones_like(x[:, j]), x[:, j])
        return point

    def play(self, i: int, memory: FloatArray, mu: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The plays of the learners of answer i: weights p (R, J) and points (R, J, K), in means.

        Learners that are new begin at the projections of mu (R, K).
        """
        J, (points, losses, rounds) = len(self.solvers(i)), self._views(memory)
        new = np.flatnonzero(rounds == 0)
        if len(new):
            points[new, :J] = self.project(i, np.repeat(self.place(mu[new])[:, None], J, axis=1))
        rate = np.sqrt(8 * math.log(J) / (rounds + 1)) / self.D
        excess = losses[:, :J] - losses[:, :J].min(axis=1, keepdims=True)
        p = np.exp(-rate[:, None] * excess)
        total = np.zeros(len(p))
        for j in range(J):  # one after the other: np.sum groups its terms by the shape of the batch
            total += p[:, j]
        return p / total[:, None], self.means(points[:, :J])

    def update(self, i: int, memory: FloatArray, w: FloatArray, mu: FloatArray) -> None:
        """Feed the learners of answer i their losses, of weights w at mu (R, K)."""
        J, (points, losses, rounds) = len(self.solvers(i)), self._views(memory)
        step = self.Delta / (self.G * np.sqrt(2 * (rounds + 1)))
        x, w, mu = points[:, :J], w[:, None], mu[:, None]
        lam = self.means(x)
        losses[:, :J] += self.arms.cost(w, mu, lam)
        slope = self.arms.slope(mu, lam) if self.coordinates == "mean" else self.arms.scales * (lam - mu)
        points[:, :J] = self.project(i, x - step[:, None, None] * (w * slope))
        rounds += 1

    def _views(self, memory: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The points (R, J, K), the losses (R, J) and the rounds (R,) of these memories, to be written to."""
        n = self.J * self.K
        return memory[:, :n].reshape(-1, self.J, self.K), memory[:, n : n + self.J], memory[:, -1]


class Chains(NamedTuple):
    """Pieces of bounds and increasing chains of arms, as of most queries: projected on all at once.

    The same arithmetic as `PieceSolver` on one after the other. `lower` and `upper` are (J, K); a group holds
    the chains of one length m: their pieces (C,), their arms (C, m) and bounds (C, m) along the chain.
    """

    lower: FloatArray
    upper: FloatArray
    groups: tuple[tuple[NDArray[np.intp], NDArray[np.intp], FloatArray, FloatArray], ...]

    @classmethod
    def of(cls, solvers: list[PieceSolver]) -> Chains | None:
        """The chains of some projections; None if some piece is more than chains."""
        if any(solver.method != "pav" for solver in solvers):
            return None
        pieces = [solver.piece for solver in solvers]
        found: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
        for j, piece in enumerate(pieces):
            for chain in piece.chains or ():
                found.setdefault(len(chain), []).append((j, chain))
        lower, upper = np.array([p.lower for p in pieces]), np.array([p.upper for p in pieces])
        groups = []
        for chains in found.values():
            of, arms = np.array([j for j, _ in chains])[:, None], np.array([chain for _, chain in chains])
            floor = np.maximum.accumulate(lower[of, arms], axis=1)
            ceiling = np.minimum.accumulate(upper[of, arms][:, ::-1], axis=1)[:, ::-1]
            groups.append((of, arms, floor, ceiling))
        return cls(lower, upper, tuple(groups))

    def project(self, x: FloatArray) -> FloatArray:
        """The projections of x (R, J, K)."""
        from purex.convex.pav import chain_fit

        fit: Any = chain_fit
        point = np.clip(x, self.lower, self.upper)
        for of, arms, floor, ceiling in self.groups:
            point[:, of, arms] = fit(np.ones(floor.shape), x[:, of, arms], floor, ceiling)
        return point


def sizes(arms: Arms, lower: float, upper: float, coordinates: Coordinates) -> tuple[float, float, float]:
    r"""The diameter $\Delta$ of the box, the largest gradient G and the largest divergence D of a game.

    In means $\Delta = \sqrt K (\mu_{max} - \mu_{min})$ and $G = \max \phi''(y) |x - y|$, which is at an end
    of the box, for the slope of a convex divergence is monotone. In natural parameters (over the scale s of
    the family) $\Delta = \sqrt K L/s$ and $G = s(\mu_{max} - \mu_{min})$.

    >>> from purex.families import Bernoulli
    >>> arms = Arms.of(Bernoulli(), 4)
    >>> print("{:.3f} {:.3f} {:.3f}".format(*sizes(arms, 0.05, 0.95, "mean")))
    1.800 18.947 2.650
    >>> print("{:.3f} {:.3f} {:.3f}".format(*sizes(arms, 0.05, 0.95, "natural")))
    11.778 0.900 2.650
    """
    ends = (lower, upper), (upper, lower)
    constants = [family.constants(lower, upper) for family in arms.families]
    D = max(constant.D for constant in constants)
    if coordinates == "mean":
        G = max(abs(float(family.slope(x, y))) for family in arms.families for x, y in ends)
        return math.sqrt(arms.n_arms) * (upper - lower), G, D
    widths = [constant.L / family.scale for constant, family in zip(constants, arms.families, strict=True)]
    return math.sqrt(sum(L**2 for L in widths)), float(arms.scales.max()) * (upper - lower), D
