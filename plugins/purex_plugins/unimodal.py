"""Unimodal means: along the arms they rise to a mode, and fall after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from purex.model import Polyhedron, Structure
from purex.plugins import StructureRecord, hookimpl


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


@hookimpl
def purex_structures() -> Iterable[StructureRecord]:
    """The structure `unimodal`."""
    yield StructureRecord(
        name="unimodal",
        factory=Unimodal,
        summary="the means rise along the arms to a mode, and fall after it",
        reference="Combes & Proutière (2014), Unimodal bandits: regret lower bounds and optimal algorithms",
    )
