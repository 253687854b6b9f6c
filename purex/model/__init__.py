"""What a pure-exploration problem is made of: polyhedra, queries, structures, responses."""

from purex.model.actions import Actions
from purex.model.deviations import Deviations
from purex.model.game_solution import MaxMin, Optimistic
from purex.model.kernels import CompiledQuery, Given, Kernel, QueryKernels
from purex.model.nearest_points import NearestPoints
from purex.model.polyhedron import Polyhedron
from purex.model.query import Query
from purex.model.response import BestResponse, Cheapest, Projection, Response
from purex.model.rowwise import RowQuery
from purex.model.structure import Bounded, Structure, Unstructured
from purex.model.supports import Supports
from purex.model.threshold import Threshold, contiguous, sum_over_arms
from purex.model.weights import any_weights, in_their_unit

__all__ = [
    "Actions",
    "BestResponse",
    "Bounded",
    "Cheapest",
    "CompiledQuery",
    "Deviations",
    "Given",
    "Kernel",
    "MaxMin",
    "NearestPoints",
    "Optimistic",
    "Polyhedron",
    "Projection",
    "Query",
    "QueryKernels",
    "Response",
    "RowQuery",
    "Structure",
    "Supports",
    "Threshold",
    "Unstructured",
    "any_weights",
    "contiguous",
    "in_their_unit",
    "sum_over_arms",
]
