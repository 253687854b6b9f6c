"""Building objects from their text, and what is refused on the way."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from purex.errors import InvalidInputError, PluginError, UnknownNameError
from purex.model import Polyhedron, Query
from purex.plugins import (
    Call,
    QueryRecord,
    Registry,
    RuleRecord,
    all_named,
    build,
    hookimpl,
    named,
    parameters,
    parse,
)
from purex.plugins.building import example


class TopM(Query):
    def __init__(self, n_arms: int, m: int, margin: float = 0.0) -> None:
        super().__init__(n_arms)
        if m >= n_arms:
            raise InvalidInputError(f"m must be below {n_arms}, not {m}")
        self.m, self.margin = m, 1 / (margin + 1)

    def answer(self, mu: Any) -> Any:
        return np.zeros(len(mu), dtype=np.int64)

    def alternatives(self, i: int) -> list[Polyhedron]:
        return []


def broken(n_arms: int, **anything: Any) -> Query:
    raise KeyError("lost")


FACTORIES: dict[str, Callable[..., Any]] = {
    "top-m": TopM,
    "broken": broken,
    "no-arms": lambda: None,
    "not-a-query": lambda n_arms: {"n_arms": n_arms},
}


@pytest.fixture
def found() -> Registry:
    module = types.ModuleType("queries")

    @hookimpl
    def purex_queries() -> Any:
        for name, factory in FACTORIES.items():
            examples = ({"m": np.int64(1)}, {"m": 2}) if name == "top-m" else ({},)
            yield QueryRecord(name=name, factory=factory, summary=".", examples=examples)

    @hookimpl
    def purex_rules() -> Any:
        yield RuleRecord(name="rr", factory=lambda *, period=1: period, summary=".")

    module.purex_queries, module.purex_rules = purex_queries, purex_rules  # type: ignore[attr-defined]
    return Registry.from_modules({"acme:queries": module})


def test_build(found):
    query = build("query", "top-m(m=2)", found, n_arms=5)
    assert (type(query), query.n_arms, query.m) == (TopM, 5, 2)
    assert build("query", Call("acme:top-m", {"m": 1}), registry=found, n_arms=3).m == 1
    assert build("rule", "rr", found) == 1
    assert build("rules", "rr(period=4)", found) == 4


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "top-m",
            "'top-m' needs the parameter 'm' (parameters: m, margin=0.0)",
        ),
        (
            "top-m(m=2, margn=1)",
            "'top-m' has no parameter 'margn'; did you mean 'margin'? (parameters: m, margin=0.0)",
        ),
        (
            "top-m(m=2, zzz=1)",
            "'top-m' has no parameter 'zzz' (parameters: m, margin=0.0)",
        ),
        (
            "top-m(m=2, n_arms=3)",
            "'top-m' gets its n_arms from purex, so it cannot be given as an argument",
        ),
        ("top-m(m=9)", "m must be below 5, not 9"),
        ("top-m(m='two')", "top-m(m='two') was refused (TypeError: "),
        ("top-m(m=2, margin=-1)", "top-m(m=2, margin=-1) was refused (ZeroDivisionError: "),
        ("top-m(9)", "m must be below 5, not 9"),
        ("top-m(2, m=3)", "'top-m' is given its m twice, as 2 without a name and as m=3"),
        ("top-m('two')", "top-m(m='two') was refused (TypeError: "),
        ("no-arms(2)", "'no-arms' has no parameters, so leave out 2"),
    ],
)
def test_wrong_text_is_invalid_input(text, sentence, found):
    with pytest.raises(InvalidInputError) as caught:
        build("query", text, found, n_arms=5)
    assert sentence in str(caught.value)


def test_an_argument_without_a_name_is_for_the_first_parameter_that_is_not_supplied(found):
    built = build("query", "top-m(2, margin=1)", found, n_arms=5)
    assert (built.n_arms, built.m, built.margin) == (5, 2, 0.5)
    assert build("rule", "rr(7)", found) == 7
    assert str(named("query", parse("top-m([1], margin=0)"), found)) == "top-m(m=[1], margin=0)"


@pytest.mark.parametrize(
    ("kind", "text", "kept"),
    [
        ("query", "top-m(2)", "top-m(m=2)"),
        ("family", "bernoulli; gaussian(0.25); gaussian( variance=1 )",
         "bernoulli; gaussian(variance=0.25); gaussian(variance=1)"),
        ("rule", "batched('T-C', factor=2)", "batched(rule='T-C', factor=2)"),
        ("action", "graph([[1], [0]])", "graph(neighbours=[[1], [0]])"),
        ("action", "[[0, 1], [2]]", "[[0, 1], [2]]"),
        ("query", " top-m( m=2 )", " top-m( m=2 )"),
        ("query", "top-m(2, m=3)", "top-m(2, m=3)"),
        ("structure", None, None),
    ],
)  # fmt: skip
def test_what_files_keep_has_all_names_and_is_else_what_was_given(kind, text, kept):
    assert all_named(kind, text) == kept
    assert all_named(kind, kept) == kept


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("broken(x=1)", "the factory of 'acme:broken' failed (KeyError: 'lost')"),
        ("no-arms", "the factory of 'acme:no-arms' does not take what purex supplies"),
        ("not-a-query", "returned a dict, where a Query is required"),
    ],
)
def test_a_wrong_factory_is_the_plugins_fault(text, sentence, found):
    with pytest.raises(PluginError) as caught:
        build("query", text, found, n_arms=5)
    assert sentence in str(caught.value)


def test_unknown_name(found):
    with pytest.raises(UnknownNameError, match="did you mean 'top-m'"):
        build("query", "top_m(m=2)".replace("_", ""), found, n_arms=5)


def test_parameters_leave_out_what_purex_supplies(found):
    m, margin = parameters(found.get("query", "top-m"))
    assert (m.name, m.required, m.annotation) == ("m", True, "int")
    assert (margin.name, margin.required, margin.default) == ("margin", False, 0.0)
    assert parameters(found.get("query", "broken")) == ()


def test_the_example_is_the_first_that_can_be_written(found):
    assert str(example(found.get("query", "top-m"))) == "top-m(m=2)"
    assert str(example(found.get("rule", "rr"))) == "rr"
