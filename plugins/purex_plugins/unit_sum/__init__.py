"""Unit sum: the means add up to a known total."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from purex.errors import InvalidInputError
from purex.families import Arms
from purex.families.convexity import check_convex
from purex.model import Polyhedron, Query, Structure
from purex.plugins import OracleRecord, StructureRecord, hookimpl
from purex_plugins.subspace_oracle import SubspaceKernels, SubspaceOracle


class UnitSum(Structure):
    r"""The means add up to a known total: $M = \{\lambda : \sum_k \lambda_k = c\}$.

    >>> UnitSum(3).cells()[0].contains([[0.2, 0.3, 0.5], [0.2, 0.3, 0.4]])
    array([ True, False])
    """

    def __init__(self, n_arms: int, total: float = 1.0) -> None:
        super().__init__(n_arms)
        if isinstance(total, str) or not np.isfinite(total):
            raise InvalidInputError(f"unit-sum needs a finite total, not {total!r}")
        self.total = float(total)

    def cells(self) -> Sequence[Polyhedron]:
        """One cell with one equation."""
        return [Polyhedron(A_eq=np.ones(self.n_arms), b_eq=self.total)]

    def rescaled(self, factor: float) -> UnitSum:
        """The total in the other unit."""
        return UnitSum(self.n_arms, factor * self.total)

    def check(self, arms: Arms) -> None:
        """Refuse families that are not convex in the mean, and a total no means add up to."""
        check_convex("unit-sum", arms)
        least, most = float(arms.lower_ends.sum()), float(arms.upper_ends.sum())
        if not least < self.total < most:
            raise InvalidInputError(
                f"the total of unit-sum must lie strictly between {least:g} and {most:g}, "
                f"the sums these means can have, not at {self.total:g}"
            )


@hookimpl
def purex_structures() -> Iterable[StructureRecord]:
    """The structure `unit-sum`."""
    yield StructureRecord(
        name="unit-sum",
        factory=UnitSum,
        summary="the means add up to a known total",
        reference="Degenne, Koolen & Ménard (2019), section 1; Simchowitz, Jamieson & Recht (2017)",
        examples=({}, {"total": 2.0}),
    )


def closed_form_kernels() -> SubspaceKernels:
    """The closed form for Gaussian arms, compiled, of a whole batch."""
    from purex_plugins.unit_sum.kernels import respond_rows, room

    return SubspaceKernels(room, respond_rows)


def _closed_form(query: Query, structure: UnitSum, arms: Arms, lower: float, upper: float) -> SubspaceOracle:
    return SubspaceOracle(closed_form_kernels, structure.total, query, structure, arms, lower, upper)


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """The closed form for Gaussian arms."""
    yield OracleRecord(
        name="unit-sum-gaussian",
        factory=_closed_form,
        summary="best responses of Gaussian arms under unit-sum in closed form, compiled",
        reference="Degenne, Koolen & Ménard (2019), section 2; Lagrange multipliers",
        structure=UnitSum,
        kinds=frozenset({"gaussian"}),
    )
