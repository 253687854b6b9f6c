"""The families that come with purex: exponential ones, and classes of laws that are judged by one."""

from collections.abc import Iterable

from purex.families import (
    Bernoulli,
    Bounded,
    Empirical,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    NegativeBinomial,
    Poisson,
    Student,
    SubGaussian,
)
from purex.plugins import FamilyRecord, hookimpl

MORRIS = "Morris (1982), Natural exponential families with quadratic variance functions"
HOEFFDING = "Hoeffding (1963), Probability inequalities for sums of bounded random variables"


@hookimpl
def purex_families() -> Iterable[FamilyRecord]:
    """Families with a quadratic variance function (all but one), and classes with a hardest law."""
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
    yield FamilyRecord(
        name="student",
        factory=Student,
        summary="normal with unknown variance; simulated with a standard deviation",
        reference="Jourdan, Degenne & Kaufmann (2023), Dealing with unknown variances in best-arm ...",
        examples=({}, {"deviation": 2.0}),
    )
    yield FamilyRecord(
        name="bounded",
        factory=Bounded,
        summary="any rewards in [lower, upper], judged as Bernoulli; simulated by Beta laws",
        reference=HOEFFDING,
        examples=({}, {"lower": -1.0, "upper": 3.0, "concentration": 2.0}),
    )
    yield FamilyRecord(
        name="sub-gaussian",
        factory=SubGaussian,
        summary="any rewards with a known variance proxy, judged as Gaussian",
        reference=HOEFFDING,
        examples=({"variance": 0.5},),
    )
    yield FamilyRecord(
        name="empirical",
        factory=Empirical,
        summary="recorded rewards in [lower, upper], drawn again in simulations; judged as bounded",
        reference=HOEFFDING,
        examples=({"values": [0.0, 0.25, 0.5, 0.5, 0.875]},),
    )
