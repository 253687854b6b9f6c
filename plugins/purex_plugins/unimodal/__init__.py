"""Unimodal means: along the arms they rise to a mode, and fall after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from purex.model import Polyhedron, Query, QueryKernels, Structure
from purex.oracles import COMPILED_KINDS, projection_oracle, structured_oracles
from purex.plugins import OracleRecord, StructureRecord, hookimpl
from purex_plugins.best_arm import BestArm


class Unimodal(Structure):
    r"""For some arm j, $\mu_1 \le \dots \le \mu_j \ge \dots \ge \mu_K$: the union of K cells, one per mode.

    >>> [cell.contains([0.1, 0.3, 0.2]).item() for cell in Unimodal(3).cells()]
    [False, True, False]
    """

    def cells(self) -> Sequence[Polyhedron]:
        """One cell per mode: orders that lead to it from both sides."""
        steps = np.eye(self.n_arms)[:-1] - np.eye(self.n_arms)[1:]
        after = np.arange(self.n_arms - 1)
        return [
            Polyhedron(
                np.where((after < mode)[:, None], steps, -steps), np.zeros(len(steps)), n_arms=self.n_arms
            )
            for mode in range(self.n_arms)
        ]

    def rescaled(self, factor: float) -> Unimodal:
        """The structure has no unit."""
        return self

    def enough(self, query: Query, i: int) -> Sequence[int] | None:
        """Best arm: where another arm is better, so is the neighbour on its side."""
        if type(query) is not BestArm:
            return None
        return [j - (j > i) for j in (i - 1, i + 1) if 0 <= j < self.n_arms]


@hookimpl
def purex_structures() -> Iterable[StructureRecord]:
    """The structure `unimodal`."""
    yield StructureRecord(
        name="unimodal",
        factory=Unimodal,
        summary="the means rise along the arms to a mode, and fall after it",
        reference="Combes & Proutière (2014), Unimodal bandits: regret lower bounds and optimal algorithms",
    )


def best_arm_kernels() -> QueryKernels:
    """Best arm under unimodal means, compiled."""
    from purex_plugins.best_arm.kernels import answer
    from purex_plugins.unimodal.kernels import best_response, project, scratch_size

    return QueryKernels(answer, best_response, project=project, scratch_size=scratch_size)


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """Its projection, and best arm: isotonic fits from both sides, joined at each mode."""
    yield projection_oracle(
        Unimodal,
        best_arm_kernels,
        lambda structure: (),
        kinds=COMPILED_KINDS,
        reference="Robertson, Wright & Dykstra (1988), Order restricted statistical inference, theorem 1.5.1",
    )
    yield from structured_oracles(
        "best-arm",
        BestArm,
        Unimodal,
        best_arm_kernels,
        lambda query, structure: (),
        kinds=COMPILED_KINDS,
        reference="Combes & Proutière (2014), section 3",
    )
