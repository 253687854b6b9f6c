"""Monotone means: along the arms they never fall (or never rise)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from purex.errors import InvalidInputError
from purex.model import Polyhedron, Query, QueryKernels, Structure
from purex.oracles import COMPILED_KINDS, CONVEX_KINDS, projection_oracle, structured_oracles
from purex.plugins import OracleRecord, StructureRecord, hookimpl
from purex_plugins.closest_to import ClosestTo
from purex_plugins.thresholding import Thresholding


class Monotone(Structure):
    r"""The means are in order: $\mu_1 \le \dots \le \mu_K$, or decreasing if `increasing` is False.

    >>> Monotone(3).cells()[0].contains([[0.1, 0.2, 0.2], [0.3, 0.2, 0.4]])
    array([ True, False])
    """

    def __init__(self, n_arms: int, increasing: bool = True) -> None:
        super().__init__(n_arms)
        if not isinstance(increasing, bool | np.bool_):
            raise InvalidInputError(f"monotone is increasing=True or False, not {increasing!r}")
        self.increasing = bool(increasing)

    @property
    def direction(self) -> float:
        """1 if the means rise, -1 if they fall."""
        return 1.0 if self.increasing else -1.0

    def cells(self) -> Sequence[Polyhedron]:
        """One cell: a chain of orders."""
        rows = np.eye(self.n_arms)[:-1] - np.eye(self.n_arms)[1:]
        rows = rows if self.increasing else -rows
        return [Polyhedron(rows, np.zeros(len(rows)), n_arms=self.n_arms)]

    def rescaled(self, factor: float) -> Monotone:
        """The structure has no unit."""
        return self

    def enough(self, query: Query, i: int) -> Sequence[int] | None:
        """Closest-to: where another arm is nearer to the level, so is the neighbour on its side."""
        if type(query) is not ClosestTo:
            return None
        rivals = [j - (j > i) for j in (i - 1, i + 1) if 0 <= j < self.n_arms]
        return [2 * number + cone for number in rivals for cone in (0, 1)]


@hookimpl
def purex_structures() -> Iterable[StructureRecord]:
    """The structure `monotone`."""
    yield StructureRecord(
        name="monotone",
        factory=Monotone,
        summary="the means never fall along the arms (increasing=False: never rise)",
        reference="Garivier, Ménard & Rossi (2019), Thresholding bandit for dose-ranging",
        examples=({}, {"increasing": False}),
    )


def thresholding_kernels() -> QueryKernels:
    """Thresholding of monotone means, compiled."""
    from purex_plugins.monotone.kernels import project, scratch_size, thresholding_response
    from purex_plugins.thresholding.kernels import answer

    return QueryKernels(answer, thresholding_response, project=project, scratch_size=scratch_size)


def closest_to_kernels() -> QueryKernels:
    """Closest-to under monotone means, compiled."""
    from purex_plugins.closest_to.kernels import answer
    from purex_plugins.monotone.kernels import closest_to_response, project, scratch_size

    return QueryKernels(answer, closest_to_response, project=project, scratch_size=scratch_size)


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """Its projection, thresholding (isotonic fits, every family) and closest-to (one root besides)."""
    yield projection_oracle(
        Monotone,
        thresholding_kernels,
        lambda structure: [structure.direction],
        kinds=COMPILED_KINDS,
        reference="Robertson, Wright & Dykstra (1988), Order restricted statistical inference, theorem 1.5.1",
    )
    yield from structured_oracles(
        "thresholding",
        Thresholding,
        Monotone,
        thresholding_kernels,
        lambda query, structure: [query.threshold, structure.direction],
        kinds=COMPILED_KINDS,
        reference="Garivier, Ménard & Rossi (2019), Thresholding bandit for dose-ranging",
    )
    yield from structured_oracles(
        "closest-to",
        ClosestTo,
        Monotone,
        closest_to_kernels,
        lambda query, structure: [query.threshold, structure.direction],
        kinds=CONVEX_KINDS,
        reference="Garivier, Ménard & Rossi (2019), Thresholding bandit for dose-ranging",
    )
