"""Rule IDS: information-directed selection (Qin & You 2023)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from purex.arrays import FloatArray
from purex.rules.rule import CompiledRule, RuleKernels, Tracking

if TYPE_CHECKING:
    from purex.problem import Problem


class InformationDirected(CompiledRule):
    r"""Top-Two without a parameter: the closest alternative says which of its arms to pull.

    With $\lambda$ the best response to the counts N at $\hat\mu$, arm k is pulled with probability
    $N^k d(\hat\mu^k, \lambda^k) / \sum_j N^j d(\hat\mu^j, \lambda^j)$: its share of the evidence that the next
    stop is waiting for (Qin & You 2023, Dual-directed algorithm design for efficient pure exploration).
    Where the means leave the answer open, all arms are equally likely. With a `tracking` other than "none"
    no arm is drawn: the shares are the weights that are tracked.

    An arm that the closest alternative does not move is not pulled, and nothing is forced.
    """

    operation = "best-response"
    gains = "plain"

    def __init__(self, *, tracking: Tracking = "none") -> None:
        self.tracking = tracking

    def kernels(self) -> RuleKernels:
        """`purex.rules.information.kernels`."""
        from purex.rules.information.kernels import ask, hear

        return RuleKernels(ask, hear)

    def numbers(self, problem: Problem, truth: FloatArray | None) -> FloatArray:
        """Whether an arm is drawn."""
        return np.array([float(self.tracking == "none")])
