"""Which thresholds a problem can be stopped by, and which of them are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from purex.errors import PurexError

if TYPE_CHECKING:
    from purex.model import Threshold
    from purex.problem import Problem

BEST = "auto"  # the tightest that is proved


def applicable(problem: Problem, free: str) -> list[str]:
    """The threshold without a proof, then `auto`, then the others that are proved for a problem, by name.

    >>> from purex.problem import Problem
    >>> applicable(Problem.from_names("gaussian", "best-arm", n_arms=3), "stylised")
    ['stylised', 'auto', 'gaussian-mixture', 'kaufmann-koolen', 'magureanu']
    """
    known = _known(problem)
    best = type(known[BEST])
    others = [
        name
        for name, threshold in known.items()
        if name not in (free, BEST) and type(threshold) is not best and problem.label(threshold) == "proved"
    ]
    return [free, BEST, *others]


def same_as(problem: Problem, name: str) -> str | None:
    """Another name of the threshold that this name means for a problem, if there is one.

    >>> from purex.problem import Problem
    >>> same_as(Problem.from_names("bernoulli", "best-arm", n_arms=3), "auto")
    'rank-aware'
    """
    known = _known(problem)
    return next(
        (other for other, found in known.items() if other != name and type(found) is type(known[name])), None
    )


def _known(problem: Problem) -> dict[str, Threshold]:
    """All installed thresholds that can be made without arguments, for this problem."""
    from purex.plugins import registry

    known = {}
    for name in sorted({item.name for item in registry().items("threshold")}):
        try:
            known[name] = problem.threshold(name)
        except PurexError:
            continue  # it needs arguments, or does not take this problem
    return known
