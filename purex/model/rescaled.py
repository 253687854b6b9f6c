"""The same question, and the same structure, with the means in another unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.errors import RefusedProblemError
from purex.families.arms import Arms
from purex.model.polyhedron import Polyhedron
from purex.model.query import Query
from purex.model.structure import Structure


def rescaled_polyhedron(polyhedron: Polyhedron, factor: float) -> Polyhedron:
    """The means of a polyhedron, multiplied by a factor.

    >>> rescaled_polyhedron(Polyhedron.at_most(2, 0, 0.5), 1000.0).b
    array([500.])
    """
    rights = []
    for A, b in ((polyhedron.A, polyhedron.b), (polyhedron.A_eq, polyhedron.b_eq)):
        if polyhedron.coordinates == "natural":
            raise RefusedProblemError(
                "constraints on natural parameters do not say what they become in another unit"
            )
        rights.append(b + A.sum(axis=1) * np.log(factor) if polyhedron.coordinates == "log" else b * factor)
    return Polyhedron(polyhedron.A, rights[0], polyhedron.A_eq, rights[1], coordinates=polyhedron.coordinates)


class RescaledQuery(Query):
    """A query about means that are multiplied by a factor, from its declaration alone."""

    def __init__(self, query: Query, factor: float) -> None:
        super().__init__(query.n_arms)
        self.query, self.factor, self.unique = query, factor, query.unique

    def answer(self, mu: FloatArray) -> IntArray:
        """The answer in the old unit."""
        return self.query.answer(mu / self.factor)

    def is_correct(self, mu: FloatArray, code: IntArray) -> NDArray[np.bool_]:
        """Whether the answer is correct in the old unit."""
        return self.query.is_correct(mu / self.factor, code)

    def correct_answers(self, mu: FloatArray) -> Sequence[int]:
        """The correct answers in the old unit."""
        return self.query.correct_answers(mu / self.factor)

    def candidate(self, mu: FloatArray, lower: FloatArray, upper: FloatArray) -> IntArray:
        """The candidate in the old unit."""
        return self.query.candidate(mu / self.factor, lower / self.factor, upper / self.factor)

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        """The pieces in the new unit."""
        return [rescaled_polyhedron(piece, self.factor) for piece in self.query.alternatives(i)]

    def answers(self) -> Sequence[int] | None:
        """The answers have no unit."""
        return self.query.answers()

    def is_answer(self, codes: IntArray) -> NDArray[np.bool_]:
        """The codes have no unit."""
        return self.query.is_answer(codes)

    def label(self, code: int) -> str:
        """The answer in words, in the old unit."""
        return self.query.label(code)

    def check(self, arms: Arms, lower: float, upper: float) -> None:
        """Refuse what the query refuses; its bounds are those of the old unit."""
        self.query.check(arms, lower / self.factor, upper / self.factor)


class RescaledStructure(Structure):
    """A structure whose means are multiplied by a factor, from its declaration alone."""

    def __init__(self, structure: Structure, factor: float) -> None:
        super().__init__(structure.n_arms)
        self.structure, self.factor = structure, factor

    def cells(self) -> Sequence[Polyhedron]:
        """The cells in the new unit."""
        return [rescaled_polyhedron(cell, self.factor) for cell in self.structure.cells()]

    def constraints(self, cp: Any, lam: Any) -> list[Any]:
        """The constraints on the means in the old unit."""
        return self.structure.constraints(cp, lam / self.factor)

    @property
    def is_cvxpy(self) -> bool:
        """Whether the structure states constraints in cvxpy."""
        return self.structure.is_cvxpy

    def enough(self, query: Query, i: int) -> Sequence[int] | None:
        """The pieces that are enough do not depend on the unit."""
        return self.structure.enough(query.query if isinstance(query, RescaledQuery) else query, i)

    def check(self, arms: Arms) -> None:
        """Refuse what the structure refuses."""
        self.structure.check(arms)
