"""Answers that are sets of arms, and their codes.

Of up to 62 arms the code is a bit mask: arm k is in the set iff bit k is 1. A set of more arms has a
*fingerprint*: the keys of its members, 62 random bits each, joined by exclusive or. Two given sets share one
with probability 2^-62. A fingerprint cannot be taken apart again; but the sets that `code_of` has met are
remembered, and for a best response a comparison is enough: means whose own set is another one are an
alternative themselves.
"""

from __future__ import annotations

import numpy as np

from purex.arrays import BoolArray, IntArray
from purex.errors import InvalidInputError, UnreadableAnswerError

MOST_ARMS = 62  # beyond, a mask no longer fits an int64
MOST_KEYS = 4096  # arms that have one
MOST_REMEMBERED = 100_000  # sets; the oldest are forgotten

# random words of 62 bits; Philox is the same everywhere
KEYS = (np.random.Philox(key=MOST_ARMS).random_raw(MOST_KEYS) >> np.uint64(2)).astype(np.int64)

_remembered: dict[int, bytes] = {}


def check_size(query: str, n_arms: int) -> None:
    """Raise for more arms than a mask has bits."""
    if n_arms > MOST_ARMS:
        raise InvalidInputError(
            f"{query} takes at most {MOST_ARMS} arms, because its answers are bit masks, not {n_arms}"
        )


def check_keys(query: str, n_arms: int) -> None:
    """Raise for more arms than have keys."""
    if n_arms > MOST_KEYS:
        raise InvalidInputError(f"{query} takes at most {MOST_KEYS} arms, not {n_arms}")


def code_of(inside: BoolArray) -> IntArray:
    """The codes (R,) of sets given row by row (R, K).

    >>> code_of(np.array([[True, False, True]]))
    array([5])
    """
    n_arms = inside.shape[1]
    if n_arms <= MOST_ARMS:
        bits = np.int64(1) << np.arange(n_arms, dtype=np.int64)
        return np.asarray(np.where(inside, bits, 0).sum(axis=1))
    codes = np.bitwise_xor.reduce(np.where(inside, KEYS[:n_arms], 0), axis=1)
    different, first = np.unique(codes, return_index=True)
    for code, r in zip(different.tolist(), first, strict=True):
        if code not in _remembered:
            if len(_remembered) >= MOST_REMEMBERED:
                del _remembered[next(iter(_remembered))]
            _remembered[code] = np.packbits(inside[r]).tobytes()
    return np.asarray(codes)


def are_codes(codes: IntArray, n_arms: int) -> BoolArray:
    """Whether each code is that of a set of these arms, or may be, as any fingerprint.

    >>> are_codes(np.array([-1, 0, 7, 8]), 3)
    array([False,  True,  True, False])
    """
    return np.asarray((codes >= 0) & (codes < 1 << min(n_arms, MOST_ARMS)))


def members_of(codes: IntArray, n_arms: int) -> BoolArray:
    """The sets of these codes, row by row (R, K); raises if one is a fingerprint that nobody has met.

    >>> members_of(np.array([5]), 3)
    array([[ True, False,  True]])
    """
    if n_arms <= MOST_ARMS:
        return np.asarray(np.asarray(codes)[:, None] >> np.arange(n_arms) & 1 == 1)
    different, where = np.unique(codes, return_inverse=True)
    found = np.empty((len(different), n_arms), dtype=np.bool_)
    for row, code in zip(found, different.tolist(), strict=True):
        if code not in _remembered:
            raise UnreadableAnswerError(
                f"{code} is the fingerprint of a set of more than {MOST_ARMS} arms, which cannot be read "
                "back: ask for the answer at means of that set first"
            )
        row[:] = np.unpackbits(np.frombuffer(_remembered[code], dtype=np.uint8), count=n_arms)
    return found[where]


def arm_set(code: int, n_arms: int) -> tuple[int, ...]:
    """The arms in the set of this code.

    >>> arm_set(5, 3)
    (0, 2)
    """
    return tuple(map(int, np.flatnonzero(members_of(np.array([code]), n_arms)[0])))


def label_of(code: int, n_arms: int) -> str:
    """The set in words.

    >>> label_of(5, 3)
    'arms {0, 2}'
    """
    try:
        members = arm_set(code, n_arms)
    except UnreadableAnswerError:
        return f"the set of arms with fingerprint {code}"
    return "arms {" + ", ".join(map(str, members)) + "}"
