"""Structures: the set M of mean vectors that are possible."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from purex.arrays import BoolArray
from purex.errors import InvalidInputError
from purex.families.arms import Arms
from purex.model.polyhedron import Polyhedron
from purex.model.query import Query


class Structure(ABC):
    """A set M of mean vectors, the union of its cells.

    A subclass declares `cells`; `n_arms` is the number K of arms, and the other parameters are its own. A
    structure that is easier to write in cvxpy overrides `constraints` as well and returns one cell,
    `Polyhedron.everything(n_arms)`.
    """

    n_arms: int

    def __init__(self, n_arms: int) -> None:
        if n_arms < 1:
            raise InvalidInputError(f"a structure needs at least one arm, not {n_arms}")
        self.n_arms = n_arms

    @abstractmethod
    def cells(self) -> Sequence[Polyhedron]:
        """The convex cells whose union is M."""

    @property
    def bounds(self) -> tuple[float, float] | None:
        """(lower, upper) if M is just [lower, upper]^K, so that closed forms apply; else None."""
        return None

    @property
    def is_only_bounds(self) -> bool:
        """Whether M is just an interval for every arm, the same one; if not, arms constrain each other."""
        return self.bounds is not None

    def constraints(self, cp: Any, lam: Any) -> list[Any]:
        """Further convex constraints on the means, in cvxpy (`cp` is the module, `lam` the variable)."""
        return []

    @property
    def is_cvxpy(self) -> bool:
        """Whether `constraints` says more than the cells."""
        return type(self).constraints is not Structure.constraints

    def infers(self, seen: BoolArray) -> bool:
        """Whether rewards of the arms that are `seen` (K,) tell about all; by default, if arms are tied."""
        return bool(seen.all()) or not self.is_only_bounds

    def enough(self, query: Query, i: int) -> Sequence[int] | None:
        """The numbers of those of the query's pieces to i whose union is, on M, that of all; None: all."""
        return None

    def rescaled(self, factor: float) -> Structure:
        """The same structure of means that are multiplied by a factor; the default uses the declaration."""
        from purex.model.rescaled import RescaledStructure

        return RescaledStructure(self, factor)

    def check(self, arms: Arms) -> None:
        """Raise a `PurexError`, which says why, if this structure makes no sense for these arms."""
        return


class Unstructured(Structure):
    """Every mean vector is possible: M is the whole of Theta^K."""

    def cells(self) -> Sequence[Polyhedron]:
        """One cell without constraints."""
        return [Polyhedron.everything(self.n_arms)]

    @property
    def bounds(self) -> tuple[float, float]:
        """No bounds."""
        return (-np.inf, np.inf)

    def rescaled(self, factor: float) -> Unstructured:
        """No constraint has a unit."""
        return self


class Bounded(Structure):
    """All means lie in one interval [lower, upper], whose ends may be infinite."""

    def __init__(self, n_arms: int, lower: float, upper: float) -> None:
        super().__init__(n_arms)
        self.lower, self.upper = float(lower), float(upper)

    @property
    def bounds(self) -> tuple[float, float]:
        """The interval [lower, upper]."""
        return self.lower, self.upper

    def rescaled(self, factor: float) -> Bounded:
        """The bounds in the other unit."""
        return type(self)(self.n_arms, factor * self.lower, factor * self.upper)

    def cells(self) -> Sequence[Polyhedron]:
        """One cell: the bounds of every arm."""
        eye = np.eye(self.n_arms)
        ends = np.repeat([self.upper, -self.lower], self.n_arms)
        return [Polyhedron(np.vstack([eye, -eye]), ends)]
