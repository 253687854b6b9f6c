"""Means that lie on the border of two answers, where no number of samples is enough."""

from __future__ import annotations

from purex.arrays import FloatArray
from purex.problem.problem import Problem


def is_undetermined(problem: Problem, mu: FloatArray) -> bool:
    """Whether the value of the game at mu (K,) is 0: mu lies in an alternative to every correct answer.

    By the declaration of the query, so that nothing is compiled. Under a structure the answer is False: which
    of the tied answers can be certified depends on it.

    >>> import numpy as np
    >>> from purex.problem import Problem
    >>> problem = Problem.from_names("bernoulli", "best-arm", n_arms=3)
    >>> [is_undetermined(problem, np.array(mu)) for mu in ([0.5, 0.5, 0.2], [0.5, 0.2, 0.2])]
    [True, False]
    """
    query = problem.query
    if problem.is_structured:
        return False
    codes = query.answer(mu[None]) if query.unique else query.correct_answers(mu)
    return len(codes) > 0 and all(
        any(
            piece.coordinates == "mean" and piece.contains(mu[None])[0]
            for piece in query.alternatives(int(i))
        )
        for i in codes
    )
