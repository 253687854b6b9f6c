"""The laws of a query alone; those of its best responses are in `laws`."""

from __future__ import annotations

import numpy as np

from purex.testing.case import Case
from purex.testing.laws import LawBrokenError
from purex.testing.units import check_units_do_not_matter


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


QUERY_LAWS = (
    check_answers_are_among_the_answers,
    check_the_answer_is_correct,
    check_units_do_not_matter,
)
