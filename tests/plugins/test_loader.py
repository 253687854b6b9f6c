"""One broken plugin never takes the others with it, and never goes unreported."""

from __future__ import annotations

import logging
import sys
import types

import pytest

from purex.errors import AmbiguousNameError, PluginError
from purex.plugins import Registry, hookimpl, registry
from purex.plugins.loader import Loaded, load
from purex.plugins.switches import Switches

GOOD = """
@hookimpl
def purex_queries():
    yield QueryRecord(name="good", factory=make, summary="A good one.")
"""

# what is wrong with the plugin, and a part of the sentence that says so
BROKEN = {
    "import": ("import no_such_module", "cannot be imported (ModuleNotFoundError: No module named"),
    "syntax": ("def", "cannot be imported (SyntaxError"),
    "exit": ("raise SystemExit(3)", "cannot be imported (SystemExit: 3)"),
    "raises": (
        "@hookimpl\ndef purex_queries():\n    raise RuntimeError('of no use')",
        "failed in its hook purex_queries (RuntimeError: of no use)",
    ),
    "broken_error": (
        "class E(Exception):\n    def __str__(self):\n        raise ValueError\n"
        "@hookimpl\ndef purex_queries():\n    raise E",
        "failed in its hook purex_queries (E)",
    ),
    "nothing": (
        "@hookimpl\ndef purex_queries():\n    pass",
        "failed in its hook purex_queries (TypeError",
    ),
    "endless": (
        "@hookimpl\ndef purex_queries():\n    i = 0\n    while True:\n        i += 1\n"
        "        yield QueryRecord(name=str(i), factory=make, summary='One more.')",
        "more than 10000 records",
    ),
    "wrong_record": (
        "@hookimpl\ndef purex_queries():\n    yield RuleRecord(name='a', factory=make, summary='A rule.')",
        "where a QueryRecord is required (purex_queries)",
    ),
    "a_class": (
        "@hookimpl\ndef purex_queries():\n    yield QueryRecord",
        "yields the class QueryRecord, where a QueryRecord is required",
    ),
    "bad_name": (
        "@hookimpl\ndef purex_queries():\n"
        "    yield QueryRecord(name='not good', factory=make, summary='Two words.')",
        "yields the name 'not good'",
    ),
    "newline": (
        "@hookimpl\ndef purex_queries():\n"
        "    yield QueryRecord(name='good\\n', factory=make, summary='A new line.')",
        "yields the name 'good\\n'",
    ),
    "no_factory": (
        "@hookimpl\ndef purex_queries():\n    yield QueryRecord(name='a', factory=3, summary='No factory.')",
        "whose factory cannot be called",
    ),
    "builtin": (
        "@hookimpl\ndef purex_queries():\n"
        "    yield QueryRecord(name='a', factory=dict, summary='A builtin type.')",
        "yields 'a', whose factory does not tell its parameters",
    ),
    "no_summary": (
        "@hookimpl\ndef purex_queries():\n    yield QueryRecord(name='a', factory=make, summary='')",
        "which has no summary",
    ),
    "examples": (
        "@hookimpl\ndef purex_queries():\n"
        "    yield QueryRecord(name='a', factory=make, summary='s', examples=[1])",
        "as its examples, where a tuple of dicts is allowed",
    ),
    "oracle": (
        "@hookimpl\ndef purex_oracles():\n"
        "    yield OracleRecord(name='a', factory=make, summary='s', query='best-arm')",
        "has 'best-arm' as its query, where a class or None is allowed",
    ),
    "misspelt": (
        "@hookimpl\ndef purex_querys():\n    return ()",
        "has the hook purex_querys, which purex does not know; did you mean purex_queries?",
    ),
    "stranger": (
        "@hookimpl\ndef pytest_configure():\n    return ()",
        "has the hook pytest_configure, which purex does not know",
    ),
    "unmarked": (
        "def purex_queries():\n    return ()",
        "has a function purex_queries that is not marked with @hookimpl",
    ),
    "arguments": (
        "@hookimpl\ndef purex_queries(app):\n    return ()",
        "has a hook that does not fit (PluginValidationError",
    ),
    "wrapper": (
        "@hookimpl(wrapper=True)\ndef purex_queries():\n    return (yield)",
        "wraps the hook purex_queries, which purex does not allow",
    ),
    "empty": ("", "has no hooks"),
}


def names(loaded: Loaded, kind: str = "query") -> list[str]:
    return [item.qualified for item in Registry(loaded).items(kind)]


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_plugin_is_reported_and_the_others_go_on(case, distribute):
    source, sentence = BROKEN[case]
    path = [distribute("broken-one", bad=source), distribute("acme", colour=GOOD)]
    loaded = load(Switches(), path)
    assert "acme:good" in names(loaded)
    (problem,) = loaded.all_problems
    assert str(problem).startswith("plugin broken-one:bad 1.0 ")
    assert sentence in str(problem)
    assert "\n" not in str(problem)
    status = {plugin.id: plugin.status for plugin in loaded.plugins}
    partial = case == "endless"  # what it yielded first is sound
    assert status == {
        "acme:colour": "ok",
        "broken-one:bad": "partial" if partial else "failed",
    }


@pytest.mark.parametrize("case", BROKEN)
def test_strict_mode_raises_the_same_sentence(case, distribute, monkeypatch):
    source, sentence = BROKEN[case]
    path = [distribute("broken-one", bad=source), distribute("acme", colour=GOOD)]
    monkeypatch.setenv("PUREX_STRICT_PLUGINS", "1")
    with pytest.raises(PluginError) as caught:
        load(path=path)
    assert sentence in str(caught.value)
    if "cannot be imported" in sentence or "failed in its hook" in sentence:
        assert caught.value.__cause__ is not None


def test_sound_records_of_a_partly_broken_plugin_stay(distribute):
    source = (
        GOOD + "    yield QueryRecord(name='good', factory=make, summary='Again.')\n"
        "    yield 3\n"
        "    yield QueryRecord(name='D1-C', factory=make, summary='Letters of the paper.')\n"
        "    raise ValueError('then this')\n"
        "@hookimpl\ndef purex_rules():\n"
        "    return [RuleRecord(name='good', factory=make, summary='Another kind.')]\n"
    )
    loaded = load(Switches(), [distribute("acme", colour=source)])
    assert names(loaded) == ["acme:D1-C", "acme:good"]
    assert names(loaded, "rule") == ["acme:good"]
    told = [str(problem) for problem in loaded.all_problems]
    assert len(told) == 3
    assert "yields the query 'good' twice" in told[0]
    assert "yields 3, where a QueryRecord is required" in told[1]
    assert "ValueError: then this" in told[2]
    assert loaded.plugins[0].status == "partial"


def test_an_optional_hook_of_a_later_version_is_no_problem(distribute):
    source = GOOD + "@hookimpl(optionalhook=True)\ndef purex_futures():\n    return ()\n"
    assert load(Switches(strict=True), [distribute("acme", colour=source)]).all_problems == ()


def test_two_distributions_may_give_one_name_which_is_then_ambiguous(distribute):
    path = [distribute("acme", colour=GOOD), distribute("Zeta_Lab", colour=GOOD)]
    found = Registry(load(Switches(strict=True), path))
    with pytest.raises(AmbiguousNameError) as caught:
        found.get("query", "good")
    assert str(caught.value) == (
        "several plugins have a query named 'good'; write 'acme:good' or 'zeta-lab:good'"
    )
    assert found.get("query", "zeta-lab:good").plugin == "zeta-lab:colour"
    assert found.get("query", "Zeta_Lab:good").version == "1.0"


def test_one_distribution_may_not_give_one_name_twice(distribute):
    loaded = load(Switches(), [distribute("acme", colour=GOOD, shape=GOOD)])
    assert names(loaded) == ["acme:good"]
    (problem,) = loaded.all_problems
    assert str(problem) == ("plugin acme:shape 1.0 yields the query 'good', which acme:colour gave already")


@pytest.mark.parametrize("name", ["bad", "broken-one:bad"])
def test_a_disabled_plugin_is_not_imported(name, distribute, monkeypatch):
    path = [distribute("broken-one", bad="import no_such_module"), distribute("acme", colour=GOOD)]
    monkeypatch.setenv("PUREX_DISABLE_PLUGINS", f" {name} ,")
    monkeypatch.setenv("PUREX_STRICT_PLUGINS", "1")
    loaded = load(path=path)
    assert [plugin.status for plugin in loaded.plugins] == ["ok", "disabled"]
    assert "fake_broken_one_bad" not in sys.modules


def test_a_disabled_name_that_is_no_plugin_is_reported(distribute):
    path = [distribute("acme", colour=GOOD)]
    loaded = load(Switches(disabled=("color",)), path)
    assert [str(problem) for problem in loaded.all_problems] == [
        "PUREX_DISABLE_PLUGINS names 'color', which is no plugin here; did you mean 'colour'?"
    ]
    with pytest.raises(PluginError, match="which is no plugin here"):
        load(Switches(strict=True, disabled=("color",)), path)


@pytest.mark.parametrize("value", ["", "0", "false", "no"])
def test_strict_mode_can_be_written_off(value):
    assert not Switches.from_environment({"PUREX_STRICT_PLUGINS": value}).strict


def test_the_installed_registry_logs_problems(distribute, caplog):
    distribute("broken-one", bad="import no_such_module")
    with caplog.at_level(logging.WARNING, "purex.plugins"):
        found = registry()
    assert registry() is found
    assert any("plugin broken-one:bad 1.0 cannot be imported" in m for m in caplog.messages)


def test_an_interrupt_is_not_a_problem_of_a_plugin(distribute):
    with pytest.raises(KeyboardInterrupt):
        load(Switches(), [distribute("acme", colour="raise KeyboardInterrupt")])


def test_modules_given_by_hand_are_strict_unless_told_otherwise():
    module = types.ModuleType("by_hand")
    module.purex_querys = hookimpl(lambda: ())  # type: ignore[attr-defined]
    with pytest.raises(PluginError, match=r"plugin local:mine unknown has the hook purex_querys"):
        Registry.from_modules({"mine": module})
    (problem,) = Registry.from_modules({"Acme:mine": module}, strict=False).problems
    assert str(problem).startswith("plugin acme:mine unknown ")
