"""Looking things up by kind and name."""

from __future__ import annotations

import types
from typing import Any

import pytest

from purex.errors import AmbiguousNameError, UnknownNameError
from purex.plugins import (
    KINDS,
    QueryRecord,
    Record,
    Registry,
    RuleRecord,
    StructureRecord,
    hookimpl,
    kind_named,
)


def make() -> None:
    """Make nothing."""


def plugin(hook: str, *records: Record) -> types.ModuleType:
    module = types.ModuleType("plugin")

    def implementation() -> Any:
        return records

    setattr(module, hook, hookimpl(implementation))
    return module


@pytest.fixture
def found() -> Registry:
    return Registry.from_modules(
        {
            "acme:questions": plugin(
                "purex_queries",
                QueryRecord(name="top-m", factory=make, summary="Which m are best?"),
                QueryRecord(name="box", factory=make, summary="Which box?"),
            ),
            "acme:sets": plugin(
                "purex_structures",
                StructureRecord(name="box", factory=make, summary="Bounds."),
            ),
            "acme:rules": plugin(
                "purex_rules", RuleRecord(name="D-C", factory=make, summary="Direct, C-tracking.")
            ),
        }
    )


def test_lookup(found):
    item = found.get("queries", "top-m")
    assert (item.kind.name, item.name, item.qualified, item.plugin, item.version) == (
        "query",
        "top-m",
        "acme:top-m",
        "acme:questions",
        "unknown",
    )
    assert found.get("query", "acme:top-m") is item
    assert found.find("top-m") is item
    assert [item.name for item in found.items("query")] == ["box", "top-m"]
    assert found.items("claim") == ()


def test_things_are_listed_by_their_names_whatever_their_case_and_plugin():
    def query(name: str) -> QueryRecord:
        return QueryRecord(name=name, factory=make, summary="A query.")

    found = Registry.from_modules(
        {
            "zeta:one": plugin("purex_queries", query("Best"), query("arm")),
            "acme:two": plugin("purex_queries", query("cut"), query("Best")),
            "acme:three": plugin(
                "purex_structures", StructureRecord(name="cut", factory=make, summary="A set.")
            ),
        }
    )
    assert [item.qualified for item in found.items("query")] == [
        "zeta:arm", "acme:Best", "zeta:Best", "acme:cut",
    ]  # fmt: skip
    # one distribution may give a query and a structure of one name, also from two of its entries
    assert found.problems == ()
    assert found.get("structure", "cut").plugin == "acme:three"


def test_unknown_names_suggest_the_nearest(found):
    with pytest.raises(UnknownNameError) as caught:
        found.get("query", "topm")
    assert str(caught.value) == ("there is no query named 'topm'; did you mean 'top-m'? (known: box, top-m)")
    with pytest.raises(UnknownNameError, match="did you mean 'acme:top-m'"):
        found.get("query", "acme:topm")
    with pytest.raises(UnknownNameError, match="did you mean 'D-C'"):
        found.get("rule", "d-c")
    with pytest.raises(UnknownNameError, match="there is no thing named 'nothing'"):
        found.find("nothing")


def test_unknown_kinds_suggest_the_nearest(found):
    with pytest.raises(UnknownNameError, match="no kind named 'querys'; did you mean 'queries'"):
        found.items("querys")


def test_a_name_of_two_kinds_needs_its_kind(found):
    with pytest.raises(AmbiguousNameError) as caught:
        found.find("box")
    assert str(caught.value) == (
        "the name 'box' may mean the query 'acme:box' or the structure 'acme:box'; say which"
    )
    assert found.get("structure", "box").record.summary == "Bounds."


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_kinds_are_named_in_the_singular_and_the_plural(kind):
    assert kind_named(kind.name) is kind_named(kind.plural.upper()) is kind
