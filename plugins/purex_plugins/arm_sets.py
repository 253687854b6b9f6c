"""Answers that are sets of arms, coded as bit masks: arm k is in the set iff bit k is 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purex.errors import InvalidInputError

MOST_ARMS = 62  # beyond, a mask no longer fits an int64


def check_size(query: str, n_arms: int) -> None:
    """Refuse more arms than a mask has bits."""
    if n_arms > MOST_ARMS:
        raise InvalidInputError(
            f"{query} takes at most {MOST_ARMS} arms, because its answers are bit masks, not {n_arms}"
        )


def code_of(inside: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The masks (R,) of sets given row by row (R, K).

    >>> code_of(np.array([[True, False, True]]))
    array([5])
    """
    bits = np.int64(1) << np.arange(inside.shape[1], dtype=np.int64)
    return np.asarray(np.where(inside, bits, 0).sum(axis=1))


def are_masks(codes: NDArray[np.int64], n_arms: int) -> NDArray[np.bool_]:
    """Whether each code is the mask of a set of these arms.

    >>> are_masks(np.array([-1, 0, 7, 8]), 3)
    array([False,  True,  True, False])
    """
    return np.asarray((codes >= 0) & (codes < 1 << n_arms))


def arm_set(code: int, n_arms: int) -> tuple[int, ...]:
    """The arms in the set of this code.

    >>> arm_set(5, 3)
    (0, 2)
    """
    return tuple(k for k in range(n_arms) if code >> k & 1)


def label_of(code: int, n_arms: int) -> str:
    """The set in words.

    >>> label_of(5, 3)
    'arms {0, 2}'
    """
    return "arms {" + ", ".join(map(str, arm_set(code, n_arms))) + "}"
