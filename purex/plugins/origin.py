"""Where an object comes from: shipped with purex, or made by somebody else, and under which name."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

from purex.plugins.kinds import KINDS
from purex.plugins.plugin import OWN, UNKNOWN_VERSION
from purex.plugins.registry import Item, registry

if TYPE_CHECKING:
    from purex.model import Query

PACKAGES = ("purex", "purex_plugins")

_makers: dict[type, Item] = {}  # whose factory made objects of a class, where the factory is not the class


def is_shipped(thing: object) -> bool:
    """Whether an object's class, or a class, is part of the distribution of purex.

    >>> is_shipped(Item), is_shipped(1.0)
    (True, False)
    """
    cls = thing if isinstance(thing, type) else type(thing)
    return cls.__module__.partition(".")[0] in PACKAGES


def remember(item: Item, product: object) -> None:
    """Note that an item's factory made this product."""
    _makers.setdefault(type(product), item)


def item_of(thing: object) -> Item | None:
    """The registered item whose factory is this object's class, or made objects of it; None if unknown."""
    cls = type(thing)
    for kind in KINDS:
        for item in registry().items(kind):
            if item.record.factory is cls:
                return item
    return _makers.get(cls)


def name_of(thing: object) -> str:
    """How errors call an object: by its qualified name if it is known, else by its class."""
    item = item_of(thing)
    return type(thing).__name__ if item is None else f"'{item.qualified}'"


def version_of_purex() -> str:
    """The version of the installed distribution."""
    try:
        return metadata.version(OWN)
    except metadata.PackageNotFoundError:
        return UNKNOWN_VERSION


def oracle_version(name: str, query: Query) -> str:
    """The version behind an oracle's name: a registered one's, the query's for its closed form, else purex's.

    >>> from purex_plugins.best_arm import BestArm
    >>> oracle_version("generic", BestArm(2)) == version_of_purex()
    True
    """
    if ":" in name:
        return registry().get("oracle", name).version
    if name != "closed-form" or is_shipped(query):
        return version_of_purex()
    item = item_of(query)
    return UNKNOWN_VERSION if item is None else item.version
