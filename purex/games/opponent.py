r"""The $\lambda$-player of one game: what the pieces of the alternative answer to an allocation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from purex.arrays import BoolArray, FloatArray, IntArray
from purex.convex import PieceSolver, PieceStack
from purex.families import Arms

# Of shares q (J,): how payoffs bend, $\sum_p q_p \partial d(\mu^k, \lambda_p^k)/\partial \ln w^l$ at [k, l]
Bend = Callable[[FloatArray], FloatArray]

DIFFERENCE = 1e-5  # relative change of a weight: truncation and rounding of differences both below 1e-5


class Solver(Protocol):
    """One piece of an alternative: a `PieceSolver`, or one that says how several are `stacked`."""

    @property
    def tied(self) -> NDArray[np.intp]:
        """The arms on whose weights the nearest point depends."""
        ...

    def minimise(self, w: FloatArray, mu: FloatArray, /) -> tuple[FloatArray, BoolArray]:
        """The nearest points (R, K), and which rows have one."""
        ...


Pieces = Sequence[tuple[int, Solver]]  # as `GenericOracle.solvers` gives them: number, solver


class Answers(NamedTuple):
    r"""The cheapest point of every piece p, for each of R allocations w.

    points (J, R, K): $\lambda_p(w)$; d (J, R, K): the divergences $d(\mu^k, \lambda_p^k)$, which are the
    gradient of $f_p$ at w (envelope theorem); value (J, R): $f_p(w) = \sum_k w^k d(\mu^k, \lambda_p^k)$.
    """

    points: FloatArray
    d: FloatArray
    value: FloatArray


class Opponent(ABC):
    r"""The pieces p of the alternative for one mu (K,).

    The nearest point of piece p costs $f_p(w) = \inf_{\lambda \in p} \sum_k w^k d(\mu^k, \lambda^k)$, concave
    in the allocation; the value of the game is $\max_w \min_p f_p(w)$.
    """

    arms: Arms
    mu: FloatArray
    numbers: IntArray  # (J,): which of the declared pieces they are

    @property
    def n_moves(self) -> int:
        """How many weights an allocation has: the number K of arms, or that of actions."""
        return self.arms.n_arms

    @property
    def n_pieces(self) -> int:
        """The number J of pieces of the alternative."""
        return len(self.numbers)

    @abstractmethod
    def respond(self, w: FloatArray, pieces: Sequence[int] | NDArray[np.intp] | None = None) -> Answers:
        """The answers of these pieces (all by default) to allocations w (K,) or (R, K)."""

    @abstractmethod
    def look(self, w: FloatArray, curved: NDArray[np.intp]) -> tuple[Answers, Bend]:
        """The answers of all pieces to w (K,) > 0, and how the payoffs of the curved ones bend there."""

    @abstractmethod
    def without(self, gone: NDArray[np.bool_]) -> Opponent:
        """The same opponent without some of its pieces."""

    def payoffs(self, points: FloatArray) -> FloatArray:
        """What each move earns (M, K) against points (M, K)."""
        return self.arms.d(self.mu, points)

    def answers(self, w: FloatArray, points: FloatArray, reached: BoolArray | bool = True) -> Answers:
        """What points (J, R, K) cost at allocations w (R, K); those not reached cost infinitely much."""
        d = self.arms.d(self.mu, points)
        with np.errstate(invalid="ignore"):  # no weight, no cost, even if the divergence is infinite
            value = np.where(w == 0, 0.0, w * d).sum(axis=-1)
        return Answers(points, d, np.where(reached, value, np.inf))


class PieceByPiece(Opponent):
    """The opponent that has a solver for each piece.

    >>> from purex.families import Bernoulli
    >>> from purex.problem import Problem
    >>> from purex_plugins.best_arm import BestArm
    >>> problem = Problem(Arms.of(Bernoulli(), 3), BestArm(3), oracle="generic")
    >>> opponent = PieceByPiece(problem.oracle.solvers(0), problem.arms, np.array([0.5, 0.4, 0.3]))
    >>> opponent.respond(np.array([0.5, 0.3, 0.2])).value[:, 0].round(6)
    array([0.003789, 0.011875])
    """

    def __init__(self, solvers: Pieces, arms: Arms, mu: FloatArray) -> None:
        self.solvers, self.arms = solvers, arms
        self.numbers = np.array([number for number, _ in solvers], dtype=np.int64)
        self._stack = _stacked([solver for _, solver in solvers])
        self.mu = np.ascontiguousarray(mu, dtype=np.float64)

    def respond(self, w: FloatArray, pieces: Sequence[int] | NDArray[np.intp] | None = None) -> Answers:
        """The answers of these pieces (all by default) to allocations w (K,) or (R, K)."""
        w = np.ascontiguousarray(np.atleast_2d(w))
        mu = np.ascontiguousarray(np.broadcast_to(self.mu, w.shape))
        asked = range(self.n_pieces) if pieces is None else pieces
        if self._stack is not None and len(asked):
            stack = self._stack if pieces is None else self._stack.take(asked)
            points, reached = stack.every(w, mu)
        else:
            points = np.empty((len(asked), *w.shape))
            reached = np.empty((len(asked), len(w)), dtype=bool)
            for n, p in enumerate(asked):
                points[n], reached[n] = self.solvers[p][1].minimise(w, mu)
        return self.answers(w, points, reached)

    def look(self, w: FloatArray, curved: NDArray[np.intp]) -> tuple[Answers, Bend]:
        r"""The answers of all pieces to w (K,) > 0, and how the payoffs of the curved ones bend there.

        By differences in $\ln w^l$, of those arms l that a piece ties: it does not see the other weights.
        """
        J, K = self.n_pieces, self.arms.n_arms
        found = Answers(np.empty((J, 1, K)), np.empty((J, 1, K)), np.empty((J, 1)))
        blocks: dict[int, tuple[NDArray[np.intp], FloatArray]] = {}
        for group, tied in self._alike(curved):
            near = np.vstack([w, w * (1.0 + DIFFERENCE * np.eye(K)[tied])])
            around = self.respond(near, group)
            for mine, others in zip(found, around, strict=True):
                mine[group] = others[:, :1]
            slopes = (around.d[:, 1:] - around.d[:, :1])[:, :, tied] / DIFFERENCE  # of d_k in ln w_l: [l, k]
            blocks.update((int(p), (tied, slope)) for p, slope in zip(group, slopes, strict=True))
        flat = np.delete(np.arange(J), curved)
        if len(flat):
            for mine, others in zip(found, self.respond(w, flat), strict=True):
                mine[flat] = others

        def bend(q: FloatArray) -> FloatArray:
            total = np.zeros((K, K))
            for p, (tied, slope) in sorted(blocks.items()):
                total[np.ix_(tied, tied)] += q[p] * slope.T
            return total

        return found, bend

    def _alike(self, pieces: NDArray[np.intp]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """The pieces in groups that tie the same arms, with these arms."""
        groups: dict[bytes, tuple[list[int], NDArray[np.intp]]] = {}
        for p in pieces:
            tied = self.solvers[p][1].tied
            groups.setdefault(tied.tobytes(), ([], tied))[0].append(int(p))
        return [(np.array(group), tied) for group, tied in groups.values()]

    def without(self, gone: NDArray[np.bool_]) -> Opponent:
        """The same opponent without some of its pieces."""
        kept = [s for s, out in zip(self.solvers, gone, strict=True) if not out]
        return PieceByPiece(kept, self.arms, self.mu)


def _stacked(solvers: Sequence[Any]) -> Any:
    """The pieces side by side, solved in one call; None if they are asked one by one."""
    if solvers and not isinstance(solvers[0], PieceSolver):
        return solvers[0].stacked(solvers)
    return PieceStack.of(solvers)
