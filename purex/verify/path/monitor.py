"""`monitor`: the proof of the paper along simulated paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from purex.engine.lockstep import Observer
from purex.engine.plan import Plan
from purex.errors import InvalidInputError, RefusedProblemError
from purex.model import Threshold
from purex.problem import Problem
from purex.rules.rule import Rule
from purex.verify.path.breach import NONE, Breach
from purex.verify.path.chain import Chain
from purex.verify.path.game_chain import game_chain
from purex.verify.path.link import Link
from purex.verify.path.optimism import optimistic_chain
from purex.verify.path.regret import Players
from purex.verify.path.theory import Theory
from purex.verify.path.walk import Walk

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROUNDS = 10**9  # in all runs together: more than a day, and these runs do not stop by themselves


@dataclass(frozen=True, eq=False)
class Monitored:
    """The chains of several runs at several checkpoints, and what was breached, if anything."""

    theory: Theory
    rule: Rule
    checkpoints: tuple[int, ...]
    runs: int
    chains: tuple[Chain, ...]
    breach: Breach = NONE

    @property
    def rounds(self) -> int:
        """The samples of all runs."""
        return self.runs * max(self.checkpoints)

    def at(self, n: int) -> tuple[Chain, ...]:
        """The chains of all runs at checkpoint n."""
        return tuple(chain for chain in self.chains if chain.state.n == n)

    @property
    def last(self) -> tuple[Chain, ...]:
        """The chains at the last checkpoint."""
        return self.at(max(self.checkpoints))

    @cached_property
    def off_event(self) -> float:
        """The fraction of runs on which E_n fails at the last checkpoint."""
        return float(np.mean([not chain.on_event for chain in self.last]))

    def plot(self, ax: Axes | None = None, *, n: int | None = None, **options: Any) -> Axes:
        """Draw the waterfall of checkpoint n, by default the last; see `purex.figures.plot_waterfall`."""
        from purex.figures import plot_waterfall
        from purex.verify.path.summary import summarise

        return plot_waterfall(summarise(self, n), ax, **options)

    def violations(self, ignore_event: bool = False) -> list[tuple[Chain, Link]]:
        """All broken links with their chains."""
        return [(chain, link) for chain in self.chains for link in chain.violations(ignore_event)]


def monitor(
    problem: Problem,
    mu: ArrayLike,
    rule: Rule | str,
    *,
    checkpoints: Sequence[int] = (4000,),
    runs: int = 10,
    seed: int = 0,
    deltas: float | Sequence[float] = 0.1,
    threshold: Threshold | str = "stylised",
    breach: Breach = NONE,
    also: Observer | None = None,
) -> Monitored:
    """Walk runs of a rule and evaluate the paper's proof at the checkpoints (docs/monitor.md).

    The runs are those of `simulate` with the same seed; they go on when they would have stopped. Means are
    projected on the problem's box, which must be finite, for the rule and for the stopping statistic. With
    actions the chain is about the cost, in units of the least.

    >>> problem = Problem.from_names("gaussian", "best-arm", n_arms=3, box=(0, 2))
    >>> seen = monitor(problem, [1, 0.7, 0.5], "D-C(bonus='lambert')", checkpoints=(200,), runs=2, seed=1)
    >>> len(seen.chains), seen.violations(), seen.off_event
    (2, [], 0.0)
    >>> chain = seen.chains[0]
    >>> abs(sum(link.loss for link in chain.links) - chain.total) < 1e-9
    True
    """
    if problem.has_unseen_arms:
        raise RefusedProblemError(
            "the proof along the path needs rewards of every arm, and some are shown by no action: what "
            "holds there is checked by 'purex verify A1 A2 A3'"
        )
    plan = Plan.of(
        problem, mu, rule, deltas, runs=runs, seed=seed, threshold=threshold,
        max_rounds=max(checkpoints, default=1), initial="once", clip=(problem.lower, problem.upper),
        statistic="projected", path="lock-step", width=None,
    )  # fmt: skip
    block, setting = plan.blocks[0][1], plan.setting
    players = Players.of(setting.rule)
    if players.lam == "ogd" and problem.actions is not None and not problem.actions.is_one_per_arm:
        raise RefusedProblemError(
            "the regret of gradient descent is proved for weights that add up to 1, and an action that shows "
            "several arms buys more: take D-C or O-C"
        )
    points = sorted({int(n) for n in checkpoints})
    first = problem.n_arms if problem.actions is None else len(problem.actions.first)
    if not points or points[0] <= first:
        raise InvalidInputError(
            f"checkpoints must come after the {first} initial pulls, unlike {list(checkpoints)}"
        )
    if points[-1] * runs > MOST_ROUNDS:
        raise InvalidInputError(
            f"{points[-1]:,} rounds of {runs:,} run{'s' * (runs != 1)} are too many to follow: make at most "
            f"{MOST_ROUNDS:,} in all"
        )
    theory = Theory.of(problem, block.truth, setting.rule.bonus, breach.bonus)
    theory = replace(theory, L=breach.lipschitz * theory.L)
    walk = Walk(
        theory, setting, np.uint64(block.key), runs, points, np.sort(block.log_inverse), breach
    )  # fmt: skip
    return Monitored(
        theory=theory,
        rule=setting.rule,
        checkpoints=tuple(points),
        runs=runs,
        chains=tuple(
            optimistic_chain(theory, state) if players.k == "none" else game_chain(theory, players, state)
            for state in walk.states(also)
        ),
        breach=breach,
    )
