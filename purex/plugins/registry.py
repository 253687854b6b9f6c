"""The registry: everything the plugins offer, by kind and name."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from purex.errors import AmbiguousNameError, UnknownNameError
from purex.plugins.discovery import canonical
from purex.plugins.kinds import KINDS, Kind, kind_named
from purex.plugins.loader import Loaded, load, load_modules
from purex.plugins.plugin import Fault, Plugin
from purex.plugins.records import Record

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Item:
    """A record, its kind and its plugin; results store `qualified` and `version`."""

    kind: Kind
    record: Record
    plugin: str
    version: str

    @property
    def name(self) -> str:
        """The bare name."""
        return self.record.name

    @property
    def qualified(self) -> str:
        """`distribution:name`."""
        return f"{self.plugin.split(':', 1)[0]}:{self.record.name}"


class Registry:
    """What the plugins offer, by kind and by name, bare or qualified as `distribution:name`."""

    plugins: tuple[Plugin, ...]
    problems: tuple[Fault, ...]

    def __init__(self, loaded: Loaded) -> None:
        self.plugins = loaded.plugins
        self.problems = loaded.all_problems
        self._items = {
            name: tuple(
                sorted(
                    (
                        Item(kind, record, plugin.id, plugin.version)
                        for plugin in loaded.plugins
                        for record in plugin.records.get(name, ())
                    ),
                    key=lambda item: (item.name.casefold(), item.qualified),
                )
            )
            for name, kind in KINDS.items()
        }

    @classmethod
    def from_modules(cls, modules: Mapping[str, object], *, strict: bool = True) -> Registry:
        """A registry of these plugins only, by id (`distribution:entry`) or by entry alone.

        They are given by hand, so a problem raises `PluginError` unless `strict` is False.
        """
        return cls(load_modules(modules, strict=strict))

    def items(self, kind: str) -> tuple[Item, ...]:
        """Everything of a kind, in the order of the names."""
        return self._items[kind_named(kind).name]

    def get(self, kind: str, name: str) -> Item:
        """The thing of this kind and name."""
        singular = kind_named(kind).name
        items = self._items[singular]
        matches = _matching(items, name)
        if not matches:
            raise UnknownNameError(singular, name, _names_like(items, name))
        if len(matches) > 1:
            listing = " or ".join(f"'{item.qualified}'" for item in matches)
            raise AmbiguousNameError(f"several plugins have a {singular} named '{name}'; write {listing}")
        return matches[0]

    def find(self, name: str) -> Item:
        """The thing of this name, of whatever kind."""
        everything = tuple(item for items in self._items.values() for item in items)
        matches = _matching(everything, name)
        if not matches:
            raise UnknownNameError("thing", name, _names_like(everything, name))
        if len(matches) > 1:
            listing = " or ".join(f"the {i.kind.name} '{i.qualified}'" for i in matches)
            raise AmbiguousNameError(f"the name '{name}' may mean {listing}; say which")
        return matches[0]


def _matching(items: tuple[Item, ...], name: str) -> tuple[Item, ...]:
    distribution, colon, bare = name.rpartition(":")
    if colon:
        name = f"{canonical(distribution)}:{bare}"
        return tuple(item for item in items if item.qualified == name)
    return tuple(item for item in items if item.name == name)


def _names_like(items: tuple[Item, ...], name: str) -> set[str]:
    return {item.qualified if ":" in name else item.name for item in items}


@cache
def registry() -> Registry:
    """The registry of all installed plugins, built once; each problem is logged as a warning."""
    built = Registry(load())
    for problem in built.problems:
        LOG.warning("%s", problem)
    return built
