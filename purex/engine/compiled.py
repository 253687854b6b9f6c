"""The compiled path: a kernel per rule and query, which advances each run by many rounds."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from purex.arrays import FloatArray, IntArray
from purex.engine.batch import Batch
from purex.engine.examination import check_played
from purex.engine.setting import Setting
from purex.families.known import Known
from purex.model import CompiledRows
from purex.plugins.origin import is_shipped
from purex.rows import W
from purex.rules.rule import TRACKING, CompiledRule

INTERVALS = {"none": "no_intervals", "kl": "kl_intervals", "sub-gaussian": "gaussian_intervals"}
GAINS = {"none": "no_gains", "plain": "plain_gains", "optimistic": "optimistic_gains"}
CONSULT = {
    "none": "consult_nobody",
    "best-response": "consult_best_response",
    "max-min": "consult_max_min",
    "optimistic": "consult_optimistic",
}
ROW = {"max-min": "max_min", "optimistic": "optimistic"}  # what a query's rows may lack


def why_not_compiled(setting: Setting) -> str | None:
    """Why a setting has no compiled path, in a few words; None if it has one."""
    from purex.engine.setting import can_draw_compiled

    rule, problem = setting.rule, setting.problem
    if not isinstance(rule, CompiledRule):
        return "the rule is not compiled"
    if setting.statistic == "projected":
        return f"the statistic {setting.statistic!r} is not compiled"
    if problem.compiled is None:
        return "the query with this structure and these families is not compiled"
    if setting.statistic == "model" and not hasattr(import_module(problem.compiled.module), "project"):
        return "the statistic 'model' is compiled under a structure only"
    if not can_draw_compiled(problem.arms):
        return "the rewards of these families are not drawn by compiled code"
    if rule.operation in ROW and not (
        problem.game.has_special(rule.operation)
        and hasattr(import_module(problem.compiled.module), ROW[rule.operation])
    ):
        return f"the query has no compiled {rule.operation} for these arms"
    return None


class CompiledPath:
    """Advances batches of a setting that `why_not_compiled` has nothing against."""

    def __init__(self, setting: Setting, truth: FloatArray, key: np.uint64, max_rounds: int) -> None:
        rule, problem = setting.rule, setting.problem
        assert isinstance(rule, CompiledRule)
        assert problem.compiled is not None
        self.rule, self.is_foreign = rule, not is_shipped(rule)
        self.kernel = chunk_kernel(
            rule.parts,
            rule.operation,
            rule.gains,
            rule.intervals,
            problem.compiled.module,
            setting.statistic == "model",
            Known.of(problem.arms, problem.lower, problem.upper),
        )
        self.key, self.max_rounds = key, max_rounds
        self.start = rule.start(problem)
        self.constants = (
            setting.codes,
            setting.laws,
            problem.lower,
            problem.upper,
            query_numbers(problem.compiled),
            rule.numbers(problem, truth),
            truth,
            TRACKING[rule.tracking],
            rule.learners == "single",
            rule.bonus.code,
            rule.bonus.factor,
            np.empty(scratch_size(problem.compiled, problem.n_arms)),
        )

    def advance(self, batch: Batch, rows: IntArray, budget: int) -> None:
        """At most `budget` rounds for each of these rows; `batch.status` says how it ended."""
        self.kernel(
            rows, budget, self.max_rounds, self.key, batch.run, batch.n, batch.status, batch.barrier,
            batch.statistic, batch.candidate, batch.table, batch.slot, batch.answers, batch.seen,
            batch.memory, batch.witness, self.start, *self.constants,
        )  # fmt: skip
        if self.is_foreign:
            check_played(self.rule, batch.table[rows, W], batch.n[rows])


def query_numbers(compiled: CompiledRows) -> FloatArray:
    """A query's numbers as a vector, never empty."""
    return np.array(compiled.numbers or (0.0,), dtype=np.float64)


def scratch_size(compiled: CompiledRows, n_arms: int) -> int:
    """How many numbers the query's rows need to work with."""
    needs = getattr(import_module(compiled.module), "scratch_size", lambda n_arms: 1)
    return int(needs(n_arms))


@cache
def chunk_kernel(
    parts: str, operation: str, gains: str, intervals: str, rows: str, against_model: bool, known: Known
) -> Any:
    """The kernel of a rule (its parts, its oracle, what it needs) for a query's rows and such arms.

    The stopping statistic is against all of Theta^K, or against M.
    """
    from purex.engine.kernels import chunk, oracles
    from purex.engine.kernels import round as stages
    from purex.jit import specialise

    rule, query = import_module(parts), import_module(rows)
    name = "_".join((parts, operation, gains, intervals, rows)).replace(".", "_").replace("-", "_")
    respond = getattr(query, "best_response_in", None)
    if respond is None:
        respond = specialise(
            oracles.respond_simply, f"respond_{name}", inline=True, best_response=query.best_response
        )
    oracle = {} if operation == "none" else {"respond": respond}
    if operation in ("max-min", "optimistic"):
        oracle = {ROW[operation]: getattr(query, ROW[operation])}
    project = getattr(query, "project", None)
    model = oracles.model_of_means
    if project is not None:
        model = oracles.model_anywhere if intervals == "none" else oracles.model_in_box
    fit = oracles.fit_of_model if against_model else oracles.fit_of_everything
    name += "_against_model" if against_model else ""
    kernel = specialise(
        chunk.advance,
        f"advance_{name}",
        answer=query.answer,
        respond=respond,
        choose_model=specialise(model, f"model_{name}", inline=True, project=project),
        fit=specialise(fit, f"fit_{name}", inline=True, project=project),
        consult=specialise(getattr(oracles, CONSULT[operation]), f"consult_{name}", inline=True, **oracle),
        intervals=getattr(stages, INTERVALS[intervals]),
        gains=getattr(stages, GAINS[gains]),
        ask=rule.ask,
        hear=rule.hear,
    )
    return known.binding(kernel)
