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

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from purex.errors import InvalidInputError, StoreError
from purex.experiments.enumeration import Cell, Enumeration, Record, Task, key_of
from purex.experiments.execution import Chunk
from purex.experiments.files import cannot_write, read_json, write_json, written_whole
from purex.experiments.manifest import describe, surroundings
from purex.experiments.specification import Specification
from purex.experiments.table import FORMAT, SCHEMA, fault, reading, row_groups, rows_of
from purex.files import remove_leftovers
from purex.provenance import INSIST, difference, is_record

LOG = logging.getLogger(__name__)

MANIFEST, TABLE, TIMINGS, CHUNKS = "manifest.json", "runs.parquet", "timings.json", "chunks"
KEY, SPECIFICATION, SECONDS, ROUNDS = b"purex.key", b"purex.specification", b"purex.seconds", b"purex.rounds"
ROWS = 2**17  # most rows in a row group of the table, which holds one cell only


class Store:
    """A directory that this process alone writes to."""

    def __init__(self, directory: Path, enumeration: Enumeration) -> None:
        self.directory, self.enumeration = directory, enumeration
        self.key = enumeration.key.encode()

    @classmethod
    @contextmanager
    def open(
        cls, directory: Path, enumeration: Enumeration, accept_versions: bool = False
    ) -> Iterator[Store]:
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
            store._check_manifest(accept_versions)
            remove_leftovers(directory, (MANIFEST, TABLE, TIMINGS))
            remove_leftovers(directory / CHUNKS, store._files())
            yield store

    def _check_manifest(self, accept_versions: bool) -> None:
        file, now = self.directory / MANIFEST, describe(self.enumeration)
        if not file.exists():
            if (self.directory / TABLE).exists() or any((self.directory / CHUNKS).iterdir()):
                raise StoreError(f"'{self.directory}' has runs without a manifest: give another directory")
            write_json(file, now)
            return
        then = read_json(file)
        before = specification_in(then)
        if before != self.enumeration.specification:
            where = "" if before is None else difference_of(before, self.enumeration.specification)
            raise StoreError(
                f"'{self.directory}' holds the runs of another specification{where}: "
                "give another directory, or the specification as it was"
            )
        record = recorded(then)
        if then.get("key") != key_of(before, record):
            raise StoreError(f"'{file}' is damaged or not of purex: move it away")
        self.key = then["key"].encode()
        self._check_plugins(file, then, record, now["plugins"], accept_versions)
        for name, value in surroundings().items():
            if then.get(name) != value:
                LOG.warning(
                    "the runs in '%s' were begun with another %s: see its manifest", self.directory, name
                )

    def _check_plugins(
        self, file: Path, then: dict[str, Any], record: Record, now: Record, accept_versions: bool
    ) -> None:
        """Refuse plugins of other versions than those that began the study, or take note of them."""
        told = then.get("accepted")
        accepted = told if isinstance(told, list) else []
        if record == now or now in accepted:
            return
        if not accept_versions:
            raise StoreError(
                f"'{self.directory}' was begun with other plugins ({difference(record, now)}), whose runs do "
                "not belong in one table with these: give another directory, install what it was begun with, "
                f"or mix them by {INSIST}"
            )
        write_json(file, {**then, "accepted": [*accepted, now]})

    def done(self) -> set[tuple[int, int]]:
        """Which chunks are there, by cell and first run; refuses a file that is not what its name says."""
        expected, found = self._files(), set()
        for file in sorted((self.directory / CHUNKS).iterdir()):
            task = expected.get(file.name)
            if task is None:
                raise StoreError(f"'{file}' is no chunk of this study: move it away")
            self._read(task)
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
            self._check(file, parquet)
            number = 0
            for cell in self.enumeration.cells:
                table, number = row_groups(parquet, number, cell.entry.runs * len(cell.deltas))
                _refuse_fault(file, fault(table, cell, 0, cell.entry.runs))
        return True

    def finish(self) -> None:
        """Merge all chunks into one table, the same to the last byte however they came about.

        The table takes its name when it has been read back and found to be the same, and the chunks go then.
        """
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
            handle.flush()
            self._compare(Path(handle.name))
            write_json(self.directory / TIMINGS, timings)  # before the table, which says that all is there
        self.clear()

    def clear(self) -> None:
        """Remove the chunks of a complete table."""
        for file in (self.directory / CHUNKS).glob("*.parquet"):
            file.unlink()

    def _compare(self, file: Path) -> None:
        """Read a merged table back, and refuse it if its rows are not those of the chunks."""
        number = 0
        with reading(file) as parquet:
            for cell in self.enumeration.cells:
                for group in self._groups(cell, {"seconds": 0.0, "rounds": 0}):
                    table, number = row_groups(parquet, number, len(group))
                    if not table.equals(group):
                        raise StoreError(
                            f"'{self.directory / TABLE}' was not written as it should be (is the disk "
                            "sound?); the chunks are kept, and the same command tries again"
                        )

    def _groups(self, cell: Cell, spent: dict[str, Any]) -> Iterator[pa.Table]:
        """The rows of a cell in order, in row groups; `spent` is added up on the way."""
        held: list[pa.Table] = []
        for task in self.enumeration.chunks(cell):
            about, table = self._read(task)
            spent["seconds"] += float(about[SECONDS])
            spent["rounds"] += int(about[ROUNDS])
            if held and sum(map(len, held)) + len(table) > ROWS:
                yield pa.concat_tables(held).combine_chunks()
                held = []
            held.append(table)
        yield pa.concat_tables(held).combine_chunks()

    def _read(self, task: Task) -> tuple[dict[bytes, bytes], pa.Table]:
        """What a chunk says of itself, and its rows, which must be those of the task."""
        file = self._file(task)
        with reading(file) as parquet:
            about, table = self._check(file, parquet), parquet.read()
        if not (SECONDS in about and ROUNDS in about and about[ROUNDS].isdigit()):
            raise StoreError(f"'{file}' is not of this study: move it away")
        _refuse_fault(file, fault(table, task.cell, task.first, task.stop))
        return about, table

    def _check(self, file: Path, parquet: pq.ParquetFile) -> dict[bytes, bytes]:
        about: dict[bytes, bytes] = parquet.schema_arrow.metadata or {}
        if about.get(KEY) != self.key or not parquet.schema_arrow.equals(SCHEMA):
            raise StoreError(f"'{file}' is not of this study: move it away")
        return about

    def _files(self) -> dict[str, Task]:
        """The tasks by the names of their chunks."""
        return {self._file(task).name: task for task in self.enumeration.tasks()}

    def _file(self, task: Task) -> Path:
        return self.directory / CHUNKS / f"{task.cell.number:05d}-{task.first:09d}.parquet"


def _refuse_fault(file: Path, wrong: str | None) -> None:
    if wrong is not None:
        raise StoreError(f"'{file}' {wrong}: move it away, and the same command makes it anew")


def specification_in(manifest: Any) -> Specification | None:
    """The specification that a manifest tells, if it is one."""
    told = manifest.get("specification") if isinstance(manifest, dict) else None
    try:
        return Specification.from_dict(told) if isinstance(told, dict) else None
    except InvalidInputError:
        return None


def recorded(manifest: Any) -> Record:
    """The plugins that a manifest tells; none if it tells none."""
    told = manifest.get("plugins") if isinstance(manifest, dict) else None
    return dict(told) if isinstance(told, dict) and is_record(told) else {}


def record_in(directory: Path) -> Record:
    """The plugins of the study in a directory; none if there is no study that can be read."""
    try:
        return recorded(read_json(directory / MANIFEST)) if (directory / MANIFEST).exists() else {}
    except (StoreError, OSError):
        return {}


def difference_of(before: Specification, now: Specification) -> str:
    """Where two specifications differ first, in words."""
    for key in ("seed", "chunk"):
        a, b = getattr(before, key), getattr(now, key)
        if a != b:
            return f" ({key} was {a!r}, now it is {b!r})"
    for x, y in zip(before.problems, now.problems, strict=False):
        for key, value in asdict(y).items():
            if getattr(x, key) != value:
                return f" ({key} of '{y.name}' was {getattr(x, key)!r}, now it is {value!r})"
    return " (other problems)"
