"""The hooks: a plugin is a module with functions of these names, marked with `hookimpl`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy

from purex.plugins.records import (
    ActionsRecord,
    ClaimRecord,
    FamilyRecord,
    OracleRecord,
    QueryRecord,
    RuleRecord,
    StructureRecord,
    ThresholdRecord,
)

if TYPE_CHECKING:
    import click

PROJECT = "purex"  # pluggy's project name, and the entry-point group
API = 1  # the version of hooks, records and base classes; a plugin states its own as PUREX_API

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def purex_families() -> Iterable[FamilyRecord]:
    """Yield exponential families."""
    return ()


@hookspec
def purex_queries() -> Iterable[QueryRecord]:
    """Yield questions about the means."""
    return ()


@hookspec
def purex_structures() -> Iterable[StructureRecord]:
    """Yield sets of possible means."""
    return ()


@hookspec
def purex_actions() -> Iterable[ActionsRecord]:
    """Yield what can be done in a round, other than to pull an arm."""
    return ()


@hookspec
def purex_oracles() -> Iterable[OracleRecord]:
    """Yield special best-response oracles."""
    return ()


@hookspec
def purex_rules() -> Iterable[RuleRecord]:
    """Yield sampling rules."""
    return ()


@hookspec
def purex_thresholds() -> Iterable[ThresholdRecord]:
    """Yield stopping thresholds."""
    return ()


@hookspec
def purex_claims() -> Iterable[ClaimRecord]:
    """Yield checkable statements."""
    return ()


@hookspec
def purex_commands(app: click.Group) -> None:
    """Add commands to the `purex` program."""
