"""One arm in scalars."""

from __future__ import annotations

from typing import NamedTuple


class Arm(NamedTuple):
    """What kernels of one or two arms are handed: the law of an arm, its weight and its mean.

    Scalars travel in registers. The arrays of all arms do not, which costs a tenth of a round where a
    function is called for every rival (docs/decisions/0031).
    """

    code: int
    scale: float
    parameter: float
    weight: float
    mean: float
