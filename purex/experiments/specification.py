"""A study as declared in a TOML file: which problems, rules, risks, thresholds, how many runs, which seed."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from purex.engine.plan import MAX_ROUNDS
from purex.errors import InvalidInputError, nearest

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


@dataclass(frozen=True)
class Specification:
    """A whole study; `chunk` is how many runs are made and written together (None: by their number)."""

    problems: tuple[ProblemEntry, ...]
    seed: int = 0
    chunk: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values, for JSON; `from_dict` is its inverse."""
        return asdict(self)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Specification:
        """The specification of these plain values, as they come from JSON."""
        tables: list[dict[str, Any]] = [
            {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
            for entry in given["problems"]
        ]
        entries = tuple(ProblemEntry(**table) for table in tables)
        return cls(entries, given["seed"], given["chunk"])


def chunk_size(runs: int, chunk: int | None = None) -> int:
    """How many runs are made together: a hundredth of them, within reason.

    >>> chunk_size(1000), chunk_size(10**6), chunk_size(10**6, chunk=50)
    (250, 10000, 50)
    """
    return chunk if chunk is not None else min(max(CHUNK, runs // 100), LARGEST_CHUNK)


class WrongValueError(Exception):
    """What is wrong with a value, without its place."""


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise WrongValueError(f"text such as 'best-arm' is required, not {_shown(value)}")
    return value


def _whole(least: int) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**63:
            raise WrongValueError(f"a whole number, at least {least}, is required, not {_shown(value)}")
        return value

    return check


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise WrongValueError(f"a finite number is required, not {_shown(value)}")
    return float(value)


def _risk(value: Any) -> float:
    if not 0.0 < _number(value) < 1.0:
        raise WrongValueError(f"a risk lies strictly between 0 and 1, which {_shown(value)} does not")
    return float(value)


def _several(check: Callable[[Any], Any], distinct: bool = True) -> Callable[[Any], tuple[Any, ...]]:
    def check_all(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list) or not value:
            raise WrongValueError(f"a list that is not empty is required, not {_shown(value)}")
        found = tuple(check(item) for item in value)
        for number, item in enumerate(found):
            if distinct and item in found[:number]:
                raise WrongValueError(f"{_shown(item)} stands twice in the list")
        return found

    return check_all


def _interval(value: Any) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise WrongValueError(f"a list of two numbers [low, high] is required, not {_shown(value)}")
    low, high = (_number(end) for end in value)
    if not low <= high:
        raise WrongValueError(f"the interval {_shown(value)} ends before it begins")
    return low, high


def _choice(*allowed: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if value not in allowed:
            raise WrongValueError(f"one of {', '.join(map(repr, allowed))} is required, not {_shown(value)}")
        return str(value)

    return check


Schema = Mapping[str, Callable[[Any], Any]]

# What may stand at the top, for all problems, or in one problem, for itself.
SETTINGS: Schema = {
    "rules": _several(_text),
    "deltas": _several(_risk),
    "thresholds": _several(_text),
    "runs": _whole(1),
    "max_rounds": _whole(1),
    "initial": _choice("once", "interior"),
    "clip": _interval,
    "statistic": _choice("auto", "raw", "projected", "model"),
}
TOP: Schema = {"seed": _whole(0), "chunk": _whole(1), **SETTINGS}
PROBLEM: Schema = {
    "name": _text,
    "family": _text,
    "query": _text,
    "structure": _text,
    "box": _interval,
    "means": _several(_number, distinct=False),
    **SETTINGS,
}
TABLES = "problem"
REQUIRED = ("name", "family", "query", "means", "rules", "deltas", "runs")


def read_specification(file: Path) -> Specification:
    """Read a file strictly: an unknown key, a wrong type or a missing value is refused with its place."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"'{file}' cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"'{file}' is not a text file in UTF-8") from error
    return parse_specification(text, str(file))


def parse_specification(text: str, source: str = "the specification") -> Specification:
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
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInputError(f"{source} is not TOML: {error}") from None
    tables = given.pop(TABLES, None)
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise InvalidInputError(f"{source} has no problem: each stands in a table of its own, [[problem]]")
    top = _checked(given, TOP, f"{source}, top level", (TABLES,))
    study = {key: top.pop(key) for key in ("seed", "chunk") if key in top}
    entries: list[ProblemEntry] = []
    for number, table in enumerate(tables, 1):
        place = f"{source}, [[problem]] number {number}"
        if isinstance(table.get("name"), str):
            place += f" ('{table['name']}')"
        entry = {**top, **_checked(table, PROBLEM, place)}
        for key in REQUIRED:
            if key not in entry:
                where = " here or at the top" if key in SETTINGS else ""
                raise InvalidInputError(f"{place}: the key '{key}' is missing{where}")
        if any(entry["name"] == other.name for other in entries):
            raise InvalidInputError(f"{place}: another problem has this name already")
        entries.append(ProblemEntry(**entry))
    return Specification(tuple(entries), **study)


def _checked(
    table: Mapping[str, Any], schema: Schema, place: str, more: tuple[str, ...] = ()
) -> dict[str, Any]:
    found = {}
    for key, value in table.items():
        if key not in schema:
            near = nearest(key, [*schema, *more])
            hint = f"; did you mean '{near}'?" if near else ""
            raise InvalidInputError(
                f"{place}: there is no key '{key}'{hint} (keys: {', '.join([*schema, *more])})"
            )
        try:
            found[key] = schema[key](value)
        except WrongValueError as wrong:
            raise InvalidInputError(f"{place}, key '{key}': {wrong}") from None
    return found


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
