"""The compiled path: a kernel per rule and query, which advances each run by many rounds."""

from __future__ import annotations

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.engine.batch import Batch
from purex.engine.examination import check_played, is_foreign
from purex.engine.round_kernel import RoundKernel
from purex.engine.setting import Setting, can_draw_compiled
from purex.rules.rule import CompiledRule
from purex.run_state import LEAST_SCRATCH, Limits, Rewards, W


def why_not_compiled(setting: Setting) -> str | None:
    """Why a setting has no compiled path, in a few words; None if it has one."""
    rule, problem = setting.rule, setting.problem
    if problem.actions is not None:
        return "a problem with actions runs in lock-step"
    if not isinstance(rule, CompiledRule):
        return "the rule is not compiled"
    if rule.eliminates:
        return "elimination is not compiled"
    if setting.statistic == "projected":
        return f"the statistic {setting.statistic!r} is not compiled"
    if problem.compiled is None:
        return "the query with this structure and these families is not compiled"
    kernels = problem.compiled.kernels()
    if not can_draw_compiled(problem.arms):
        return "the rewards of these families are not drawn by compiled code"
    needed = {"max-min": kernels.max_min, "optimistic": kernels.optimistic}
    if rule.operation in needed and (
        needed[rule.operation] is None or not problem.game.has_special(rule.operation)
    ):
        return f"the query has no compiled {rule.operation} for these arms"
    return None


class CompiledPath:
    """Advances batches of a setting that `why_not_compiled` has nothing against."""

    def __init__(self, setting: Setting, truth: FloatArray, key: np.uint64, max_rounds: int) -> None:
        parts = RoundKernel.of(setting)
        self.rule, self.is_foreign = setting.rule, is_foreign(setting.rule)
        self.kernel, self.max_rounds = parts.advance, max_rounds
        self.constants = (
            setting.given,
            setting.clipping,
            setting.rule_given(truth, key),
            Rewards(key, truth),
            np.empty(max(LEAST_SCRATCH, parts.query.scratch_size(setting.problem.n_arms))),
        )

    def advance(self, batch: Batch, rows: IntArray, budget: int) -> None:
        """At most `budget` rounds for each of these rows; `batch.status` says how it ended."""
        self.kernel(rows, Limits(budget, self.max_rounds), batch.arrays, *self.constants)
        if self.is_foreign:
            check_played(self.rule, batch.table[rows, W], batch.n[rows])
