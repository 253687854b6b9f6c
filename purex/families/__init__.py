"""One-parameter exponential families, and arms that follow them.

`SymbolicFamily` is imported on first use because it needs sympy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from purex.families.arms import Arms
from purex.families.bernoulli import Bernoulli
from purex.families.family import Constants, ConvexTerm, Family
from purex.families.gamma import Exponential, Gamma
from purex.families.gaussian import Gaussian
from purex.families.negative_binomial import Geometric, NegativeBinomial
from purex.families.poisson import Poisson

if TYPE_CHECKING:
    from purex.families.symbolic import SymbolicFamily

__all__ = [
    "Arms",
    "Bernoulli",
    "Constants",
    "ConvexTerm",
    "Exponential",
    "Family",
    "Gamma",
    "Gaussian",
    "Geometric",
    "NegativeBinomial",
    "Poisson",
    "SymbolicFamily",
]


def __getattr__(name: str) -> Any:
    if name == "SymbolicFamily":
        from purex.families.symbolic import SymbolicFamily

        return SymbolicFamily
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
