"""From a specification to what is to be done: cells (one rule on one problem), and their runs in chunks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import Any

from purex.arrays import FloatArray
from purex.engine.plan import Plan
from purex.engine.round_kernel import RoundKernel
from purex.errors import ExecutorError, InvalidInputError, PurexError
from purex.experiments.specification import ProblemEntry, Specification, chunk_size
from purex.model import Threshold
from purex.plugins import build
from purex.problem import Problem
from purex.problem.actions import as_call
from purex.provenance import difference, resolve_all, used
from purex.rules.rule import Rule

Record = Mapping[str, str]  # plugins and their versions, see `purex.provenance`


@dataclass(frozen=True)
class Cell:
    """One rule with one threshold on one problem, for all its deltas; plain values, so that it travels."""

    number: int
    entry: ProblemEntry
    rule: str
    threshold: str
    seed: int
    record: tuple[tuple[str, str], ...] = ()  # the plugins that it means, and their versions

    @property
    def texts(self) -> dict[str, str | None]:
        """The objects of the cell by kind, with the names that its record qualifies."""
        entry = self.entry
        given = {"family": entry.family, "query": entry.query, "structure": entry.structure}
        given["action"] = None if entry.actions is None else as_call(entry.actions)
        return resolve_all({**given, "rule": self.rule, "threshold": self.threshold}, dict(self.record))

    @property
    def deltas(self) -> tuple[float, ...]:
        """The risks, all served by the same runs."""
        return self.entry.deltas


@dataclass(frozen=True)
class Task:
    """The runs `first` to `stop` - 1 of a cell: the smallest thing that is made, written or lost."""

    cell: Cell
    first: int
    stop: int


@dataclass(frozen=True)
class Enumeration:
    """All cells of a study, and the qualified names and versions of the plugins that they use."""

    specification: Specification
    cells: tuple[Cell, ...]
    plugins: dict[str, str]

    @property
    def key(self) -> str:
        """The hash of all that decides the rows: the specification, and its plugins with their versions."""
        return key_of(self.specification, self.plugins)

    def tasks(self) -> list[Task]:
        """The first chunk of each cell, then the second of each...: no cell is left to the very end."""
        rounds = zip_longest(*(self.chunks(cell) for cell in self.cells))
        return [task for tasks in rounds for task in tasks if task is not None]

    def chunks(self, cell: Cell) -> list[Task]:
        """The tasks of one cell, in the order of its runs."""
        runs = cell.entry.runs
        size = chunk_size(runs, self.specification.chunk)
        return [Task(cell, first, min(first + size, runs)) for first in range(0, runs, size)]


def key_of(specification: Specification, plugins: Record) -> str:
    """The key of a study with these plugins."""
    identity = {"specification": specification.as_dict(), "plugins": plugins}
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


def enumerate_study(specification: Specification, record: Record | None = None) -> Enumeration:
    """Build every object that the study names, once, and refuse what does not fit before anything runs.

    A bare name means the plugin that `record` has of this name, if any: what it meant when a study began.
    """
    plugins: dict[str, str] = {}
    for cell in cells_of(specification, record or {}):
        try:
            plan(cell, 0, 1)
            plugins |= used(built(cell).problem, cell.texts)
        except PurexError as error:
            raise InvalidInputError(f"problem '{cell.entry.name}', rule '{cell.rule}': {error}") from error
    return Enumeration(specification, cells_of(specification, plugins), dict(sorted(plugins.items())))


def cells_of(specification: Specification, record: Record) -> tuple[Cell, ...]:
    """Every rule with every threshold on every problem, in the order of the file."""
    combinations = (
        (entry, rule, threshold)
        for entry in specification.problems
        for threshold in entry.thresholds
        for rule in entry.rules
    )
    plugins = tuple(record.items())
    return tuple(
        Cell(number, *combination, specification.seed, plugins)
        for number, combination in enumerate(combinations)
    )


@dataclass(frozen=True)
class Built:
    """What a cell's names mean."""

    problem: Problem
    rule: Rule
    threshold: Threshold


def built(cell: Cell) -> Built:
    """The objects of a cell; each process builds them once."""
    K, texts = len(cell.entry.means), cell.texts
    return Built(
        _problem(texts["family"], texts["query"], texts["structure"], K, cell.entry.box, texts["action"]),
        _rule(texts["rule"]),
        _threshold(texts["threshold"], K),
    )


@cache
def check_plugins(cell: Cell) -> None:
    """Refuse to make runs with other plugins than those of the cell, as a cluster's worker may have."""
    differs = difference(dict(cell.record), {**dict(cell.record), **used(built(cell).problem, cell.texts)})
    if differs:
        raise ExecutorError(
            f"a worker has other plugins than the program that began the study ({differs}): install the same"
        )


def costs_of(cell: Cell) -> FloatArray | None:
    """What the actions of a cell's problem cost; None where they are its arms."""
    actions = built(cell).problem.actions
    return None if actions is None else actions.costs


def settings(cell: Cell) -> dict[str, Any]:
    """The options of `simulate` for a cell."""
    entry = cell.entry
    return {
        "seed": cell.seed,
        "max_rounds": entry.max_rounds,
        "initial": entry.initial,
        "clip": entry.clip,
        "statistic": entry.statistic,
    }


def plan(cell: Cell, first: int, stop: int) -> Plan:
    """What the engine is going to do for these runs, its arguments checked."""
    parts = built(cell)
    return Plan.of(
        parts.problem, cell.entry.means, parts.rule, cell.deltas, threshold=parts.threshold,
        first=first, runs=stop - first, path="auto", width=None, **settings(cell),
    )  # fmt: skip


_problem = cache(
    lambda family, query, structure, n_arms, box, actions: Problem.from_names(
        family, query, structure, n_arms=n_arms, box=box, actions=actions
    )
)
_rule = cache(lambda name: build("rule", name))
_threshold = cache(lambda name, n_arms: build("threshold", name, n_arms=n_arms))


def kernel_of(cell: Cell) -> RoundKernel | tuple[str, ...]:
    """What is compiled for a cell: cells with the same kernel need it only once."""
    block = plan(cell, 0, 1).blocks[0][1]
    if block.path == "compiled":
        return RoundKernel.of(block.setting)
    return "lock-step", cell.rule, cell.entry.query, cell.entry.family
