"""What the compiled solvers are handed: arrays under their names, and the numbers that stand for a choice.

Nothing here imports numba. Arrays must be contiguous and writable: kernels are compiled for no others.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from purex.arrays import BoolArray, FloatArray, IntArray

# What became of a row: solved; without a point that keeps the constraints; left to another solver, since
# rounding led this one in circles.
SOLVED, INFEASIBLE, LOST = range(3)
QUADRATIC, NEWTON_IN_MEANS, NEWTON_IN_LOGS = range(3)  # how a piece is solved
MEAN, LOG, UNEVEN_LOG = range(3)  # coordinates; the last where some arm is far heavier than another


T = TypeVar("T", bound=np.generic)


def own(array: NDArray[T]) -> NDArray[T]:
    """The array itself if kernels take it as it is, else a copy."""
    return array if array.flags.carray else np.array(array, order="C")


def spread(bound: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """A copy of bounds for each row of a batch of this shape."""
    rows = np.empty(shape)
    rows[...] = bound
    return rows


class Feasible(NamedTuple):
    r"""The points x with $A x \le b$ (= where `equality`) and $l \le x \le u$.

    A (m, n), b and equality (m,); lower and upper (n,), or (R, n) where each row of a batch has its own.
    """

    A: FloatArray
    b: FloatArray
    equality: BoolArray
    lower: FloatArray
    upper: FloatArray


class Costs(NamedTuple):
    r"""The costs $\sum_k c_k d(\mu_k, \lambda_k)$ of n arms, where c are weights times scales.

    c and mu (n,), or (R, n) for a batch. Arm k has the family `codes[k]` with `parameters[k]` (see
    `purex.families.compiled`).
    """

    c: FloatArray
    mu: FloatArray
    codes: IntArray
    parameters: FloatArray


class Domains(NamedTuple):
    """The families' domains: arm k has means in [starts[k], ends[k]]."""

    starts: FloatArray
    ends: FloatArray


class Families(NamedTuple):
    """The families of all K arms: as in `Costs` and `Domains`, and the scales of their divergences."""

    scales: FloatArray
    codes: IntArray
    parameters: FloatArray
    starts: FloatArray
    ends: FloatArray


class Pieces(NamedTuple):
    """P pieces of an alternative side by side, filled up with zeros to m rows and K tied arms.

    Piece p consists of the first `n_rows[p]` rows of A[p] (m, K), b[p] and equality[p] (m,), whose first
    `n_tied[p]` columns are those of the arms tied[p], and of the bounds lower[p] and upper[p] (K,) of all
    arms. how[p] says how it is solved.
    """

    A: FloatArray
    b: FloatArray
    equality: BoolArray
    lower: FloatArray
    upper: FloatArray
    how: IntArray
    n_rows: IntArray
    tied: IntArray
    n_tied: IntArray


class ChainedPieces(NamedTuple):
    """P pieces of bounds and chains of orders side by side.

    Arm k of piece p has its mean in [lower[p, k], upper[p, k]]. chained[p] are the arms of its chains, one
    chain after the other, which end before the places ends[p] (0 where there are no more); floor[p] and
    ceiling[p] are their bounds, which also hold for all that follow in the chain, or come before.
    """

    lower: FloatArray
    upper: FloatArray
    chained: IntArray
    ends: IntArray
    floor: FloatArray
    ceiling: FloatArray
