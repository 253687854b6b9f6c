"""Finding the entry points of group `purex`, without importing any plugin.

`importlib.metadata.entry_points` would do, but one distribution with a malformed
`entry_points.txt` makes it raise for all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import metadata
from typing import Any

from purex.plugins.hookspecs import PROJECT
from purex.plugins.plugin import UNKNOWN_VERSION, Fault

SECTION = re.compile(rf"^\s*\[\s*{PROJECT}\s*\]", re.MULTILINE)


def canonical(distribution: str) -> str:
    """The distribution's name as PyPI writes it.

    >>> canonical("Purex_Bandits")
    'purex-bandits'
    """
    return re.sub(r"[-_.]+", "-", distribution).lower()


def version_of(entry: metadata.EntryPoint) -> str:
    """The version of the distribution that declares an entry point."""
    try:
        return (entry.dist.version if entry.dist else None) or UNKNOWN_VERSION
    except Exception:  # metadata without a version: an old or broken installation
        return UNKNOWN_VERSION


def discover(
    path: Sequence[str] | None = None,
) -> tuple[dict[str, metadata.EntryPoint], list[Fault]]:
    """Entry points by plugin id, in the order of the ids, and what could not be read.

    A distribution that stands several times on the path (default: `sys.path`) counts once, the
    first time, as it does for `import`.
    """
    where: dict[str, Any] = {} if path is None else {"path": list(path)}
    found: dict[str, metadata.EntryPoint] = {}
    problems: list[Fault] = []
    names = set()
    for dist in metadata.distributions(**where):
        if not SECTION.search(dist.read_text("entry_points.txt") or ""):
            continue  # the name stands in the metadata, which is slow to parse: ask only if needed
        try:
            names.add(canonical(dist.name))
        except Exception as error:
            folder = getattr(dist, "_path", "?")
            problems.append(Fault(f"the metadata in {folder}", "cannot be read", error))
    for name in sorted(names):
        first = next(iter(metadata.distributions(name=name, **where)))
        try:
            entries = [entry for entry in first.entry_points if entry.group == PROJECT]
        except Exception as error:
            problems.append(Fault(f"distribution {name}", "has malformed entry points", error))
            continue
        for entry in sorted(set(entries)):
            if f"{name}:{entry.name}" in found:
                what = f"declares the entry point '{entry.name}' twice, so the second is left out"
                problems.append(Fault(f"distribution {name}", what))
            else:
                found[f"{name}:{entry.name}"] = entry
    return found, problems
