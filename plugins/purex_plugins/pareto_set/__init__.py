"""Pareto set: which options are not dominated by another one?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError
from purex.families import Arms
from purex.model import Polyhedron, Query, QueryKernels, Response
from purex.oracles import query_oracles
from purex.plugins import OracleRecord, QueryRecord, hookimpl
from purex.whole_numbers import is_whole
from purex_plugins.arm_sets import arm_set, code_of
from purex_plugins.pareto_set.piece_table import PieceTable, Triples
from purex_plugins.pooling import CHUNK

MOST_PIECES = 1000  # of one answer
REMEMBERED = 256  # answers whose pieces are kept ready for the closed form in numpy


class ParetoSet(Query):
    r"""Which options are such that no other one is at least as good in all objectives, and better in one?

    An option is a group of neighbouring arms, one for each objective: arms 2a and 2a + 1 with two of them.
    All means are to be large. The code is the bit mask of the set of options.

    >>> query = ParetoSet(6)
    >>> mu = np.array([[0.9, 0.1, 0.5, 0.5, 0.4, 0.3]])
    >>> query.label(int(query.answer(mu)[0]))
    'options {0, 1}'
    """

    def __init__(self, n_arms: int, objectives: int = 2) -> None:
        super().__init__(n_arms)
        if not is_whole(objectives, 2) or n_arms % objectives:
            raise InvalidInputError(
                f"pareto-set needs at least 2 objectives, and as many arms for each option; "
                f"{n_arms} arms are no options of {objectives!r} objectives"
            )
        self.objectives = p = int(objectives)
        self.options = n = n_arms // p
        pieces = max((n - s) * p**s + s * (n - 1) for s in range(1, n + 1))
        if pieces > MOST_PIECES:
            raise InvalidInputError(
                f"pareto-set has up to {pieces} convex pieces for {n} options of {p} objectives, but at most "
                f"{MOST_PIECES} are allowed: take fewer options"
            )

    def answer(self, mu: FloatArray) -> IntArray:
        """The options that no other one dominates; of two that are the same neither does."""
        x = mu.reshape(len(mu), self.options, self.objectives)
        one, other = x[:, :, None], x[:, None]  # (R, a, b, objective)
        dominates = np.all(other >= one, axis=3) & np.any(other > one, axis=3)
        return code_of(np.asarray(~np.any(dominates, axis=2)))

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        """An option of the set is dominated; or another one is better than each of the set in some objective.

        If no option of the set is dominated but the set is wrong, then an option is missing that no option of
        the set dominates. There is a piece for each way to choose an objective for each option of the set.
        """
        return [self._orders(triples) for triples in orders_of(i, self.options, self.objectives)]

    def _orders(self, triples: Sequence[tuple[int, int, int]]) -> Polyhedron:
        """Of each (low, high, c): in objective c option `low` is no better than option `high`."""
        rows = np.zeros((len(triples), self.n_arms))
        for row, (low, high, c) in zip(rows, triples, strict=True):
            row[self.objectives * low + c], row[self.objectives * high + c] = 1.0, -1.0
        return Polyhedron(rows, np.zeros(len(triples)))

    def answers(self) -> Sequence[int]:
        """All sets of options but the empty one."""
        return range(1, 2**self.options)

    def label(self, code: int) -> str:
        """The set in words."""
        return "options {" + ", ".join(map(str, arm_set(code, self.options))) + "}"

    def rescaled(self, factor: float) -> ParetoSet:
        """The question has no unit."""
        return self

    def closed_for(self, arms: Arms) -> bool:
        """Whether the arms of each objective are of one kind, so that arms that meet do so at their mean."""
        p = self.objectives
        return all(len(set(arms.kinds[c::p])) == 1 for c in range(p))

    def best_response(
        self, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Response:
        r"""The closed form: in each objective some arms come down to a mean, and one comes up to it.

        Objectives have nothing to do with each other but for the choice of a piece.
        """
        best = Response(np.full(len(xi), np.inf), xi.copy(), np.full(len(xi), -1, dtype=np.int64))
        for code in np.unique(i):
            table = piece_table(int(code), self.options, self.objectives)
            rows = np.flatnonzero(i == code)
            if len(table.uses) == 0:
                continue
            for some in np.array_split(rows, max(1, -(-len(rows) * table.size // CHUNK))):
                best.point[some], best.piece[some] = table.nearest(arms, w[some], xi[some], lower, upper)
                best.value[some] = arms.cost(w[some], xi[some], best.point[some])
        return best


def orders_of(i: int, options: int, objectives: int) -> list[Triples]:
    """The pieces of the alternative to i: of each (low, high, c) `low` is no better in objective c."""
    inside, every = arm_set(i, options), range(objectives)
    pieces = [[(a, b, c) for c in every] for a in inside for b in range(options) if b != a]
    for a in (a for a in range(options) if a not in inside):
        for chosen in product(every, repeat=len(inside)):
            pieces.append([(s, a, c) for s, c in zip(inside, chosen, strict=True)])
    return pieces


@lru_cache(maxsize=REMEMBERED)
def piece_table(i: int, options: int, objectives: int) -> PieceTable:
    """The same for the closed form."""
    return PieceTable.of(orders_of(i, options, objectives), objectives)


def query_kernels() -> QueryKernels:
    """Its compiled functions."""
    from purex_plugins.pareto_set.kernels import answer, best_response, scratch_size

    return QueryKernels(answer, best_response, scratch_size=scratch_size)


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `pareto-set`."""
    yield QueryRecord(
        name="pareto-set",
        factory=ParetoSet,
        summary="which options are not dominated in all objectives by another one?",
        reference="Auer, Chiang, Ortner & Drugan (2016), Pareto front identification",
        examples=({},),
    )


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """Its compiled oracles."""
    yield from query_oracles(
        "pareto-set",
        ParetoSet,
        query_kernels,
        numbers=lambda query: (float(query.objectives),),
        max_min=False,
        optimistic=False,
    )
