"""From which version of which distribution an oracle comes."""

from __future__ import annotations

from purex.model import Query
from purex.plugins import registry
from purex.plugins.origin import is_shipped, item_of, version_of_purex
from purex.plugins.plugin import UNKNOWN_VERSION


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
