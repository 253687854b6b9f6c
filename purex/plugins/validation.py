"""Whether what a hook yields is a record that purex can use."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from purex.plugins.kinds import Kind
from purex.plugins.records import OracleRecord, Record

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*", re.ASCII)


def _has_signature(factory: Callable[..., Any]) -> bool:
    """Whether the parameters can be known, which builtin types such as dict do not tell."""
    try:
        inspect.signature(factory)
    except (TypeError, ValueError):
        return False
    return True


def _type_fault(value: object, what: str) -> str | None:
    if value is None or isinstance(value, type):
        return None
    return f"has {value!r} as its {what}, where a class or None is allowed"


def _own_fault(record: Record) -> str | None:
    if isinstance(record, OracleRecord):
        if not isinstance(record.kinds, frozenset | None):
            return f"has {record.kinds!r} as its kinds, where a frozenset or None is allowed"
        return _type_fault(record.query, "query") or _type_fault(record.structure, "structure")
    examples = getattr(record, "examples", ())
    if not isinstance(examples, tuple) or not all(isinstance(e, dict) for e in examples):
        return f"has {examples!r} as its examples, where a tuple of dicts is allowed"
    return None


def fault(kind: Kind, record: object) -> str | None:
    """What is wrong with a record of this kind, as the end of a sentence; None if nothing is."""
    if type(record) is type or not isinstance(record, kind.record):
        given = f"the class {record.__name__}" if isinstance(record, type) else repr(record)
        return f"yields {given[:80]}, where a {kind.record.__name__} is required"
    if not isinstance(record.name, str) or not NAME.fullmatch(record.name):
        return f"yields the name {record.name!r}, where letters, digits and hyphens are allowed"
    if not callable(record.factory):
        return f"yields '{record.name}', whose factory cannot be called"
    if not _has_signature(record.factory):
        return f"yields '{record.name}', whose factory does not tell its parameters"
    if not isinstance(record.summary, str) or not record.summary.strip():
        return f"yields '{record.name}', which has no summary"
    if not isinstance(record.reference, str):
        return f"yields '{record.name}', whose reference is not text"
    own = _own_fault(record)
    return f"yields '{record.name}', which {own}" if own else None
