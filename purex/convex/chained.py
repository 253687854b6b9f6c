"""Pieces that are chains of orders, side by side, for a kernel that goes through all of an alternative."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from purex.arrays import FloatArray
from purex.convex.arguments import ChainedPieces, own
from purex.convex.piece import Piece
from purex.convex.solver import PieceSolver, bounds_along
from purex.convex.stack import Nearest, families_of
from purex.families.specialisation import Known


class ChainedStack:
    """Pieces of bounds and chains of one family each, as arrays of one shape."""

    def __init__(self, solvers: Sequence[PieceSolver]) -> None:
        self.arms = arms = solvers[0].piece.arms
        self.known = Known.of(arms, -np.inf, np.inf)
        self.families = families_of(arms)
        self.places = np.array(
            [p for p, solver in enumerate(solvers) if _has_points(solver.piece)], dtype=np.int64
        )
        pieces, K = [solvers[p].piece for p in self.places], arms.n_arms
        shape = (len(pieces), K)
        chained, ends = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        floor, ceiling = np.zeros(shape), np.zeros(shape)
        for p, piece in enumerate(pieces):
            begin = 0
            for n, chain in enumerate(piece.chains or ()):
                end = begin + len(chain)
                chained[p, begin:end], ends[p, n] = chain, end
                floor[p, begin:end], ceiling[p, begin:end] = bounds_along(chain, piece.lower, piece.upper)
                begin = end
        self.pieces = ChainedPieces(
            lower=np.array([piece.lower for piece in pieces]).reshape(shape),
            upper=np.array([piece.upper for piece in pieces]).reshape(shape),
            chained=chained,
            ends=ends,
            floor=floor,
            ceiling=ceiling,
        )

    @classmethod
    def of(cls, solvers: Sequence[PieceSolver]) -> ChainedStack | None:
        """The stack of these solvers; None where PAV is not all that is needed, or kernels know no arm."""
        if not solvers or not solvers[0].piece.arms.is_compiled:
            return None
        pieces = [solver.piece for solver in solvers if solver.method == "pav"]
        if len(pieces) < len(solvers):
            return None
        one_kind = all(piece.ties_one_kind(chain) for piece in pieces for chain in piece.components)
        return cls(solvers) if one_kind else None

    def nearest(self, w: FloatArray, xi: FloatArray) -> Nearest:
        """The best responses to weights w and points xi (R, K); `piece` counts within the stack."""
        from purex.convex.kernels.chains import nearest_chained

        R = len(xi)
        point, piece = xi.copy(), np.empty(R, dtype=np.int64)
        kernel = self.known.binding(nearest_chained)
        kernel(own(w), own(xi), tuple(self.families), tuple(self.pieces), point, piece)
        value = self.arms.cost(w, xi, point)
        if len(self.places) == 0:
            return Nearest(np.full(R, np.inf), point, piece, np.ones(R, dtype=bool))
        return Nearest(value, point, self.places[piece], np.ones(R, dtype=bool))


def _has_points(piece: Piece) -> bool:
    """Whether its bounds leave room for its chains."""
    bounds = [bounds_along(chain, piece.lower, piece.upper) for chain in piece.chains or ()]
    return not piece.is_empty_box and all((floor <= ceiling).all() for floor, ceiling in bounds)
