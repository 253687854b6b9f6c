"""No structure: every mean vector is possible."""

from collections.abc import Iterable

from purex.model import Unstructured
from purex.plugins import StructureRecord, hookimpl


@hookimpl
def purex_structures() -> Iterable[StructureRecord]:
    """The structure `unstructured`."""
    yield StructureRecord(
        name="unstructured",
        factory=Unstructured,
        summary="every mean vector is possible",
        reference="Garivier & Kaufmann (2016), Optimal best arm identification with fixed confidence",
    )
