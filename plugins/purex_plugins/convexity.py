"""What structures with linear equations share: the check that the families are convex there."""

from __future__ import annotations

from purex.errors import RefusedProblemError
from purex.families import Arms, Family


def check_convex_in_mean(structure: str, arms: Arms) -> None:
    """Refuse families whose divergence is not convex in the mean."""
    _check(
        structure,
        [family for family in arms.families if not family.convex_in_mean],
        "its constraints are linear in the means, and d(mu, lam) must be convex in lam "
        "(gaussian, bernoulli, poisson)",
    )


def check_convex_in_log(structure: str, arms: Arms) -> None:
    """Refuse families whose divergence is not convex in the logarithm of the mean."""
    _check(
        structure,
        [family for family in arms.families if not family.convex_in_log],
        "its constraints are linear in the logarithms of the means, and d(mu, exp(y)) must be convex in y "
        "(bernoulli, poisson, exponential, gamma, geometric)",
    )


def _check(structure: str, wrong: list[Family], reason: str) -> None:
    if wrong:
        names = ", ".join(dict.fromkeys(family.name for family in wrong))
        raise RefusedProblemError(f"{structure} with {names} arms is not a convex problem: {reason}")
