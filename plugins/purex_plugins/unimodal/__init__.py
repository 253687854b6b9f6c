"""Unimodal means: along the arms they rise to a mode, and fall after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from purex.arrays import FloatArray
from purex.families import Arms
from purex.model import Polyhedron, Query, QueryKernels, Structure
from purex.oracles import COMPILED_KINDS, pieces_oracle, projection_oracle, structured_oracles
from purex.plugins import OracleRecord, StructureRecord, hookimpl
from purex_plugins.best_arm import BestArm
from purex_plugins.one_level import OneLevel


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


def pieces(query: BestArm, structure: Unimodal, arms: Arms, i: int, mu: FloatArray) -> OneLevel | None:
    r"""The pieces of best arm next to a model of mode i: a neighbour j becomes the mode, at level x.

    Both arms go to x, and the arms on the far side of i may not be above it. A mode farther away would have
    to lift all arms in between as well.
    """
    K, steps = len(mu), np.diff(mu)
    if (steps[:i] < 0).any() or (steps[i:] > 0).any():
        return None
    neighbours = [j for j in (i - 1, i + 1) if 0 <= j < K]
    below, above = np.full((len(neighbours), K), np.inf), np.full((len(neighbours), K), np.inf)
    for p, j in enumerate(neighbours):
        above[p, slice(0, i) if j > i else slice(i + 1, K)] = 0.0
        below[p, [i, j]] = above[p, [i, j]] = 0.0
    # piece times cells, and the cell of mode j
    numbers = np.array([(j - (j > i)) * K + j for j in neighbours], dtype=np.int64)
    return OneLevel(arms, mu, numbers, below, above, mu[neighbours], np.full(len(neighbours), mu[i]), True)


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
    yield pieces_oracle(
        "unimodal-best-arm",
        BestArm,
        pieces,
        structure=Unimodal,
        kinds=COMPILED_KINDS,
        one_kind=True,
        reference="Combes & Proutière (2014), section 3",
    )
