"""Whether divergences are convex where constraints are linear: asked and refused in one place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from purex.errors import RefusedProblemError
from purex.families.arms import Arms
from purex.families.family import Family

ConvexCoordinates = Literal["mean", "log"]

NAMED = {
    "mean": "(gaussian, bernoulli, poisson)",
    "log": "(bernoulli, poisson, exponential, gamma, geometric)",
}  # the families that come with purex and are convex there
REASONS = {
    "mean": "its constraints are linear in the means, and d(mu, lam) must be convex in lam",
    "log": "its constraints are linear in the logarithms of the means, and d(mu, exp(y)) must be convex in y",
}


def not_convex(families: Iterable[Family], coordinates: ConvexCoordinates = "mean") -> list[str]:
    r"""The names of the families for which $d(\mu, \lambda)$ is not convex in $\lambda$ (or $\log\lambda$).

    >>> from purex.families import Bernoulli, Exponential, Gaussian
    >>> not_convex([Bernoulli(), Exponential(), Exponential()])
    ['exponential']
    >>> not_convex([Gaussian(), Exponential()], "log")
    ['gaussian']
    """
    is_convex = {"mean": lambda family: family.convex_in_mean, "log": lambda family: family.convex_in_log}
    return list(dict.fromkeys(family.name for family in families if not is_convex[coordinates](family)))


def check_convex(what: str, arms: Arms, coordinates: ConvexCoordinates = "mean") -> None:
    """Refuse arms with which something whose constraints are linear in these coordinates is not convex.

    >>> from purex.families import Arms, Exponential
    >>> check_convex("unit-sum", Arms.of(Exponential(), 2))
    Traceback (most recent call last):
        ...
    purex.errors.RefusedProblemError: unit-sum with exponential arms is not a convex problem: its \
constraints are linear in the means, and d(mu, lam) must be convex in lam (gaussian, bernoulli, poisson)
    """
    wrong = not_convex(arms.families, coordinates)
    if wrong:
        raise RefusedProblemError(
            f"{what} with {', '.join(wrong)} arms is not a convex problem: {REASONS[coordinates]} "
            f"{NAMED[coordinates]}"
        )


def check_sums(query: str, arms: Arms) -> None:
    """Refuse arms whose means a query must not add up: a constraint on sums would not be convex.

    >>> from purex.families import Arms, Exponential
    >>> check_sums("closest-to", Arms.of(Exponential(), 2))
    Traceback (most recent call last):
        ...
    purex.errors.RefusedProblemError: closest-to adds means of arms, which is a convex problem only for \
families convex in the mean (gaussian, bernoulli, poisson), not for exponential
    """
    wrong = not_convex(arms.families)
    if wrong and not arms.unknown_variance:  # these are never convex: their oracle says what it can do
        raise RefusedProblemError(
            f"{query} adds means of arms, which is a convex problem only for families convex in the mean "
            f"{NAMED['mean']}, not for {wrong[0]}"
        )
