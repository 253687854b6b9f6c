"""Which arms a wrong answer can be blamed on, and how many such events there are: from the declaration."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.model.polyhedron import Polyhedron
from purex.model.query import Query

FEW_ANSWERS = 64  # whose supports are gone through, in case they are fewer than the answers
ROUNDING = 1e-12  # of the rows of a piece, relative to the largest mean
REMEMBERED = 2**22  # numbers in the supports that are kept ready


def support(piece: Polyhedron) -> tuple[int, ...]:
    """The arms that the rows of a piece touch, in order.

    >>> support(Polyhedron.order(4, low=3, high=1))
    (1, 3)
    """
    touched = (piece.A != 0).any(axis=0) | (piece.A_eq != 0).any(axis=0)
    return tuple(map(int, np.flatnonzero(touched)))


def supports(query: Query, i: int) -> list[tuple[int, ...]]:
    """The different supports of the pieces to answer i, in order of appearance."""
    return list(dict.fromkeys(support(piece) for piece in query.alternatives(i)))


def count_supports(query: Query) -> int | None:
    """The number m of supports whose events are united; None if the answers are too many to be listed.

    What the query says of itself (`Query.blamed`). Or else one for each answer but one, since at any model
    some answer is right; or the number of different supports of all answers, if that is smaller.

    >>> from purex_plugins.best_arm import BestArm
    >>> count_supports(BestArm(5))
    4
    """
    stated = query.blamed()
    if stated is not None:
        return stated
    answers = query.answers()
    if answers is None:
        return None
    m = len(answers) - 1
    if len(answers) <= FEW_ANSWERS:
        m = min(m, len({s for i in answers for s in supports(query, int(i))}))
    return max(m, 1)


def blamed_at(query: Query, mu: FloatArray) -> list[tuple[int, ...]]:
    """A few supports, on one of which each wrong answer can be blamed where the model is mu (K,).

    Of the pieces that contain mu those are taken first that serve most wrong answers. The query has to list
    its answers.

    >>> from purex_plugins.best_arm import BestArm
    >>> blamed_at(BestArm(4), np.array([0.3, 0.9, 0.5, 0.1]))
    [(0, 1), (0, 3), (1, 2)]
    """
    answers = query.answers()
    assert answers is not None, "the answers are too many to be listed"
    waiting, room = [], ROUNDING * float(np.abs(mu).max())
    for i in answers:
        if not query.is_correct(mu[None], np.array([i]))[0]:
            waiting.append(
                {support(piece) for piece in query.alternatives(int(i)) if piece.contains(mu, room)}
            )
    chosen = []
    while waiting:
        seen = Counter(s for choices in waiting for s in sorted(choices))
        best = min(seen, key=lambda s: (-seen[s], s))
        chosen.append(best)
        waiting = [choices for choices in waiting if best not in choices]
    return sorted(chosen)


class Supports:
    """The supports of each answer as arrays, and the logarithm of the number of events.

    If the supports cannot be counted, all arms are one support.
    """

    def __init__(self, query: Query) -> None:
        m = count_supports(query)
        self.query, self.is_whole = query, m is None
        self.count = 1 if m is None else m
        self.log_count = math.log(self.count)
        self._rows: dict[int, IntArray] = {}
        self._room = REMEMBERED

    def meet(self, codes: IntArray, mean: FloatArray) -> None:
        """Let the query meet the answers at these means (R, K): it may need that to read a code."""
        new = [code for code in set(codes.tolist()) if code not in self._rows]
        if new and not self.is_whole:
            self.query.answer(mean[np.isin(codes, new)])

    def arms(self, i: int) -> IntArray:
        """The supports of answer i as rows of arms (P, s), filled up with K, which is no arm."""
        if i not in self._rows:
            found = self._find(i)
            self._room -= found.size
            if self._room < 0:
                self._rows.clear()
                self._room = REMEMBERED - found.size
            self._rows[i] = found
        return self._rows[i]

    def _find(self, i: int) -> IntArray:
        K = self.query.n_arms
        if self.is_whole:
            return np.arange(K)[None]
        found = supports(self.query, i)
        rows = np.full((max(len(found), 1), max(map(len, found), default=1)), K)
        for row, arms in zip(rows, found, strict=False):
            row[: len(arms)] = arms
        rows.flags.writeable = False
        return rows

    @property
    def are_alike(self) -> bool:
        """Whether `largest` speaks for all answers: it has seen them all, or the query knows its supports."""
        answers = self.query.answers()
        return self.query.blamed() is not None or (answers is not None and len(answers) <= FEW_ANSWERS)

    def largest(self) -> int:
        """The size of the largest support: of all answers, if they are few, or else of one."""
        answers, K = self.query.answers(), self.query.n_arms
        if answers is None or len(answers) > FEW_ANSWERS:
            answers = [int(self.query.answer(np.arange(K, dtype=np.float64)[None])[0])]
        return max(int((self.arms(int(i)) < K).sum(axis=-1).max()) for i in answers)
