"""Some of the wrong things as a plugin, under names that are the same for several kinds."""

from wrong_rules import Crowd
from wrong_structures import Lazy, Loose, Narrow, Projections, Stepping
from wrong_thresholds import Bumpy

from purex.plugins import OracleRecord, RuleRecord, StructureRecord, ThresholdRecord, hookimpl


@hookimpl
def purex_oracles():
    for structure in (Loose, Lazy, Stepping):
        yield OracleRecord(
            name=structure.__name__.lower(),
            factory=Projections,
            summary=structure.__doc__,
            operation="projection",
            structure=structure,
        )


@hookimpl
def purex_rules():
    yield RuleRecord(name="twice", factory=Crowd, summary=Crowd.__doc__)


@hookimpl
def purex_thresholds():
    yield ThresholdRecord(name="twice", factory=Bumpy, summary=Bumpy.__doc__)


@hookimpl
def purex_structures():
    yield StructureRecord(name="narrow", factory=Narrow, summary=Narrow.__doc__)
