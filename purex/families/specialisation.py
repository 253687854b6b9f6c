"""What kernels know about their arms before they are compiled."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from purex.families.arms import Arms
from purex.families.gaussian import Gaussian

if TYPE_CHECKING:
    from purex.jit import Binding


class Known(NamedTuple):
    """The family's code if all arms are of one kind, else None; whether the model has bounds."""

    code: int | None
    bounded: bool

    @classmethod
    def of(cls, arms: Arms, lower: float, upper: float) -> Known:
        """What is known about arms with means in [lower, upper].

        >>> from purex import Problem
        >>> Known.of(Problem.from_names("bernoulli", "best-arm", n_arms=3).arms, -np.inf, np.inf)
        Known(code=1, bounded=False)
        """
        kinds = set(zip(arms.codes.tolist(), arms.parameters.tolist(), strict=True))
        one_kind = arms.is_compiled and len(kinds) == 1
        bounded = bool(np.isfinite(lower) or np.isfinite(upper))
        return cls(kinds.pop()[0] if one_kind else None, bounded)

    @property
    def binding(self) -> Binding:
        """Makes the copies of compiled functions that know it."""
        return _binding(self)


@cache
def _binding(arms: Known) -> Binding:
    from purex.families.compiled import arm_kinds
    from purex.jit import Binding

    replaced: dict[Any, Any] = {}
    if arms.code is not None:
        replaced |= {
            arm_kinds.kind: arm_kinds.kind_is(arms.code),
            arm_kinds.same_kind: arm_kinds.always_same_kind,
        }
    if arms.code == Gaussian.code:
        replaced |= {arm_kinds.only_gaussian: arm_kinds.always_gaussian}
    if not arms.bounded:
        replaced |= {arm_kinds.is_inside: arm_kinds.always_inside}
    name = "mixed" if arms.code is None else f"kind_{arms.code}"
    return Binding(f"{name}_bounded" if arms.bounded else name, replaced)
