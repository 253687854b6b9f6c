"""Best responses and projections on polyhedra for separable divergences: the room with the solvers."""

from purex.convex.generic import GenericOracle, GenericProjection
from purex.convex.piece import Piece
from purex.convex.solver import Method, PieceSolver
from purex.convex.stack import PieceStack

__all__ = ["GenericOracle", "GenericProjection", "Method", "Piece", "PieceSolver", "PieceStack"]
