"""A plugin `acme` in whatever version, in the registry of this process."""

from dataclasses import replace

from purex.experiments import enumeration
from purex.plugins import KINDS, Item, registry


def install(monkeypatch, version, *records, distribution="acme"):
    """Add records of a distribution, by kind: ("query", QueryRecord(...)), ..."""
    items = dict(registry()._items)
    for kind, record in records:
        mine = Item(KINDS[kind], record, f"{distribution}:plugin", version)
        others = tuple(item for item in items[kind] if item.qualified != mine.qualified)
        items[kind] = (*others, mine)
    monkeypatch.setattr(registry(), "_items", items)
    for built in (enumeration._problem, enumeration._rule, enumeration._threshold):
        built.cache_clear()


def same_name(kind, name):
    """A record of the same kind and name as a shipped one, and the same factory."""
    return kind, replace(registry().get(kind, f"purex-bandits:{name}").record)
