"""Calling the hooks of one plugin, each inside a try, and keeping what is sound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import pluggy

from purex.errors import nearest
from purex.plugins import hookspecs
from purex.plugins.kinds import KINDS, Kind
from purex.plugins.plugin import Fault
from purex.plugins.records import Record
from purex.plugins.validation import fault

if TYPE_CHECKING:
    import click

MAX_RECORDS = 10_000  # a hook that yields more than this does not end

COMMANDS = "purex_commands"
HOOKS = (*(kind.hook for kind in KINDS.values()), COMMANDS)


def told(error: BaseException) -> str:
    """An exception in words.

    >>> told(KeyError("m"))
    "KeyError: 'm'"
    """
    try:
        text = str(error)
    except Exception:  # a stranger's exception may be broken as well
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@dataclass
class Harvest:
    """What the hooks of one plugin gave."""

    where: str
    hooks: list[str] = field(default_factory=list)
    records: dict[str, tuple[Record, ...]] = field(default_factory=dict)
    commands: list[Callable[[click.Group], object]] = field(default_factory=list)
    problems: list[Fault] = field(default_factory=list)

    def report(self, what: str, error: BaseException | None = None) -> None:
        """Note a problem."""
        self.problems.append(Fault(self.where, what, error))


def _call_with_app(impl: pluggy.HookImpl, app: click.Group) -> object:
    return impl.function(*(app for _ in impl.argnames))


def _yielded(impl: pluggy.HookImpl) -> Iterator[Any]:
    given = iter(impl.function())  # type: ignore[call-overload]
    yield from islice(given, MAX_RECORDS)
    if next(given, None) is not None:
        raise ValueError(f"more than {MAX_RECORDS} records")


def _collect(harvest: Harvest, kind: Kind, impl: pluggy.HookImpl) -> None:
    kept = {record.name: record for record in harvest.records.get(kind.name, ())}
    try:
        for record in _yielded(impl):
            wrong = fault(kind, record)
            if wrong:
                harvest.report(f"{wrong} ({kind.hook})")
            elif record.name in kept:
                harvest.report(f"yields the {kind.name} '{record.name}' twice")
            else:
                kept[record.name] = record
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        harvest.report(f"failed in its hook {kind.hook} ({told(error)})", error)
    harvest.records[kind.name] = tuple(kept.values())


def _misspelt(name: str) -> str:
    near = nearest(name, HOOKS)
    return f"has the hook {name}, which purex does not know" + (f"; did you mean {near}?" if near else "")


def _unmarked(plugin: object, implemented: list[str]) -> list[str]:
    return [name for name in HOOKS if name not in implemented and callable(getattr(plugin, name, None))]


def harvest(where: str, plugin: object) -> Harvest:
    """Call every hook of a plugin (a module or any object with marked functions).

    Each plugin has a pluggy manager of its own: a hook that one of them misspells or declares
    with wrong arguments never reaches the others, and `check_pending` would stop at the first.
    """
    result = Harvest(where)
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    try:
        manager.register(plugin, where)
        callers = manager.get_hookcallers(plugin) or []
        for name in _unmarked(plugin, [caller.name for caller in callers]):
            result.report(f"has a function {name} that is not marked with @hookimpl")
    except Exception as error:
        result.report(f"has a hook that does not fit ({told(error)})", error)
        return result
    kinds = {kind.hook: kind for kind in KINDS.values()}
    for caller in sorted(callers, key=lambda caller: caller.name):
        if caller.has_spec():
            result.hooks.append(caller.name)
        for impl in caller.get_hookimpls():
            if not caller.has_spec():
                if not impl.optionalhook:
                    result.report(_misspelt(caller.name))
            elif impl.hookwrapper or impl.wrapper:
                result.report(f"wraps the hook {caller.name}, which purex does not allow")
            elif caller.name == COMMANDS:
                result.commands.append(partial(_call_with_app, impl))
            else:
                _collect(result, kinds[caller.name], impl)
    if not callers and not result.problems:
        result.report("has no hooks")
    return result
