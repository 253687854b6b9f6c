"""One-parameter exponential families, classes of laws judged by one, and arms that follow them.

`SymbolicFamily` is imported on first use because it needs sympy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from purex.families.arms import Arms
from purex.families.bernoulli import Bernoulli
from purex.families.bounded import Bounded
from purex.families.empirical import Empirical
from purex.families.family import Constants, ConvexTerm, Family
from purex.families.gamma import Exponential, Gamma
from purex.families.gaussian import Gaussian
from purex.families.negative_binomial import Geometric, NegativeBinomial
from purex.families.poisson import Poisson
from purex.families.student import Student
from purex.families.sub_gaussian import SubGaussian

if TYPE_CHECKING:
    from purex.families.symbolic import SymbolicFamily

__all__ = [
    "Arms",
    "Bernoulli",
    "Bounded",
    "Constants",
    "ConvexTerm",
    "Empirical",
    "Exponential",
    "Family",
    "Gamma",
    "Gaussian",
    "Geometric",
    "NegativeBinomial",
    "Poisson",
    "Student",
    "SubGaussian",
    "SymbolicFamily",
]


def __getattr__(name: str) -> Any:
    if name == "SymbolicFamily":
        from purex.families.symbolic import SymbolicFamily

        return SymbolicFamily
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
