"""Lipschitz means: arms that are near to each other have means that are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.families import Arms
from purex.model import Polyhedron, Query, QueryKernels, Structure
from purex.oracles import (
    CONVEX_KINDS,
    ResponseOrGeneric,
    pieces_oracle,
    projection_oracle,
    structured_oracles,
)
from purex.plugins import OracleRecord, StructureRecord, hookimpl
from purex_plugins.best_arm import BestArm
from purex_plugins.one_level import OneLevel

MAGUREANU = "Magureanu, Combes & Proutière (2014), Lipschitz bandits"
SLACK = 1e-12  # a detour that is longer by this fraction only is not longer


class Lipschitz(Structure):
    r"""Means differ by at most the constant times the distance: $|\mu_a - \mu_b| \le \ell\, \rho(a, b)$.

    The arms are `points` on a line (numbers) or in R^d (lists of numbers, Euclidean distance), or all
    `distances` are given as a matrix. Constraints that follow from others are dropped: on a line only
    neighbours remain.

    >>> len(Lipschitz(4, constant=0.5, points=[0, 3, 1, 2]).pairs)
    3
    """

    def __init__(
        self,
        n_arms: int,
        constant: float,
        points: Sequence[float] | Sequence[Sequence[float]] | None = None,
        distances: Sequence[Sequence[float]] | None = None,
    ) -> None:
        super().__init__(n_arms)
        self.constant = _constant(constant)
        if (points is None) == (distances is None):
            raise InvalidInputError("lipschitz needs either points or a matrix of distances")
        self.line: FloatArray | None = None  # the points, if they lie on a line
        if points is not None:
            places = _numbers(points, "points")
            if places.ndim == 2 and places.shape[1] == 1:
                places = places[:, 0]
            if places.ndim not in (1, 2) or len(places) != n_arms:
                raise InvalidInputError(
                    f"lipschitz needs one point for each of {n_arms} arms, not {points!r}"
                )
            if places.ndim == 1:
                self.line = places
            columns = places.reshape(n_arms, -1)
            metric = np.sqrt(((columns[:, None] - columns[None]) ** 2).sum(axis=2))
        else:
            metric = _matrix(distances, n_arms)
        same = np.argwhere(np.triu(metric == 0, 1))
        if len(same):
            a, b = same[0]
            raise InvalidInputError(
                f"arms {a} and {b} are in one place, so they have one mean: make them one arm"
            )
        self.pairs = _needed(metric)
        # the largest differences that the constraints allow: detours may be shorter than a given distance
        self.reach = self.constant * _shortest(metric)

    def cells(self) -> Sequence[Polyhedron]:
        """One cell: two inequalities for each pair that matters."""
        rows, right = [], []
        for a, b in self.pairs:
            row = np.zeros(self.n_arms)
            row[a], row[b] = 1.0, -1.0
            rows += [row, -row]
            right += [self.reach[a, b]] * 2
        if not rows:
            return [Polyhedron.everything(self.n_arms)]
        return [Polyhedron(np.array(rows), np.array(right))]

    def rescaled(self, factor: float) -> Lipschitz:
        """The constant in the other unit; the points are where they are."""
        other = copy(self)
        other.constant, other.reach = factor * self.constant, factor * self.reach
        return other

    @property
    def chain(self) -> list[float]:
        """What the kernels know of a line: the arms from left to right, and the gaps between them."""
        assert self.line is not None
        order = np.argsort(self.line)
        return [*order.tolist(), *self.reach[order[:-1], order[1:]].tolist()]


def _constant(constant: Any) -> float:
    try:
        value = float(constant)
    except (TypeError, ValueError):
        value = np.nan
    if not (np.isfinite(value) and value > 0):
        raise InvalidInputError(f"a Lipschitz constant is a positive number, not {constant!r}")
    return value


def _numbers(values: Any, what: str) -> FloatArray:
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"the {what} of lipschitz are numbers, or lists of numbers of one length"
        ) from None
    if not np.isfinite(numbers).all():
        raise InvalidInputError(f"the {what} of lipschitz must be finite numbers")
    return numbers


def _matrix(distances: Any, n_arms: int) -> FloatArray:
    metric = _numbers(distances, "distances")
    if metric.shape != (n_arms, n_arms):
        raise InvalidInputError(
            f"{n_arms} arms need a matrix of {n_arms} x {n_arms} distances, not one of shape {metric.shape}"
        )
    if (metric < 0).any() or (metric != metric.T).any() or np.diag(metric).any():
        raise InvalidInputError("distances are symmetric, not negative, and 0 on the diagonal")
    return metric


def _shortest(metric: FloatArray) -> FloatArray:
    """The lengths of the shortest ways: a chain of constraints may say more than the direct one."""
    ways = metric.copy()
    for via in range(len(ways)):
        ways = np.minimum(ways, ways[:, via, None] + ways[None, via])
    return ways


def _needed(metric: FloatArray) -> list[tuple[int, int]]:
    """The pairs whose constraint does not follow from those of others."""
    ways = _shortest(metric)
    arms = range(len(ways))
    return [
        (a, b)
        for a in arms
        for b in arms[a + 1 :]
        if not any(ways[a, c] + ways[c, b] <= ways[a, b] * (1 + SLACK) for c in arms if c not in (a, b))
    ]


@hookimpl
def purex_structures() -> Iterable[StructureRecord]:
    """The structure `lipschitz`."""
    yield StructureRecord(
        name="lipschitz",
        factory=Lipschitz,
        summary="means differ by at most a constant times the distance of their points",
        reference=MAGUREANU,
        examples=(
            {"constant": 0.4, "points": [0.0, 0.5, 1.0, 1.2]},
            {"constant": 0.5, "points": [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]},
        ),
    )


def line_kernels() -> QueryKernels:
    """Best arm on a line, compiled."""
    from purex_plugins.best_arm.kernels import answer
    from purex_plugins.lipschitz.kernels import best_response, project, scratch_size

    return QueryKernels(answer, best_response, project=project, scratch_size=scratch_size)


def metric_kernels() -> QueryKernels:
    """Best arm in any metric, compiled; where the means are no model it leaves them to others."""
    from purex_plugins.best_arm.kernels import answer
    from purex_plugins.lipschitz.metric import best_response

    return QueryKernels(answer, best_response)


def _is_line(structure: Lipschitz) -> bool:
    return structure.line is not None


def _in_metric(
    query: Query, structure: Lipschitz, arms: Arms, lower: float, upper: float
) -> ResponseOrGeneric:
    return ResponseOrGeneric(metric_kernels, query, structure, arms, lower, upper, structure.reach.ravel())


def pieces(query: BestArm, structure: Lipschitz, arms: Arms, i: int, mu: FloatArray) -> OneLevel | None:
    r"""The pieces of best arm next to a model: i and j at one level x, the others as near to it as they must.

    $\lambda_k$ is $\mu_k$ cut off to $x \pm \ell \min(\rho(k, i), \rho(k, j))$: a cut between Lipschitz
    functions is one.
    """
    gaps = np.abs(mu[:, None] - mu)
    if (gaps > structure.reach * (1.0 + SLACK)).any():
        return None
    rivals = np.array([j for j in range(len(mu)) if j != i], dtype=np.intp)
    radius = np.minimum(structure.reach[i], structure.reach[rivals])
    return OneLevel(arms, mu, np.arange(len(rivals)), radius, radius, mu[rivals], np.full(len(rivals), mu[i]))


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """On a line its projection and best arm; in another metric best arm next to models."""
    yield projection_oracle(
        Lipschitz,
        line_kernels,
        lambda structure: structure.chain,
        kinds=CONVEX_KINDS,
        reference=MAGUREANU,
        is_compiled=_is_line,
    )
    yield from structured_oracles(
        "best-arm",
        BestArm,
        Lipschitz,
        line_kernels,
        lambda query, structure: structure.chain,
        kinds=CONVEX_KINDS,
        reference=MAGUREANU,
        is_compiled=_is_line,
        otherwise=_in_metric,
    )
    yield pieces_oracle(
        "lipschitz-best-arm",
        BestArm,
        pieces,
        structure=Lipschitz,
        kinds=CONVEX_KINDS,
        one_kind=True,
        reference=MAGUREANU,
    )
