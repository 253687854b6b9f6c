"""How the figures of a study speak: titles, labels, order and colours; no part of what the study is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from purex.errors import InvalidInputError
from purex.plugins import all_named
from purex.schema import Schema, WrongValueError, checked, parse_toml, read_text, several, text

TABLE = "presentation"


@dataclass(frozen=True)
class Presentation:
    """The table `[presentation]` of a study file.

    `titles` are by problem; `labels` and `colours` by rule; `order` says which rules are drawn, and in which
    order; `highlight` which of them have colours where lines are drawn.
    """

    titles: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    colours: Mapping[str, str] = field(default_factory=dict)
    order: tuple[str, ...] | None = None
    highlight: tuple[str, ...] | None = None


def words(value: Any) -> dict[str, str]:
    """Check that a value is a table of texts.

    >>> words({"RR": "uniform"})
    {'RR': 'uniform'}
    """
    if not isinstance(value, dict):
        raise WrongValueError("a table of texts, such as {RR = 'uniform'}, is required")
    return {name: text(word) for name, word in value.items()}


def rule(value: Any) -> str:
    """The text of a rule, written as in the results of a study."""
    written: str = all_named("rule", text(value))
    return written


def words_of_rules(value: Any) -> dict[str, str]:
    """Check that a value is a table of texts by rule."""
    return {rule(name): word for name, word in words(value).items()}


SCHEMA: Schema = {
    "titles": words,
    "labels": words_of_rules,
    "colours": words_of_rules,
    "order": several(rule),
    "highlight": several(rule),
}


def presentation(given: Any, source: str) -> Presentation:
    """The presentation in the values of a file; an unknown key or a wrong type is an error with its place."""
    if not isinstance(given, dict):
        raise InvalidInputError(f"{source}: presentation is a table, [{TABLE}]")
    return Presentation(**checked(given, SCHEMA, f"{source}, [{TABLE}]"))


def read_presentation(file: Path) -> Presentation:
    """The table `[presentation]` of a file, a study's or another one."""
    table = parse_toml(read_text(file), str(file))
    if TABLE not in table:
        raise InvalidInputError(f"'{file}' has no table [{TABLE}]")
    return presentation(table[TABLE], str(file))
