"""Which plugins a result comes from: their qualified names and versions, kept with it and compared later.

A record is a dictionary such as ``{"query purex-bandits:best-arm": "0.9.0"}``. With it a bare name goes on
to mean what it meant when the record was made, although another plugin may have the same name by now.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from purex.plugins import parse, parse_list, registry
from purex.problem import Problem
from purex.problem.selection import special_oracle

OPERATIONS = ("max-min", "optimistic", "projection", "rounds")  # oracles besides the best response
NAME = re.compile(r"[a-z]+ [^ :]+:[^ :]+")  # a kind and a qualified name
INSIST = "--accept-versions"


def resolve(kind: str, text: str, record: Mapping[str, str]) -> str:
    """An object's text with a bare name replaced by the qualified one of a record, if it is there.

    >>> resolve("query", "top-m(m=2)", {"query acme:top-m": "1.0", "rule acme:D-C": "1.0"})
    'acme:top-m(m=2)'
    >>> resolve("family", "gaussian; poisson", {"family acme:poisson": "1.0"})
    'gaussian; acme:poisson'
    """
    known = {name.rpartition(":")[2]: name for name in _names(kind, record)}
    calls = parse_list(text) if kind == "family" else [parse(text)]
    return "; ".join(str(replace(call, name=known.get(call.name, call.name))) for call in calls)


def resolve_all(texts: Mapping[str, str | None], record: Mapping[str, str]) -> dict[str, str | None]:
    """The texts of several objects, by kind, with their names resolved."""
    if not record:
        return dict(texts)
    return {kind: None if text is None else resolve(kind, text, record) for kind, text in texts.items()}


def used(problem: Problem, texts: Mapping[str, str | None]) -> dict[str, str]:
    """The record of a problem, with its special oracles, and of the objects that these texts name."""
    found = {}
    for kind, text in texts.items():
        for call in [] if text is None else parse_list(text) if kind == "family" else [parse(text)]:
            item = registry().get(kind, call.name)
            found[f"{kind} {item.qualified}"] = item.version
    for name in _oracles(problem):
        found[f"oracle {name}"] = registry().get("oracle", name).version
    return dict(sorted(found.items()))


def difference(then: Mapping[str, str], now: Mapping[str, str]) -> str:
    """What differs between two records, in words; nothing if they are the same.

    >>> difference({"rule acme:A": "1.0"}, {"rule acme:A": "2.0"})
    'the rule acme:A was of version 1.0, now it is 2.0'
    """
    for name in sorted({*then, *now}):
        if name not in now:
            return f"the {name}, version {then[name]}, is not used any more"
        if name not in then:
            return f"the {name}, version {now[name]}, was not used or not recorded"
        if then[name] != now[name]:
            return f"the {name} was of version {then[name]}, now it is {now[name]}"
    return ""


def is_record(value: object) -> bool:
    """Whether something read from a file is a record."""
    return isinstance(value, dict) and all(
        isinstance(version, str) and len(name.split(" ")) == 2 and ":" in name
        for name, version in value.items()
    )


def _names(kind: str, record: Mapping[str, str]) -> Iterator[str]:
    for name in record:
        before, _, qualified = name.partition(" ")
        if before == kind:
            yield qualified


def _oracles(problem: Problem) -> Iterator[str]:
    """The qualified names of the registered oracles that a problem uses."""
    if ":" in problem.oracle_name:
        yield problem.oracle_name
    records = [(item.qualified, item.record) for item in registry().items("oracle")]
    parts = (problem.query, problem.structure, problem.arms, problem.lower, problem.upper)
    for operation in OPERATIONS:
        found = special_oracle(operation, *parts, records)
        if found is not None:
            yield found[0]
