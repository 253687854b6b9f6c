"""Best arm: which arm has the largest mean?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.families import Arms
from purex.model import Polyhedron, Query, QueryKernels, Response, Structure
from purex.oracles import GAME, pieces_oracle, query_oracles
from purex.plugins import OracleRecord, QueryRecord, hookimpl
from purex_plugins.tied_pairs import TiedPairs
from purex_plugins.ties import tie_response


class BestArm(Query):
    r"""Which arm has the largest mean? $i^*(\mu) = \arg\max_k \mu_k$, the code is its index.

    >>> BestArm(3).answer(np.array([[0.2, 0.5, 0.1], [0.3, 0.3, 0.3]]))
    array([1, 0])
    """

    def answer(self, mu: FloatArray) -> IntArray:
        """The index of the largest mean; ties to the lowest index."""
        return np.asarray(np.argmax(mu, axis=1), dtype=np.int64)

    def is_correct(self, mu: FloatArray, code: IntArray) -> NDArray[np.bool_]:
        """Whether no mean is larger: of tied arms each is a best one."""
        return np.asarray(mu[np.arange(len(mu)), code] == mu.max(axis=1))

    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        r"""One half-space $\{\lambda_j \ge \lambda_i\}$ for each rival j."""
        return [Polyhedron.order(self.n_arms, low=i, high=j) for _, j in self.pairs(i)]

    def pairs(self, i: int) -> list[tuple[int, int]]:
        """The pairs (i, j) of which j may catch up with i."""
        return [(i, j) for j in range(self.n_arms) if j != i]

    def answers(self) -> Sequence[int]:
        """The K arms."""
        return range(self.n_arms)

    def label(self, code: int) -> str:
        """The arm in words."""
        return f"arm {code}"

    def rescaled(self, factor: float) -> BestArm:
        """The question has no unit."""
        return self

    def best_response(
        self, arms: Arms, i: IntArray, w: FloatArray, xi: FloatArray, lower: float, upper: float
    ) -> Response:
        """The closed form, in numpy."""
        return tie_response(arms, self.pairs, i, w, xi, lower, upper)


def query_kernels() -> QueryKernels:
    """Its compiled functions."""
    from purex_plugins.best_arm.kernels import answer, best_response, max_min, optimistic, scratch_size

    return QueryKernels(answer, best_response, max_min, optimistic, scratch_size=scratch_size)


def pieces(query: BestArm, structure: Structure, arms: Arms, i: int, mu: FloatArray) -> TiedPairs:
    """Its pieces next to a model: each rival ties with arm i."""
    return TiedPairs(arms, mu, query.pairs(i))


@hookimpl
def purex_queries() -> Iterable[QueryRecord]:
    """The query `best-arm`."""
    yield QueryRecord(
        name="best-arm",
        factory=BestArm,
        summary="which arm has the largest mean?",
        reference="Garivier & Kaufmann (2016), Optimal best arm identification with fixed confidence",
    )


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """Its compiled oracles, and its pieces."""
    yield from query_oracles("best-arm", BestArm, query_kernels, one_kind=True)
    yield pieces_oracle("best-arm", BestArm, pieces, reference=GAME)
