"""Queries: a question about the means with finitely many answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from purex.arrays import FloatArray, IntArray
from purex.errors import InvalidInputError
from purex.families.arms import Arms
from purex.model.polyhedron import Polyhedron


class Query(ABC):
    r"""A question $i^*(\mu)$ about K means; answers are int64 codes.

    A subclass declares `answer` and `alternatives`; everything else follows from these two, except at
    exact ties, where `is_correct` decides. `n_arms` is the number K of arms; other parameters are its own. It
    may add a closed form: a method ``best_response(arms, i, w, xi, lower, upper) -> Response``
    for the models whose only restriction is lower <= lam_k <= upper (the family's domain by
    default), whole batch at once: i (R,), w (R, K), xi (R, K).
    """

    n_arms: int
    unique = True  # whether a model has one correct answer; statements that need it do not apply otherwise

    def __init__(self, n_arms: int) -> None:
        if n_arms < 1:
            raise InvalidInputError(f"a query needs at least one arm, not {n_arms}")
        self.n_arms = n_arms

    @abstractmethod
    def answer(self, mu: FloatArray) -> IntArray:
        """The answer i*(mu) of each row of mu (R, K), as codes (R,); exact ties to the lowest."""

    @abstractmethod
    def alternatives(self, i: int) -> Sequence[Polyhedron]:
        """The convex pieces whose union is the closure of {lam : another answer is better}."""

    def answers(self) -> Sequence[int] | None:
        """All answers, if they are few enough to be listed; None if not."""
        return None

    def is_answer(self, codes: IntArray) -> NDArray[np.bool_]:
        """Whether each code (R,) is an answer: one of `answers`, or any code where these are not listed.

        A query with too many answers to list, such as sets coded as bit masks, may say here which codes
        are answers; `Problem` refuses the others.
        """
        listed = self.answers()
        if listed is None:
            return np.ones(np.shape(codes), dtype=np.bool_)
        if isinstance(listed, range) and listed.step == 1:
            return np.asarray((listed.start <= codes) & (codes < listed.stop))
        return np.isin(codes, np.asarray(listed, dtype=np.int64))

    def blamed(self) -> int | None:
        r"""How many supports have to be united for a proof, if fewer than all; None: count them all.

        A piece's support is the set of arms that its rows touch. Where the model is mu, choose for each wrong
        answer one of its pieces that contains mu: the number is that of the different supports of these
        choices, at the worst mu. A query that knows it says why: a threshold pays its logarithm.
        """
        return None

    def label(self, code: int) -> str:
        """The answer in words."""
        return str(code)

    def is_correct(self, mu: FloatArray, code: IntArray) -> NDArray[np.bool_]:
        """Whether each code (R,) is a correct answer for its row of mu (R, K): by default, the answer.

        It decides at exact ties, where `answer` has to name one: a query for which tied answers are all
        correct (each of two best arms is a best arm) says so here. Errors of simulations are counted by it,
        and where a structure forces a tie it says which answers the tied models refute.
        """
        return np.asarray(self.answer(mu) == code)

    def correct_answers(self, mu: FloatArray) -> Sequence[int]:
        """All correct answers for one model mu (K,): the answer, unless the query is not `unique`."""
        return [int(self.answer(mu[None])[0])]

    def candidate(self, mu: FloatArray, lower: FloatArray, upper: FloatArray) -> IntArray:
        """The answers (R,) that a rule works on, at mu in confidence boxes [lower, upper] (R, K).

        With several correct answers a rule that changes its mind between two of them may serve neither;
        such a query holds on to one for as long as the box allows ("sticky").
        """
        return self.answer(mu)

    def closed_for(self, arms: Arms) -> bool:
        """Whether the closed form is for these arms; where it is not, the generic solver answers."""
        return True

    def rescaled(self, factor: float) -> Query:
        """The same question about means that are multiplied by a factor, such as 1000 for milliseconds.

        The default follows from the declaration, without special oracles; a query whose parameters have the
        unit of the means returns itself with those multiplied.
        """
        from purex.model.rescaled import RescaledQuery

        return RescaledQuery(self, factor)

    def check(self, arms: Arms, lower: float, upper: float) -> None:
        """Raise `InvalidInputError` if this question makes no sense for these arms and bounds."""
        return
