"""A study as declared in a TOML file: which problems, rules, risks, thresholds, how many runs, which seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from purex.engine.plan import MAX_ROUNDS
from purex.errors import InvalidInputError
from purex.experiments.presentation import TABLE, presentation
from purex.plugins import all_named
from purex.schema import (
    Schema,
    checked,
    choice,
    interval,
    number,
    parse_toml,
    read_text,
    risk,
    several,
    text,
    whole,
)  # fmt: skip

CHUNK = 250  # runs that are made, written and, at a crash, lost together
LARGEST_CHUNK = 10_000


@dataclass(frozen=True)
class ProblemEntry:
    """One table `[[problem]]`: a model, and what is to be run on it."""

    name: str
    family: str
    query: str
    means: tuple[float, ...]
    rules: tuple[str, ...]
    deltas: tuple[float, ...]
    runs: int
    thresholds: tuple[str, ...] = ("stylised",)
    structure: str | None = None
    box: tuple[float, float] | None = None
    max_rounds: int = MAX_ROUNDS
    initial: Literal["once", "interior"] = "once"
    clip: tuple[float, float] | None = None
    statistic: Literal["auto", "raw", "projected", "model"] = "auto"
    actions: str | None = None


@dataclass(frozen=True)
class Specification:
    """A whole study; `chunk` is how many runs are made and written together (None: by their number)."""

    problems: tuple[ProblemEntry, ...]
    seed: int = 0
    chunk: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values, for JSON; `from_dict` is its inverse."""
        plain = asdict(self)
        for problem in plain["problems"]:
            if problem["actions"] is None:  # the keys of studies are older than actions
                del problem["actions"]
        return plain

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], source: str = "the specification") -> Specification:
        """The specification of these plain values, as they come from JSON; checked as a file is."""
        top, tables = _without_none(given), given.get("problems")
        if isinstance(tables, list | tuple):
            del top["problems"]
            top[TABLES] = [_without_none(table) for table in tables]
        return _specification(top, source)


def chunk_size(runs: int, chunk: int | None = None) -> int:
    """How many runs are made together: a hundredth of them, within reason.

    >>> chunk_size(1000), chunk_size(10**6), chunk_size(10**6, chunk=50)
    (250, 10000, 50)
    """
    return chunk if chunk is not None else min(max(CHUNK, runs // 100), LARGEST_CHUNK)


def written(kind: str) -> Callable[[Any], str]:
    """The check of an object's text, which gets a name for every argument.

    >>> written("query")("top-m(2)")
    'top-m(m=2)'
    """
    return lambda value: all_named(kind, text(value))


# What may stand at the top, for all problems, or in one problem, for itself.
SETTINGS: Schema = {
    "rules": several(written("rule")),
    "deltas": several(risk),
    "thresholds": several(written("threshold")),
    "runs": whole(1),
    "max_rounds": whole(1),
    "initial": choice("once", "interior"),
    "clip": interval,
    "statistic": choice("auto", "raw", "projected", "model"),
}
TOP: Schema = {"seed": whole(0), "chunk": whole(1), **SETTINGS}
PROBLEM: Schema = {
    "name": text,
    "family": written("family"),
    "query": written("query"),
    "structure": written("structure"),
    "actions": written("action"),
    "box": interval,
    "means": several(number, distinct=False),
    **SETTINGS,
}
TABLES = "problem"
REQUIRED = ("name", "family", "query", "means", "rules", "deltas", "runs")


def read_specification(file: Path) -> Specification:
    """Read a file strictly: an unknown key, a wrong type or a missing value is refused with its place."""
    return parse_specification(read_text(file), str(file))


def parse_specification(given: str, source: str = "the specification") -> Specification:
    """Read a specification from its text; `source` names it in sentences about what is wrong.

    >>> study = parse_specification('''
    ... runs = 100
    ... rules = ["D-C", "RR"]
    ... deltas = [0.1]
    ... [[problem]]
    ... name = "two"
    ... family = "gaussian"
    ... query = "best-arm"
    ... means = [1, 0]
    ... ''')
    >>> study.problems[0].means, study.problems[0].rules
    ((1.0, 0.0), ('D-C', 'RR'))
    """
    return _specification(parse_toml(given, source), source)


def _specification(given: dict[str, Any], source: str) -> Specification:
    if TABLE in given:  # checked, and no part of what the study is
        presentation(given.pop(TABLE), source)
    tables = given.pop(TABLES, None)
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise InvalidInputError(f"{source} has no problem: each stands in a table of its own, [[problem]]")
    top = checked(given, TOP, f"{source}, top level", (TABLES,))
    study = {key: top.pop(key) for key in ("seed", "chunk") if key in top}
    entries: list[ProblemEntry] = []
    for n, table in enumerate(tables, 1):
        place = f"{source}, [[problem]] number {n}"
        if isinstance(table.get("name"), str):
            place += f" ('{table['name']}')"
        entry = {**top, **checked(table, PROBLEM, place)}
        for key in REQUIRED:
            if key not in entry:
                where = " here or at the top" if key in SETTINGS else ""
                raise InvalidInputError(f"{place}: the key '{key}' is missing{where}")
        if any(entry["name"] == other.name for other in entries):
            raise InvalidInputError(f"{place}: another problem has this name already")
        entries.append(ProblemEntry(**entry))
    return Specification(tuple(entries), **study)


def _without_none(table: Any) -> Any:
    """A table without the keys that are not given, which JSON has as null."""
    if not isinstance(table, Mapping):
        return table
    return {key: value for key, value in table.items() if value is not None}
