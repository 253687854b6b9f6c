"""The laws of a query alone; those of its best responses are in `laws`."""

from __future__ import annotations

from typing import Any

import numpy as np

from purex.arrays import FloatArray
from purex.model import Query
from purex.model.supports import count_supports, support
from purex.testing.case import Case
from purex.testing.laws import LawBrokenError, NotApplicableError
from purex.testing.units import check_units_do_not_matter

MOST_ANSWERS = 64  # whose supports are gone through
MODELS = 40  # at which the number of supports is found by trying all choices
NEAR = 1e-9  # how far outside a piece a model may lie by rounding


def check_answers_are_among_the_answers(case: Case) -> None:
    """`is_answer`, and so the list of `answers`, knows every answer that means have."""
    query = case.problem.query
    mu = case.means(case.rng("answers"), 4 * case.size)
    codes = query.answer(mu)
    known = np.asarray(query.is_answer(codes))
    if known.shape != codes.shape:
        raise LawBrokenError(f"is_answer gives shape {known.shape} for {len(codes)} codes")
    if not known.all():
        r = int(np.flatnonzero(~known)[0])
        raise LawBrokenError(f"answer({mu[r].tolist()}) is {int(codes[r])}, which is none of the answers")


def check_the_answer_is_correct(case: Case) -> None:
    """`is_correct` accepts what `answer` names, also at exact ties."""
    query = case.problem.query
    mu = case.means(case.rng("correct"), 4 * case.size)
    codes = query.answer(mu)
    right = np.asarray(query.is_correct(mu, codes))
    if right.shape != codes.shape or right.dtype != np.bool_:
        raise LawBrokenError(f"is_correct gives {right.dtype} of shape {right.shape}, not bool (R,)")
    if not right.all():
        r = int(np.flatnonzero(~right)[0])
        raise LawBrokenError(f"answer({mu[r].tolist()}) is {int(codes[r])}, which is_correct calls wrong")


def check_blamed_supports_are_enough(case: Case) -> None:
    """At no model do wrong answers need more supports than are counted; nor are there others than declared.

    A support is the set of arms that the rows of a piece touch (`purex.model.supports`).
    """
    query = case.problem.query
    answers, m = query.answers(), count_supports(query)
    if answers is None or len(answers) > MOST_ANSWERS or m is None:
        raise NotApplicableError("the answers are too many to be gone through")
    stated = query.blamed()
    if stated is not None and not (isinstance(stated, int | np.integer) and stated >= 1):
        raise LawBrokenError(f"blamed gives {stated!r}, not a whole number from 1 on")
    if any(piece.coordinates != "mean" for i in answers[:2] for piece in query.alternatives(int(i))):
        raise NotApplicableError("the pieces are not stated in means")
    for mu in case.means(case.rng("blamed"), min(case.size, MODELS)):
        if not can_meet(blames(query, mu), m):
            raise LawBrokenError(f"wrong answers need more than the {m} supports of blamed, at {mu.tolist()}")


def blames(query: Query, mu: FloatArray) -> list[frozenset[Any]]:
    """For each wrong answer at mu (K,) the supports of its pieces that contain mu."""
    found = []
    for i in query.answers() or ():
        if not query.is_correct(mu[None], np.array([i]))[0]:
            near = [support(piece) for piece in query.alternatives(int(i)) if piece.contains(mu, NEAR)]
            found.append(frozenset(near))
    return found


def can_meet(sets: list[frozenset[Any]], at_most: int) -> bool:
    """Whether so many elements can be chosen that each set has one of them: by trying all choices.

    >>> can_meet([frozenset("ab"), frozenset("bc"), frozenset("ac")], 1)
    False
    """
    waiting = sorted({s for s in sets if s}, key=lambda s: (len(s), sorted(s)))
    if len(waiting) <= at_most:
        return True
    if at_most == 0:
        return False
    return any(can_meet([s for s in waiting if one not in s], at_most - 1) for one in sorted(waiting[0]))


QUERY_LAWS = (
    check_answers_are_among_the_answers,
    check_the_answer_is_correct,
    check_blamed_supports_are_enough,
    check_units_do_not_matter,
)
