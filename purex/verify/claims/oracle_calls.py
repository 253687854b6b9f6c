"""How often each rule calls which oracle: S58."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import numpy as np

from purex.arrays import IntArray
from purex.engine.batch import Batch
from purex.engine.block import run_block
from purex.engine.plan import Plan
from purex.errors import RefusedProblemError
from purex.plugins import build
from purex.problem import Problem
from purex.rules import Descent, Rule
from purex.rules.rule import check_playable
from purex.verify.claim import Claim, Context, Control, any_problem, on_shipped
from purex.verify.evidence import Evidence, Tally
from purex.verify.instances import Instance
from purex.verify.trajectory import Never


class Counter:
    """An oracle that counts the rows it is asked for, and passes them on."""

    def __init__(self, oracle: Any) -> None:
        self.oracle, self.rows = oracle, 0

    def __call__(self, first: Any, *others: Any) -> Any:
        """The oracle's reply."""
        self.rows += len(first)
        return self.oracle(first, *others)

    def taken(self) -> int:
        """The count, which starts again at 0."""
        rows, self.rows = self.rows, 0
        return rows


class Projections:
    """A projection of the gradient ensemble that counts the points it projects."""

    def __init__(self, project: Any) -> None:
        self.project, self.rows = project, 0

    def __call__(self, i: int, x: Any) -> Any:
        """The projections."""
        self.rows += x.shape[0] * x.shape[1]
        return self.project(i, x)


class Calls:
    """One run of a rule, with the calls of each round: an observer of the lock-step path.

    Its items by round: "response" and "stopping" are the best responses of the sampling and of the stopping
    rule, then "optimistic", "max_min" and "projections"; `n` are the samples before each round.
    """

    def __init__(self, where: Instance, rule: Rule, rounds: int, seed: int) -> None:
        problem: Problem = copy.copy(where.problem)
        problem.game = copy.copy(problem.game)
        self.oracle, self.best = Counter(problem.oracle), Counter(problem.game.max_min)
        self.widest = Counter(problem.game.optimistic)
        counted: Any = problem
        counted.oracle, counted.game.max_min, counted.game.optimistic = self.oracle, self.best, self.widest
        rule = copy.copy(rule)
        self.points: Projections | None = None
        if isinstance(rule, Descent):
            ensemble: Any = rule.ensemble(problem)
            self.points = ensemble.project = Projections(ensemble.project)
        self.n: list[int] = []
        self.answer: list[int] = []
        self.rows: dict[str, list[int]] = {
            name: [] for name in ("response", "stopping", "optimistic", "max_min", "projections")
        }
        plan = Plan.of(
            problem, where.mu, rule, 0.1, runs=1, seed=seed, threshold=Never(problem.n_arms),
            max_rounds=rounds, initial="once", clip=None, path="lock-step", width=None,
        )  # fmt: skip
        run_block(plan.blocks[0][1], observe=self)

    def __call__(self, stage: str, batch: Batch, rows: IntArray) -> None:
        """After the statistic: what the stopping rule took; after the play: what the sampling rule took."""
        if stage == "statistic":
            self.stopping = self.oracle.taken()
        elif stage == "play":
            self.n.append(int(batch.n[rows[0]]))
            self.answer.append(int(batch.candidate[rows[0]]))
            found = {
                "response": self.oracle.taken(),
                "stopping": self.stopping,
                "optimistic": self.widest.taken(),
                "max_min": self.best.taken(),
                "projections": 0,
            }
            if self.points is not None:
                found["projections"], self.points.rows = self.points.rows, 0
            for name, count in found.items():
                self.rows[name].append(count)

    def __getitem__(self, name: str) -> IntArray:
        return np.array(self.rows[name], dtype=np.int64)


def s58(context: Context, *, greedy: str | None = None) -> Evidence:
    """Calls by round of rules D, FTPL, OGD and O; the control is a rule that asks twice."""
    tally, rounds = context.tally(), context.pick(60, 400)
    for where in context.instances("G4", "MT", "TOP"):
        calls = Calls(where, build("rule", greedy or "D-C"), rounds, context.seed)
        tally.walk(trajectories=1, rounds=rounds)
        tally.equal(calls["response"], 1)
        tally.compare(calls["stopping"], 1)
        if greedy is not None:
            continue
        leader = Calls(where, build("rule", "FTPL(samples=None)"), context.pick(40, 200), context.seed)
        n = np.array(leader.n)
        tally.walk(trajectories=1, rounds=len(n))
        tally.equal(leader["response"], n)  # t - 1 in round t: one sample of q for each sample so far
        tally.compare(leader["response"].sum(), (n[-1] + 1) ** 2 / 2)
        if _plays("OGD", where.problem):
            _count_projections(tally, where, rounds, context.seed)
        if _plays("O-C", where.problem):
            _count_optimism(tally, where, rounds, context.seed)
    return tally.evidence("the stopping rule calls at most once a round, often not at all")


def _plays(rule: str, problem: Problem) -> bool:
    try:
        check_playable(build("rule", rule), problem)
    except RefusedProblemError:
        return False
    return True


def _count_projections(tally: Tally, where: Instance, rounds: int, seed: int) -> None:
    """OGD: J projections a round, and J more in the first round of an answer."""
    rule: Any = build("rule", "OGD")
    calls = Calls(where, rule, rounds, seed)
    tally.walk(trajectories=1, rounds=rounds)
    J = np.array([len(rule.ensemble(where.problem).solvers(code)) for code in calls.answer])
    first = np.zeros(len(J), dtype=bool)
    first[np.unique(calls.answer, return_index=True)[1]] = True
    tally.equal(calls["projections"], np.where(first, 2 * J, J))
    tally.equal(calls["response"], 0)


def _count_optimism(tally: Tally, where: Instance, rounds: int, seed: int) -> None:
    """O: one max-max-min a round, by special code or by at most one max-min for each answer."""
    p, answers = where.problem, len(where.problem.query.answers() or ())
    box = (p.lower, p.upper) if where.is_bounded else None
    slow = Instance("generic", Problem(p.arms, p.query, p.structure, box=box, oracle="generic"), where.mu)
    for at, length in ((where, rounds), (slow, p.n_arms + 5)):
        if at is slow and not _plays("O-C", slow.problem):
            continue
        calls = Calls(at, build("rule", "O-C"), length, seed)
        tally.walk(trajectories=1, rounds=length)
        tally.equal(calls["optimistic"], 1)
        tally.equal(calls["response"], 0)
        if answers:
            tally.compare(calls["max_min"], answers)


CLAIMS = (
    Claim(
        id="S58",
        group="game",
        title="oracle calls a round",
        statement=(
            r"\text{D: 1 best response; FTPL: } t \text{; OGD: } J \text{ projections; O: 1 max-max-min}"
        ),
        source="section 3; projections (R31)",
        hypotheses="OGD and O where they can play",
        kind="pathwise",
        check=s58,
        violation="a round with another number of calls",
        controls=(
            Control("a rule that asks twice a round", on_shipped(partial(s58, greedy="FTPL(samples=2)"))),
        ),
        applies=any_problem,
    ),
)
