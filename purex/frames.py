"""Tables for pandas, which purex does not need itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from purex.errors import MissingExtraError

if TYPE_CHECKING:
    from pandas import DataFrame
    from pyarrow import Table


def data_frame(table: Table) -> DataFrame:
    """A table of pyarrow as a data frame."""
    try:
        import pandas  # noqa: F401 - pyarrow imports it
    except ImportError:
        raise MissingExtraError("a data frame", "pandas", "pandas, or use to_arrow()") from None
    return table.to_pandas()
