"""How queries, structures, families and the rest come into purex: hooks, records, registry."""

from purex.plugins.building import Parameter, all_named, build, named, parameters
from purex.plugins.hookspecs import hookimpl
from purex.plugins.kinds import KINDS, Kind, kind_named
from purex.plugins.names import Call, parse, parse_list
from purex.plugins.plugin import Fault, Plugin
from purex.plugins.records import (
    ActionsRecord,
    ClaimRecord,
    FamilyRecord,
    OracleRecord,
    QueryRecord,
    Record,
    RuleRecord,
    StructureRecord,
    ThresholdRecord,
)
from purex.plugins.registry import Item, Registry, registry

__all__ = [
    "KINDS",
    "ActionsRecord",
    "Call",
    "ClaimRecord",
    "FamilyRecord",
    "Fault",
    "Item",
    "Kind",
    "OracleRecord",
    "Parameter",
    "Plugin",
    "QueryRecord",
    "Record",
    "Registry",
    "RuleRecord",
    "StructureRecord",
    "ThresholdRecord",
    "all_named",
    "build",
    "hookimpl",
    "kind_named",
    "named",
    "parameters",
    "parse",
    "parse_list",
    "registry",
]
