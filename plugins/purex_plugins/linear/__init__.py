"""Linear bandits: the means are linear in known features of the arms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from purex.arrays import BoolArray, FloatArray
from purex.errors import InvalidInputError
from purex.families import Arms
from purex.families.convexity import check_convex
from purex.model import Polyhedron, Query, Structure
from purex.oracles import pieces_oracle
from purex.plugins import OracleRecord, StructureRecord, hookimpl
from purex_plugins.linear.nearest import HalfSpacesInSpan
from purex_plugins.subspace_oracle import SubspaceKernels, SubspaceOracle, cut_openly, half_spaces_of

RANK = 1e-10  # singular values below this fraction of the largest are zero
ROUNDING = 1e-14  # entries of an orthonormal basis below this are zero


class Linear(Structure):
    r"""The means are $\lambda_k = x_k^\top \theta$ for known features x_k (a K x d matrix) and some theta.

    M is the span of the columns, stated by the equations $n^\top \lambda = 0$, n in an orthonormal basis of
    what is orthogonal to them.

    >>> linear = Linear(3, features=[[1, 0], [0, 1], [1, 1]])
    >>> linear.cells()[0].contains([[0.2, 0.3, 0.5], [0.2, 0.3, 0.4]], 1e-12)
    array([ True, False])
    """

    def __init__(self, n_arms: int, features: ArrayLike) -> None:
        super().__init__(n_arms)
        try:
            X = np.array(features, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidInputError(f"the features of linear must be numbers, not {features!r}") from None
        if X.ndim != 2 or X.shape[0] != n_arms or X.shape[1] < 1:
            raise InvalidInputError(
                f"linear with {n_arms} arms needs a matrix of {n_arms} rows of features, one for each arm, "
                f"but its features have shape {X.shape}"
            )
        if not np.isfinite(X).all() or not X.any():
            raise InvalidInputError("the features of linear must be finite numbers, not all of them zero")
        X.flags.writeable = False
        self.features = X

    @cached_property
    def _bases(self) -> tuple[FloatArray, FloatArray]:
        U, sizes, _ = np.linalg.svd(self.features)
        rank = int((sizes > RANK * sizes[0]).sum())
        U = np.where(np.abs(U) <= ROUNDING, 0.0, U)
        return np.ascontiguousarray(U[:, :rank]), np.ascontiguousarray(U[:, rank:].T)

    @property
    def basis(self) -> FloatArray:
        """An orthonormal basis (K, rank) of M: as good as the features, without dependent ones."""
        return self._bases[0]

    def cells(self) -> Sequence[Polyhedron]:
        """One cell with K - rank equations."""
        equations = self._bases[1]
        if len(equations) == 0:
            return [Polyhedron.everything(self.n_arms)]
        return [Polyhedron(A_eq=equations, b_eq=np.zeros(len(equations)))]

    def infers(self, seen: BoolArray) -> bool:
        """Whether the features of the arms that are seen span those of all."""
        return bool(np.linalg.matrix_rank(self.basis[seen], tol=RANK) == self.basis.shape[1])

    def rescaled(self, factor: float) -> Linear:
        """The structure has no unit."""
        return self

    def check(self, arms: Arms) -> None:
        """Refuse families that are not convex in the mean, and arms whose mean is an edge in every model."""
        if len(self._bases[1]):
            check_convex("linear", arms)
            for k in np.flatnonzero(np.isfinite(arms.lower_ends) | np.isfinite(arms.upper_ends)):
                self._check_inner(int(k), arms)

    def _check_inner(self, k: int, arms: Arms) -> None:
        """Refuse an arm that no model has inside its domain, such as one without features."""
        from scipy.optimize import linprog

        start, end = arms.lower_ends, arms.upper_ends
        # the solver's tolerances are absolute
        features = self.features / np.abs(self.features).max()
        ends = np.abs(np.hstack([start, end]))
        unit = ends[np.isfinite(ends)].max() or 1.0
        start, end = start / unit, end / unit
        sides = [(-features, -start), (features, end)]
        A = np.vstack([rows[np.isfinite(right)] for rows, right in sides])
        b = np.hstack([right[np.isfinite(right)] for _, right in sides])
        for sign, edge in ((1.0, start[k]), (-1.0, end[k])):
            furthest = linprog(-sign * features[k], A, b, bounds=(None, None))
            if (
                np.isfinite(edge)
                and furthest.status == 0
                and -float(furthest.fun or 0.0) - sign * edge <= RANK
            ):
                raise InvalidInputError(
                    f"with these features the mean of arm {k} is {unit * edge:g} in every model, the edge of "
                    "its domain: leave that arm out, or those that hold it there"
                )


@hookimpl
def purex_structures() -> Iterable[StructureRecord]:
    """The structure `linear`."""
    yield StructureRecord(
        name="linear",
        factory=Linear,
        summary="the means are linear in known features of the arms",
        reference="Soare, Lazaric & Munos (2014), Best-arm identification in linear bandits",
        examples=({"features": [[1, 0], [0, 1], [0.5, 0.5], [0.8, 0.6]]},),
    )


def closed_form_kernels() -> SubspaceKernels:
    """The closed form for Gaussian arms, compiled, of a whole batch."""
    from purex_plugins.linear.kernels import respond_rows, room

    return SubspaceKernels(room, respond_rows)


def _closed_form(query: Query, structure: Linear, arms: Arms, lower: float, upper: float) -> SubspaceOracle:
    return SubspaceOracle(closed_form_kernels, structure.basis, query, structure, arms, lower, upper)


def pieces(query: Query, structure: Linear, arms: Arms, i: int, mu: FloatArray) -> HalfSpacesInSpan | None:
    """The pieces next to a model, if they are half-spaces that cut the span."""
    found = half_spaces_of(query.alternatives(i))
    off = mu - structure.basis @ (structure.basis.T @ mu)
    is_model = np.abs(off).max() <= ROUNDING * len(mu) * np.abs(mu).max()
    if found is None or not is_model or not cut_openly(structure.cells()[0], found.normals):
        return None
    numbers = np.arange(len(found.levels), dtype=np.int64)
    return HalfSpacesInSpan(arms, mu, structure.basis, numbers, *found)


@hookimpl
def purex_oracles() -> Iterable[OracleRecord]:
    """The closed form for Gaussian arms."""
    yield OracleRecord(
        name="linear-gaussian",
        factory=_closed_form,
        summary="best responses of Gaussian arms under linear in closed form, compiled",
        reference="Soare, Lazaric & Munos (2014); weighted least squares with one constraint",
        structure=Linear,
        kinds=frozenset({"gaussian"}),
    )
    yield pieces_oracle(
        "linear-gaussian",
        None,
        pieces,
        structure=Linear,
        kinds=frozenset({"gaussian"}),
        reference="Soare, Lazaric & Munos (2014); weighted least squares with one constraint",
    )
