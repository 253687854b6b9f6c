"""The directory of a study: chunks of runs as they are finished, then one table.

Parquet, with one row per run and delta.

```
manifest.json                 what the runs came from, and the key that every file bears
chunks/00007-000000250.parquet   runs 250 and following of cell 7, until the study is complete
runs.parquet                  all rows, in the order of cells, runs and deltas
timings.json                  processor seconds and rounds of each cell: not the same in every execution
```
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from purex.engine import Runs
from purex.errors import InvalidInputError, StoreError
from purex.experiments.enumeration import Cell, Enumeration, Task
from purex.experiments.execution import Chunk
from purex.experiments.files import TEMPORARY, cannot_write, read_json, write_json, written_whole
from purex.experiments.manifest import describe, surroundings
from purex.experiments.specification import Specification

LOG = logging.getLogger(__name__)

MANIFEST, TABLE, TIMINGS, CHUNKS = "manifest.json", "runs.parquet", "timings.json", "chunks"
KEY, SPECIFICATION, SECONDS, ROUNDS = b"purex.key", b"purex.specification", b"purex.seconds", b"purex.rounds"
ROWS = 2**17  # most rows in a row group of the table, which holds one cell only

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


class Store:
    """A directory that this process alone writes to."""

    def __init__(self, directory: Path, enumeration: Enumeration) -> None:
        self.directory, self.enumeration = directory, enumeration
        self.key = enumeration.key.encode()

    @classmethod
    @contextmanager
    def open(cls, directory: Path, enumeration: Enumeration) -> Iterator[Store]:
        """Take hold of a directory, new or with runs of this very study; refuse any other."""
        try:
            (directory / CHUNKS).mkdir(parents=True, exist_ok=True)
            lock = FileLock(directory / ".lock", timeout=0)
            lock.acquire()
        except Timeout:
            raise StoreError(f"another process is writing to '{directory}': wait for it, or end it") from None
        except OSError as error:
            raise cannot_write(directory, error) from error
        with lock:
            store = cls(directory, enumeration)
            store._check_manifest()
            for left in (*directory.glob(f"*{TEMPORARY}"), *(directory / CHUNKS).glob(f"*{TEMPORARY}")):
                left.unlink()
            yield store

    def _check_manifest(self) -> None:
        file, now = self.directory / MANIFEST, describe(self.enumeration)
        if not file.exists():
            if (self.directory / TABLE).exists() or any((self.directory / CHUNKS).iterdir()):
                raise StoreError(f"'{self.directory}' has runs without a manifest: give another directory")
            write_json(file, now)
            return
        then = read_json(file)
        if not isinstance(then, dict) or then.get("key") != now["key"]:
            difference = _difference(then, self.enumeration.specification)
            raise StoreError(
                f"'{self.directory}' holds the runs of another specification{difference}: "
                "give another directory, or the specification as it was"
            )
        for name, value in surroundings().items():
            if then.get(name) != value:
                LOG.warning(
                    "the runs in '%s' were begun with another %s: see its manifest", self.directory, name
                )

    def done(self) -> set[tuple[int, int]]:
        """Which chunks are there, by cell and first run; refuses a file that is not what its name says."""
        expected = {self._file(task).name: task for task in self.enumeration.tasks()}
        found = set()
        for file in sorted((self.directory / CHUNKS).iterdir()):
            task = expected.get(file.name)
            if task is None:
                raise StoreError(f"'{file}' is no chunk of this study: move it away")
            with reading(file) as parquet:
                self._check(file, parquet, (task.stop - task.first) * len(task.cell.deltas))
            found.add((task.cell.number, task.first))
        return found

    def write(self, chunk: Chunk) -> None:
        """Write the runs of a task, whole or not at all."""
        about = {
            KEY: self.key,
            SECONDS: repr(chunk.seconds).encode(),
            ROUNDS: str(chunk.runs.rounds).encode(),
        }
        rows = rows_of(chunk.task.cell, chunk.runs)
        with written_whole(self._file(chunk.task)) as handle:
            pq.write_table(rows.replace_schema_metadata(about), handle, **FORMAT)

    def is_complete(self) -> bool:
        """Whether the table of all runs is there, whole and of this study."""
        file = self.directory / TABLE
        if not file.exists():
            return False
        with reading(file) as parquet:
            rows = sum(cell.entry.runs * len(cell.deltas) for cell in self.enumeration.cells)
            self._check(file, parquet, rows)
        return True

    def finish(self) -> None:
        """Merge all chunks into one table, the same to the last byte however they came about."""
        about = {KEY: self.key, SPECIFICATION: json.dumps(self.enumeration.specification.as_dict()).encode()}
        timings = []
        with written_whole(self.directory / TABLE) as handle:
            with pq.ParquetWriter(handle, SCHEMA.with_metadata(about), **FORMAT) as writer:
                for cell in self.enumeration.cells:
                    spent = {"problem": cell.entry.name, "rule": cell.rule, "threshold": cell.threshold,
                             "seconds": 0.0, "rounds": 0}  # fmt: skip
                    for group in self._groups(cell, spent):
                        writer.write_table(group.replace_schema_metadata(about), row_group_size=ROWS)
                    timings.append(spent)
            write_json(self.directory / TIMINGS, timings)  # before the table, which says that all is there
        self.clear()

    def clear(self) -> None:
        """Remove the chunks of a complete table."""
        for file in (self.directory / CHUNKS).glob("*.parquet"):
            file.unlink()

    def _groups(self, cell: Cell, spent: dict[str, Any]) -> Iterator[pa.Table]:
        """The rows of a cell in order, in row groups; `spent` is added up on the way."""
        held: list[pa.Table] = []
        for task in self.enumeration.chunks(cell):
            file = self._file(task)
            with reading(file) as parquet:
                about = self._check(file, parquet, (task.stop - task.first) * len(cell.deltas))
                table = parquet.read()
            spent["seconds"] += float(about[SECONDS])
            spent["rounds"] += int(about[ROUNDS])
            if held and sum(map(len, held)) + len(table) > ROWS:
                yield pa.concat_tables(held).combine_chunks()
                held = []
            held.append(table)
        yield pa.concat_tables(held).combine_chunks()

    def _check(self, file: Path, parquet: pq.ParquetFile, rows: int) -> dict[bytes, bytes]:
        about: dict[bytes, bytes] = parquet.schema_arrow.metadata or {}
        if about.get(KEY) != self.key or not parquet.schema_arrow.equals(SCHEMA):
            raise StoreError(f"'{file}' is not of this study: move it away")
        if parquet.metadata.num_rows != rows:
            raise StoreError(f"'{file}' has {parquet.metadata.num_rows} rows instead of {rows}: move it away")
        return about

    def _file(self, task: Task) -> Path:
        return self.directory / CHUNKS / f"{task.cell.number:05d}-{task.first:09d}.parquet"


def rows_of(cell: Cell, runs: Runs) -> pa.Table:
    """Runs as rows: run by run, and the deltas of each in the order of the specification."""
    D, R, K = runs.counts.shape

    def by_run(array: Any) -> Any:
        return np.ascontiguousarray(np.swapaxes(array, 0, 1)).reshape(D * R, *array.shape[2:])

    same = {"problem": cell.entry.name, "rule": cell.rule, "threshold": cell.threshold}
    columns: dict[str, Any] = {name: pa.repeat(pa.scalar(value), D * R) for name, value in same.items()}
    columns |= {
        "delta": np.tile(np.array(runs.deltas), R),
        "seed": np.full(D * R, cell.seed),
        "run": np.repeat(runs.finished, D),
        **{name: by_run(getattr(runs, name)) for name in ("tau", "answer", "correct", "certified")},
        "counts": pa.ListArray.from_arrays(
            np.arange(0, (D * R + 1) * K, K, dtype=np.int32),
            pa.array(by_run(runs.counts).ravel()),
            type=SCHEMA.field("counts").type,
        ),
    }
    return pa.Table.from_pydict(columns, schema=SCHEMA)


def runs_of(cell: Cell, table: pa.Table, spent: dict[str, Any]) -> Runs:
    """The inverse of `rows_of`, for all rows of a cell."""
    D, K = len(cell.deltas), len(cell.entry.means)

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
    )


@contextmanager
def reading(file: Path) -> Iterator[pq.ParquetFile]:
    """An open Parquet file; whatever is wrong with it is one sentence."""
    try:
        with pq.ParquetFile(file, page_checksum_verification=True) as parquet:
            yield parquet
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise StoreError(
            f"'{file}' is damaged, or no Parquet: move it away, and the same command makes it anew"
        ) from error


def holds(table: pa.Table, cell: Cell) -> bool:
    """Whether rows are those of a cell, each with as many counts as there are arms."""
    told = {"problem": cell.entry.name, "rule": cell.rule, "threshold": cell.threshold}
    lengths = pc.list_value_length(table["counts"]).unique().to_pylist()
    return lengths == [len(cell.entry.means)] and all(
        table[name].unique().to_pylist() == [value] for name, value in told.items()
    )


def specification_in(manifest: Any) -> Specification | None:
    """The specification that a manifest tells, if it is one."""
    told = manifest.get("specification") if isinstance(manifest, dict) else None
    try:
        return Specification.from_dict(told) if isinstance(told, dict) else None
    except InvalidInputError:
        return None


def _difference(then: Any, now: Specification) -> str:
    """Where the specification of a manifest and that of now differ first, in words."""
    before = specification_in(then)
    if before is None:
        return ""
    if before == now:
        return " (other versions of its plugins)"
    for key in ("seed", "chunk"):
        a, b = getattr(before, key), getattr(now, key)
        if a != b:
            return f" ({key} was {a!r}, now it is {b!r})"
    for x, y in zip(before.problems, now.problems, strict=False):
        for key, value in asdict(y).items():
            if getattr(x, key) != value:
                return f" ({key} of '{y.name}' was {getattr(x, key)!r}, now it is {value!r})"
    return " (other problems)"
