"""Polyhedra of mean vectors: the convex pieces of alternatives and the cells of structures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.arrays import FloatArray
from purex.errors import InvalidInputError

Coordinates = Literal["mean", "natural", "log"]


def _rows(
    matrix: ArrayLike | None, right: ArrayLike | None, n: int, what: str
) -> tuple[FloatArray, FloatArray]:
    A = np.zeros((0, n)) if matrix is None else np.atleast_2d(np.array(matrix, dtype=np.float64))
    b = np.zeros(0) if right is None else np.atleast_1d(np.array(right, dtype=np.float64))
    if A.ndim != 2 or b.shape != (len(A),):
        raise InvalidInputError(
            f"a polyhedron needs one right-hand side per row, but {what} has shape {A.shape} "
            f"and its right-hand side {b.shape}"
        )
    if not (np.isfinite(A).all() and np.isfinite(b).all()):
        raise InvalidInputError(f"a polyhedron needs finite numbers, but {what} has others")
    A.flags.writeable = b.flags.writeable = False
    return A, b


@dataclass(frozen=True, eq=False)
class Polyhedron:
    r"""The set $\{x : A x \le b,\; A_{eq} x = b_{eq}\}$ of vectors x, one entry per arm.

    - `A`, `b`: a row and a right-hand side for each inequality; one row may be given as a vector.
    - `A_eq`, `b_eq`: the same for equalities.
    - `n_arms`: the number of arms, needed only where there is no row.
    - `coordinates`: what x is: the means, "mean", their natural parameters, "natural", or logarithms, "log".

    >>> piece = Polyhedron.order(3, low=0, high=2)   # lam_0 <= lam_2
    >>> piece.contains([[0.1, 0.9, 0.2], [0.3, 0.9, 0.2]])
    array([ True, False])
    """

    A: FloatArray
    b: FloatArray
    A_eq: FloatArray
    b_eq: FloatArray
    coordinates: Coordinates

    def __init__(
        self,
        A: ArrayLike | None = None,
        b: ArrayLike | None = None,
        A_eq: ArrayLike | None = None,
        b_eq: ArrayLike | None = None,
        *,
        n_arms: int | None = None,
        coordinates: Coordinates = "mean",
    ) -> None:
        widths = {np.atleast_2d(np.asarray(m)).shape[-1] for m in (A, A_eq) if m is not None}
        widths |= set() if n_arms is None else {n_arms}
        if len(widths) != 1:
            raise InvalidInputError(
                f"a polyhedron needs one number of arms, but its rows have {sorted(widths) or 'none'}"
            )
        if coordinates not in get_args(Coordinates):
            raise InvalidInputError(f"coordinates are 'mean', 'natural' or 'log', not {coordinates!r}")
        n = widths.pop()
        for name, (matrix, right) in {
            "A": _rows(A, b, n, "A"),
            "A_eq": _rows(A_eq, b_eq, n, "A_eq"),
        }.items():
            object.__setattr__(self, name, matrix)
            object.__setattr__(self, "b" + name[1:], right)
        object.__setattr__(self, "coordinates", coordinates)

    @property
    def n_arms(self) -> int:
        """The number K of arms."""
        return int(self.A.shape[1])

    @classmethod
    def everything(cls, n_arms: int) -> Polyhedron:
        """All of R^K."""
        return cls(n_arms=n_arms)

    @classmethod
    def order(cls, n_arms: int, *, low: int, high: int) -> Polyhedron:
        """The half-space lam_low <= lam_high."""
        row = np.zeros(n_arms)
        row[low], row[high] = 1.0, -1.0
        return cls(row, 0.0)

    @classmethod
    def at_most(cls, n_arms: int, arm: int, level: float) -> Polyhedron:
        """The half-space lam_arm <= level."""
        row = np.zeros(n_arms)
        row[arm] = 1.0
        return cls(row, level)

    @classmethod
    def at_least(cls, n_arms: int, arm: int, level: float) -> Polyhedron:
        """The half-space lam_arm >= level."""
        row = np.zeros(n_arms)
        row[arm] = -1.0
        return cls(row, -level)

    def __and__(self, other: Polyhedron) -> Polyhedron:
        """Intersect two polyhedra given in the same coordinates."""
        if other.coordinates != self.coordinates:
            raise InvalidInputError(
                f"a piece in {self.coordinates} coordinates cannot be intersected "
                f"with one in {other.coordinates} coordinates"
            )
        return Polyhedron(
            np.vstack([self.A, other.A]),
            np.concatenate([self.b, other.b]),
            np.vstack([self.A_eq, other.A_eq]),
            np.concatenate([self.b_eq, other.b_eq]),
            coordinates=self.coordinates,
        )

    def violation(self, x: ArrayLike) -> FloatArray:
        """Largest amount by which each row of x (..., K), in these coordinates, breaks a constraint."""
        x = np.asarray(x, dtype=np.float64)
        # einsum without optimisation sums in a fixed order: a row's result depends on that row only
        over = np.einsum("mk,...k->...m", self.A, x) - self.b
        off = np.abs(np.einsum("mk,...k->...m", self.A_eq, x) - self.b_eq)
        return np.asarray(np.max(np.concatenate([over, off], axis=-1), axis=-1, initial=0.0))

    def contains(self, x: ArrayLike, tolerance: float = 0.0) -> NDArray[np.bool_]:
        """Whether each row of x (..., K), in these coordinates, satisfies every constraint."""
        return self.violation(x) <= tolerance
