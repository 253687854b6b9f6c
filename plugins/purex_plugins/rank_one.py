"""Rank-one bandits: the arms form a table whose means are products of a row's and a column's factor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from purex.errors import InvalidInputError
from purex.families import Arms
from purex.families.convexity import check_convex
from purex.model import Polyhedron, Query, Structure
from purex.plugins import StructureRecord, hookimpl
from purex.whole_numbers import is_whole
from purex_plugins.best_arm import BestArm


class RankOne(Structure):
    r"""The means are $\lambda_{ij} = u_i v_j > 0$; arms in row-major order, (i, j) is arm i * columns + j.

    In the coordinates $y = \log \lambda$ that is affine: $y_{ij} + y_{i'j'} = y_{ij'} + y_{i'j}$.

    >>> logs = np.log([[0.2, 0.4, 0.3, 0.6]])
    >>> RankOne(4, rows=2, columns=2).cells()[0].contains(logs, 1e-12)
    array([ True])
    """

    def __init__(self, n_arms: int, rows: int, columns: int) -> None:
        super().__init__(n_arms)
        for what, number in (("rows", rows), ("columns", columns)):
            if not is_whole(number, 1):
                raise InvalidInputError(f"rank-one needs a whole number of {what} from 1, not {number!r}")
        if rows * columns != n_arms:
            raise InvalidInputError(
                f"rank-one of {rows} x {columns} needs {rows * columns} arms, not {n_arms}"
            )
        self.rows, self.columns = int(rows), int(columns)

    def cells(self) -> Sequence[Polyhedron]:
        r"""One cell: $y_{00} + y_{ij} = y_{0j} + y_{i0}$ for i, j > 0."""
        equations = []
        for i in range(1, self.rows):
            for j in range(1, self.columns):
                table = np.zeros((self.rows, self.columns))
                table[0, 0] = table[i, j] = 1.0
                table[0, j] = table[i, 0] = -1.0
                equations.append(table.ravel())
        if not equations:
            return [Polyhedron.everything(self.n_arms)]
        return [Polyhedron(A_eq=equations, b_eq=np.zeros(len(equations)), coordinates="log")]

    def rescaled(self, factor: float) -> RankOne:
        """The structure has no unit."""
        return self

    def enough(self, query: Query, i: int) -> Sequence[int] | None:
        r"""For the best arm (i, j) the rivals in its row and in its column.

        $u_{i'} v_{j'} \ge u_i v_j > 0$ needs $u_{i'} \ge u_i$ or $v_{j'} \ge v_j$, and these are the pieces
        of the arms (i', j) and (i, j'): rows + columns - 2 of them instead of rows * columns - 1.
        """
        if type(query) is not BestArm:
            return None
        row, column = divmod(i, self.columns)
        rivals = [j for _, j in query.pairs(i)]
        return [p for p, j in enumerate(rivals) if j // self.columns == row or j % self.columns == column]

    def check(self, arms: Arms) -> None:
        """Refuse families that are not convex in the logarithm of the mean."""
        if self.rows > 1 and self.columns > 1:
            check_convex("rank-one", arms, "log")


@hookimpl
def purex_structures() -> Iterable[StructureRecord]:
    """The structure `rank-one`."""
    yield StructureRecord(
        name="rank-one",
        factory=RankOne,
        summary="the means of a table of arms are products u_i v_j",
        reference="Katariya, Kveton, Szepesvári, Vernade & Wen (2017), Stochastic rank-1 bandits",
        examples=({"rows": 2, "columns": 2},),
    )
