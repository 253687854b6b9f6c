"""docs/plugins.md names every hook with its exact signature, every record and every field."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path

import pytest

from purex.plugins import KINDS, Record, hookspecs
from purex.plugins.harvest import HOOKS
from purex.plugins.switches import DISABLE, STRICT

PAGE = Path(__file__).parents[2] / "docs" / "plugins.md"
TEXT = PAGE.read_text(encoding="utf-8")


def section(title: str) -> str:
    """The part of the page under a heading of the third level."""
    parts = re.split(r"^#+ +(.*)$", TEXT, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[title]


def test_the_hooks_are_those_of_the_specification():
    declared = {name for name in vars(hookspecs) if name.startswith("purex_")}
    assert declared == set(HOOKS)


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented_with_its_signature(hook):
    signature = str(inspect.signature(getattr(hookspecs, hook))).replace("'", "")
    assert f"`{hook}{signature}`" in TEXT


def test_no_other_hook_is_documented():
    assert set(re.findall(r"`(purex_\w+)\(", TEXT)) == set(HOOKS)


@pytest.mark.parametrize("record", [Record, *(kind.record for kind in KINDS.values())])
def test_every_field_of_every_record_is_documented(record):
    inherited = {field.name for field in dataclasses.fields(Record)}
    for field in dataclasses.fields(record):
        if record is Record or field.name not in inherited:
            assert f"`{field.name}:" in section(record.__name__)


def test_switches_are_documented():
    assert STRICT in TEXT
    assert DISABLE in TEXT


def test_the_example_is_executed():
    """The first Python block of the page is a plugin that loads without a problem."""
    import types

    from purex.plugins import Registry, build

    source = re.search(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    assert source is not None
    module = types.ModuleType("example")
    exec(source.group(1), module.__dict__)
    found = Registry.from_modules({"acme:example": module})
    (item,) = found.items("query")
    assert build("query", item.name, found, n_arms=4).alternatives(0)
