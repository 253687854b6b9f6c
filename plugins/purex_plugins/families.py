"""The exponential families that come with purex."""

from collections.abc import Iterable

from purex.families import (
    Bernoulli,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    NegativeBinomial,
    Poisson,
)
from purex.plugins import FamilyRecord, hookimpl

MORRIS = "Morris (1982), Natural exponential families with quadratic variance functions"


@hookimpl
def purex_families() -> Iterable[FamilyRecord]:
    """The families with a quadratic variance function (all but the generalised hyperbolic secant)."""
    for name, factory, summary, example in (
        ("bernoulli", Bernoulli, "0 or 1; the mean is the probability of 1", {}),
        ("gaussian", Gaussian, "normal with known variance", {"variance": 0.5}),
        ("poisson", Poisson, "counts with variance equal to the mean", {}),
        ("exponential", Exponential, "waiting times; gamma with shape 1", {}),
        ("gamma", Gamma, "gamma with known shape", {"shape": 2.0}),
        ("geometric", Geometric, "failures before the first success", {}),
        (
            "negative-binomial",
            NegativeBinomial,
            "failures before a known number of successes",
            {"size": 3.0},
        ),
    ):
        yield FamilyRecord(name=name, factory=factory, summary=summary, reference=MORRIS, examples=(example,))
