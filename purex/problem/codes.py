"""The codes of answers that a caller gives, checked once at the door: oracles trust them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purex.errors import InvalidInputError
from purex.model import Query

MOST_SHOWN = 8  # answers that a refusal lists


def check_codes(query: Query, i: ArrayLike, rows: int) -> NDArray[np.int64]:
    """One code per row of a batch, each an answer of the query; `i` is one code or one per row.

    A compiled oracle takes a code for an index, so that a wrong one would read memory that is not its own.
    """
    given = np.asarray(i)
    if not np.can_cast(given.dtype, np.int64):
        raise InvalidInputError(f"an answer is given by its code, a whole number, not by {_shown(i)}")
    if given.shape not in ((), (1,), (rows,)):
        raise InvalidInputError(f"there are answers of shape {given.shape} for {rows} rows of means")
    codes = given.astype(np.int64)
    good = np.asarray(query.is_answer(np.atleast_1d(codes)))
    if not good.all():
        wrong = int(np.atleast_1d(codes)[~good][0])
        raise InvalidInputError(f"{wrong} is no answer of {type(query).__name__}: {_allowed(query)}")
    return np.ascontiguousarray(np.broadcast_to(codes, rows))


def _allowed(query: Query) -> str:
    listed = query.answers()
    if listed is None:
        return "give the code that `answer` has for some means"
    first = ", ".join(str(code) for code in list(listed[:MOST_SHOWN]))
    if len(listed) <= MOST_SHOWN:
        return f"its answers are {first}"
    return f"its {len(listed)} answers are {first}, ..., {listed[-1]}"


def _shown(i: ArrayLike) -> str:
    text = repr(i)
    return text if len(text) <= 60 else text[:60] + "..."
