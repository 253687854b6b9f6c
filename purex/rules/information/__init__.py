"""Rule IDS: information-directed selection (Qin & You 2023)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from purex.arrays import FloatArray
from purex.errors import InvalidInputError
from purex.rules.rule import CompiledRule, RuleKernels, Tracking

if TYPE_CHECKING:
    from purex.problem import Problem

EXPLORE = 0.1  # nats; docs/rules.md has what more and less of it cost


class InformationDirected(CompiledRule):
    r"""Top-Two without a beta, for every question: the closest alternative says which of its arms to pull.

    $\lambda$ is the best response to the counts N at $\hat\mu$, at the cost
    $Z = \sum_k N^k d(\hat\mu^k, \lambda^k)$. Arm k is pulled with probability
    $N^k d(\hat\mu^k, \lambda^k)/Z$: its share of the evidence against the alternative that a stop has to wait
    for (Qin & You 2023, Dual-directed algorithm design for efficient pure exploration:
    "information-directed selection").

    An arm that no close alternative moves would not be pulled again, however misleading its few rewards
    were. So, which is our addition, with probability $c/(Z + c)$ any arm is pulled, where c = `explore`;
    Z is at most the threshold, so that each arm has a share of all samples.

    With actions, action a brought $E_a = n_a \sum_k O_{ak} d(\hat\mu^k, \lambda^k)$ of the evidence, and
    gets a share $E_a/Z$ of the *cost* to come: it is chosen with a probability in proportion to $E_a/c_a$. An
    action that was never chosen counts as chosen once, and exploration spends the same on each.
    """

    operation = "best-response"
    gains = "plain"
    plays_actions = True
    at_counts = True
    tracking: Tracking = "none"

    def __init__(self, *, explore: float = EXPLORE) -> None:
        is_number = isinstance(explore, int | float) and not isinstance(explore, bool)
        if not is_number or not 0 <= explore < np.inf:
            raise InvalidInputError(f"the explore of IDS must be a finite number >= 0, not {explore!r}")
        self.explore = float(explore)

    def kernels(self) -> RuleKernels:
        """`purex.rules.information.kernels`."""
        from purex.rules.information.kernels import ask, hear

        return RuleKernels(ask, hear)

    def numbers(self, problem: Problem, truth: FloatArray | None) -> FloatArray:
        """How much is explored, arm by arm or action by action."""
        each = np.full(problem.n_actions, self.explore / problem.n_actions)
        return each if problem.actions is None else each / problem.actions.relative_costs
