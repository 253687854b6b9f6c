"""A study from its specification to its table, and the table read back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from purex.engine import Runs
from purex.errors import InvalidInputError, StoreError
from purex.experiments.enumeration import Cell, Task, cells_of, enumerate_study
from purex.experiments.execution import Executor, Pool
from purex.experiments.files import read_json
from purex.experiments.specification import Specification
from purex.experiments.store import (
    CHUNKS,
    MANIFEST,
    TABLE,
    TIMINGS,
    Store,
    record_in,
    recorded,
    specification_in,
)  # fmt: skip
from purex.experiments.table import SCHEMA, fault, reading, rows_of, runs_of
from purex.frames import data_frame
from purex.notebook import table_html

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

Progress = Callable[[int, int], None]


def run_study(
    specification: Specification,
    out: Path,
    executor: Executor | None = None,
    progress: Progress | None = None,
    accept_versions: bool = False,
) -> Study:
    """Make all runs of a specification, or those that are still missing in `out`.

    `progress` is called with the runs that are there and the rounds of those made now. Stopped at any moment,
    even by kill -9, the same call goes on, and the table in the end is the same to the last byte. Plugins of
    other versions than those that began the study are refused, unless `accept_versions`.
    """
    enumeration = enumerate_study(specification, record_in(out))
    workers = (executor or Executor()).open()
    with ExitStack() as opened:
        # a study is begun when there is somebody to make its runs; workers that are refused leave no trace
        pool = None if os.path.exists(out / MANIFEST) else opened.enter_context(workers)
        store = opened.enter_context(Store.open(out, enumeration, accept_versions))
        if not store.is_complete():
            done = store.done()
            left = [task for task in enumeration.tasks() if (task.cell.number, task.first) not in done]
            if left:
                _make(left, pool or opened.enter_context(workers), store, progress)
            store.finish()
        store.clear()
    return Study.open(out)


def _make(left: Sequence[Task], pool: Pool, store: Store, progress: Progress | None) -> None:
    """Make the runs that are left and keep them chunk by chunk."""
    cells = store.enumeration.cells
    runs = sum(cell.entry.runs for cell in cells) - sum(task.stop - task.first for task in left)
    rounds = 0
    if progress is not None:
        progress(runs, rounds)
    pool.compile(task.cell for task in left)
    for chunk in pool.execute(left):
        store.write(chunk)
        runs, rounds = runs + len(chunk.runs.finished), rounds + chunk.runs.rounds
        if progress is not None:
            progress(runs, rounds)


@dataclass(frozen=True, repr=False)
class Study:
    """The finished runs of a directory."""

    directory: Path
    specification: Specification
    manifest: dict[str, Any]
    timings: list[dict[str, Any]]

    @classmethod
    def open(cls, directory: str | Path) -> Study:
        """Read what a directory holds; the runs themselves are read cell by cell."""
        directory = Path(directory)
        if not (directory / MANIFEST).exists():
            raise InvalidInputError(f"'{directory}' is no study: it has no {MANIFEST}")
        manifest = read_json(directory / MANIFEST)
        specification = specification_in(manifest)
        if specification is None:
            raise StoreError(f"'{directory / MANIFEST}' is damaged or not of purex: move it away")
        if not (directory / TABLE).exists():
            chunks = len(list((directory / CHUNKS).glob("*.parquet")))
            raise InvalidInputError(
                f"the study in '{directory}' is not finished ({chunks} chunks are there): give the command "
                "that began it once more"
            )
        timings = read_json(directory / TIMINGS)
        if not _are_timings(timings, len(cells_of(specification, {}))):
            raise StoreError(f"'{directory / TIMINGS}' is damaged or not of purex: move it away")
        return cls(directory, specification, manifest, timings)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every rule on every problem."""
        return cells_of(self.specification, recorded(self.manifest))

    def __repr__(self) -> str:
        problems = ", ".join(entry.name for entry in self.specification.problems)
        runs = sum(cell.entry.runs for cell in self.cells)
        return (
            f"<Study in '{self.directory}': {runs:,} runs of {len(self.cells)} cells; problems: {problems}>"
        )

    def _repr_html_(self) -> str:
        columns = ("problem", "rule", "threshold", "runs")
        rows = [(cell.entry.name, cell.rule, cell.threshold, f"{cell.entry.runs:,}") for cell in self.cells]
        return table_html(repr(self).strip("<>"), columns, rows)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the rules beside each other on one problem; see `purex.figures.plot_study`."""
        from purex.figures import plot_study

        return plot_study(self, ax, **options)

    def to_arrow(self) -> pa.Table:
        """All runs as one table of pyarrow, a row for each run and delta, checked against the manifest."""
        return pa.concat_tables([rows_of(cell, runs) for cell, runs in self.results()])

    def to_pandas(self) -> DataFrame:
        """The same as a data frame; pandas must be installed."""
        return data_frame(self.to_arrow())

    def cell(self, problem: str, rule: str, threshold: str | None = None) -> Cell:
        """The cell of these names."""
        for cell in self.cells:
            if (cell.entry.name, cell.rule) == (problem, rule) and threshold in (None, cell.threshold):
                return cell
        raise InvalidInputError(f"the study has no rule '{rule}' on a problem '{problem}'")

    def results(self) -> Iterator[tuple[Cell, Runs]]:
        """The runs of each cell, one cell in memory at a time."""
        for cell in self.cells:
            yield cell, self.runs(cell)

    def runs(self, cell: Cell) -> Runs:
        """The runs of one cell."""
        file = self.directory / TABLE
        before = sum(other.entry.runs * len(other.deltas) for other in self.cells[: cell.number])
        rows = cell.entry.runs * len(cell.deltas)
        with reading(file) as parquet:
            if not parquet.schema_arrow.equals(SCHEMA):
                raise StoreError(f"'{file}' is no table of purex: move it away")
            table = parquet.read_row_groups(_row_groups(parquet, before, rows))
        wrong = fault(table, cell, 0, cell.entry.runs)
        if wrong is not None:
            raise StoreError(f"'{file}' {wrong}, so it is not what its manifest says: move it away")
        return runs_of(cell, table, self.timings[cell.number])


def _row_groups(parquet: pq.ParquetFile, before: int, rows: int) -> list[int]:
    """The row groups after the first `before` rows that hold the next `rows`: no group holds two cells."""
    first, groups = 0, []
    for number in range(parquet.metadata.num_row_groups):
        if before <= first < before + rows:
            groups.append(number)
        first += parquet.metadata.row_group(number).num_rows
    return groups


def _are_timings(found: Any, cells: int) -> bool:
    """Whether this is a list with the seconds and the rounds of every cell."""
    return (
        isinstance(found, list)
        and len(found) == cells
        and all(isinstance(spent, dict) for spent in found)
        and all(isinstance(spent.get(key), int | float) for spent in found for key in ("seconds", "rounds"))
        and all(abs(spent[key]) < 2**63 for spent in found for key in ("seconds", "rounds"))
    )
