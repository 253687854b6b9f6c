"""Runs as rows of a Parquet table, one per run and delta; and whether rows are those that they should be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from purex.engine import Runs
from purex.errors import StoreError
from purex.experiments.enumeration import Cell, costs_of

SCHEMA = pa.schema(
    [
        pa.field(name, kind, nullable=False)
        for name, kind in (
            ("problem", pa.string()),
            ("rule", pa.string()),
            ("threshold", pa.string()),
            ("delta", pa.float64()),
            ("seed", pa.int64()),
            ("run", pa.int64()),
            ("tau", pa.int64()),
            ("answer", pa.int64()),
            ("correct", pa.bool_()),
            ("certified", pa.bool_()),
            ("counts", pa.list_(pa.field("item", pa.int64(), nullable=False))),
        )
    ]
)
# pages carry checksums: a damaged table is noticed, not plotted
FORMAT: dict[str, Any] = {"compression": "zstd", "write_page_checksum": True, "store_schema": True}


def rows_of(cell: Cell, runs: Runs) -> pa.Table:
    """Runs as rows: run by run, and the deltas of each in the order of the specification."""
    table = runs.to_arrow()
    same = {"problem": cell.entry.name, "rule": cell.rule, "threshold": cell.threshold}
    columns: dict[str, Any] = {name: pa.repeat(pa.scalar(value), len(table)) for name, value in same.items()}
    columns |= {name: table[name].combine_chunks() for name in table.column_names}
    columns["seed"] = np.full(len(table), cell.seed)
    return pa.Table.from_pydict({name: columns[name] for name in SCHEMA.names}, schema=SCHEMA)


def runs_of(cell: Cell, table: pa.Table, spent: dict[str, Any]) -> Runs:
    """The inverse of `rows_of`, for all rows of a cell."""
    costs = costs_of(cell)
    D, K = len(cell.deltas), len(cell.entry.means if costs is None else costs)

    def by_delta(name: str) -> Any:
        return np.ascontiguousarray(table[name].to_numpy().reshape(-1, D).T)

    counts = table["counts"].combine_chunks().flatten().to_numpy().reshape(-1, D, K)
    return Runs(
        deltas=cell.deltas,
        tau=by_delta("tau"),
        answer=by_delta("answer"),
        correct=by_delta("correct"),
        certified=by_delta("certified"),
        counts=np.ascontiguousarray(np.swapaxes(counts, 0, 1)),
        finished=by_delta("run")[0],
        rounds=int(spent["rounds"]),
        seconds=float(spent["seconds"]),
        threshold=cell.threshold,
        threshold_label="",
        path="stored",
        costs=costs,
    )


def fault(table: pa.Table, cell: Cell, first: int, stop: int) -> str | None:
    """What is wrong with rows that should be the runs `first` to `stop` - 1 of a cell; None if nothing is."""
    D, R, costs = len(cell.deltas), stop - first, costs_of(cell)
    K = len(cell.entry.means if costs is None else costs)
    if len(table) != R * D:
        return f"has {len(table)} rows instead of {R * D}"
    same = {"problem": cell.entry.name, "rule": cell.rule, "threshold": cell.threshold, "seed": cell.seed}
    for name, value in same.items():
        if pc.unique(table[name]).to_pylist() != [value]:
            return f"has rows with another {name} than {value!r}"
    if not np.array_equal(table["run"].to_numpy(), np.repeat(np.arange(first, stop), D)):
        return f"does not hold the runs {first} to {stop - 1}"
    if not np.array_equal(table["delta"].to_numpy(), np.tile(np.array(cell.deltas), R)):
        return "has other deltas"
    if pc.unique(pc.list_value_length(table["counts"])).to_pylist() != [K]:
        return f"has counts that are not of {K} {'arms' if costs is None else 'actions'}"
    counts = table["counts"].combine_chunks().flatten().to_numpy().reshape(-1, K)
    tau = table["tau"].to_numpy()
    if (counts < 0).any() or (tau < 1).any() or not np.array_equal(counts.sum(axis=1), tau):
        return "has counts that do not add up to the number of samples"
    return None


@contextmanager
def reading(file: Path) -> Iterator[pq.ParquetFile]:
    """An open Parquet file; whatever is wrong with it is one sentence."""
    try:
        # opened here, because pyarrow takes a name such as 'a:b' for an address
        with open(file, "rb") as handle, pq.ParquetFile(handle, page_checksum_verification=True) as parquet:
            yield parquet
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise StoreError(
            f"'{file}' is damaged, or no Parquet: move it away, and the same command makes it anew"
        ) from error


def row_groups(parquet: pq.ParquetFile, number: int, rows: int) -> tuple[pa.Table, int]:
    """The row groups from this number on that hold so many rows, and the number of the next one."""
    held: list[pa.Table] = [SCHEMA.empty_table()]
    while sum(map(len, held)) < rows and number < parquet.metadata.num_row_groups:
        held.append(parquet.read_row_group(number))
        number += 1
    return pa.concat_tables(held).combine_chunks(), number
